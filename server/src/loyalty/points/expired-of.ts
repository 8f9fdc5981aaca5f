/**
 * How many points of a purchase expired unspent. A return of the purchase does not take these back.
 *
 * Points that expire on the same day are pooled, so the ledger does not record which purchase's points were spent. The
 * rule: points that expired on a day count first as those of the purchase being returned, up to the points that it
 * brought to that day and that were not moved or taken back. No expired point counts for two returns, so all returns
 * together forgive no more than has expired.
 */
import type { Day } from '#calendar/calendar.ts';
import { broughtBy, type Lot, type LotDate, type Split } from './lots.ts';
import type { MovementType } from './locked-member.ts';

/** A movement of the member that came after the purchase. */
export interface LaterMovement {
  readonly type: MovementType;
  readonly split: Split;
  /** True for a return of this purchase, for its growth, and for points of it that became available. */
  readonly ofThisPurchase: boolean;
  /** For a return: the expired points that it did not take back. */
  readonly forgiven: Split;
}

/**
 * Returns the expired points that a return may forgive, by expiry day. `later` holds all movements after the purchase,
 * in order. `lots` holds the points after them, including expired lots that are not written off yet.
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
      } else if (ofThisPurchase && isGain(type)) continue;
      else if (ofThisPurchase) take(mine, row, -row.points);
      else follow(mine, held, row, goalOf(row, type, split));
    }
    addAll(held, split, 1);
    if (ofThisPurchase && isGain(type)) addAll(mine, broughtBy(split), 1);
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

/** More was paid for the purchase, or its points have stopped waiting. */
function isGain(type: MovementType): boolean {
  return type === 'correction' || type === 'available';
}

/** Moves points to the new day if their date was changed. Points that were spent do not move. */
function follow(mine: Tally, held: Tally, row: Lot, goal: LotDate | undefined): void {
  if (row.points >= 0 || goal === undefined) return;
  const leaving = of(mine, row) - Math.max(0, of(held, row) + row.points);
  add(mine, goal, take(mine, row, leaving));
}

/**
 * Returns the new date of a row. A purchase or exchange moves all moving rows to one day. A change of mode moves each row
 * separately.
 */
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

/** Takes up to `points` and returns how many it took. */
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
