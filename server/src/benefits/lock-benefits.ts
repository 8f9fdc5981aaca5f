import { sql, type Tx } from '#db/database.ts';
import { benefitColumns, withStoredParts, type Benefit, type BenefitRow } from './benefit.ts';

/** A reference to a benefit of a commerce. */
export interface BenefitRef {
  readonly commerceId: number;
  readonly id: string;
}

/**
 * Locks the benefits that this transaction sells, in ascending order, and returns them as they are once the locks are
 * held, with their price and the number sold. Unknown ids are left out. Lock the members first.
 */
export async function lockBenefits(
  tx: Tx,
  refs: readonly BenefitRef[],
): Promise<(Benefit & { readonly commerceId: number })[]> {
  const wanted = distinct(refs);
  const { rows } = await sql<BenefitRow & { commerceId: number }>`-- lock-benefits
    select b.commerce_id as "commerceId", ${benefitColumns}
      from unnest(${wanted.map((ref) => ref.commerceId)}::bigint[], ${wanted.map((ref) => ref.id)}::text[])
             as wanted(commerce_id, id)
      join benefits b on b.commerce_id = wanted.commerce_id and b.id = wanted.id
     order by b.commerce_id, b.id
       for no key update of b`.execute(tx);
  return rows.map(withStoredParts);
}

function distinct(refs: readonly BenefitRef[]): BenefitRef[] {
  return [...new Map(refs.map((ref) => [`${ref.commerceId}/${ref.id}`, ref])).values()];
}
