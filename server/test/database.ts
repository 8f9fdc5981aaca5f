import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { after, type TestContext } from 'node:test';
import { Client } from 'pg';
import { openDatabase, sql, type Database } from '#db/database.ts';
import { migrate } from '#db/migrate.ts';
import type { Patience } from '#db/patience.ts';
import { distribute, planDistribution } from '#distribute/distribute.ts';
import { partition, planPartitions } from '#partition/partition.ts';
import { verifyLedger } from '#books/verify-ledger.ts';
import { dropDatabase } from './drop-database.ts';
import { collectStatements } from './statements/collect.ts';

const MIGRATIONS = new URL('../src/platform/db/migrations/', import.meta.url);

let opened: Promise<Database> | undefined;
const closers: (() => Promise<unknown>)[] = [];

// The hook is declared while the file loads. Declared inside a test, it would run at the end of that test.
after(async () => {
  for (const close of closers.toReversed()) await close();
});

/** Registers something to close when the test process ends. The last one registered is closed first. */
export function onEnd(close: () => Promise<unknown>): void {
  closers.push(close);
}

/** Returns the database of this test process: a clone of the migrated template, dropped when the process ends. */
export function testDatabase(): Promise<Database> {
  opened ??= cloneTemplate();
  return opened;
}

/** Returns another database like it, for tests that need two. */
export function anotherDatabase(): Promise<Database> {
  return cloneTemplate();
}

/** Returns the address of that database, so that another process can open it. */
export async function testDatabaseUrl(): Promise<string> {
  return databaseUrl(await nameOf(await testDatabase()));
}

/** A database of a test's own without a table in it, dropped when the test ends. */
export async function emptyDatabase(t: TestContext, poolSize: number): Promise<Database> {
  const name = `empty_${process.pid}_${Math.random().toString(36).slice(2, 8)}`;
  const admin = open('postgres', 1);
  await sql`create database ${sql.id(name)}`.execute(admin);
  const db = open(name, poolSize);
  t.after(async () => {
    await db.destroy();
    await dropDatabase(admin, name);
    await admin.destroy();
  });
  return db;
}

/** An empty database on all servers of the cluster, dropped when the test ends, opened as a role that owns nothing else. */
export async function emptyDatabaseOnNodes(t: TestContext): Promise<Database> {
  const { addRole } = await import('../../trials/cluster/cluster.ts');
  const name = `nodes_${process.pid}_${Math.random().toString(36).slice(2, 8)}`;
  const admin = open('postgres', 1);
  await onEachServer(admin, (server) => sql`create database ${sql.id(name)}`.execute(server));
  await connectServers(name);
  const url = await addRole(process.env['TEST_DATABASE_SERVER']!, name);
  const db = openDatabase({
    url,
    poolSize: 2,
    preparedStatements: true,
    cluster,
    statementTimeoutMs: MINUTE,
  });
  t.after(async () => {
    await db.destroy();
    await onEachServer(admin, (server) => dropDatabase(server, name));
    await admin.destroy();
  });
  return db;
}

export async function nameOf(db: Database): Promise<string> {
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(db);
  return rows[0]!.name;
}

const tampered = new Set<number>();

/** Declares that a test breaks a commerce's books on purpose. All other books are verified when the process ends. */
export function expectTampering(commerceId: number): void {
  tampered.add(commerceId);
}

