/**
 * Numbers are exact up to 2^53 − 1, so every figure of a member stays within it: the balance, each lot of it, and the
 * lifetime figures. Constraints of the database stand behind this rule, and the check of the books looks for it.
 */
import type { Day } from '#calendar/calendar.ts';
import type { Member } from '#members/member.ts';
import { Problem } from '#problems/problem.ts';
import { balanceOn, type Lot } from './lots.ts';

/** A figure of the member would pass what can be counted, or has passed it under an earlier release. */
export class BeyondCounting extends Problem {
  constructor() {
    super(400, `could not be created: no figure of a member can be above ${Number.MAX_SAFE_INTEGER}`);
  }
}

type Counted = Pick<Member, 'figures' | 'purchases'> & { readonly lots: readonly Lot[] };

/** Whether every figure of the member is exact. */
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

/** Whether the member's figures stay exact with so many more points earned. */
export function hasRoomFor(member: Counted, points: number, today: Day): boolean {
  const isExact = Number.isSafeInteger;
  return (
    isCountable(member, today) &&
    isExact(member.figures.points + points) &&
    isExact(balanceOn(member.lots, today) + points)
  );
}
