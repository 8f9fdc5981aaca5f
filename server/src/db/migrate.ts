import { readdir, readFile } from 'node:fs/promises';
import { Migrator, type Migration } from 'kysely';
import { Refusal } from '../refusal.ts';
import { sql, type Database } from './database.ts';

const FOLDER = new URL('./migrations/', import.meta.url);

/**
 * Updates the schema to this version of the program. Applies each migration file once and in order, under an advisory
 * lock, so processes that start together wait for the first. Refuses a schema that is newer than the program. Returns
 * the names of the migrations that were applied.
 */
export async function migrate(database: Database): Promise<string[]> {
  const { error, results } = await createMigrator(database).migrateToLatest();
  if (error instanceof Error && error.message.startsWith('corrupted migrations')) {
    throw new Refusal(
      `The database schema is newer than this program, or belongs to another program: ${error.message}.`,
    );
  }
  if (error) throw error;
  const applied = (results ?? []).map((result) => result.migrationName);
  // Plans made while the tables were empty are three times slower.
  if (applied.length > 0) await sql`analyze`.execute(database);
  return applied;
}

/** Returns the migrations of this program and when each was applied. */
export async function readMigrationStatus(
  database: Database,
): Promise<{ name: string; appliedAt: Date | null }[]> {
  const migrations = await createMigrator(database).getMigrations();
  return migrations.map(({ name, executedAt }) => ({ name, appliedAt: executedAt ?? null }));
}

function createMigrator(database: Database): Migrator {
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
