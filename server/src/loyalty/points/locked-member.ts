import type { Day } from '#calendar/calendar.ts';
import { commercesOf } from '#db/commerces-of.ts';
import { sql, type Db } from '#db/database.ts';
import type { Member } from '#members/member.ts';
import { BeyondCounting, isCountable } from './countable.ts';
import type { Line } from './line.ts';
import type { Lot, Split } from './lots.ts';
import type { PendingPoints } from './pending.ts';
import type { PastPurchase } from './purchase-facts.ts';
import { withRemainder, type RemainderChange } from './remainder.ts';

/**
 * A locked member with their points and the movements decided in this transaction. Use cases decide with pure functions,
 * and `storeMovements` writes the result.
 */
export interface LockedMember extends Member {
  readonly lots: readonly Lot[];
  /** What waits, by purchase. It is no part of the lots. */
  readonly pending: readonly PendingPoints[];
  /** Earlier purchases that limits of the program count. Nobody reads them for programs that have none. */
  readonly past: readonly PastPurchase[];
  readonly movements: readonly NewMovement[];
}

/** A member with the points that are written down. `settled` adds those whose instant has come since. */
export interface UnsettledMember extends Member {
  readonly storedLots: readonly Lot[];
  readonly pending: readonly PendingPoints[];
}

export type MovementType =
  | 'purchase'
  | 'available'
  | 'correction'
  | 'reversal'
  | 'exchange'
  | 'give_back'
  | 'usage'
  | 'undo'
  | 'reward'
  | 'adjustment'
  | 'expiry'
  | 'redate';

/** One entry of the ledger, before it is written. */
export interface NewMovement extends MovementFacts {
  readonly points: number;
  readonly split: Split;
}

export interface MovementFacts {
  readonly type: MovementType;
  readonly at: Date;
  /** The change of the lifetime figures. */
  readonly pointsEarned?: number;
  readonly amount?: number;
  readonly purchases?: number;
  /** The balance right after it, if somebody is told. */
  readonly balanceAfter?: number;
  /** The inputs it was computed from. */
  readonly snapshot?: object;
  readonly branchId?: number | null;
  readonly registerId?: number | null;
  /** What the shop said was sold. It is kept for a time only. */
  readonly lines?: readonly Line[];
  /** The purchase that it is about. */
  readonly reversesId?: number;
  /** What waits of a purchase after it, if that changes: of this one, unless another is named. No points end its waiting. */
  readonly pending?: Omit<PendingPoints, 'points'> & { readonly points: number | null };
  /** How it changes what waits of the member's money. Absent if the program of the purchase carries nothing. */
  readonly remainder?: RemainderChange;
  readonly voucherCode?: number;
  readonly event?: 'welcome' | 'birthday' | 'monthly_top' | null;
  /** One line for the member, typed by a person. Erasing the member deletes it. */
  readonly typedNote?: string | undefined;
}

/** Reads the points of members whose rows this transaction has locked. */
export async function withLots(db: Db, members: readonly Member[]): Promise<UnsettledMember[]> {
  if (members.length === 0) return [];
  const commerceIds = commercesOf(members);
  const { rows } = await sql<LotRow | PendingRow>`-- read-lots
    select m.commerce_id as "commerceId", m.id as "memberId", h.*
      from unnest(${members.map((m) => m.commerceId)}::bigint[], ${members.map((m) => m.id)}::bigint[])
             as m(commerce_id, id)
     cross join lateral (
           select b.expires_on as "expiresOn", b.moving, b.points,
                  null::bigint as "purchaseId", null::timestamptz as "dueAt", null as becomes
             from balances b
            where b.commerce_id = any(${commerceIds}::bigint[]) and b.commerce_id = m.commerce_id and b.member_id = m.id
            union all
           select null, null, p.points, p.purchase_id, p.due_at, p.becomes
             from pending_points p
            where p.commerce_id = any(${commerceIds}::bigint[]) and p.commerce_id = m.commerce_id and p.member_id = m.id) h
     order by h."expiresOn", h.moving`.execute(db);
  const held = Map.groupBy(rows, (row) => `${row.commerceId}/${row.memberId}`);
  return members.map((member) => {
    const own = held.get(`${member.commerceId}/${member.id}`) ?? [];
    return {
      ...member,
      storedLots: own.flatMap((row) => (row.expiresOn === null ? [] : [lotOf(row)])),
      pending: own.flatMap((row) => (row.expiresOn === null ? [pendingOf(row)] : [])),
    };
  });
}

interface RowOfMember {
  readonly commerceId: number;
  readonly memberId: number;
}
type LotRow = RowOfMember & Lot;
type PendingRow = RowOfMember & PendingPoints & { readonly expiresOn: null };

/**
 * The member after one more movement: `lots` are the points held after it, and its own points are what that
 * changes. `today` is the commerce's local day. Purchases and exchanges give `movedOn`, because they move an accumulated
 * balance. This is the only place where figures change.
 * @throws BeyondCounting
 */
export function withMovement(
  member: LockedMember,
  facts: MovementFacts,
  after: { readonly lots: readonly Lot[]; readonly today: Day; readonly movedOn?: Day },
): LockedMember {
  const split = splitBetween(member.lots, after.lots);
  const points = split.reduce((sum, lot) => sum + lot.points, 0);
  const moved = {
    ...member,
    lots: after.lots,
    movedOn: after.movedOn ?? member.movedOn,
    figures: {
      points: member.figures.points + (facts.pointsEarned ?? 0),
      amount: member.figures.amount + (facts.amount ?? 0),
    },
    purchases: member.purchases + (facts.purchases ?? 0),
    pending: pendingAfter(member, facts),
    remainder:
      facts.remainder === undefined ? member.remainder : withRemainder(member.remainder, facts.remainder),
    movements: [...member.movements, { ...facts, points, split }],
  };
  // A figure that was not exact before the movement is not exact after it either.
  if (!isCountable(member, after.today) || !isCountable(moved, after.today)) throw new BeyondCounting();
  return moved;
}

/** Returns the difference between two states of the points held, by day. */
function splitBetween(before: readonly Lot[], after: readonly Lot[]): Split {
  const change = new Map<string, Lot>();
  const add = (lot: Lot, sign: 1 | -1) => {
    const key = `${lot.expiresOn}/${lot.moving}`;
    const points = (change.get(key)?.points ?? 0) + sign * lot.points;
    change.set(key, { expiresOn: lot.expiresOn, moving: lot.moving, points });
  };
  for (const lot of before) if (!after.includes(lot)) add(lot, -1);
  for (const lot of after) if (!before.includes(lot)) add(lot, 1);
  return [...change.values()].filter((lot) => lot.points !== 0);
}

function lotOf(row: Lot): Lot {
  return { expiresOn: row.expiresOn, moving: row.moving, points: row.points };
}

function pendingOf({ purchaseId, points, dueAt, becomes }: PendingPoints): PendingPoints {
  return { purchaseId, points, dueAt, becomes };
}

function pendingAfter(member: LockedMember, { pending }: MovementFacts): readonly PendingPoints[] {
  if (pending === undefined) return member.pending;
  const { points, ...changed } = pending;
  const others = member.pending.filter(
    ({ purchaseId }) => purchaseId === null || purchaseId !== changed.purchaseId,
  );
  return points === null ? others : [...others, { ...changed, points }];
}
