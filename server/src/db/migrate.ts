import { readdir, readFile } from 'node:fs/promises';
import { Migrator, type Migration } from 'kysely';
import { sql, type Database } from './database.ts';

const FOLDER = new URL('./migrations/', import.meta.url);

/**
 * Brings the schema up to this program's, each migration file once and in order, under an advisory lock:
 * processes that start together wait for the first. Refuses a schema that is newer than the program.
 * Gives the names of the migrations that were applied.
 *
 * All of them commit together. A migration that has many rows to bring up to date leaves a procedure `finish_…` behind,
 * which commits as it goes, so that calls need not wait for the whole of it. It is called here until it has succeeded.
 */
export async function migrate(database: Database): Promise<string[]> {
  const { error, results } = await migrator(database).migrateToLatest();
  if (error instanceof Error && error.message.startsWith('corrupted migrations')) {
    throw new Error(`the database's schema is newer than this program, or not its own: ${error.message}`);
  }
  if (error) throw error;
  const applied = (results ?? []).map((result) => result.migrationName);
  await finish(database);
  // Plans that were made while the tables were empty are three times slower.
  if (applied.length > 0) await sql`analyze`.execute(database);
  return applied;
}

async function finish(database: Database): Promise<void> {
  for (const name of await unfinished(database)) {
    await sql`call ${sql.id(name)}()`.execute(database).catch(async (error: unknown) => {
      // Processes that start together finish together, and the first of them drops it.
      if ((await unfinished(database)).includes(name)) throw error;
    });
    await sql`drop procedure if exists ${sql.id(name)}()`.execute(database);
  }
}

async function unfinished(database: Database): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select proname::text as name
      from pg_proc
     where prokind = 'p' and proname like 'finish\\_%' and pronamespace = current_schema()::regnamespace
     order by proname`.execute(database);
  return rows.map((row) => row.name);
}

/** The migrations of this program, and when each was applied. */
export async function migrationStatus(
  database: Database,
): Promise<{ name: string; appliedAt: Date | null }[]> {
  const migrations = await migrator(database).getMigrations();
  return migrations.map(({ name, executedAt }) => ({ name, appliedAt: executedAt ?? null }));
}

function migrator(database: Database): Migrator {
  return new Migrator({
    db: database,
    provider: { getMigrations: readMigrations },
    migrationTableName: 'schema_migrations',
    migrationLockTableName: 'schema_migrations_lock',
  });
}

async function readMigrations(): Promise<Record<string, Migration>> {
  const files = (await readdir(FOLDER)).filter((file) => file.endsWith('.sql')).sort();
  const migrations: Record<string, Migration> = {};
  for (const file of files) {
    const text = await readFile(new URL(file, FOLDER), 'utf8');
    migrations[file.slice(0, -'.sql'.length)] = { up: async (db) => void (await sql.raw(text).execute(db)) };
  }
  return migrations;
}
