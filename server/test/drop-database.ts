import { setTimeout as sleep } from 'node:timers/promises';
import { sql, type Database } from '#db/database.ts';

/**
 * Drops a database. PostgreSQL writes a checkpoint first. If that fails, its log is the only place that says why, and it is gone
 * after the run: so it is printed, and the database is dropped once more, a few times over.
 */
export async function dropDatabase(admin: Database, name: string, triesLeft = 5): Promise<void> {
  try {
    await sql`drop database if exists ${sql.id(name)} with (force)`.execute(admin);
  } catch (error) {
    if (!(error instanceof Error && error.message === 'checkpoint request failed') || triesLeft === 0)
      throw error;
    console.error(
      `${error.message}; PostgreSQL's last errors:\n${(await readErrors(admin).catch(() => [])).slice(-20).join('\n')}`,
    );
    await sleep(200);
    await dropDatabase(admin, name, triesLeft - 1);
  }
}

/** Returns the errors in the log of the server, which lies beside the folder of its data. */
export async function readErrors(admin: Database): Promise<string[]> {
  const { rows } = await sql<{ log: string }>`select pg_read_file('../server.log') as log`.execute(admin);
  return rows[0]!.log.split('\n').filter((line) => /\b(?:ERROR|PANIC):/.test(line));
}
