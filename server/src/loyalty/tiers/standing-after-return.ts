import { uncoverStanding, withUncovered } from '#members/cover-standing.ts';
import type { Figures, Standing } from '#members/member.ts';
import type { Rules, TierRules } from '#program/rules.ts';
import { figureOf, heightOf, tierById, tierHeld, tiersAbove } from './ladder.ts';
import { settle } from './standing.ts';

/** The climb of a purchase: when it was, the tiers it reached, and the standing before it. */
export interface Climb {
  readonly countedAt: Date;
  /** Ids, lowest first. */
  readonly reached: readonly string[];
  /** Excludes later returns of purchases that it no longer counts (`countingWithout`). */
  readonly before: Standing;
  /** The period of that standing begins with the return, because by the validity of today it would be over. */
  readonly beginsNow?: boolean;
}

/** A tier that returns took away, and when the purchase had reached it. */
export interface LostTier {
  readonly tierId: string;
  readonly reachedAt: Date;
}

/**
 * Returns the standing after a return of the purchase that made `climbs`, and the tiers that the return takes away. Only
 * tiers that this purchase reached are lost. The member falls to the highest tier that the figures still meet, but no
 * lower than before the purchase. If the standing before came from another purchase, returned since, then that climb is
 * taken back next. The order of returns therefore makes no difference.
 * @param climbs one of the purchase, and one each time that it grew and reached more
 * @param returned climbs of the member's other purchases of which something was returned
 * @param figures lifetime figures after the return
 * @param now the instant up to which periods have ended
 */
export function standingAfterReturn(
  standing: Standing,
  climbs: readonly Climb[],
  returned: readonly Climb[],
  figures: Figures,
  { tiers, timeZone }: Pick<Rules, 'tiers' | 'timeZone'>,
  now: Date,
): { standing: Standing; lost: readonly LostTier[] } {
  const held = uncoverStanding(standing);
  let fallen = held;
  const undone: Climb[] = [];
  let cause = climbs.find((own) => isCauseOf(held, own, tiers));
  const others = [...climbs, ...returned];
  while (cause !== undefined) {
    const lower = stepDown(fallen, cause, figures, tiers);
    if (lower === fallen) break;
    undone.push(cause);
    const settled = settle(lower, figures, tiers, now, timeZone);
    // These are the current figures, even if the period of the lower tier ended earlier.
    fallen = settled.climbFrom === lower.climbFrom ? settled : { ...settled, climbFrom: now };
    cause = others.find((other) => !undone.includes(other) && isCauseOf(fallen, other, tiers));
  }
  const height = held.expired ? rankOf(fallen, tiers) : heightOf(fallen, tiers);
  return {
    standing: withUncovered(standing, fallen),
    lost: undone.flatMap((climb) => lostBy(climb, height, tiers)),
  };
}

/**
 * Returns the standing after a return of a purchase from before the last move down or expiry. The lifetime figures fall by
 * the amount taken back, and the amount still to be earned stays the same.
 */
export function countingWithout(standing: Standing, countedAt: Date, taken: Figures): Standing {
  const held = uncoverStanding(standing);
  const { climbFrom, climbBase, periodBase } = held;
  if (climbFrom === null || countedAt > climbFrom) return standing;
  const without = { ...held, climbBase: minus(climbBase, taken), periodBase: minus(periodBase, taken) };
  return withUncovered(standing, without);
}

/** True if this purchase reached the tier held. If two climbed at one instant, the second reached the higher tier. */
function isCauseOf(standing: Standing, { countedAt, reached, before }: Climb, tiers: TierRules): boolean {
  if (standing.reachedAt?.getTime() !== countedAt.getTime()) return false;
  const rank = rankOf(standing, tiers);
  // A tier that was removed since then may have had any rank.
  const top = Math.max(...reached.map((tierId) => tierById(tierId, tiers)?.rank ?? Infinity));
  return rank > heightOf(before, tiers) && rank <= top;
}

function stepDown(
  standing: Standing,
  { before, beginsNow = false }: Climb,
  figures: Figures,
  tiers: TierRules,
): Standing {
  const figure = figureOf(figures, tiers) - figureOf(before.climbBase, tiers);
  const rank = rankOf(standing, tiers);
  const met = tiersAbove(before, tiers).findLast((tier) => tier.rank <= rank && tier.threshold <= figure);
  if (met === undefined) return beginsNow ? { ...before, periodBase: figures } : before;
  return met.id === standing.tierId ? standing : { ...standing, tierId: met.id };
}

/** Returns the tiers that the purchase reached above that rank. A tier removed since then falls with those below it. */
function lostBy({ reached, countedAt }: Climb, rank: number, tiers: TierRules): LostTier[] {
  const kept = reached.findLastIndex((tierId) => (tierById(tierId, tiers)?.rank ?? Infinity) <= rank);
  return reached.slice(kept + 1).map((tierId) => ({ tierId, reachedAt: countedAt }));
}

function rankOf(standing: Standing, tiers: TierRules): number {
  return tierHeld(standing, tiers)?.rank ?? 0;
}

function minus(one: Figures, other: Figures): Figures {
  return { points: one.points - other.points, amount: one.amount - other.amount };
}
