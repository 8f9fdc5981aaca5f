/**
 * Numbers are exact up to 2^53 − 1, so no figure of a member may pass that: neither the balance, nor a lot of it, nor a
 * lifetime figure. The database has constraints behind this rule, and `ledger verify` checks it too.
 */
import type { Day } from '#calendar/calendar.ts';
import type { Member } from '#members/member.ts';
import { Problem } from '#problems/problem.ts';
import { balanceOn, type Lot } from './lots.ts';

/** A figure of the member would pass 2^53 − 1, or an earlier release has already let it. */
export class BeyondCounting extends Problem {
  constructor() {
    super(
      400,
      'beyond_counting',
      `could not be created: no figure of a member can be above ${Number.MAX_SAFE_INTEGER}`,
      { next: 'check the amount' },
    );
  }
}

type Counted = Pick<Member, 'figures' | 'purchases'> & { readonly lots: readonly Lot[] };

/** Returns whether every figure of the member is exact. Expired points do not count. */
export function isCountable({ figures, purchases, lots }: Counted, today: Day): boolean {
  const isExact = Number.isSafeInteger;
  return (
    isExact(figures.points) &&
    isExact(figures.amount) &&
    isExact(purchases) &&
    isExact(balanceOn(lots, today)) &&
    lots.every((lot) => isExact(lot.points))
  );
}

/** Returns whether every figure stays exact if the member earns that many more points. */
export function hasRoomFor(member: Counted, points: number, today: Day): boolean {
  const isExact = Number.isSafeInteger;
  return (
    isCountable(member, today) &&
    isExact(member.figures.points + points) &&
    isExact(balanceOn(member.lots, today) + points)
  );
}
