import type { Commerce } from '#commerces/commerce.ts';
import { grantDate } from '#points/expires-on.ts';
import { withMovement, type LockedMember } from '#points/locked-member.ts';
import { moveDates, spend, type Split } from '#points/lots.ts';

/** The inputs of an exchange, stored with its movement. */
export interface ExchangeSnapshot {
  /** Version of the program. */
  readonly rule: number;
  readonly benefit: string;
  readonly cost: number;
  /** The points that it took, by day. A code that is given back returns these. */
  readonly taken: Split;
}

/**
 * Returns a locked member after paying for a benefit. The points that expire first are spent first, and a balance with one date
 * gets a new one. Returns null if the balance is below the cost.
 */
export function payForBenefit(
  member: LockedMember,
  { rules, now, today }: Commerce,
  benefit: { readonly id: string; readonly cost: number },
  voucherCode: number,
): LockedMember | null {
  const spent = spend(member.lots, benefit.cost, today);
  if (spent === null) return null;
  const date = grantDate(rules.expiration, today, member, 'purchase');
  const lots = date.moving ? moveDates(spent.lots, date.expiresOn, today).lots : spent.lots;
  const snapshot: ExchangeSnapshot = {
    rule: rules.version,
    benefit: benefit.id,
    cost: benefit.cost,
    taken: spent.split,
  };
  return withMovement(
    member,
    { type: 'exchange', at: now, voucherCode, snapshot },
    { lots, today, movedOn: today },
  );
}
