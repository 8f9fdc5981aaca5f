/**
 * Numbers are exact up to 2^53 − 1, so no figure of a member exceeds it: the balance, each of its lots and the lifetime
 * figures. Database constraints back this rule, and the ledger check verifies it.
 */
import type { Day } from '#calendar/calendar.ts';
import type { Member } from '#members/member.ts';
import { Problem } from '#problems/problem.ts';
import { balanceOn, type Lot } from './lots.ts';

/** A figure of the member would exceed the limit, or did so under an earlier release. */
export class BeyondCounting extends Problem {
  constructor() {
    super(400, `could not be created: no figure of a member can be above ${Number.MAX_SAFE_INTEGER}`);
  }
}

type Counted = Pick<Member, 'figures' | 'purchases'> & { readonly lots: readonly Lot[] };

/** Returns true if every figure of the member is exact. */
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

/** Returns true if the member's figures stay exact after earning this many more points. */
export function hasRoomFor(member: Counted, points: number, today: Day): boolean {
  const isExact = Number.isSafeInteger;
  return (
    isCountable(member, today) &&
    isExact(member.figures.points + points) &&
    isExact(balanceOn(member.lots, today) + points)
  );
}
