/**
 * Checks the days that depend on the instant of a movement: how long points are valid, and whether points were still
 * valid when they were spent.
 *
 * The service computes the local days, because PostgreSQL has its own list of time zones, which may be of another year. The
 * service itself may learn late that a zone changes its clocks. So within an hour of midnight, the day before and the day after
 * both count as right.
 */
import { addMonths, createDayReader, type Day } from '#calendar/calendar.ts';
import { programField } from '#commerces/program-field.ts';
import { add, type Figure } from '#db/copy-out.ts';
import { sql, type Db } from '#db/database.ts';
import type { History, Lot, Movement, Report } from './history.ts';

/** How a version of the program dates points. */
interface Dating {
  readonly mode: string;
  /** The local day of an instant. */
  readonly dayOf: (at: number) => Day;
  /** The day on which points end that begin on a day. */
  readonly endOf: (day: Day) => Day;
}

export type Datings = ReadonlyMap<number, Dating>;

/** Reads how each version of a commerce's program dates points. */
export async function readDatings(db: Db, commerceId: number): Promise<Datings> {
  const { rows } = await sql<{ version: number; timeZone: string; mode: string; months: number }>`
    select p.version, p.program ->> 'time_zone' as "timeZone", ${programField('points_expiration', 'mode')} #>> '{}' as mode,
           coalesce((${programField('points_expiration', 'months')} #>> '{}')::int, 0) as months
      from programs p
     where p.commerce_id = ${commerceId}`.execute(db);
  const readers = new Map<string, (at: Date) => Day>();
  return new Map(
    rows.map(({ version, timeZone, mode, months }) => {
      const read = readers.get(timeZone) ?? createDayReader(timeZone);
      readers.set(timeZone, read);
      return [version, { mode, dayOf: (at: number) => read(new Date(at)), endOf: addingMonths(months) }];
    }),
  );
}

/** An `addMonths` that remembers: millions of movements have a few hundred days. */
function addingMonths(months: number): (day: Day) => Day {
  const ends = new Map<Day, Day>();
  return (day) => {
    let end = ends.get(day);
    if (end === undefined) {
      end = addMonths(day, months);
      ends.set(day, end);
    }
    return end;
  };
}

export function checkDays(movement: Movement, datings: Datings, report: Report): void {
  if (movement.type === 'purchase') checkPurchase(movement, datings, report);
  else if (movement.type === 'adjustment' && movement.points > 0) checkByHand(movement, datings, report);
  else if (movement.type === 'exchange') checkSpent(movement, datings, report);
}

function checkPurchase(movement: Movement, datings: Datings, report: Report): void {
  const { id, at, split, snapshot } = movement;
  if (split.lots.every(({ expiresOn, points }) => expiresOn === 'infinity' || points <= 0)) return;
  const dating = datings.get(versionOf(snapshot?.['rule']));
  const isRight = ({ expiresOn, points }: Lot) => {
    if (expiresOn === 'infinity' || points <= 0) return true;
    if (dating?.mode === 'rolling') return isMonthsLater(expiresOn, at, dating);
    if (dating?.mode === 'accumulated') return expiresOn >= dating.endOf(dating.dayOf(at - HOUR_MS));
    return false;
  };
  if (split.lots.every(isRight)) return;
  report(
    'points of a purchase are good until the day that its program gives',
    id,
    `made on ${dating?.dayOf(at) ?? 'a day unknown'} by version ${String(snapshot?.['rule'])} of the program, but its points are valid until ${split.lots.at(-1)!.expiresOn}`,
  );
}

/** In `accumulated` mode they take the member's date, which was not over. */
function checkByHand({ id, at, split, snapshot }: Movement, datings: Datings, report: Report): void {
  if (split.lots.every(({ expiresOn }) => expiresOn === 'infinity')) return;
  const dating = datings.get(versionOf(snapshot?.['rule']));
  const byHand = snapshot?.['expiresOn'];
  const isRight = ({ expiresOn }: Lot) => {
    if (expiresOn === 'infinity') return true;
    if (byHand !== undefined) return dating?.mode === 'rolling' && expiresOn === byHand;
    if (dating?.mode === 'rolling') return isMonthsLater(expiresOn, at, dating);
    return dating?.mode === 'accumulated' && expiresOn >= dating.dayOf(at - HOUR_MS);
  };
  if (split.lots.every(isRight)) return;
  report(
    'points of an adjustment are good until the day that its program or staff gave',
    id,
    `made on ${dating?.dayOf(at) ?? 'a day unknown'} by version ${String(snapshot?.['rule'])} of the program${byHand === undefined ? '' : ` for ${JSON.stringify(byHand)}`}, but its points are valid until ${split.lots.at(-1)!.expiresOn}`,
  );
}

function checkSpent({ id, at, split, snapshot }: Movement, datings: Datings, report: Report): void {
  const dating = datings.get(versionOf(snapshot?.['rule']));
  if (dating === undefined) return;
  for (const { expiresOn, points } of split.lots) {
    if (points >= 0 || expiresOn === 'infinity' || expiresOn >= dating.dayOf(at - HOUR_MS)) continue;
    report(
      'an exchange spends no points that have expired',
      id,
      `made on ${dating.dayOf(at)}, but it spends points that were valid until ${expiresOn}`,
    );
    return;
  }
}

/**
 * The sum of all movements until then is the balance, except where points had expired and were not written off yet. Only
 * those few movements are added up by day. A member whose points do not agree at all is reported by another check.
 */
export function checkBalancesTold(history: History, datings: Datings, report: Report): void {
  const { movements, held } = history;
  const doubtful: number[] = [];
  let total: Figure = 0;
  for (const [place, { points, balanceAfter }] of movements.entries()) {
    total = add(total, points);
    if (balanceAfter !== null && balanceAfter !== total) doubtful.push(place);
  }
  if (doubtful.length === 0 || total !== held.reduce<Figure>((sum, lot) => add(sum, lot.points), 0)) return;
  for (const place of doubtful) {
    const { id, at, snapshot, balanceAfter } = movements[place]!;
    const dating = datings.get(versionOf(snapshot?.['version'] ?? snapshot?.['rule']));
    const lots = movements.slice(0, place + 1).flatMap(({ split }) => split.lots);
    const balanceAt = (instant: number) => {
      const day = dating?.dayOf(instant);
      return lots.reduce<Figure>(
        (sum, lot) => (day !== undefined && lot.expiresOn >= day ? add(sum, lot.points) : sum),
        0,
      );
    };
    const balance = balanceAt(at);
    if ([balance, balanceAt(at - HOUR_MS), balanceAt(at + HOUR_MS)].includes(balanceAfter!)) continue;
    report(
      'the balance that a shop was told was right',
      id,
      `the shop was told a balance of ${balanceAfter} after it, but it was ${balance}`,
    );
  }
}

const HOUR_MS = 3_600_000;

/** Whether a day is that of an instant, some months later. */
function isMonthsLater(day: Day, at: number, { dayOf, endOf }: Dating): boolean {
  return day === endOf(dayOf(at)) || day === endOf(dayOf(at - HOUR_MS)) || day === endOf(dayOf(at + HOUR_MS));
}

/** The version of a program in a snapshot, which may have been altered. */
function versionOf(stored: unknown): number {
  return typeof stored === 'number' || typeof stored === 'string' ? Number(stored) : Number.NaN;
}
