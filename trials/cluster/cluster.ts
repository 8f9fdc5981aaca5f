/** A cluster of throwaway servers on this machine: a coordinator and workers, with a database that spans them. */
import { chown, readFile, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openDatabase, sql, type Database } from '../../server/src/platform/db/database.ts';
import { readBinaries } from '../../server/src/platform/db/embedded/binaries.ts';
import { startOwnPostgres, type OwnPostgres } from '../faults/own-postgres.ts';

export interface Cluster {
  readonly coordinator: OwnPostgres;
  readonly workers: readonly OwnPostgres[];
  /** Creates an empty database on all servers, and returns its address at the coordinator. */
  createDatabase(name: string): Promise<string>;
  /** Opens a pool on such a database, as the service does. */
  open(name: string, poolSize: number): Database;
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
 */
export async function startCluster(
  bin: string,
  { workers = 2, settings = [] }: { workers?: number; settings?: readonly string[] } = {},
): Promise<Cluster> {
  const binaries = await readBinaries(await realpath(bin));
  const servers: OwnPostgres[] = [];
  for (let i = 0; i <= workers; i++)
    servers.push(
      await startOwnPostgres({ binaries, settings: [...SETTINGS, ...settings], prepare: trustThisMachine }),
    );
  const [coordinator, ...others] = servers as [OwnPostgres, ...OwnPostgres[]];
  const urlOf = ({ adminUrl }: OwnPostgres, name: string) =>
    Object.assign(new URL(adminUrl), { pathname: `/${name}` }).href;
  const open = (name: string, poolSize: number) =>
    openDatabase({
      url: urlOf(coordinator, name),
      poolSize,
      preparedStatements: true,
      cluster: 'citus',
      statementTimeoutMs: 0,
    });
  return {
    coordinator,
    workers: others,
    async createDatabase(name) {
      for (const server of servers) {
        const admin = openDatabase({ url: server.adminUrl, poolSize: 1, preparedStatements: false });
        await sql`create database ${sql.id(name)}`.execute(admin);
        await admin.destroy();
        const own = openDatabase({ url: urlOf(server, name), poolSize: 1, preparedStatements: false });
        await sql`create extension citus`.execute(own);
        await own.destroy();
      }
      const db = open(name, 1);
      await sql`select citus_set_coordinator_host('127.0.0.1', ${coordinator.port}::integer)`.execute(db);
      for (const { port } of others)
        await sql`select citus_add_node('127.0.0.1', ${port}::integer)`.execute(db);
      await db.destroy();
      return urlOf(coordinator, name);
    },
    open,
    async remove() {
      for (const server of servers) await server.remove();
    },
  };
}

/** The servers of a cluster reach each other without a password. */
async function trustThisMachine(
  folder: string,
  runAs: { readonly uid: number; readonly gid: number } | null,
): Promise<void> {
  const path = join(folder, 'pg_hba.conf');
  const rules = await readFile(path, 'utf8');
  await writeFile(path, `host all all 127.0.0.1/32 trust\n${rules}`);
  if (runAs) await chown(path, runAs.uid, runAs.gid);
}
