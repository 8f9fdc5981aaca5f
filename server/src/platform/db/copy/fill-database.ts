import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { from as copyFrom } from 'pg-copy-streams';
import { sql, type Database, type Db } from '#db/database.ts';
import { migrate } from '#db/migrate.ts';
import { Refusal } from '#base/refusal.ts';
import { inCopyTransaction, type CopyConnection } from './copy-connection.ts';
import { countRows } from './count-rows.ts';
import { readApplied, readSchema, readSequences } from './read-schema.ts';
import { setAside } from './set-aside.ts';
import type { Rows, Table } from './tables.ts';

/** The outcome for one table. */
export interface Filled {
  readonly table: string;
  readonly rows: number;
}

export interface FillOptions {
  /** How far above the last numbers of the others the counters begin here. */
  readonly gap?: number;
  /** Tables whose rows are not taken over. A database of an older release may not have them. */
  readonly without?: readonly string[];
  /** Is called with the name of a table while its rows are written, and once for each later step with its words. */
  readonly onProgress?: (words: string, rows: number, isWriting: boolean) => void;
}

/**
 * Fills an empty database with all rows of another one: brings the schema to where theirs was, writes all of them in one transaction, and
 * applies the remaining migrations as an upgrade would. A failure before the commit leaves the database empty, and the call can be
 * repeated. Returns the number of rows by table.
 */
export async function fillDatabase(
  database: Database,
  rows: Rows,
  { gap = 0, without = [], onProgress = () => {} }: FillOptions = {},
): Promise<Filled[]> {
  await refuseUsed(database);
  await refuseNewer(database, rows.migrations);
  await migrate(database, rows.migrations);
  const filled = await inCopyTransaction(database.address, 'read committed', async (connection) => {
    return fill(connection, rows, { gap, without, onProgress });
  });
  onProgress('statistics', 0, false);
  await sql`analyze`.execute(database);
  await migrate(database);
  return filled;
}

export class NotEmpty extends Refusal {}

/**
 * Refuses a database in which anything could be lost or mixed up. A schema without a commerce, a user or a person of the staff
 * counts as empty: a migration or an interrupted call of this has left it.
 */
