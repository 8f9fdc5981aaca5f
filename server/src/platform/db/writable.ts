import { randomBytes } from 'node:crypto';
import { sql } from './sql.ts';
import { transaction, type Database } from './database.ts';

/** The database answers but cannot be written to. */
export class NotWritable extends Error {}

const LONGEST_MS = 1_500;

/**
 * Resolves if the database answers and can be written to. A standby and a read-only database say so themselves. Free disk
 * space is tried out only after a statement has failed for want of it, in a transaction that is rolled back, so a healthy
 * database is read and never written.
 * @throws NotWritable, or the database's own error
 */
export async function checkWritable(database: Database): Promise<void> {
  const late = AbortSignal.timeout(LONGEST_MS);
  await Promise.race([
    askWhetherWritable(database),
    new Promise<never>((_resolve, reject) =>
      late.addEventListener('abort', () => reject(new Error('the database does not answer'))),
    ),
  ]);
}

async function askWhetherWritable(database: Database): Promise<void> {
  const { rows } = await sql<{ recovering: boolean; readOnly: boolean }>`-- check-writable
    select pg_is_in_recovery() as recovering,
           current_setting('transaction_read_only') = 'on' as "readOnly"`.execute(database);
  if (rows[0]!.recovering) throw new NotWritable('the database is a standby');
  if (rows[0]!.readOnly) throw new NotWritable('the database is read-only');
  if (database.trouble.wasDiskFull()) await tryToAllocate(database);
}

/** Allocates some pages on the disk and gives them back. The role of the service may create no other tables than temporary ones. */
async function tryToAllocate(database: Database): Promise<void> {
  const name = `space_probe_${randomBytes(6).toString('hex')}`;
  const enough = new Error('there is enough space');
  await transaction(database, async (tx) => {
    await sql`
      create temporary table ${sql.id(name)} as
      select md5(i::text) as filler from generate_series(1, 2000) as i`.execute(tx);
    throw enough;
  }).catch((error: unknown) => {
    if (error !== enough) throw error;
  });
}
