/**
 * Checks the days that depend on the instant of a movement: how long points are valid, and whether points were still
 * valid when they were spent.
 *
 * The service computes the local days, because PostgreSQL has its own list of time zones, which may be of another year. The
 * service itself may learn late that a zone changes its clocks. So within an hour of midnight, the day before and the day after
 * both count as right.
 */
import { addDays, type Day } from '#calendar/calendar.ts';
import { add, type Figure } from '#db/copy-out.ts';
import type { History, Lot, Movement, Report } from './history.ts';
import type { Dating, Datings } from './read-datings.ts';

/** The totals of a person's movements before one of them. */
interface Past {
  /** The latest day on which points of the person have ever ended. */
  latestDay: Day;
  /** The latest instant of a movement. A purchase can be reported late. */
  latestAt: number;
  /** The sum of what has no day; below zero for a debt. */
  undated: Figure;
}

export function checkDays({ movements }: History, datings: Datings, report: Report): void {
  const past: Past = { latestDay: '', latestAt: Number.NEGATIVE_INFINITY, undated: 0 };
  for (const movement of movements) {
    checkByType(movement, past, datings, report);
    past.latestAt = Math.max(past.latestAt, movement.at);
    for (const { expiresOn, points } of movement.split.lots) {
      if (expiresOn === 'infinity') past.undated = add(past.undated, points);
      else if (points > 0 && expiresOn > past.latestDay) past.latestDay = expiresOn;
    }
  }
}

function checkByType(movement: Movement, past: Past, datings: Datings, report: Report): void {
  switch (movement.type) {
    case 'purchase':
      return checkPurchase(movement, past, datings, report);
    case 'correction':
      return checkGrowth(movement, past, datings, report);
    case 'available':
      return checkAvailable(movement, past, datings, report);
    case 'adjustment':
      return checkByHand(movement, past, datings, report);
    case 'reward':
      return checkReward(movement, past, datings, report);
    case 'give_back':
      return checkGivenBack(movement, past, datings, report);
    case 'exchange':
    case 'reversal':
      return checkTaken(movement, past, datings, report);
    case 'expiry':
      return checkWrittenOff(movement, datings, report);
    case 'redate':
      return checkRedated(movement, past, datings, report);
  }
}

function checkPurchase(movement: Movement, past: Past, datings: Datings, report: Report): void {
  const { at } = movement;
  const dating = datingOf(movement, datings);
  const isRightDay = (day: Day) => {
    if (dating?.mode === 'rolling') return isMonthsLater(day, at, dating);
    if (dating?.mode !== 'accumulated') return false;
    const first = dating.endOf(dating.dayOf(at - HOUR_MS));
    return day === first || (day > first && canBeShared(day, at, past, dating));
  };
  if (landsRight(movement, past, dating, isRightDay)) return;
  reportDay('points of a purchase are good until the day that its program gives', movement, dating, report);
}

function checkReward(movement: Movement, past: Past, datings: Datings, report: Report): void {
  const dating = datingOf(movement, datings);
  if (landsRight(movement, past, dating, (day) => isDayOfReward(day, movement.at, past, dating))) return;
  reportDay('points of a reward are good until the day that its program gives', movement, dating, report);
}

/** What a purchase earns when it grows is dated like a reward: it moves no date. */
function checkGrowth(movement: Movement, past: Past, datings: Datings, report: Report): void {
  const dating = datingOf(movement, datings);
  if (landsRight(movement, past, dating, (day) => isDayOfReward(day, movement.at, past, dating))) return;
  reportDay('points of a correction are good until the day that its program gives', movement, dating, report);
}

/** Points that have waited are dated like a reward of the day on which they become available. */
function checkAvailable(movement: Movement, past: Past, datings: Datings, report: Report): void {
  const dating = datingOf(movement, datings);
  if (landsRight(movement, past, dating, (day) => isDayOfReward(day, movement.at, past, dating))) return;
  reportDay('points that waited are good until the day that their program gives', movement, dating, report);
}

