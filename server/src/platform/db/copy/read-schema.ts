import { sql, type Db } from '#db/database.ts';
import { isWholeConstraint, isWholeTable } from '#db/partitions.ts';
import { readMigrationStatus, readTableNames, readUnfinished } from '#db/migrate.ts';
import { Refusal } from '#base/refusal.ts';
import type { Counter, Guard, Schema, Table } from './tables.ts';

/** Reads what the rows of a database look like. */
export async function readSchema(db: Db): Promise<Schema & { readonly foreignTables: readonly string[] }> {
  const migrations = await readMigrations(db);
  const own = await readTableNames(migrations);
  const found = await readTables(db);
  const tables = found.filter(({ name }) => own.has(name));
  const foreignTables = found.map(({ name }) => name).filter((name) => !own.has(name) && !OURS.has(name));
  return { migrations, tables, foreignTables, guards: await readGuards(db) };
}

async function readMigrations(db: Db): Promise<string[]> {
  const migrations = await readApplied(db);
  if (migrations.length === 0) throw new Refusal('The database has none of the tables of this program.');
  // Elsewhere, the rest of its work would be done before the rows are there, and never again.
  if ((await readUnfinished(db)).length > 0)
    throw new Refusal('A migration is not finished: run `loyalty migrate` first.');
  return migrations;
}

/** Returns the migrations that a database has, in order. */
export async function readApplied(db: Db): Promise<string[]> {
  const status = await readMigrationStatus(db);
  return status.filter(({ appliedAt }) => appliedAt !== null).map(({ name }) => name);
}

/** Each database counts its own migrations. The second table is a leftover of release 0.1.0. */
const OURS: ReadonlySet<string> = new Set(['schema_migrations', 'schema_migrations_lock']);

/**
 * Returns the tables in the order of their names. Unlogged tables are left out: PostgreSQL empties them after a crash, and a
 * standby cannot read them.
 */
async function readTables(db: Db): Promise<Table[]> {
  const { rows } = await sql<Table>`
    select c.relname::text as name, greatest(c.reltuples, 0)::float8 as "aboutRows",
           array(select a.attname::text
                   from pg_attribute a
                  where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
                  order by a.attnum) as columns
      from pg_class c
     where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and c.relpersistence = 'p'
       and ${isWholeTable}
     order by c.relname collate "C"`.execute(db);
  return rows;
}

async function readGuards(db: Db): Promise<Guard[]> {
  const { rows } = await sql<Guard>`
    select conrelid::regclass::text as table, conname::text as name, convalidated as "isValid"
      from pg_constraint c
     where connamespace = current_schema()::regnamespace and contype in ('c', 'f') and conrelid <> 0 and ${isWholeConstraint}
     order by 1, 2`.execute(db);
  return rows;
}

/** Reads the counters of the tables. They may be ahead of the rows of a snapshot, which leaves a gap. */
export async function readCounters(db: Db, tables: readonly Table[]): Promise<Counter[]> {
  const sequences = await readSequences(db, tables);
  return sequences.flatMap(({ last, ...sequence }) => (last === null ? [] : { ...sequence, last }));
}

interface Sequence {
  readonly table: string;
  readonly column: string;
  readonly last: number | null;
}

/** Reads the sequences of the tables' identity columns, also those that have not given out a number yet. */
export async function readSequences(db: Db, tables: readonly Table[]): Promise<Sequence[]> {
  const { rows } = await sql<Sequence>`
    select t.relname::text as table, a.attname::text as column, q.last_value::float8 as last
      from pg_sequences q
      join pg_depend d on d.classid = 'pg_class'::regclass and d.deptype in ('i', 'a')
                      and d.objid = format('%I.%I', q.schemaname, q.sequencename)::regclass
                      and d.refclassid = 'pg_class'::regclass
      join pg_attribute a on a.attrelid = d.refobjid and a.attnum = d.refobjsubid
      join pg_class t on t.oid = a.attrelid
     where q.schemaname = current_schema() and t.relname = any(${tables.map(({ name }) => name)}::text[])
     order by 1, 2`.execute(db);
  return rows;
}
