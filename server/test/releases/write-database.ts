import { sql, type Db } from '#db/database.ts';

/**
 * Writes a database as SQL that an empty one can run, on any PostgreSQL that the service runs on: tables, rows in the
 * order of their keys, then keys, indexes, functions and triggers. Whatever lives by the world's clock is written as
 * so long before or after the moment of loading; the clock of a sandbox is written as the instant that it showed.
 * @param clocks what the clock of each sandbox shows, by commerce id
 */
export async function writeDatabase(db: Db, clocks: ReadonlyMap<number, Date>): Promise<string> {
  const tables = await readTables(db);
  const parts = [HEAD, ...tables.map(createTable)];
  for (const table of tables) parts.push(await insertRows(db, table, clocks));
  parts.push(...(await statementsAfterRows(db)));
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

const HEAD = `-- Written by \`npm run release:freeze\`; never changed by hand.
set time zone 'UTC';`;

/** Columns that hold instants of the world's clock which something still waits for or counts from. */
const WORLD_TIME: Readonly<Record<string, readonly string[]>> = {
  members: ['invited_at'],
  sign_in_codes: ['issued_at', 'expires_at'],
  sign_in_sends: ['sent_at'],
  sign_in_failures: ['failed_at'],
  sessions: ['started_at', 'refreshed_at', 'ends_at', 'ended_at'],
  refresh_tokens: ['issued_at', 'replaced_at'],
  outbox: ['created_at', 'due_at', 'expires_at', 'leased_until', 'sent_at', 'failed_at'],
  jobs: ['leased_until', 'started_at', 'finished_at'],
};

interface Table {
  readonly name: string;
  readonly unlogged: boolean;
  readonly options: string | null;
  readonly columns: readonly {
    readonly name: string;
    readonly type: string;
    readonly notNull: boolean;
    readonly identity: string;
    readonly generated: string;
    readonly default: string | null;
  }[];
  readonly key: readonly string[];
}

async function readTables(db: Db): Promise<Table[]> {
  const { rows } = await sql<Table>`
    select t.relname as name, t.relpersistence = 'u' as unlogged, array_to_string(t.reloptions, ', ') as options,
           (select json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod),
                                              'notNull', a.attnotnull, 'identity', a.attidentity,
                                              'generated', a.attgenerated,
                                              'default', pg_get_expr(d.adbin, d.adrelid)) order by a.attnum)
              from pg_attribute a
              left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
             where a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped) as columns,
           coalesce((select json_agg(a.attname order by k.place)
                       from pg_constraint c
                       cross join unnest(c.conkey) with ordinality as k(number, place)
                       join pg_attribute a on a.attrelid = c.conrelid and a.attnum = k.number
                      where c.conrelid = t.oid and c.contype = 'p'), '[]') as key
      from pg_class t
     where t.relkind = 'r' and t.relnamespace = 'public'::regnamespace
     -- Events take their numbers from the sequence of the movements, which has to be there first.
     order by exists (select from pg_attrdef d
                       where d.adrelid = t.oid and pg_get_expr(d.adbin, d.adrelid) like 'nextval(%'), t.relname`.execute(
    db,
  );
  return rows;
}

function createTable({ name, unlogged, options, columns }: Table): string {
  const lines = columns.map((column) => {
    const { notNull, identity, generated } = column;
    const parts = [`  ${column.name} ${column.type}`];
    if (identity !== '') parts.push(`generated ${identity === 'a' ? 'always' : 'by default'} as identity`);
    else if (generated !== '') parts.push(`generated always as (${column.default}) stored`);
    else if (column.default !== null) parts.push(`default ${column.default}`);
    if (notNull) parts.push('not null');
    return parts.join(' ');
  });
  const storage = options === null ? '' : ` with (${options})`;
  return `create ${unlogged ? 'unlogged ' : ''}table ${name} (\n${lines.join(',\n')}\n)${storage};`;
}

/** One row a line, in the order of the primary key. */
async function insertRows(db: Db, table: Table, clocks: ReadonlyMap<number, Date>): Promise<string> {
  const columns = table.columns.filter(({ generated }) => generated === '');
  const texts = columns.map((column) => {
    const name = sql.id(column.name);
    return isWorldTime(table.name, column.name)
      ? sql`round(extract(epoch from ${name} - now())::numeric, 3)::text`
      : sql`${name}::text`;
  });
  const { rows } = await sql<{ texts: (string | null)[] }>`
    select array[${sql.join(texts, sql`, `)}] as texts
      from ${sql.id(table.name)}
     order by ${
       table.key.length === 0
         ? sql`1`
         : sql.join(
             table.key.map((column) => sql.id(column)),
             sql`, `,
           )
     }`.execute(db);
  if (rows.length === 0) return '';
  const values = rows.map(({ texts }) => {
    const row = columns.map((column, i) => literal(table.name, column, texts[i] ?? null));
    const id = texts[columns.findIndex(({ name }) => name === 'id')];
    const clock = table.name === 'commerces' ? clocks.get(Number(id)) : undefined;
    if (clock !== undefined)
      row[columns.findIndex(({ name }) => name === 'clock_offset')] =
        `timestamptz '${clock.toISOString()}' - clock_timestamp()`;
    return `  (${row.join(', ')})`;
  });
  const names = columns.map(({ name }) => name).join(', ');
  const counters = await Promise.all(
    columns.filter(({ identity }) => identity !== '').map(({ name }) => setCounter(db, table.name, name)),
  );
  const ids = columns.some(({ identity }) => identity === 'a') ? ' overriding system value' : '';
  return `insert into ${table.name} (${names})${ids} values\n${values.join(',\n')};${counters.join('')}`;
}

/** Exactly where it stood: what the release would have inserted next gets the number that it would have got. */
async function setCounter(db: Db, table: string, column: string): Promise<string> {
  const { rows } = await sql<{ last: number }>`
    select pg_sequence_last_value(pg_get_serial_sequence(${table}, ${column})::regclass) as last`.execute(db);
  return `\nselect setval(pg_get_serial_sequence('${table}', '${column}'), ${rows[0]!.last});`;
}

function isWorldTime(table: string, column: string): boolean {
  return WORLD_TIME[table]?.includes(column) ?? false;
}

function literal(table: string, column: Table['columns'][number], text: string | null): string {
  if (text === null) return 'null';
  if (isWorldTime(table, column.name)) return `now() + '${text} s'`;
  if (['bigint', 'integer', 'smallint', 'boolean'].includes(column.type)) return text;
  // A plain literal keeps backslashes as they are.
  return `'${text.replaceAll("'", "''")}'`;
}

/** Keys and checks, indexes, functions, triggers: each as the database writes it. */
async function statementsAfterRows(db: Db): Promise<string[]> {
  const { rows } = await sql<{ statement: string }>`
    select statement
      from (select 1 as step, to_char(oid::bigint, '0000000000') as name, pg_get_functiondef(oid) || ';' as statement
              from pg_proc where pronamespace = 'public'::regnamespace
             union all
            select case contype when 'p' then 2 when 'u' then 2 when 'f' then 4 else 3 end, conrelid::regclass || conname,
                   format('alter table %s add constraint %I %s;', conrelid::regclass, conname, pg_get_constraintdef(oid))
              from pg_constraint
             where connamespace = 'public'::regnamespace and contype in ('p', 'u', 'f', 'c', 'x')
             union all
            select 5, indexrelid::regclass::text, pg_get_indexdef(indexrelid) || ';'
              from pg_index i
              join pg_class c on c.oid = i.indexrelid and c.relnamespace = 'public'::regnamespace
             where not exists (select from pg_constraint where conindid = i.indexrelid)
             union all
            select 6, tgname::text, pg_get_triggerdef(oid) || ';'
              from pg_trigger where not tgisinternal) as s
     order by step, name`.execute(db);
  return rows.map(({ statement }) => statement);
}
