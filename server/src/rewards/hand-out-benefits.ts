import { whyEnded, type Benefit } from '#benefits/benefit.ts';
import { readBenefits } from '#benefits/read-benefits.ts';
import type { Tx } from '#db/database.ts';
import { issueVouchers, newVoucher } from '#vouchers/issue-vouchers.ts';
import { claimRewards, type RewardClaim } from './claim-reward.ts';
import { noteWithheld } from './withheld-rewards.ts';

/** A reward that hands out a benefit. */
export interface BenefitClaim extends RewardClaim {
  readonly benefitId: string;
}

/**
 * Issues the codes of benefits that rewards hand out, free of charge and once per member, event and period. An expired
 * or withdrawn benefit is handed out to nobody, and a row says so to staff. Returns the claims that were new. The
 * number of statements does not grow with the claims.
 */
export async function handOutBenefits<Claim extends BenefitClaim>(
  tx: Tx,
  claims: readonly Claim[],
): Promise<(Claim & { readonly benefit: Benefit })[]> {
  if (claims.length === 0) return [];
  const benefits = await readBenefits(
    tx,
    claims.map(({ member, benefitId }) => ({ commerceId: member.commerceId, id: benefitId })),
  );
  const byName = new Map(benefits.map((benefit) => [nameOf(benefit.commerceId, benefit.id), benefit]));
  const good = [];
  const withheld = [];
  for (const claim of claims) {
    const benefit = byName.get(nameOf(claim.member.commerceId, claim.benefitId));
    const reason = benefit === undefined ? 'withdrawn' : whyEnded(benefit, claim.givenAt);
    if (benefit !== undefined && reason === null) good.push({ ...claim, benefit });
    else if (reason !== null) withheld.push({ ...claim, reason });
  }
  await noteWithheld(tx, withheld);
  const given = await claimRewards(tx, good);
  await issueVouchers(
    tx,
    given.map(({ member, benefit, event, period, givenAt }) => ({
      ...newVoucher(member, benefit, event, givenAt),
      tierId: event === 'level' ? period : null,
    })),
  );
  return given;
}

function nameOf(commerceId: number, benefitId: string): string {
  return `${commerceId}/${benefitId}`;
}
