/**
 * A member's points by expiry day. Every function takes the current lots and returns the new lots together with the
 * split, the signed change of each lot. A movement stores its split, and replaying all splits gives the balance. Only
 * `expire` changes expired lots, so results do not depend on whether the job has run.
 *
 * A debt (points that a return could not take back) is a negative amount on 'infinity', where it cannot expire. While
 * there is a debt, no other unexpired lot holds points, because new points pay the debt first.
 */
import { addDays, type Day } from '#calendar/calendar.ts';

export interface Lot {
  /** The last day on which the points are valid; 'infinity' if they do not expire. */
  readonly expiresOn: Day;
  /** True if a purchase or exchange moves the day. */
  readonly moving: boolean;
  readonly points: number;
}

/** Signed changes by lot: one row for each day and kind, no zero rows, earliest first. */
export type Split = readonly Lot[];

/** `lots` has no zero rows either, and the same order. */
export interface LotsChange {
  readonly lots: readonly Lot[];
  readonly split: Split;
}

/** The date of a grant, as `grantDate` returns it. */
export type LotDate = Pick<Lot, 'expiresOn' | 'moving'>;

/** Returns the balance: all points that are valid today, less the debt. */
export function balanceOn(lots: readonly Pick<Lot, 'expiresOn' | 'points'>[], today: Day): number {
  return total(lots.filter((lot) => isGood(lot, today)));
}

/** Returns the sum of a split: the points of the movement. */
export function total(split: readonly Pick<Lot, 'points'>[]): number {
  return split.reduce((sum, { points }) => sum + points, 0);
}

/** Adds points. They pay a debt first, and the rest goes to the given day. */
export function grant(lots: readonly Lot[], points: number, date: LotDate): LotsChange {
  const paid = Math.min(points, debtOf(lots));
  return changed(lots, [
    { ...undated, points: paid },
    { ...date, points: points - paid },
  ]);
}

/** Spends the points that expire first. Returns null, and spends nothing, if the balance is below `points`. */
export function spend(lots: readonly Lot[], points: number, today: Day): LotsChange | null {
  if (balanceOn(lots, today) < points) return null;
  return changed(lots, taken(points, spendable(lots, today)));
}

/** The effect of a return if its points are already spent: leave a debt, forgive the points, or refuse the return. */
export type ReturnPolicy = 'negative' | 'clamp' | 'refuse';

/**
 * Takes back the points of a purchase. Takes them first from the days they went to (`from`, the split of the purchase),
 * then from the points that expire first. If there are not enough, `policy` decides: 'refuse' returns null, and with
 * 'clamp' the split sums to less than `points`.
 */
export function takeBack(
  lots: readonly Lot[],
  points: number,
  from: Split | null,
  today: Day,
  policy: ReturnPolicy,
): LotsChange | null {
  const own = from ? taken(points, stillThere(from, spendable(lots, today))) : [];
  const left = points + total(own);
  const others = taken(left, spendable(changed(lots, own).lots, today));
  const missing = left + total(others);
  if (missing > 0 && policy === 'refuse') return null;
  const debt = policy === 'negative' ? missing : 0;
  return changed(lots, [...own, ...others, { ...undated, points: -debt }]);
}

/**
 * Points that a movement took (`split`, as it was stored) come back to the days they came from, or to a grace from today
 * if the day has passed. A debt is paid first.
 */
export function giveBack(lots: readonly Lot[], split: Split, today: Day, graceDays = 30): LotsChange {
  const grace = addDays(today, graceDays);
  let change: LotsChange = { lots, split: [] };
  for (const { expiresOn, points } of broughtBy(split.map(negated))) {
    const date = { expiresOn: expiresOn < today ? grace : expiresOn, moving: false };
    const next = grant(change.lots, points, date);
    change = { lots: next.lots, split: merged([...change.split, ...next.split]) };
  }
  return change;
}

/** Moves every valid moving lot to `newDay`, unless its own day is later. Called for a purchase or exchange. */
export function moveDates(lots: readonly Lot[], newDay: Day, today: Day): LotsChange {
  const moved = spendable(lots, today).filter((lot) => lot.moving && lot.expiresOn < newDay);
  return changed(lots, [...moved.map(negated), ...moved.map((lot) => ({ ...lot, expiresOn: newDay }))]);
}

/** Returns the lots after a movement of the ledger. */
export function withSplit(lots: readonly Lot[], split: Split): readonly Lot[] {
  return split.length === 0 ? lots : merged([...lots, ...split]);
}

