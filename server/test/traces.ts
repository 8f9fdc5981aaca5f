/** Searches the whole database for a text. */
import { sql, type Db } from '#db/database.ts';

/** One place where a text was found: the table, the column and the row. */
export interface Trace {
  readonly place: string;
  readonly row: string;
}

/**
 * Finds a text, whatever its case, in every column of every table that can hold one, also inside JSON and arrays. Only looks at
 * rows of one commerce, and at tables that belong to none, unless `commerceId` is null.
 */
export async function findTraces(db: Db, text: string, commerceId: number | null): Promise<Trace[]> {
  const { rows: columns } = await sql<{ table: string; column: string; ofCommerce: boolean }>`
    select c.relname as table, a.attname as column,
           exists (select from pg_attribute t where t.attrelid = c.oid and t.attname = 'commerce_id') as "ofCommerce"
      from pg_class c
      join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      join pg_type t on t.oid = a.atttypid
     where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p', 'm')
       and (t.typcategory in ('S', 'A') or t.typname in ('json', 'jsonb', 'bytea', 'tsvector', 'hstore'))
     order by 1, 2`.execute(db);
  const traces: Trace[] = [];
  for (const { table, column, ofCommerce } of columns) {
    const { rows } = await sql<{ row: string }>`
      select to_jsonb(t)::text as row
        from ${sql.id(table)} t
       where strpos(lower(${sql.id(column)}::text), lower(${text})) > 0
         and ${commerceId === null || !ofCommerce ? sql`true` : sql`commerce_id = ${commerceId}`}`.execute(
      db,
    );
    traces.push(...rows.map(({ row }) => ({ place: `${table}.${column}`, row })));
  }
  return traces;
}
