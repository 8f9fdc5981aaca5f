import { readdir, readFile } from 'node:fs/promises';
import { Refusal } from '#base/refusal.ts';
import { runOnPartitions } from './index-of-partitions.ts';
import { NeedsOwner, readRole } from './roles.ts';
import { onConnection, sql, sqlState, type Database, type Db } from './database.ts';

const FOLDER = new URL('./migrations/', import.meta.url);

/**
 * Updates the schema to this version of the program. Applies each migration file once, in order and in a transaction
 * of its own unless its first line says otherwise, under an advisory lock, so processes that start together wait for the first. Refuses a schema that is
 * newer than the program, unless the newer migrations say that the program still runs on it: then nothing is applied.
 * Returns the names of the migrations that were applied. Reads first: where nothing is missing, a role with rights on the data only is enough.
 *
 * A migration that has many rows to bring up to date leaves a procedure `finish_…` behind, which commits as it goes, so
 * that calls do not wait for the whole of it. It is called here until it has succeeded, and dropped.
 * @throws NeedsOwner if something is missing and this role may not create it
 * @param through the migrations that another database has, to stop at its schema; all of this program by default
 */
export async function migrate(database: Database, through?: readonly string[]): Promise<string[]> {
  if (through === undefined && (await isCurrent(database))) return [];
  await refuseWithoutRights(database);
  const applied = await onConnection(database, async (connection) => {
    await lock(connection);
    try {
      const { applied, isAhead } = await applyMissing(connection, through);
      // A newer program finishes its own migrations.
      if (!isAhead) await finish(connection);
      return applied;
    } finally {
      await sql`select pg_advisory_unlock(${MIGRATIONS_LOCK}::bigint)`.execute(connection);
    }
  });
  // Plans made while the tables were empty are three times slower.
  if (applied.length > 0) await sql`analyze`.execute(database);
  return applied;
}

/** Returns true if a newer program has migrated the schema, and this one still runs on it. @throws OtherSchema */
export async function isSchemaAhead(db: Db): Promise<boolean> {
  return findNewer(await readApplied(db), await readNames()).length > 0;
}

/** @throws OtherSchema */
async function isCurrent(db: Db): Promise<boolean> {
  const [applied, names] = await Promise.all([readApplied(db), readNames()]);
  // A newer program finishes its own migrations.
  if (findNewer(applied, names).length > 0) return true;
  if (applied.length < names.length || (await readUnfinished(db)).length > 0) return false;
  const { rows } = await sql`
    select from pg_attribute
     where attrelid = to_regclass('schema_migrations') and attname = 'oldest_program' and not attisdropped`.execute(
    db,
  );
  return rows.length > 0;
}

/** @throws NeedsOwner */
async function refuseWithoutRights(db: Db): Promise<void> {
  const { role, ownsTables, canCreate } = await readRole(db);
  const applied = (await readApplied(db)).length;
  if (canCreate && (ownsTables || applied === 0)) return;
  const missing = (await readNames()).length - applied;
  const reason =
    applied === 0
      ? 'The database has no tables yet'
      : missing === 0
        ? 'A migration has not been finished'
        : `The database schema is ${missing} ${missing === 1 ? 'migration' : 'migrations'} behind this program`;
  throw new NeedsOwner(role, reason);
}

export interface Migration {
  readonly name: string;
  readonly appliedAt: Date | null;
}

/**
 * Returns the migrations of this program and when each was applied, then those of newer programs. Changes nothing.
 * Refuses a schema on which this program cannot run.
 */
export async function readMigrationStatus(db: Db): Promise<Migration[]> {
  const names = await readNames();
  const applied = await readApplied(db);
  const newer = findNewer(applied, names);
  const appliedAt = new Map(applied.map((migration) => [migration.name, migration.appliedAt]));
  return [...names, ...newer].map((name) => ({ name, appliedAt: appliedAt.get(name) ?? null }));
}

/** Releases before this one take the same lock. */
export const MIGRATIONS_LOCK = '3853314791062309107';

/**
 * Waits up to an hour. It asks again and again: a statement that waits counts as an open transaction, and an index that the
 * other process builds concurrently would wait for it.
 */