async function refuseUsed(database: Database): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select relname::text as name
      from pg_class
     where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p', 'v', 'm', 'f')
       and not exists (select from pg_depend
                        where classid = 'pg_class'::regclass and objid = pg_class.oid and deptype = 'e')
     order by relname`.execute(database);
  const names = rows.map((row) => row.name);
  if (names.length === 0) return;
  if (!names.includes('schema_migrations'))
    throw new NotEmpty(`The database is not empty: it has the table ${names[0]}. Create an empty one.`);
  await refusePeople(database);
  await refuseCompany(database);
}

/** Migrations that the rows have not been through would count as applied to them. */
async function refuseNewer(database: Database, migrations: readonly string[]): Promise<void> {
  const newer = (await readApplied(database)).find((name) => !migrations.includes(name));
  if (newer !== undefined)
    throw new NotEmpty(
      `The database has the tables of a newer release than the rows: it has the migration ${newer}. Create an empty one.`,
    );
}

const FIRST_ROWS = ['commerces', 'users', 'staff_people'];

async function refusePeople(db: Db): Promise<void> {
  for (const table of FIRST_ROWS) {
    const { rows } = await sql<{
      exists: boolean;
    }>`select to_regclass(${table}) is not null as exists`.execute(db);
    if (!rows[0]!.exists) continue;
    const found = await sql`select from ${sql.id(table)} limit 1`.execute(db);
    if (found.rows.length > 0)
      throw new NotEmpty(`The database is not empty: its table ${table} has rows. Create an empty one.`);
  }
}

/**
 * A service that runs meanwhile would answer from memory of rows that are gone. A connection that was closed a moment ago, by a call of
 * this that failed, is still listed until PostgreSQL has noticed.
 */
async function refuseCompany(database: Database): Promise<void> {
  for (let looks = 0; looks < MOST_LOOKS; looks++) {
    if (looks > 0) await sleep(LOOK_EVERY_MS);
    const { rows } = await sql`
      select from pg_stat_activity
       where datname = current_database() and application_name = 'loyalty' and pid <> pg_backend_pid()
         and pid <> all(${database.processes()}::int[])`.execute(database);
    if (rows.length === 0) return;
  }
  throw new NotEmpty('A service or a command of this program is using the database. Stop it first.');
}

const MOST_LOOKS = 21;
const LOOK_EVERY_MS = 100;

async function fill(
  connection: CopyConnection,
  rows: Rows,
  { gap, without, onProgress }: Required<FillOptions>,
): Promise<Filled[]> {
  const names = rows.tables.map(({ name }) => name);
  await refuseOtherTables(connection, rows.tables);
  await sql`set local maintenance_work_mem = '256MB'`.execute(connection);
  const locked = sql.join(names.map((name) => sql.id(name)));
  await sql`lock table ${locked} in access exclusive mode`.execute(connection);
  await refusePeople(connection);
  const restoring = await setAside(connection, names, rows.guards);
  // Migrations have written a few rows.
  await sql`truncate ${locked}`.execute(connection);
  const filled: Filled[] = [];
  let before = 0;
  for (const table of rows.tables) {
    const count = await copyIn(connection, table, rows.read(table), (written) =>
      onProgress(table.name, before + written, true),
    );
    filled.push({ table: table.name, rows: count });
    before += count;
  }
  for (const name of without)
    if (names.includes(name)) await sql`delete from ${sql.id(name)}`.execute(connection);
  await setCounters(connection, rows, gap);
  await rows.confirm?.();
  for (const { statement, words } of restoring) {
    onProgress(words, before, false);
    await sql.raw(statement).execute(connection);
  }
  return filled;
}

async function setCounters(db: Db, rows: Rows, gap: number): Promise<void> {
  const lasts = new Map(
    (await rows.readCounters()).map(({ table, column, last }) => [`${table} ${column}`, last]),
  );
  for (const { table, column } of await readSequences(db, rows.tables)) {
    const last = lasts.get(`${table} ${column}`) ?? 0;
    await sql`
      select setval(pg_get_serial_sequence(${table}, ${column}), greatest(n, 1), n > 0)
        from (select ${last}::bigint + ${gap}::bigint as n) as to_be`.execute(db);
  }
}

/** Both have the same migrations, so they have the same tables, unless somebody has changed one by hand. */
async function refuseOtherTables(db: Db, theirs: readonly Table[]): Promise<void> {
  const ours = new Map((await readSchema(db)).tables.map((table) => [table.name, table.columns]));
  for (const { name, columns } of theirs) {
    const known = ours.get(name);
    const other = columns.find((column) => known?.includes(column) !== true);
    if (other !== undefined)
      throw new Refusal(
        `No migration creates the column ${other} of the table ${name}, which has rows there.`,
      );
    ours.delete(name);
  }
  const [missing] = ours.keys();
  if (missing !== undefined) throw new Refusal(`The rows of the table ${missing} are missing.`);
}

async function copyIn(
  { client }: CopyConnection,
  { name, columns }: Table,
  rows: AsyncIterable<Buffer>,
  onRows: (written: number) => void,
): Promise<number> {
  const list = columns.map((column) => client.escapeIdentifier(column)).join(', ');
  // Rows that are frozen as they are written are never written again by a vacuum.
  const text = `copy ${client.escapeIdentifier(name)} (${list}) from stdin with (freeze)`;
  const sink = client.query(copyFrom(text, { highWaterMark: 1 << 20 }));
  let written = 0;
  await pipeline(
    Readable.from(rows),
    async function* count(chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        written += countRows(chunk);
        onRows(written);
        yield chunk;
      }
    },
    sink,
  );
  if (sink.rowCount !== written)
    throw new Refusal(`The table ${name} took ${sink.rowCount} rows of ${written}.`);
  return written;
}
