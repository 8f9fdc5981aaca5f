import type { Tx } from '#db/database.ts';
import type { Member } from '#members/member.ts';
import type { LostTier } from '#tiers/standing-after-return.ts';
import { voidVouchers } from '#vouchers/void-vouchers.ts';
import { forgetTierBenefits } from './forget-tier-benefits.ts';
import { forgetPendingBenefits } from './pending-benefits.ts';

/**
 * A locked member loses the benefits of tiers that a return took away: unused codes are void, and reaching such a tier
 * again issues a new one. A used code stays used, and the benefit counts as handed out.
 */
export async function takeTierBenefits(
  tx: Tx,
  member: Member,
  lost: readonly LostTier[],
  at: Date,
): Promise<void> {
  if (lost.length === 0) return;
  const tierIds = await voidVouchers(
    tx,
    member,
    lost.map(({ tierId, reachedAt }) => ({ tierId, since: reachedAt })),
    at,
  );
  await forgetTierBenefits(tx, member, tierIds);
  await forgetPendingBenefits(
    tx,
    member,
    lost.map(({ tierId }) => tierId),
  );
}
