import { createAdjustment, createMoveCount } from '#apply/adjustment.ts';
import { catalogOf } from '#benefits/catalog.ts';
import { whyEnded } from '#benefits/benefit.ts';
import type { Commerce } from '#commerces/commerce.ts';
import type { Remembering } from '#db/memory.ts';
import type { LockedMember } from '#points/locked-member.ts';
import { isGood, type Lot } from '#points/lots.ts';
import { withDue } from '#points/pending.ts';
import { tierBenefitClaims } from '#rewards/give-tier-benefits.ts';
import { tierThatCounts } from '#tiers/ladder.ts';
import { settledAt } from '#tiers/standing.ts';
import type { Person } from './read-history.ts';

export interface TierMove {
  readonly from: string | null;
  readonly to: string | null;
  members: number;
}

export interface BeforeAfter {
  before: number;
  after: number;
}

/** The immediate effect of publishing on people. */
export interface Publishing {
  /** As `loyalty apply` says it. */
  readonly changes: readonly string[];
  readonly moves: readonly TierMove[];
  /** Members who get a tier's benefit. */
  readonly benefits: number;
  readonly redated: { readonly members: number; readonly points: number };
  readonly ends: readonly { readonly month: string | null; readonly points: BeforeAfter }[];
}

/**
 * Counts what publishing a program at this moment does to each person, by the function that publishes.
 * @param now the commerce under the program in force
 * @param next the same under the proposed one
 */
export function createPublishing(memory: Remembering, now: Commerce, next: Commerce) {
  const adjustment = createAdjustment(now.program, next);
  const offers = new Map(catalogOf(memory, next.program).map((offer) => [offer.id, offer]));
  const counted = createMoveCount();
  const moves = new Map<string, TierMove>();
  const ends = new Map<string, BeforeAfter>();
  const sums = { benefits: 0, redated: { members: 0, points: 0 } };

  const addLots = (side: keyof BeforeAfter, lots: readonly Lot[], today: string) => {
    for (const lot of lots) {
      if (lot.points <= 0 || !isGood(lot, today)) continue;
      const month = lot.expiresOn === 'infinity' ? 'never' : lot.expiresOn.slice(0, 7);
      const kept = ends.get(month) ?? { before: 0, after: 0 };
      kept[side] += lot.points;
      ends.set(month, kept);
    }
  };

  return {
    add({ member, lots: stored, pending, rewardedTiers }: Person): void {
      const held = withDue({ ...member, lots: stored, pending, past: [], movements: [] }, now);
      const before: LockedMember = { ...held, movements: [] };
      const {
        member: after,
        reached,
        move,
      } = adjustment.movesMembers ? adjustment.adjust(before) : { member: before, reached: [], move: null };
      addLots('before', before.lots, now.today);
      addLots('after', after.lots, next.today);
      const redate = after.movements.filter(({ type }) => type === 'redate');
      if (redate.length > 0) {
        sums.redated.members++;
        sums.redated.points += redate
          .flatMap(({ split }) => split)
          .reduce((sum, lot) => sum + Math.max(0, lot.points), 0);
      }
      counted.add(move);
      // Those with purchases that wait get theirs later.
      const claims =
        after.pending.length > 0
          ? []
          : tierBenefitClaims(reached.map((tierId) => ({ member: after, commerce: next, tierId })));
      const given = claims.filter(({ benefitId, period, givenAt }) => {
        const offer = offers.get(benefitId);
        return offer !== undefined && whyEnded(offer, givenAt) === null && !rewardedTiers.includes(period);
      });
      counted.add("members who get a tier's benefit", given.length);
      sums.benefits += given.length;

      const from = tierThatCounts(settledAt(member, now.rules, now.now), now.rules.tiers)?.id ?? null;
      // A tier whose last day is over in the proposed time zone ends at once, though no new ladder moves anybody.
      const to = tierThatCounts(settledAt(after, next.rules, next.now), next.rules.tiers)?.id ?? null;
      if (from === to) return;
      const key = JSON.stringify([from, to]);
      const kept = moves.get(key) ?? { from, to, members: 0 };
      kept.members++;
      moves.set(key, kept);
    },

    total: (): Publishing => ({
      ...sums,
      changes: counted.lines(),
      moves: [...moves.values()],
      ends: [...ends]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([month, points]) => ({ month: month === 'never' ? null : month, points })),
    }),
  };
}
