import { sql, type Db } from '#db/database.ts';

/**
 * Everything that makes a schema, a line each and in one order: tables, columns in their order, constraints, indexes,
 * functions, triggers, views. Two databases with equal lines behave alike.
 */
export async function schemaOf(db: Db): Promise<string[]> {
  const { rows } = await sql<{ line: string }>`
    with ours as (select oid from pg_namespace where nspname = 'public')
    select line collate "C" as line
      from (select format('table %s %s %s %s', relname, relkind::text, relpersistence::text, reloptions) as line
              from pg_class, ours where relnamespace = ours.oid and relkind in ('r', 'p', 'v', 'm', 'S', 'f')
             union all
            select format('column %s %s %s %s%s%s%s default %s', a.attrelid::regclass,
                          to_char(row_number() over (partition by a.attrelid order by a.attnum), 'fm000'), a.attname,
                          format_type(a.atttypid, a.atttypmod), case when a.attnotnull then ' not null' end,
                          case when a.attidentity <> '' then ' identity ' || a.attidentity::text end,
                          case when a.attgenerated <> '' then ' generated ' || a.attgenerated::text end,
                          pg_get_expr(d.adbin, d.adrelid))
              from pg_attribute a
              join pg_class c on c.oid = a.attrelid and c.relkind in ('r', 'p', 'v', 'm')
              join ours on ours.oid = c.relnamespace
              left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
             where a.attnum > 0 and not a.attisdropped
             union all
            select format('constraint %s %s %s%s', conrelid::regclass, conname, pg_get_constraintdef(c.oid, true),
                          case when not convalidated then ' not valid' end)
              from pg_constraint c, ours where connamespace = ours.oid
             union all
            select format('index %s%s', pg_get_indexdef(i.indexrelid), case when not indisvalid then ' invalid' end)
              from pg_index i
              join pg_class c on c.oid = i.indexrelid
              join ours on ours.oid = c.relnamespace
             union all
            select format('function %s', pg_get_functiondef(p.oid)) from pg_proc p, ours where pronamespace = ours.oid
             union all
            select format('trigger %s %s', pg_get_triggerdef(oid, true), tgenabled::text) from pg_trigger where not tgisinternal
             union all
            select format('view %s %s', viewname, definition) from pg_views where schemaname = 'public'
             union all
            select format('type %s %s', t.typname, t.typtype::text)
              from pg_type t, ours where typnamespace = ours.oid and typtype in ('d', 'e', 'r')) as s
     order by 1`.execute(db);
  return rows.map(({ line }) => line).filter((line) => !line.includes(OLD_LOCK));
}

/** Release 0.1.0 locked its migrations by a row of this table. Nothing reads it now, and an old process makes it again. */
const OLD_LOCK = 'schema_migrations_lock';
