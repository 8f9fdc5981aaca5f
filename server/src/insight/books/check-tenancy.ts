/** Checks that every row points at rows that exist in its own commerce, and that the database still enforces this. */
import { sql, type Db, type Sql } from '#db/database.ts';
import { arePartitionsChanged, isWholeConstraint, partsOf } from '#db/partitions.ts';
import type { Finding } from './check.ts';
import { GUARDS } from './guards.ts';

/**
 * Returns a sentence for each guard that the schema lacks. While the partitions of `movements` are changed, its foreign keys hold for each new
 * row and are checked for the others, so they are not missing.
 */
export async function missingGuards(db: Db, { isCluster = false } = {}): Promise<string[]> {
  // First, because a change ends once the keys are checked.
  const isChanged = await arePartitionsChanged(db);
  const guarded = isCluster ? GUARDED.filter(([, name]) => name !== OF_VERSION_0_1) : GUARDED;
  const { rows } = await sql<{ says: string }>`
    select format('%s of %s leaves the commerce out of a foreign key', c.conname, c.conrelid::regclass) as says
      from pg_constraint c
     where c.contype = 'f' and c.connamespace = current_schema()::regnamespace and ${isWholeConstraint}
       and exists (select from pg_attribute where attrelid = c.confrelid and attname = 'commerce_id' and attnum > 0)
       and exists (select from pg_attribute where attrelid = c.conrelid and attname = 'commerce_id' and attnum > 0)
       and not exists (select from unnest(c.conkey, c.confkey) as k(child, parent)
                         join pg_attribute a on a.attrelid = c.conrelid and a.attnum = k.child and a.attname = 'commerce_id'
                         join pg_attribute b on b.attrelid = c.confrelid and b.attnum = k.parent and b.attname = 'commerce_id')
    union all
    select format('%s of %s is not validated', conname, conrelid::regclass)
      from pg_constraint
     where connamespace = current_schema()::regnamespace and not convalidated and conparentid = 0
       and not (${isChanged} and contype = 'f'
                and (confrelid = to_regclass('movements') or conrelid in (select oid from (${partsOf('movements')}) p)))
    union all
    select format('trigger %s of %s is switched off', t.tgname, t.tgrelid::regclass)
      from pg_trigger t
      join pg_class c on c.oid = t.tgrelid and c.relnamespace = current_schema()::regnamespace
     where t.tgenabled not in ('O', 'A')
    union all
    select format('session_replication_role is %s, so no trigger and no foreign key is enforced', setting)
      from pg_settings
     where name = 'session_replication_role' and setting <> 'origin'
    union all
    select format('the constraint %s of %s is missing', g.name, g.of)
      from unnest(${guarded.map(([table]) => table)}::text[], ${guarded.map(([, name]) => name)}::text[]) as g(of, name)
     where not exists (select from pg_constraint c where c.conrelid = to_regclass(g.of) and c.conname = g.name)
       and not (${isChanged} and exists (select from pg_constraint c
                                           join (${partsOf('movements')}) p on p.oid = c.conrelid
                                          where c.conname = g.name))
    union all
    select 'movements can be changed: their append-only trigger is gone'
     where not exists (select from pg_trigger
                        where tgrelid = to_regclass('movements') and tgname = 'movements_are_append_only')`.execute(
    db,
  );
  return rows.map((row) => row.says);
}

/** Holds by triggers for release 0.1, which a cluster does not have. */
const OF_VERSION_0_1 = 'a_tier_has_a_place';

const GUARDED = Object.entries(GUARDS).flatMap(([table, names]) => names.map((name) => [table, name]));

/** A foreign key, with a statement that finds rows that point at nothing in their own commerce. */
export interface Pointer {
  readonly invariant: string;
  readonly find: (commerceId: Sql) => ReturnType<typeof sql<Finding>>;
}

/**
 * Returns one check for each foreign key of every table that belongs to a commerce, but for that of movements to their member, which
 * is checked with the history of the member.
 */
export async function pointers(db: Db): Promise<Pointer[]> {
  const { rows } = await sql<Key>`
    select c.conrelid::regclass::text as child, c.confrelid::regclass::text as parent,
           array_agg(a.attname::text order by k.place) as columns, array_agg(b.attname::text order by k.place) as targets,
           exists (select from pg_attribute m where m.attrelid = c.conrelid and m.attname = 'member_id') as "hasMember"
      from pg_constraint c
     cross join unnest(c.conkey, c.confkey) with ordinality as k(child, parent, place)
      join pg_attribute a on a.attrelid = c.conrelid and a.attnum = k.child
      join pg_attribute b on b.attrelid = c.confrelid and b.attnum = k.parent
     where c.contype = 'f' and c.connamespace = current_schema()::regnamespace and ${isWholeConstraint}
       and exists (select from pg_attribute where attrelid = c.conrelid and attname = 'commerce_id' and attnum > 0)
       and not (c.conrelid = 'movements'::regclass and c.confrelid = 'members'::regclass)
     group by c.oid
    having count(*) > 1
     order by 1, 2`.execute(db);
  return rows.map(pointer);
}

interface Key {
  readonly child: string;
  readonly parent: string;
  readonly columns: readonly string[];
  readonly targets: readonly string[];
  readonly hasMember: boolean;
}

function pointer({ child, parent, columns, targets, hasMember }: Key): Pointer {
  const names = columns.filter((column) => column !== 'commerce_id').join(', ');
  const matches = columns.map((column, i) => sql`p.${sql.id(targets[i]!)} = c.${sql.id(column)}`);
  const filled = columns.map((column) => sql`c.${sql.id(column)} is not null`);
  return {
    invariant: `${names} of ${child} names a row of ${parent} of the same commerce`,
    find: (commerceId) => sql<Finding>`
      select ${hasMember ? sql`c.member_id` : sql`null::bigint`} as "memberId",
             ${child === 'movements' ? sql`c.id` : sql`null::bigint`} as "movementId",
             format('%s points at nothing', to_jsonb(c) -> ${names}::text) as says
        from ${sql.id(child)} c
       where c.commerce_id = ${commerceId} and ${sql.join(filled, sql` and `)}
         and not exists (select from ${sql.id(parent)} p where ${sql.join(matches, sql` and `)})`,
  };
}
