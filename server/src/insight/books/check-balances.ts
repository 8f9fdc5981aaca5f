/** Adds up points by day and lifetime figures from the ledger again, and compares them with the stored ones. */
import { add, type Figure } from '#db/copy-out.ts';
import { sql, type Sql } from '#db/database.ts';
import type { Books, Check, Finding } from './check.ts';
import type { History, Lifetime, Lot, Movement, Report } from './history.ts';

export const balanceChecks: readonly Check[] = [
  { invariant: 'figures of a member are within what can be counted', find: uncountable },
];

const NAMED = {
  days: 'points by day are the sum of the movements',
  figures: 'lifetime figures are the sum of the movements',
  split: 'a movement is the sum of its days',
  belowZero: 'no day ever held less than nothing',
  overdraft: 'a balance falls below zero by a return only',
  member: 'member_id of movements names a row of members of the same commerce',
} as const;

/** Follows the balance of a person through all movements, and compares what it comes to. */
export function checkBalances(history: History, report: Report): void {
  const { movements, stored } = history;
  if (stored === null)
    for (const { id } of movements) report(NAMED.member, id, `${history.memberId} points at nothing`);
  const days = new Map<string, Figure>();
  const told = { points: 0 as Figure, amount: 0 as Figure, purchases: 0 as Figure };
  let balance: Figure = 0;
  let isReturned = false;
  let isOverdrawn = false;
  let isBelowZero = false;
  for (const movement of movements) {
    const { id, type, points, split } = movement;
    told.points = add(told.points, movement.pointsEarned);
    told.amount = add(told.amount, movement.amount ?? 0);
    told.purchases = add(told.purchases, movement.purchases);
    balance = add(balance, points);
    if (type === 'reversal') isReturned = true;
    if (balance < 0 && !isOverdrawn && (!isReturned || type === 'exchange')) {
      isOverdrawn = true;
      report(NAMED.overdraft, id, `this ${type} leaves a balance of ${balance}`);
    }
    checkSplit(movement, report);
    for (const { key, points } of split.lots) days.set(key, add(days.get(key) ?? 0, points));
    const below = isBelowZero ? undefined : split.lots.find((lot) => isBelowNothing(lot, days));
    if (below !== undefined) {
      isBelowZero = true;
      report(NAMED.belowZero, id, `it leaves ${days.get(below.key)} points on ${below.expiresOn}`);
    }
  }
  compareDays(history, days, report);
  if (stored !== null) compareFigures(stored, told, movements, report);
}

/** Only a debt may be below zero, and a debt has no day. */
function isBelowNothing({ key, expiresOn }: Lot, days: ReadonlyMap<string, Figure>): boolean {
  return expiresOn !== 'infinity' && days.get(key)! < 0;
}

function checkSplit({ id, points, split }: Movement, report: Report): void {
  if (split.unreadable !== null) report(NAMED.split, id, `its days cannot be read: ${split.unreadable}`);
  else if (points !== split.sum)
    report(NAMED.split, id, `it has ${points} points, but its days add up to ${split.sum}`);
}

/** Names the movement if it alone explains the difference: it was added or altered. */
function compareDays({ held, movements }: History, told: Map<string, Figure>, report: Report): void {
  const stored = new Map(held.map((lot) => [lot.key, lot.points]));
  for (const key of new Set([...told.keys(), ...stored.keys()])) {
    const [has, sum] = [stored.get(key) ?? 0, told.get(key) ?? 0];
    if (has === sum) continue;
    const extra = add(sum, -has);
    const added = movements.findLast(
      ({ type, split }) =>
        !isWrittenOff(type) && split.lots.some((lot) => lot.key === key && lot.points === extra),
    );
    const perhaps =
      added !== undefined
        ? 'perhaps this one was added'
        : has > sum
          ? 'perhaps a movement that added points is missing'
          : 'perhaps a movement that took points is missing';
    report(
      NAMED.days,
      added?.id ?? null,
      `${has} points are stored for ${key}, but the movements add up to ${sum}: ${perhaps}`,
    );
  }
}

function compareFigures(
  stored: Lifetime,
  told: Lifetime,
  movements: readonly Movement[],
  report: Report,
): void {
  const off = {
    points: add(told.points, -stored.points),
    amount: add(told.amount, -stored.amount),
    purchases: add(told.purchases, -stored.purchases),
  };
  if (off.points === 0 && off.amount === 0 && off.purchases === 0) return;
  const added = movements.findLast(
    ({ type, pointsEarned, amount, purchases }) =>
      !isWrittenOff(type) &&
      pointsEarned === off.points &&
      (amount ?? 0) === off.amount &&
      purchases === off.purchases,
  );
  const perhaps =
    added !== undefined
      ? ': perhaps this one was added'
      : off.purchases < 0
        ? ': perhaps purchases are missing'
        : '';
  report(
    NAMED.figures,
    added?.id ?? null,
    `${stored.points} points earned, ${stored.amount} spent in ${stored.purchases} purchases are stored, ` +
      `but the movements add up to ${told.points}, ${told.amount} in ${told.purchases}${perhaps}`,
  );
}

function isWrittenOff(type: string): boolean {
  return type === 'expiry' || type === 'redate';
}

/** Numbers are exact up to 2^53 − 1. Larger figures, written by an earlier release, are shown rounded. */
function uncountable(commerceId: Sql, { today }: Books) {
  const most = Number.MAX_SAFE_INTEGER;
  return sql<Finding>`
    with held as (
      select member_id, sum(points) filter (where expires_on >= ${today}) as balance, max(abs(points)) as largest
        from balances
       where commerce_id = ${commerceId}
       group by member_id
    )
    select m.id as "memberId", null::bigint as "movementId",
           format('%s points earned, %s spent in %s purchases, a balance of %s: nothing more can be recorded',
                  m.points_earned, m.amount_spent, m.purchases, coalesce(h.balance, 0)) as says
      from members m
      left join held h on h.member_id = m.id
     where m.commerce_id = ${commerceId}
       and greatest(abs(m.points_earned), abs(m.amount_spent), abs(m.purchases), abs(h.balance), h.largest) > ${most}::bigint`;
}