function checkByHand(movement: Movement, past: Past, datings: Datings, report: Report): void {
  const dating = datingOf(movement, datings);
  const byHand = movement.snapshot?.['expiresOn'];
  const isRightDay = (day: Day) =>
    byHand === undefined
      ? isDayOfReward(day, movement.at, past, dating)
      : dating?.mode === 'rolling' && day === byHand;
  if (landsRight(movement, past, dating, isRightDay)) return;
  reportDay(
    'points of an adjustment are good until the day that its program or staff gave',
    movement,
    dating,
    report,
    byHand === undefined ? '' : ` for ${JSON.stringify(byHand)}`,
  );
}

/** Points come back to the days they came from, or to a grace if these have passed. Earlier releases gave the grace in any mode. */
function checkGivenBack(movement: Movement, past: Past, datings: Datings, report: Report): void {
  const { at } = movement;
  const dating = datingOf(movement, datings);
  const isRightDay = (day: Day) =>
    dating !== undefined &&
    dating.mode !== 'none' &&
    day >= dating.dayOf(at - HOUR_MS) &&
    (canBeShared(day, at, past, dating) || day <= addDays(dating.dayOf(at + HOUR_MS), GRACE_DAYS));
  if (landsRight(movement, past, dating, isRightDay)) return;
  reportDay('points given back are good until a day that they may come back to', movement, dating, report);
}

const GRACE_DAYS = 30;

/** Spending points moves the date that all points share, and a return brings none. */
function checkTaken(movement: Movement, past: Past, datings: Datings, report: Report): void {
  const { id, type, at, split } = movement;
  const dating = datingOf(movement, datings);
  if (dating === undefined) return;
  const [what, verb] = type === 'exchange' ? ['an exchange', 'spends'] : ['a return', 'takes'];
  const expired = split.lots.find(
    ({ expiresOn, points }) => points < 0 && expiresOn < dating.dayOf(at - HOUR_MS),
  );
  if (expired !== undefined)
    report(
      `${what} ${verb} no points that have expired`,
      id,
      `made on ${dating.dayOf(at)}, but it ${verb} points that were valid until ${expired.expiresOn}`,
    );
  const isMoved = ({ expiresOn }: Lot) =>
    type === 'exchange' &&
    dating.mode === 'accumulated' &&
    expiresOn >= dating.endOf(dating.dayOf(at - HOUR_MS)) &&
    canBeShared(expiresOn, at, past, dating);
  if (split.lots.every((lot) => lot.points <= 0 || isMoved(lot))) return;
  reportDay(`${what} moves points only to the day that its program gives`, movement, dating, report);
}

/** The zone of the program may have changed since, so the day must be over in one of its zones. */
function checkWrittenOff({ id, at, split }: Movement, { byVersion, now }: Datings, report: Report): void {
  const isOver = (day: Day) => byVersion.values().some(({ dayOf }) => day <= dayOf(at + HOUR_MS));
  const hasHappened = at <= now + HOUR_MS;
  const early = split.lots.find(({ expiresOn, points }) => points > 0 || !hasHappened || !isOver(expiresOn));
  if (early === undefined) return;
  report(
    'points are written off once they have expired',
    id,
    `written off at ${new Date(at).toISOString()}, but its points are valid until ${early.expiresOn}`,
  );
}

/**
 * A new mode or number of months dates points as if they were granted then, or keeps a later day. A new time zone may move them by two
 * days. Points without a day get one, and no others may end sooner than before.
 */
function checkRedated(movement: Movement, past: Past, datings: Datings, report: Report): void {
  const { id, at, split } = movement;
  const dating = datingOf(movement, datings);
  const latest =
    dating === undefined
      ? ''
      : later(later(past.latestDay, afterZones(past.latestDay)), dating.endOf(dating.dayOf(at + HOUR_MS)));
  const isRightDay = (day: Day) => (day === 'infinity' ? dating?.mode === 'none' : day <= latest);
  if (!split.lots.every(({ expiresOn, points }) => points <= 0 || isRightDay(expiresOn))) {
    reportDay('a change of the program moves points to the day that it gives', movement, dating, report);
    return;
  }
  if (dating === undefined) return;
  const from = dating.endOf(dating.dayOf(at - HOUR_MS));
  const sooner = firstSooner(split.lots, dating.mode === 'none' ? 'infinity' : from);
  if (sooner === null) return;
  report(
    'a change of the program lets no points expire sooner',
    id,
    `points that were valid until ${sooner} or later end sooner after it`,
  );
}

