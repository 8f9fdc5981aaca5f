import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase, sql, type Database } from '../server/src/db/database.ts';
import { startEmbedded } from '../server/src/db/embedded/embedded.ts';
import { migrate } from '../server/src/db/migrate.ts';

/** A database to measure on. */
export interface Scratch {
  readonly db: Database;
  readonly url: string;
}

/**
 * Runs `work` on a database of its own, made for it and dropped after it, on a server as `withServer` gives it.
 */
export async function withDatabase<T>(work: (scratch: Scratch) => Promise<T>): Promise<T> {
  return withServer((serverUrl) => withDatabaseOn(serverUrl, work));
}

/**
 * Runs `work` with a server: the one that BENCH_DATABASE_URL names, or the service's own PostgreSQL, started for
 * this as it is started for the service, durable settings and all.
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
 * As on a server that has been in use for a while: PostgreSQL writes its log into files of its past. To make a new one,
 * 16 MB of zeros on the disk, holds every commit up for 50 ms and more.
 */
async function fillLog(serverUrl: string): Promise<void> {
  const admin = open(serverUrl);
  try {
    for (let written = 0; written < 512; written++) {
      await sql`select pg_logical_emit_message(false, 'bench', repeat('x', 1000000))`.execute(admin);
    }
    // Ends in a checkpoint, from which on the files are written again.
    await sql`create database bench_log`.execute(admin);
    await sql`drop database bench_log`.execute(admin);
  } finally {
    await admin.destroy();
  }
}

/** Runs `work` on a migrated database of its own, made on that server and dropped after it. */
export async function withDatabaseOn<T>(
  serverUrl: string,
  work: (scratch: Scratch) => Promise<T>,
): Promise<T> {
  return withEmptyDatabaseOn(serverUrl, async (scratch) => {
    await migrate(scratch.db);
    return work(scratch);
  });
}

/** The same without a table in it. */
export async function withEmptyDatabaseOn<T>(
  serverUrl: string,
  work: (scratch: Scratch) => Promise<T>,
): Promise<T> {
  const name = `bench_${randomBytes(4).toString('hex')}`;
  const admin = open(serverUrl);
  await sql`create database ${sql.id(name)}`.execute(admin);
  const url = Object.assign(new URL(serverUrl), { pathname: `/${name}` }).href;
  const db = open(url);
  try {
    return await work({ db, url });
  } finally {
    await db.destroy();
    await sql`drop database ${sql.id(name)} with (force)`.execute(admin);
    await admin.destroy();
  }
}

/** For loading and looking, not for measuring: its statements may take as long as they take. */
function open(url: string): Database {
  return openDatabase({ url, poolSize: 1, preparedStatements: false, statementTimeoutMs: 0 });
}
