import { sql, type Tx } from '#db/database.ts';

/** A member's benefits of these tiers count as not handed out, so reaching such a tier again issues a new one. */
export async function forgetTierBenefits(
  tx: Tx,
  { commerceId, id }: { readonly commerceId: number; readonly id: number },
  tierIds: readonly string[],
): Promise<void> {
  if (tierIds.length === 0) return;
  await sql`-- forget-tier-benefits
    delete from rewards
     where commerce_id = ${commerceId} and member_id = ${id} and event = 'level'
       and period = any(${tierIds}::text[])`.execute(tx);
}
