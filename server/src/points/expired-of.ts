/**
 * How many of the points that a purchase brought expired unspent: a return of it takes those back from nobody.
 *
 * Points that expire on one day lie together, so the ledger does not say whose were spent. The rule: what expired on
 * the day where a purchase's points lay counts as that purchase's first, up to what it brought there and had not been
 * moved or taken back; and no expired point counts for two returns, so several returns together forgive at most what
 * has expired.
 */
import type { Day } from '#calendar/calendar.ts';
import { broughtBy, type Lot, type LotDate, type Split } from './lots.ts';
import type { MovementType } from './locked-member.ts';

/** A movement of the member that came after the purchase. */
export interface LaterMovement {
  readonly type: MovementType;
  readonly split: Split;
  /** Whether it is a return of this very purchase. */
  readonly ofThisPurchase: boolean;
  /** Of a return: the expired points that it did not have to take back. */
  readonly forgiven: Split;
}

/**
 * The expired points that a return may forgive, by the day on which they lay. `later` are all movements after the
 * purchase in their order, `lots` what the member holds after them, expired lots that no job has written off included.
 */
export function expiredOf(
  purchase: Split,
  later: readonly LaterMovement[],
  lots: readonly Lot[],
  today: Day,
): Lot[] {
  const expired = tally();
  const ofAnybody = tally();
  const held = tally(lots);
  for (const { split } of later) addAll(held, split, -1);
  const mine = tally(broughtBy(purchase));
  capAt(mine, held);

  for (const { type, split, ofThisPurchase } of later) {
    for (const row of split) {
      if (type === 'expiry') {
        add(ofAnybody, row, -row.points);
        add(expired, row, take(mine, row, -row.points));
      } else if (ofThisPurchase) take(mine, row, -row.points);
      else follow(mine, held, row, goalOf(row, type, split));
    }
    addAll(held, split, 1);
    capAt(mine, held);
  }
  for (const lot of lots.filter((lot) => lot.expiresOn < today)) {
    add(ofAnybody, lot, lot.points);
    add(expired, lot, take(mine, lot, lot.points));
  }

  for (const { forgiven, ofThisPurchase } of later) {
    addAll(ofAnybody, forgiven, -1);
    if (ofThisPurchase) addAll(expired, forgiven, -1);
  }
  capAt(expired, ofAnybody);
  return [...expired.values()].filter((row) => row.points > 0);
}

/** What leaves a day because dates are moved goes along to the new day; what was spent does not. */
function follow(mine: Tally, held: Tally, row: Lot, goal: LotDate | undefined): void {
  if (row.points >= 0 || goal === undefined) return;
  const leaving = of(mine, row) - Math.max(0, of(held, row) + row.points);
  add(mine, goal, take(mine, row, leaving));
}

/** Where a movement moves a day: a purchase or exchange all that moves to one, a change of mode each for itself. */
function goalOf(row: Lot, type: MovementType, split: Split): LotDate | undefined {
  const arrivals = split.filter((arrival) => arrival.points > 0);
  if (type === 'redate') return arrivals.find(({ expiresOn }) => expiresOn === row.expiresOn) ?? arrivals[0];
  return row.moving ? arrivals.find((arrival) => arrival.moving) : undefined;
}

/** Points by day and kind. */
type Tally = Map<string, Lot>;

function tally(rows: readonly Lot[] = []): Tally {
  const made: Tally = new Map();
  addAll(made, rows, 1);
  return made;
}

function of(tally: Tally, row: LotDate): number {
  return tally.get(keyOf(row))?.points ?? 0;
}

function add(tally: Tally, row: LotDate, points: number): void {
  const { expiresOn, moving } = row;
  tally.set(keyOf(row), { expiresOn, moving, points: of(tally, row) + points });
}

function addAll(tally: Tally, rows: readonly Lot[], sign: 1 | -1): void {
  for (const row of rows) add(tally, row, sign * row.points);
}

/** Takes at most `points`; gives how many were there. */
function take(tally: Tally, row: LotDate, points: number): number {
  const taken = Math.max(0, Math.min(points, of(tally, row)));
  add(tally, row, -taken);
  return taken;
}

function capAt(tally: Tally, limit: Tally): void {
  for (const [key, row] of tally) {
    tally.set(key, { ...row, points: Math.max(0, Math.min(row.points, of(limit, row))) });
  }
}

function keyOf({ expiresOn, moving }: LotDate): string {
  return `${expiresOn} ${moving}`;
}
