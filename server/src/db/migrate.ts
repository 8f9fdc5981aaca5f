import { readdir, readFile } from 'node:fs/promises';
import { Migrator, type Migration } from 'kysely';
import { sql, type Database } from './database.ts';

const FOLDER = new URL('./migrations/', import.meta.url);

/**
 * Brings the schema up to this program's, each migration file once and in order, under an advisory lock:
 * processes that start together wait for the first. Refuses a schema that is newer than the program.
 * Gives the names of the migrations that were applied.
 */
export async function migrate(database: Database): Promise<string[]> {
  const { error, results } = await migrator(database).migrateToLatest();
  if (error instanceof Error && error.message.startsWith('corrupted migrations')) {
    throw new Error(`the database's schema is newer than this program, or not its own: ${error.message}`);
  }
  if (error) throw error;
  const applied = (results ?? []).map((result) => result.migrationName);
  // Plans that were made while the tables were empty are three times slower.
  if (applied.length > 0) await sql`analyze`.execute(database);
  return applied;
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
