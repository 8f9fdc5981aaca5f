/**
 * The climb of a purchase, as its movement stores it forever. Tiers are stored by rank in the ladder of the movement's
 * program version, which never changes. When read, they are translated to the current ladder.
 */
import { uncoverStanding } from '#members/cover-standing.ts';
import type { Figures, Standing } from '#members/member.ts';
import type { Rules, TierRules } from '#program/rules.ts';
import { countingWithout, type Climb } from './standing-after-return.ts';
import { onRemainingTier, periodOnNewValidity } from './change-ladder.ts';
import { tierById } from './ladder.ts';
import type { Climbed } from './standing.ts';

export interface ClimbRecord {
  /** Ranks that this purchase reached, lowest first. */
  readonly reached: readonly number[];
  readonly before: StandingRecord;
}

type StandingRecord = Omit<Standing, 'tierId' | 'periodFrom' | 'climbFrom' | 'beneath'> & {
  readonly rank: number | null;
  /** Absent in records of version 0.1.0. */
  readonly periodFrom?: string | null;
  readonly climbFrom?: Date | null;
};

/** Returns the record of a climb from `before`, or from what lies beneath its pin. */
export function climbRecord(before: Standing, { reached }: Climbed, tiers: TierRules): ClimbRecord {
  const { tierId, beneath: _, ...rest } = uncoverStanding(before);
  const ranks = reached.map((id) => tierById(id, tiers)!.rank);
  return { reached: ranks, before: { rank: tierById(tierId, tiers)?.rank ?? null, ...rest } };
}

/** A return of a member's purchase: the time of the purchase, and the lifetime figures taken back. */
export interface OldReturn {
  readonly countedAt: Date;
  readonly taken: Figures;
}

/**
 * Translates a record to the current ladder.
 * @param then the ladder of the movement's program version
 * @param returnedSince returns of older purchases since this one
 */
export function climbOf(
  record: ClimbRecord,
  countedAt: Date,
  then: TierRules,
  today: Pick<Rules, 'tiers' | 'timeZone'>,
  returnedSince: readonly OldReturn[],
  now: Date,
): Climb {
  const { rank, ...before } = record.before;
  // Version 0.1.0 left members on ranks that no longer existed. The highest rank below counted.
  const held = rank === null ? undefined : then.ladder.findLast((tier) => tier.rank <= rank);
  const standing: Standing = {
    ...before,
    tierId: held?.id ?? null,
    reachedAt: instantOf(before.reachedAt),
    periodFrom: before.periodFrom ?? null,
    climbFrom: instantOf(before.climbFrom ?? null),
    beneath: null,
  };
  const remaining = onRemainingTier(standing, then, today.tiers);
  const { period, beginsNow } = periodOnNewValidity(remaining, then, today, now);
  return {
    countedAt,
    reached: record.reached.flatMap((rank) => then.ladder[rank - 1]?.id ?? []),
    before: returnedSince.reduce<Standing>(
      (before, { countedAt, taken }) => countingWithout(before, countedAt, taken),
      { ...remaining, ...period },
    ),
    beginsNow,
  };
}

/** Instants are strings in the ledger's JSON. */
function instantOf(at: Date | string | null): Date | null {
  return at === null ? null : new Date(at);
}
