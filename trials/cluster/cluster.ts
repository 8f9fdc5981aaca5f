/** A cluster of throwaway servers on this machine: a coordinator and workers, with a database that spans them. */
import { chown, readFile, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openDatabase, sql, sqlState, type Database } from '../../server/src/platform/db/database.ts';
import { readBinaries } from '../../server/src/platform/db/embedded/binaries.ts';
import { startOwnPostgres, type OwnPostgres } from '../faults/own-postgres.ts';

export interface Cluster {
  readonly coordinator: OwnPostgres;
  readonly workers: readonly OwnPostgres[];
  /**
   * Creates an empty database on all servers, and returns its address at the coordinator, for a role that owns nothing else: the limits
   * that the service stores with its role would end the moves of shards, which Citus does as the owner of the extension.
   * @param workerPorts where the coordinator finds the workers, if that is not their own port
   */
  createDatabase(name: string, workerPorts?: readonly number[]): Promise<string>;
  /** Opens a pool on such a database for the owner of the extension. */
  open(name: string): Database;
  remove(): Promise<void>;
}

const SETTINGS = [
  "shared_preload_libraries = 'citus'",
  'wal_level = logical',
  'max_connections = 300',
  'max_prepared_transactions = 600',
  "citus.node_conninfo = 'sslmode=disable'",
  // Everything is on one machine, where nothing but this runs.
  'citus.max_cached_conns_per_worker = 2',
  'citus.enable_unsafe_triggers = on',
  'citus.recover_2pc_interval = 1s',
];

/**
 * Starts the servers.
 * @param bin the folder with the programs that `build-citus.sh` has made
 * @param envs variables for the processes of each server, the coordinator first
 * @param parents the parents of their folders, in the same order; by default that of temporary files
 */
export async function startCluster(
  bin: string,
  {
    workers = 2,
    settings = [],
    envs = [],
    parents = [],
  }: {
    workers?: number;
    settings?: readonly string[];
    envs?: readonly Readonly<Record<string, string>>[];
    parents?: readonly (string | null)[];
  } = {},
): Promise<Cluster> {
  const binaries = await readBinaries(await realpath(bin));
  const servers: OwnPostgres[] = [];
  for (let i = 0; i <= workers; i++) {
    const parent = parents[i];
    servers.push(
      await startOwnPostgres({
        binaries,
        settings: [...SETTINGS, ...settings],
        prepare: trustThisMachine,
        ...(envs[i] && { env: envs[i] }),
        ...(parent != null && { parent }),
      }),
    );
  }
  for (const { adminUrl } of servers) await at(adminUrl, letSplit);
  const [coordinator, ...others] = servers as [OwnPostgres, ...OwnPostgres[]];
  const open = (name: string) =>
    openDatabase({
      url: addressOn(coordinator.adminUrl, name),
      poolSize: 4,
      preparedStatements: true,
      cluster: 'citus',
      statementTimeoutMs: 0,
    });
  return {
    coordinator,
    workers: others,
    async createDatabase(name, workerPorts) {
      for (const { adminUrl } of servers)
        await at(adminUrl, (admin) => sql`create database ${sql.id(name)}`.execute(admin));
      await spanServers(
        servers.map(({ adminUrl }) => adminUrl),
        name,
        workerPorts,
      );
      return addRole(coordinator.adminUrl, name);
    },
    open,
    async remove() {
      for (const server of servers) await server.remove();
    },
  };
}

/** Newer servers let no library but their own read their log, and Citus splits shards by it. */
async function letSplit(db: Database): Promise<void> {
  const { rows } = await sql`select from pg_settings where name = 'output_plugin_libraries'`.execute(db);
  if (rows.length === 0) return;
  await sql`alter system set output_plugin_libraries = 'citus', 'pgoutput'`.execute(db);
  await sql`select pg_reload_conf()`.execute(db);
}

/** The role of the service. */
const ROLE = 'loyalty';

/** Lets the role of the service make tables in a database of a cluster, and returns its address there. */
export async function addRole(adminUrl: string, name: string): Promise<string> {
  const url = addressOn(adminUrl, name);
  await at(url, async (db) => {
    await sql`create role ${sql.id(ROLE)} login`.execute(db).catch(unlessThere);
    await sql`grant create on schema public to ${sql.id(ROLE)}`.execute(db);
  });
  return Object.assign(new URL(url), { username: ROLE, password: '' }).href;
}

function unlessThere(error: unknown): void {
  if (sqlState(error) !== '42710') throw error;
}

/** Makes one database of those that all servers have by a name. The first server is the coordinator. */
export async function spanServers(
  adminUrls: readonly string[],
  name: string,
  workerPorts?: readonly number[],
): Promise<void> {
  const urls = adminUrls.map((url) => addressOn(url, name));
  for (const url of urls) await at(url, (db) => sql`create extension citus`.execute(db));
  const ports = urls.map((url) => Number(new URL(url).port));
  await at(urls[0]!, async (db) => {
    await sql`select citus_set_coordinator_host('127.0.0.1', ${ports[0]}::integer)`.execute(db);
    for (const port of workerPorts ?? ports.slice(1))
      await sql`select citus_add_node('127.0.0.1', ${port}::integer)`.execute(db);
  });
}

function addressOn(url: string, name: string): string {
  return Object.assign(new URL(url), { pathname: `/${name}` }).href;
}

async function at(url: string, work: (db: Database) => Promise<unknown>): Promise<void> {
  const db = openDatabase({ url, poolSize: 1, preparedStatements: false, statementTimeoutMs: 0 });
  try {
    await work(db);
  } finally {
    await db.destroy();
  }
}

/** The servers of a cluster reach each other without a password. */
async function trustThisMachine(
  folder: string,
  runAs: { readonly uid: number; readonly gid: number } | null,
): Promise<void> {
  const path = join(folder, 'pg_hba.conf');
  const rules = await readFile(path, 'utf8');
  await writeFile(path, `host all,replication all 127.0.0.1/32 trust\n${rules}`);
  if (runAs) await chown(path, runAs.uid, runAs.gid);
}
