import type { Day } from '#calendar/calendar.ts';
import type { Commerce } from '#commerces/commerce.ts';
import { Problem } from '#problems/problem.ts';
import { BeyondCounting } from '#points/countable.ts';
import { grantDate } from '#points/expires-on.ts';
import type { LockedMember } from '#points/locked-member.ts';
import { balanceOn, grant, spend, type LotsChange } from '#points/lots.ts';
import type { Rules } from '#program/rules.ts';
import { withEarned, type Credited } from '#tiers/credit-points.ts';

/** A change of a balance by hand. */
export interface Adjustment {
  /** Above zero adds points, below zero takes them. */
  readonly points: number;
  /** One line for the member. */
  readonly reason: string;
  /** The last day of added points, if it is set by hand and not by the program. */
  readonly expiresOn?: Day | undefined;
}

/** The inputs of an adjustment, stored with its movement. Opening balances and earlier releases stored only the rule. */
export interface AdjustmentSnapshot {
  /** Version of the program, which gave the points their day. */
  readonly rule: number;
  /** The day that was set by hand. */
  readonly expiresOn?: Day;
}

/** Nothing would change, more points are taken than there are, or the day cannot be set by hand. */
export class CannotBeAdjusted extends Problem {
  constructor(code: 'invalid_points' | 'points_short' | 'invalid_expiry', reason: string) {
    super(400, code, `the points could not be adjusted: ${reason}`);
  }
}

/**
 * Returns the member after an adjustment, and the ids of the tiers it reached. It counts as earned in both directions, so a
 * mistake and its correction leave no trace in the lifetime figure. Points are taken from what expires first, and never
 * more than there are: without a purchase behind it, a debt would mean that the member earned less than nothing.
 * @throws CannotBeAdjusted, BeyondCounting
 */
export function decideAdjustment(
  member: LockedMember,
  commerce: Commerce,
  { points, reason, expiresOn }: Adjustment,
): Credited {
  const { rules, today } = commerce;
  if (points === 0) throw new CannotBeAdjusted('invalid_points', 'send more or fewer than 0 points');
  if (!Number.isSafeInteger(points)) throw new BeyondCounting();
  if (expiresOn !== undefined) refuseDay(commerce, points, expiresOn);
  const { lots } = points > 0 ? added(member, commerce, points, expiresOn) : taken(member, commerce, -points);
  return withEarned(
    member,
    commerce,
    {
      type: 'adjustment',
      balanceAfter: balanceOn(lots, today),
      snapshot: {
        rule: rules.version,
        ...(expiresOn !== undefined && { expiresOn }),
      } satisfies AdjustmentSnapshot,
      typedNote: reason,
    },
    points,
    lots,
  );
}

/** Returns whether staff can set the last day of points. In the other modes all points of a member have one date, or none. */
export function canSetDay({ expiration }: Pick<Rules, 'expiration'>): boolean {
  return expiration.mode === 'rolling';
}

function refuseDay({ rules, today }: Commerce, points: number, expiresOn: Day): void {
  const refusal =
    points < 0
      ? 'points that are taken have no day'
      : !canSetDay(rules)
        ? 'a day can be set by hand only where each grant expires by itself (`rolling`)'
        : expiresOn < today
          ? `the day is over: send ${today} or later`
          : null;
  if (refusal !== null) throw new CannotBeAdjusted('invalid_expiry', refusal);
}

function added(member: LockedMember, commerce: Commerce, points: number, expiresOn?: Day): LotsChange {
  const byHand = expiresOn === undefined ? null : { expiresOn, moving: false };
  const date = byHand ?? grantDate(commerce.rules.expiration, commerce.today, member, 'reward');
  return grant(member.lots, points, date);
}

function taken(member: LockedMember, { today }: Commerce, points: number): LotsChange {
  const change = spend(member.lots, points, today);
  if (change !== null) return change;
  const balance = balanceOn(member.lots, today);
  throw new CannotBeAdjusted('points_short', `the balance is ${balance}, and no more can be taken`);
}
