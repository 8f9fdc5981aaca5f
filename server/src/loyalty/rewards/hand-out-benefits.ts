import { whyEnded, type Benefit } from '#benefits/benefit.ts';
import { readBenefits } from '#benefits/read-benefits.ts';
import type { Tx } from '#db/database.ts';
import { storeHappenings } from '#happenings/store-happenings.ts';
import { issueVouchers, newVoucher } from '#vouchers/issue-vouchers.ts';
import { claimRewards, type RewardClaim } from './claim-reward.ts';
import { noteWithheld } from './withheld-rewards.ts';

/** A reward that gives a benefit. */
export interface BenefitClaim extends RewardClaim {
  readonly benefitId: string;
}

/**
 * Gives members the benefits of their rewards, free of charge, once for each event and period. A benefit that has
 * expired or was withdrawn is not given, and that is recorded for staff. Returns the claims that are new. The number
 * of statements does not grow with the number of claims.
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
  const vouchers = given.map(({ member, benefit, event, period, givenAt }) => ({
    ...newVoucher(member, benefit, event, givenAt),
    tierId: event === 'level' ? period : null,
  }));
  await issueVouchers(tx, vouchers);
  await storeHappenings(
    tx,
    given.flatMap(
      ({ member: { commerceId, id: memberId }, event: reward, period, givenAt: at, benefitId }, i) => {
        const common = { commerceId, memberId, at, voucherCode: vouchers[i]!.code };
        return [
          { ...common, type: 'reward.given', facts: { reward, period, benefit_id: benefitId } } as const,
          { ...common, type: 'voucher.issued' } as const,
        ];
      },
    ),
  );
  return given;
}

function nameOf(commerceId: number, benefitId: string): string {
  return `${commerceId}/${benefitId}`;
}
