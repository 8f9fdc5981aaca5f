import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase, sql, type Database } from '../server/src/platform/db/database.ts';
import { startEmbedded } from '../server/src/platform/db/embedded/embedded.ts';
import { migrate } from '../server/src/platform/db/migrate.ts';
import { dropDatabase } from '../server/test/drop-database.ts';

/** A database to measure on. */
export interface Scratch {
  readonly db: Database;
  readonly url: string;
}

/**
 * Runs `work` with a server: the one that BENCH_DATABASE_URL names, or a new PostgreSQL that is started just as the
 * service starts its own, with the same durable settings.
 */
export async function withServer<T>(work: (serverUrl: string) => Promise<T>): Promise<T> {
  const given = process.env['BENCH_DATABASE_URL'];
  if (given !== undefined) return work(given);
  const dataDir = await mkdtemp(join(tmpdir(), 'loyalty-bench-'));
  const server = await startEmbedded({ dataDir, log: () => {} });
  try {
    await fillLog(server.url);
    return await work(server.url);
  } finally {
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/**
 * Puts the server in the state it has after some use, when PostgreSQL writes its log into old files again. Creating a
 * new file, 16 MB of zeros, holds up every commit for 50 ms or more.
 */
async function fillLog(serverUrl: string): Promise<void> {
  const admin = open(serverUrl);
  try {
    for (let written = 0; written < 512; written++) {
      await sql`select pg_logical_emit_message(false, 'bench', repeat('x', 1000000))`.execute(admin);
    }
    // Dropping a database makes a checkpoint, and a checkpoint frees the files.
    await sql`create database bench_log`.execute(admin);
    await sql`drop database bench_log`.execute(admin);
  } finally {
    await admin.destroy();
  }
}

/** Runs `work` on a new database of that server and drops it afterwards. */
export async function withDatabase<T>(
  serverUrl: string,
  state: 'empty' | 'migrated',
  work: (scratch: Scratch) => Promise<T>,
): Promise<T> {
  const name = `bench_${randomBytes(4).toString('hex')}`;
  const admin = open(serverUrl);
  await sql`create database ${sql.id(name)}`.execute(admin);
  const url = Object.assign(new URL(serverUrl), { pathname: `/${name}` }).href;
  const db = open(url);
  try {
    if (state === 'migrated') await migrate(db);
    return await work({ db, url });
  } finally {
    await db.destroy();
    await dropDatabase(admin, name);
    await admin.destroy();
  }
}

/** For loading and checking, not for measuring: statements have no time limit. */
export function open(url: string): Database {
  return openDatabase({ url, poolSize: 1, preparedStatements: false, statementTimeoutMs: 0 });
}