async function lock(connection: Db): Promise<void> {
  for (const until = performance.now() + 3_600_000; performance.now() < until;) {
    const { rows } = await sql<{ isMine: boolean }>`
      select pg_try_advisory_lock(${MIGRATIONS_LOCK}::bigint) as "isMine"`.execute(connection);
    if (rows[0]!.isMine) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Refusal('Another process has been migrating the database for an hour.');
}

async function applyMissing(
  connection: Db,
  through?: readonly string[],
): Promise<{ applied: string[]; isAhead: boolean }> {
  await sql`
    create table if not exists schema_migrations (
      name      varchar(255) primary key,
      timestamp varchar(255) not null
    )`.execute(connection);
  const applied = await readApplied(connection);
  const names = await readNames();
  if (findNewer(applied, names).length > 0) return { applied: [], isAhead: true };
  const unknown = through?.find((name, i) => name !== names[i]);
  if (unknown !== undefined) throw new OtherSchema(unknown);
  await sql`alter table schema_migrations add column if not exists oldest_program varchar(255)`.execute(
    connection,
  );
  const missing = names.slice(applied.length, through?.length);
  for (const name of missing) await untilLocked(() => apply(connection, name));
  return { applied: missing, isAhead: false };
}

async function finish(connection: Db): Promise<void> {
  for (const name of await readUnfinished(connection)) {
    await untilLocked(async () => void (await sql`call ${sql.id(name)}()`.execute(connection)));
    await sql`drop procedure ${sql.id(name)}()`.execute(connection);
  }
}

/** Returns the names of the procedures that migrations have left behind and that have not succeeded yet. */
export async function readUnfinished(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select proname::text as name
      from pg_proc
     where prokind = 'p' and proname like 'finish\\_%' and pronamespace = current_schema()::regnamespace
     order by proname`.execute(db);
  return rows.map(({ name }) => name);
}

/** The schema has migrations that this program does not know and may not ignore. */
export class OtherSchema extends Refusal {
  constructor(migration: string) {
    super(
      `The database schema is newer than this program, or belongs to another program: it has the migration ${migration}.`,
    );
  }
}

/**
 * Returns the migrations that only newer programs have. The first ones have to be those of this program, and each newer one
 * has to name an oldest program that is not newer than this one: without that word nobody may run on a schema that they do
 * not know.
 */
function findNewer(applied: readonly Applied[], names: readonly string[]): string[] {
  const newer = applied.slice(names.length);
  const other =
    applied.find(({ name }, i) => i < names.length && name !== names[i]) ??
    newer.find(({ oldestProgram }) => oldestProgram === null || oldestProgram > names.at(-1)!);
  if (other !== undefined) throw new OtherSchema(other.name);
  return newer.map(({ name }) => name);
}

/** A migration takes table locks while the previous release serves calls, so it can meet a deadlock or wait too long. */
const ATTEMPTS = 20;

/** Tries again if other transactions held the locks. A migration that failed has changed nothing. */
async function untilLocked(work: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      const isBlocked = ['40P01', '55P03'].includes(sqlState(error) ?? '');
      if (!isBlocked || attempt === ATTEMPTS) throw error;
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 50 * attempt));
    }
  }
}

async function apply(connection: Db, name: string): Promise<void> {
  const text = await readFile(new URL(`${name}.sql`, FOLDER), 'utf8');
  const isConcurrent = text.startsWith('-- Runs outside a transaction.\n');
  if (isConcurrent) await runApart(connection, text);
  await sql`begin`.execute(connection);
  try {
    // One at a time: a cluster sends the text that it gets to its machines, for each statement in it.
    if (!isConcurrent)
      for (const statement of statementsOf(text)) await sql.raw(statement).execute(connection);
    await sql`
      insert into schema_migrations (name, timestamp, oldest_program)
      values (${name}, ${new Date().toISOString()}, ${oldestProgramOf(text)})`.execute(connection);
    await sql`commit`.execute(connection);
  } catch (error) {
    await sql`rollback`.execute(connection).catch(() => {});
    throw error;
  }
}

/**
 * Runs the statements of a file one by one, each in its own transaction, because PostgreSQL builds no index concurrently in
 * another. Each must be right if the file is interrupted and runs again. Building an index concurrently holds up nobody, so
 * it may wait for others as long as it takes.
 */
async function runApart(connection: Db, text: string): Promise<void> {
  for (const statement of statementsOf(text)) {
    const waits = / index concurrently /.test(statement);
    if (waits) await sql`set lock_timeout = 0`.execute(connection);
    try {
      if (!(await runOnPartitions(connection, statement))) await sql.raw(statement).execute(connection);
    } finally {
      if (waits) await sql`reset lock_timeout`.execute(connection);
    }
  }
}

/** Returns the statements of a file. Each ends with a line, and a body between `$$` is part of its statement. */
function statementsOf(text: string): string[] {
  const statements: string[] = [];
  let rest = '';
  for (const part of text.split(/;\n/)) {
    rest += rest === '' ? part : `;\n${part}`;
    const isInBody = rest.split('$$').length % 2 === 0;
    if (isInBody) continue;
    if (rest.replaceAll(/^--.*$/gm, '').trim() !== '') statements.push(rest);
    rest = '';
  }
  return statements;
}

/**
 * Returns the last migration of the oldest program that runs on the schema after this one, as a line of the file's comment
 * says: `-- Oldest program: 0026_audit_indexes`. Null if there is no such line.
 */
function oldestProgramOf(text: string): string | null {
  return /^-- Oldest program: (\w+)$/m.exec(text)?.[1] ?? null;
}

interface Applied {
  readonly name: string;
  readonly appliedAt: Date;
  readonly oldestProgram: string | null;
}

/** Programs before this one left no word about older programs. */
async function readApplied(db: Db): Promise<Applied[]> {
  const { rows: exists } = await sql`
    select from pg_class where oid = to_regclass('schema_migrations')`.execute(db);
  if (exists.length === 0) return [];
  const { rows } = await sql<{ name: string; timestamp: string; oldestProgram: string | null }>`
    select name, timestamp, to_jsonb(m) ->> 'oldest_program' as "oldestProgram"
      from schema_migrations m
     order by name`.execute(db);
  return rows.map(({ timestamp, ...migration }) => ({ ...migration, appliedAt: new Date(timestamp) }));
}

/**
 * Returns the names of the tables that migrations create. A database may have others that belong to somebody else. Refuses
 * migrations that only newer programs have.
 */
export async function readTableNames(migrations: readonly string[]): Promise<Set<string>> {
  const names = new Set(await readNames());
  const newer = migrations.find((name) => !names.has(name));
  if (newer !== undefined)
    throw new Refusal(
      `The database has the migration ${newer} of a newer program. Only that program can copy it.`,
    );
  const texts = await Promise.all(migrations.map((name) => readFile(new URL(`${name}.sql`, FOLDER), 'utf8')));
  return new Set(texts.flatMap((text) => [...text.matchAll(CREATE_TABLE)].map((found) => found[1]!)));
}

const CREATE_TABLE = /^create (?:unlogged )?table (?:if not exists )?([a-z_]+)/gm;

async function readNames(): Promise<string[]> {
  const files = await readdir(FOLDER);
  return files
    .filter((file) => file.endsWith('.sql'))
    .map((file) => file.slice(0, -'.sql'.length))
    .sort();
}
