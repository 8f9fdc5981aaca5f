import { commercesOf } from '#db/commerces-of.ts';
import { sql, type Db } from '#db/database.ts';
import { benefitColumns, withStoredParts, type Benefit, type BenefitRow } from './benefit.ts';
import type { BenefitRef } from './lock-benefits.ts';

/** Reads benefits of one or more commerces, each once, including withdrawn ones. Unknown ids are left out. */
export async function readBenefits(
  db: Db,
  refs: readonly BenefitRef[],
): Promise<(Benefit & { readonly commerceId: number })[]> {
  const wanted = [...new Map(refs.map((ref) => [`${ref.commerceId}/${ref.id}`, ref])).values()];
  const { rows } = await sql<BenefitRow & { commerceId: number }>`-- read-benefits
    select b.commerce_id as "commerceId", ${benefitColumns}
      from unnest(${wanted.map((ref) => ref.commerceId)}::bigint[], ${wanted.map((ref) => ref.id)}::text[])
             as wanted(commerce_id, id)
      join benefits b on b.commerce_id = wanted.commerce_id and b.id = wanted.id
     where b.commerce_id = any(${commercesOf(wanted)}::bigint[])`.execute(db);
  return rows.map(withStoredParts);
}
