/** Rows as release 0.1 wrote them, for what has to go on reading them. */
import { sql, transaction, type Database } from '#db/database.ts';

/** Turns what a commerce's purchases were computed from into the flat fields of release 0.1. */
export async function storeFlatFactors(database: Database, commerceId: number): Promise<void> {
  await transaction(database, async (tx) => {
    await sql`alter table movements disable trigger movements_are_append_only`.execute(tx);
    const { rows } = await sql<{ id: number; flat: object }>`
      select id, jsonb_build_object(
               'moneyPerPoint', money -> 2, 'base', money -> 1, 'double', double is not null,
               'multiplier', coalesce(tier -> 2, '1000')) as flat
        from (select id, jsonb_path_query_first(snapshot, 'strict $.factors[*] ? (@[0] == "money")') as money,
                     jsonb_path_query_first(snapshot, 'strict $.factors[*] ? (@[0] == "double")') as double,
                     jsonb_path_query_first(snapshot, 'strict $.factors[*] ? (@[0] == "tier")') as tier
                from movements
               where commerce_id = ${commerceId} and type = 'purchase') f`.execute(tx);
    for (const { id, flat } of rows)
      await sql`
        update movements set snapshot = snapshot - 'factors' || ${JSON.stringify(flat)}::jsonb
         where commerce_id = ${commerceId} and id = ${id}`.execute(tx);
    await sql`alter table movements enable trigger movements_are_append_only`.execute(tx);
  });
}