/** Returns the latest day from which on a change of dates takes points away; null if it moves them only to later days. */
function firstSooner(lots: readonly Lot[], dayOfUndated: Day): Day | null {
  const changes = lots
    .map(({ expiresOn, points }) => ({
      day: expiresOn === 'infinity' && points < 0 ? dayOfUndated : expiresOn,
      points,
    }))
    .sort((a, b) => (a.day > b.day ? -1 : a.day < b.day ? 1 : Number(b.points) - Number(a.points)));
  let since: Figure = 0;
  for (const { day, points } of changes) {
    since = add(since, points);
    if (since < 0) return day;
  }
  return null;
}

/** Two time zones are up to 26 hours apart. */
export const BETWEEN_ZONES_MS = 26 * 3_600_000;

function afterZones(day: Day): Day {
  return day === '' ? day : addDays(day, 2);
}

/** Whether all points that a movement brings land on a right day. Points without a day may pay a debt in any program. */
function landsRight(
  { split }: Movement,
  past: Past,
  dating: Dating | undefined,
  isRightDay: (day: Day) => boolean,
): boolean {
  return split.lots.every(({ expiresOn, points }) => {
    if (points <= 0) return true;
    if (expiresOn === 'infinity') return dating?.mode === 'none' || add(past.undated, points) <= 0;
    return isRightDay(expiresOn);
  });
}

/** A reward shares the date of an `accumulated` balance, which is not over. */
function isDayOfReward(day: Day, at: number, past: Past, dating: Dating | undefined): boolean {
  if (dating?.mode === 'rolling') return isMonthsLater(day, at, dating);
  if (dating?.mode !== 'accumulated') return false;
  return day >= dating.dayOf(at - HOUR_MS) && canBeShared(day, at, past, dating);
}

/** Whether all points of a person can share a date, as far as it is not too late: they had it before, or the last purchase gave it. */
function canBeShared(day: Day, at: number, { latestDay, latestAt }: Past, { dayOf, endOf }: Dating): boolean {
  return day <= latestDay || day <= endOf(dayOf(Math.max(at, latestAt) + BETWEEN_ZONES_MS));
}

function reportDay(
  invariant: string,
  { id, at, split, snapshot }: Movement,
  dating: Dating | undefined,
  report: Report,
  byHand = '',
): void {
  const day = split.lots.findLast(({ points }) => points > 0)!.expiresOn;
  report(
    invariant,
    id,
    `made on ${dating?.dayOf(at) ?? 'a day unknown'} by version ${String(snapshot?.['rule'])} of the program${byHand}, but its points are valid ${day === 'infinity' ? 'for ever' : `until ${day}`}`,
  );
}

/** The version by which points were dated. Returns of earlier releases do not name it. */
export function datingOf({ type, snapshot }: Movement, { byVersion }: Datings): Dating | undefined {
  const version = type === 'reversal' ? snapshot?.['version'] : (snapshot?.['version'] ?? snapshot?.['rule']);
  return byVersion.get(versionOf(version));
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
    const dating = datings.byVersion.get(versionOf(snapshot?.['version'] ?? snapshot?.['rule']));
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

export const HOUR_MS = 3_600_000;

/** Whether a day is that of an instant, some months later. */
function isMonthsLater(day: Day, at: number, { dayOf, endOf }: Dating): boolean {
  return day === endOf(dayOf(at)) || day === endOf(dayOf(at - HOUR_MS)) || day === endOf(dayOf(at + HOUR_MS));
}

function later(a: Day, b: Day): Day {
  return a > b ? a : b;
}

/** The version of a program in a snapshot, which may have been altered. */
function versionOf(stored: unknown): number {
  return typeof stored === 'number' || typeof stored === 'string' ? Number(stored) : Number.NaN;
}