/** Sets expired lots to zero. */
export function expire(lots: readonly Lot[], today: Day): LotsChange {
  return changed(lots, lots.filter((lot) => !isGood(lot, today)).map(negated));
}

/**
 * The program's mode or months change: all points that are good expire as if granted now (`target`), or on their old day
 * if that is later. If the whole balance has one day, they all expire on the latest of these. Points that never expired
 * have no old day. A target of 'infinity' lifts all dates.
 */
export function redate(lots: readonly Lot[], target: LotDate, today: Day): LotsChange {
  const { moving } = target;
  const dayOf = ({ expiresOn }: Lot) =>
    expiresOn === 'infinity' ? target.expiresOn : later(expiresOn, target.expiresOn);
  const latest = spendable(lots, today).map(dayOf).reduce(later, target.expiresOn);
  return withDates(lots, today, (lot) => ({ expiresOn: moving ? latest : dayOf(lot), moving }));
}

/** Moves all points that are good to the dates that `dateOf` returns. */
export function withDates(lots: readonly Lot[], today: Day, dateOf: (lot: Lot) => LotDate): LotsChange {
  const held = spendable(lots, today);
  const dated = held.map((lot) => ({ ...dateOf(lot), points: lot.points }));
  return changed(lots, [...held.map(negated), ...dated]);
}

const undated = { expiresOn: 'infinity', moving: false } as const;

function debtOf(lots: readonly Lot[]): number {
  return Math.max(0, ...lots.filter((lot) => lot.expiresOn === 'infinity').map((lot) => -lot.points));
}

/** Returns whether points have not expired on that day. */
export function isGood(lot: Pick<Lot, 'expiresOn'>, today: Day): boolean {
  return lot.expiresOn >= today; // 'infinity' is after every day: letters sort after digits
}

/** Returns the later of two days. 'infinity' is the latest. */
export function later(a: Day, b: Day): Day {
  return a > b ? a : b;
}

/** Returns the lots that can be spent, in spending order. */
function spendable(lots: readonly Lot[], today: Day): Lot[] {
  return lots.filter((lot) => lot.points > 0 && isGood(lot, today)).sort(byDay);
}

function byDay(a: Lot, b: Lot): number {
  if (a.expiresOn !== b.expiresOn) return a.expiresOn < b.expiresOn ? -1 : 1;
  return Number(a.moving) - Number(b.moving);
}

/** Takes `points` from the rows in order and returns negative rows; takes less if the rows hold less. */
function taken(points: number, rows: readonly Lot[]): Lot[] {
  let left = points;
  const changes: Lot[] = [];
  for (const row of rows) {
    const part = Math.min(left, row.points);
    if (part <= 0) continue;
    changes.push({ ...row, points: -part });
    left -= part;
  }
  return changes;
}

/** Returns the points of a purchase that are still where they went. Moving points are pooled on their current day. */
function stillThere(from: Split, lots: readonly Lot[]): Lot[] {
  const went = broughtBy(from);
  const onDay = lots.flatMap((lot) => {
    const row = went.find((row) => !lot.moving && !row.moving && row.expiresOn === lot.expiresOn);
    return row ? [{ ...lot, points: Math.min(lot.points, row.points) }] : [];
  });
  const movingLots = lots.filter((lot) => lot.moving);
  const moved = taken(total(went.filter((row) => row.moving)), movingLots).map(negated);
  return [...onDay, ...moved].sort(byDay);
}

/**
 * Returns the points that a split brought in, by day, without its moves of dates: a purchase that earns 3 and moves 100
 * stores -100 and +103, and brought 3. Only moving rows change dates, so each kind is netted separately.
 */
export function broughtBy(split: Split): Lot[] {
  return [false, true].flatMap((moving) => {
    const rows = split.filter((row) => row.moving === moving).sort(byDay);
    const positive = rows.filter((row) => row.points > 0);
    return taken(total(rows), positive).map(negated);
  });
}

function negated(lot: Lot): Lot {
  return { ...lot, points: -lot.points };
}

function changed(lots: readonly Lot[], changes: readonly Lot[]): LotsChange {
  return { lots: merged([...lots, ...changes]), split: merged(changes) };
}

/** A row that no other row changes stays the same object. */
function merged(rows: readonly Lot[]): Lot[] {
  const byDate = new Map<string, Lot>();
  for (const row of rows) {
    const key = `${row.expiresOn} ${row.moving}`;
    const same = byDate.get(key);
    byDate.set(key, same === undefined ? row : { ...same, points: same.points + row.points });
  }
  return [...byDate.values()].filter((row) => row.points !== 0).sort(byDay);
}
