import { sql, type Tx } from '#db/database.ts';

/** Takes back one sale of a benefit, so that it no longer counts towards the limit. */
export function unsellBenefit(tx: Tx, commerceId: number, benefitId: string): Promise<void> {
  return unsellBenefits(tx, commerceId, [benefitId]);
}

/** Takes back one sale for each entry; a benefit may occur several times. Locks the benefits in ascending order. */
export async function unsellBenefits(
  tx: Tx,
  commerceId: number,
  benefitIds: readonly string[],
): Promise<void> {
  if (benefitIds.length === 0) return;
  await sql`-- unsell-benefits
    with returned as (
      select id, count(*) as pieces from unnest(${benefitIds}::text[]) as r(id) group by id
    ), locked as (
      select b.id, r.pieces
        from returned r
        join benefits b on b.commerce_id = ${commerceId} and b.id = r.id
       order by b.id
         for no key update of b
    )
    update benefits b
       set sold = b.sold - l.pieces
      from locked l
     where b.commerce_id = ${commerceId} and b.id = l.id`.execute(tx);
}
