import { sql, type Db } from '#db/database.ts';
import { isWholeConstraint, isWholeTable } from '#db/partitions.ts';

/** A part of the schema. */
export interface SchemaPart {
  /** `column members.name`, `index members_by_name` and so on. */
  readonly name: string;
  /** The text that is compared. It is read from the catalog and not from PostgreSQL's text of a definition, which differs by version. */
  readonly is: string;
  /** The statement that makes it. Empty for what has none. */
  readonly made: string;
}

/**
 * Reads the parts of the program's schema: columns with their types, keys, constraints, indexes, triggers and functions. Tables of others in
 * the same schema are left out. Changes nothing.
 */
export async function readCatalog(db: Db): Promise<SchemaPart[]> {
  const { rows } = await sql<SchemaPart>`
      with own as (
           select c.oid, c.relname::text as name
             from pg_class c
             join pg_class m on m.oid = to_regclass('schema_migrations')
                            and m.relowner = c.relowner and m.relnamespace = c.relnamespace
            where c.relkind in ('r', 'p') and ${isWholeTable}),
           columns_of as (
           select a.attrelid, a.attnum, a.attname::text as name from pg_attribute a)
    select 'table ' || name as name, 'a table' as is, '' as made from own
     union all
    select 'column ' || own.name || '.' || a.attname,
           concat(format_type(a.atttypid, a.atttypmod), case when a.attnotnull then ' not null' end,
                  case when a.attidentity <> '' then ' identity' when a.attgenerated <> '' then ' generated'
                       when a.atthasdef then ' with a default' end),
           ''
      from own
      join pg_attribute a on a.attrelid = own.oid and a.attnum > 0 and not a.attisdropped
     union all
    select 'constraint ' || c.conname || ' of ' || own.name,
           concat(case c.contype when 'p' then 'primary key' when 'u' then 'unique' when 'f' then 'foreign key'
                                 when 'c' then 'check' else c.contype::text end,
                  ' on ', (select string_agg(n.name, ', ' order by k.at)
                             from unnest(c.conkey) with ordinality k(num, at)
                             join columns_of n on n.attrelid = c.conrelid and n.attnum = k.num),
                  (select ' to ' || f.relname from pg_class f where f.oid = c.confrelid)),
           format('alter table %I add constraint %I %s', own.name, c.conname,
                  replace(pg_get_constraintdef(c.oid), ' NOT VALID', ''))
      from own
      join pg_constraint c on c.conrelid = own.oid and c.contype in ('p', 'u', 'f', 'c', 'x') and ${isWholeConstraint}
     union all
    select 'index ' || n.relname || ' of ' || own.name,
           concat(case when i.indisunique then 'unique ' end, case when i.indpred is not null then 'partial ' end,
                  'on ', (select string_agg(coalesce(k_name.name, 'an expression'), ', ' order by k.at)
                            from unnest(i.indkey::smallint[]) with ordinality k(num, at)
                            left join columns_of k_name on k_name.attrelid = i.indrelid and k_name.attnum = k.num),
                  case when not i.indisvalid then ', invalid' end),
           pg_get_indexdef(i.indexrelid)
      from own
      join pg_index i on i.indrelid = own.oid
      join pg_class n on n.oid = i.indexrelid
     where not exists (select from pg_constraint c where c.conindid = i.indexrelid and c.conrelid = own.oid and c.contype in ('p', 'u', 'x'))
     union all
    select 'trigger ' || t.tgname || ' of ' || own.name,
           case t.tgenabled when 'D' then 'disabled' else 'enabled' end,
           pg_get_triggerdef(t.oid)
      from own
      join pg_trigger t on t.tgrelid = own.oid and not t.tgisinternal
     union all
    select 'function ' || p.proname || '(' || oidvectortypes(p.proargtypes) || ')', md5(p.prosrc), ''
      from pg_proc p
      join pg_class m on m.oid = to_regclass('schema_migrations')
                     and m.relowner = p.proowner and m.relnamespace = p.pronamespace
     where p.prokind = 'f'
     order by 1`.execute(db);
  // By code units, because the order of PostgreSQL depends on the locale of the database.
  return rows.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
