/** Very many shops, opened in a few large statements. */
import { codeOf, openShop, type Shop } from '../../bench/load-members.ts';
import { createKey } from '../../server/src/loyalty/commerces/api-keys.ts';
import { sql, type Database } from '../../server/src/platform/db/database.ts';
import type { Till } from '../faults/world.ts';

/** Opens one shop as an owner does, and copies it. `members` says for each shop how many it is to have, and `fillShops` adds them. */
export async function openShops(db: Database, members: readonly number[]): Promise<Shop[]> {
  const count = members.length;
  const first = await openShop(db, 'shop-1');
  const copies = async (table: string, column: string, more = sql`'{}'::jsonb`) =>
    // Read once: the table is too long to be read for each copy.
    sql`
      with t as materialized (select * from ${sql.id(table)} where ${sql.id(column)} = ${first}::bigint)
      insert into ${sql.id(table)} overriding system value
      select r.*
        from t
       cross join generate_series(2, ${count}::integer) n
       cross join lateral jsonb_populate_record(null::${sql.id(table)}, to_jsonb(t) || jsonb_build_object(${column}::text, ${first}::bigint + n - 1) || ${more}) r`.execute(
      db,
    );
  await copies('commerces', 'id', sql`jsonb_build_object('slug', 'shop-' || n)`);
  // What refers to a shop is checked by a plan that was made while there was one.
  await sql`analyze commerces`.execute(db);
  await copies('programs', 'commerce_id');
  await copies('benefits', 'commerce_id');
  await sql`select setval(pg_get_serial_sequence('commerces', 'id'), ${first + count})`.execute(db);
  let firstMember = 1;
  return members.map((size, i) => {
    const shop = { commerceId: first + i, firstMember, members: size, key: '' };
    firstMember += size;
    return shop;
  });
}

/** Gives each of these shops a key, and returns it with the codes of its members, or of so many. */
export async function openTills(db: Database, shops: readonly Shop[], most = 1_000): Promise<Till[]> {
  const tills: Till[] = [];
  for (const { commerceId, firstMember, members } of shops) {
    const memberIds = Array.from({ length: Math.min(members, most) }, (_, i) => firstMember + i);
    const { key } = await createKey(db, commerceId, 'trial');
    tills.push({ commerceId, key, memberIds, codes: memberIds.map(codeOf), sessions: [] });
  }
  return tills;
}