/** Returns the address of a database on the tests' server. */
export function databaseUrl(name: string): string {
  const server = process.env['TEST_DATABASE_SERVER'];
  if (server === undefined)
    throw new Error('run the tests with `npm test`, or set TEST_DATABASE_SERVER to the address of a server');
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

/** The poolers of this run, if it has any, as `global-setup.ts` names them. */
export interface TestPoolers {
  /** The port of the one through which tests reach the database. Its connections wait as long as `PATIENT` says. */
  readonly ofTests: number;
  /** The port of the one for service processes, which store time limits of their own. */
  readonly ofServices: number;
  readonly preparedStatements: boolean;
}

function readPoolers(): TestPoolers | null {
  const poolers = process.env['TEST_POOLERS'];
  return poolers === undefined ? null : (JSON.parse(poolers) as TestPoolers);
}

/** For `openDatabase`: `CLUSTER=citus` runs the tests as on a cluster, on one server. */
export const cluster = process.env['CLUSTER'] === 'citus' ? 'citus' : null;

/** Returns the settings that say to a process what kind of database the run has. */
export function clusterSettings(): Record<string, string> {
  return cluster === null ? {} : { CLUSTER: cluster };
}

/** `PARTITIONS=8` runs the tests with the movements in partitions. */
const partitions = Number(process.env['PARTITIONS'] ?? '1');

/** Returns the settings with which a service process reaches a database: through the pooler, if the address is of the tests' server. */
export function serviceSettings(url: string): Record<string, string> {
  const poolers = readPoolers();
  const kind = clusterSettings();
  if (poolers === null || url !== databaseUrl(new URL(url).pathname.slice(1)))
    return { DATABASE_URL: url, ...kind };
  return {
    ...kind,
    DATABASE_URL: Object.assign(new URL(url), { port: String(poolers.ofServices) }).href,
    DATABASE_DIRECT_URL: url,
    PREPARED_STATEMENTS: poolers.preparedStatements ? 'on' : 'off',
  };
}

const MINUTE = 60_000;

/**
 * How long calls of the tests wait. On a busy machine anything can take seconds, and a test that is not about waiting must
 * not notice. A test that is about waiting opens a database with waits of its own.
 */
export const PATIENT: Patience = {
  connectionMs: MINUTE,
  lockMs: MINUTE,
  idleInTransactionMs: MINUTE,
  quietMs: MINUTE,
  probeMs: MINUTE,
  settleMs: MINUTE,
  turnMs: MINUTE,
  queuedMs: MINUTE,
  repeatMs: MINUTE,
  callMs: MINUTE,
};

/** The texts of statements that this process has collected. */
const seen = new Set<string>();

/** Opens a pool on any database of the tests' server, past a pooler. */
export function open(name: string, poolSize: number, patience: Patience = PATIENT): Database {
  return openDatabase({
    url: databaseUrl(name),
    poolSize,
    preparedStatements: true,
    cluster,
    statementTimeoutMs: MINUTE,
    patience,
    onConnection: (client) => collectStatements(client, seen),
  });
}

/** Opens a pool as the service has one: through the pooler, if the run has one. */
function openAsService(name: string): Database {
  const poolers = readPoolers();
  if (poolers === null) return open(name, 70);
  return openDatabase({
    url: Object.assign(new URL(databaseUrl(name)), { port: String(poolers.ofTests) }).href,
    preparedStatements: poolers.preparedStatements,
    cluster,
    sendsSettings: false,
    poolSize: 70,
    statementTimeoutMs: MINUTE,
    patience: PATIENT,
    onConnection: (client) => collectStatements(client, seen),
  });
}

async function cloneTemplate(): Promise<Database> {
  const template = `template_${migrationsHash()}${partitions > 1 ? `_${partitions}` : ''}`;
  const name = `test_${process.pid}_${Math.random().toString(36).slice(2, 8)}`;
  const admin = open('postgres', 1);
  // PostgreSQL clones a template only if nobody else uses it, so processes that start together take turns. A connection of a pool
  // would be closed while it is idle, and the turn would be over.
  const turn = new Client({ connectionString: databaseUrl('postgres') });
  await turn.connect();
  try {
    await turn.query('select pg_advisory_lock(1)');
    const { rows } = await sql`select 1 from pg_database where datname = ${template}`.execute(admin);
    if (rows.length === 0) await makeTemplate(admin, template);
    await onEachServer(admin, (server) =>
      sql`create database ${sql.id(name)} template ${sql.id(template)}`.execute(server),
    );
  } finally {
    await turn.end();
  }

  const database = openAsService(name);
  onEnd(async () => {
    try {
      await assertBooksAgree(database);
    } finally {
      await database.destroy();
      await onEachServer(admin, (server) => dropDatabase(server, name));
      await admin.destroy();
    }
  });
  return database;
}

/** The workers of the cluster that the tests run on, if it is one. */
const workers = JSON.parse(process.env['TEST_CLUSTER'] ?? '[]') as string[];

/** Does the same on the server of the tests, and on the workers if it is the coordinator of a cluster. */
async function onEachServer(admin: Database, work: (server: Database) => Promise<unknown>): Promise<void> {
  await work(admin);
  for (const url of workers) {
    const worker = openDatabase({ url, poolSize: 1, preparedStatements: false, statementTimeoutMs: MINUTE });
    try {
      await work(worker);
    } finally {
      await worker.destroy();
    }
  }
}

/** Verifies that every balance, figure, limit and code that the tests have left agrees with the ledger. */
async function assertBooksAgree(database: Database): Promise<void> {
  const { rows } = await sql<{ id: number }>`select id from commerces`.execute(database);
  const commerceIds = rows.map((row) => row.id).filter((id) => !tampered.has(id));
  const { differences } = await verifyLedger(database, { commerceIds });
  if (differences.length === 0) return;
  process.exitCode = 1;
  console.error(`The ledger has differences after the tests of ${process.argv[1]}:`);
  for (const difference of differences.slice(0, 20)) console.error(difference);
}

async function makeTemplate(admin: Database, template: string): Promise<void> {
  const draft = `${template}_draft`;
  await onEachServer(admin, async (server) => {
    await sql`drop database if exists ${sql.id(draft)}`.execute(server);
    await sql`create database ${sql.id(draft)}`.execute(server);
  });
  if (workers.length > 0) await connectServers(draft);
  const database = open(draft, 2);
  await migrate(database);
  if (workers.length > 0) await distribute(database, await planDistribution(database, 8));
  if (partitions > 1) await partition(database, await planPartitions(database, partitions));
  await database.destroy();
  await onEachServer(admin, async (server) => {
    // What Citus does in the background is a session, too, and begins another one.
    await sql`alter database ${sql.id(draft)} allow_connections false`.execute(server);
    await sql`select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = ${draft}`.execute(
      server,
    );
    await sql`alter database ${sql.id(draft)} rename to ${sql.id(template)}`.execute(server);
  });
}

async function connectServers(name: string): Promise<void> {
  const { spanServers } = await import('../../trials/cluster/cluster.ts');
  const coordinator = process.env['TEST_DATABASE_SERVER']!;
  await spanServers([coordinator, ...workers], name);
}

function migrationsHash(): string {
  const hash = createHash('sha256');
  for (const file of readdirSync(MIGRATIONS).sort()) hash.update(readFileSync(new URL(file, MIGRATIONS)));
  return hash.digest('hex').slice(0, 12);
}
