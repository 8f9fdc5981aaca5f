import { commercesOf } from '#db/commerces-of.ts';
import { sql, type Tx } from '#db/database.ts';
import type { BenefitRef } from './lock-benefits.ts';

/**
 * Counts one sale for each entry of `sold`; a benefit may occur several times. The benefits are locked and their
 * limits were checked before, but the statement checks the limits again.
 */
export async function sellBenefits(tx: Tx, sold: readonly BenefitRef[]): Promise<void> {
  if (sold.length === 0) return;
  const sales = [...Map.groupBy(sold, ({ commerceId, id }) => `${commerceId}/${id}`).values()];
  const { rows } = await sql`-- sell-benefits
    update benefits b
       set sold = b.sold + s.pieces
      from unnest(${sales.map(([one]) => one!.commerceId)}::bigint[], ${sales.map(([one]) => one!.id)}::text[],
                  ${sales.map((pieces) => pieces.length)}::bigint[]) as s(commerce_id, id, pieces)
     where b.commerce_id = any(${commercesOf(sold)}::bigint[])
       and b.commerce_id = s.commerce_id and b.id = s.id
       and (b.buy_limit = 0 or b.sold + s.pieces <= b.buy_limit)
    returning 1`.execute(tx);
  if (rows.length < sales.length) throw new Error('a locked benefit was sold beyond its limit');
}
