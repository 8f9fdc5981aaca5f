/**
 * How a purchase climbed, as its movement keeps it for good: tiers by their place in the ladder of the movement's own
 * program version, which never changes. Read back, they are tiers of the ladder of today.
 */
import type { Figures, Standing } from '#members/member.ts';
import type { Rules, TierRules } from '#program/rules.ts';
import { countingWithout, type Climb } from './climb-down.ts';
import { onRemainingTier, withNewValidity } from './change-ladder.ts';
import { tierById } from './ladder.ts';
import type { Climbed } from './standing.ts';

export interface ClimbRecord {
  /** Ranks that this very purchase reached, lowest first. */
  readonly reached: readonly number[];
  readonly before: StandingRecord;
}

type StandingRecord = Omit<Standing, 'tierId' | 'periodFrom' | 'climbFrom'> & {
  readonly rank: number | null;
  /** Absent in what version 0.1.0 wrote. */
  readonly periodFrom?: string | null;
  readonly climbFrom?: Date | null;
};

/** The record of a climb from `before`. */
export function climbRecord(before: Standing, { reached }: Climbed, tiers: TierRules): ClimbRecord {
  const { tierId, ...rest } = before;
  const ranks = reached.map((id) => tierById(id, tiers)!.rank);
  return { reached: ranks, before: { rank: tierById(tierId, tiers)?.rank ?? null, ...rest } };
}

/** A return of a member's purchase: when the purchase was made, and what was taken back of the lifetime figures. */
export interface OldReturn {
  readonly purchasedAt: Date;
  readonly taken: Figures;
}

/**
 * What a record says on the ladder of today.
 * @param then the ladder of the movement's program version
 * @param returnedSince what was returned of older purchases since this one
 */
export function climbOf(
  record: ClimbRecord,
  purchasedAt: Date,
  then: TierRules,
  today: Pick<Rules, 'tiers' | 'timeZone'>,
  returnedSince: readonly OldReturn[],
  now: Date,
): Climb {
  const { rank, ...before } = record.before;
  // Version 0.1.0 left a member on a rank that the ladder had no more: the highest below it counted.
  const held = rank === null ? undefined : then.ladder.findLast((tier) => tier.rank <= rank);
  const standing: Standing = {
    ...before,
    tierId: held?.id ?? null,
    reachedAt: instantOf(before.reachedAt),
    periodFrom: before.periodFrom ?? null,
    climbFrom: instantOf(before.climbFrom ?? null),
  };
  return {
    purchasedAt,
    reached: record.reached.flatMap((rank) => then.ladder[rank - 1]?.id ?? []),
    before: returnedSince.reduce(
      (before, { purchasedAt, taken }) => countingWithout(before, purchasedAt, taken),
      withNewValidity(onRemainingTier(standing, then, today.tiers), then, today, now),
    ),
  };
}

/** In the ledger's JSON an instant is a text. */
function instantOf(at: Date | string | null): Date | null {
  return at === null ? null : new Date(at);
}
