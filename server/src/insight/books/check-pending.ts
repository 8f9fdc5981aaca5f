/**
 * Follows the points that wait through the movements of a person: what a purchase lets wait, what returns take of it, and when it becomes
 * available. What is left must be what is stored.
 */
import { addDays, type Day } from '#calendar/calendar.ts';
import { add, type Figure } from '#db/copy-out.ts';
import type { History, Movement, Pending, Report } from './history.ts';
import { datingOf, HOUR_MS } from './check-days.ts';
import type { Datings } from './read-datings.ts';
import type { Programs } from './read-programs.ts';

const NAMED = {
  begins: 'points wait as long as the program of the purchase gives',
  moves: 'what waits changes with its purchase only',
  ends: 'points become available when they have waited',
  stored: 'what waits is what the movements leave',
} as const;

/** What waits of a purchase, or has. */
interface Waiting {
  points: Figure;
  readonly dueAt: number;
  readonly becomes: string;
  /** Nothing waits any more. */
  isOver: boolean;
  /** What waited has become available. */
  isReleased: boolean;
}

/** Orders can be reported so long after they were paid, and their points wait from then on. */
const LATE_DAYS = 4;

export function checkPending(history: History, programs: Programs, datings: Datings, report: Report): void {
  const { movements, pending } = history;
  const waiting = new Map<number, Waiting>();
  for (const movement of movements) follow(movement, waiting, programs, datings, report);
  compare(waiting, pending, report);
}

function follow(
  movement: Movement,
  waiting: Map<number, Waiting>,
  programs: Programs,
  datings: Datings,
  report: Report,
): void {
  const { id, type, snapshot, reversesId } = movement;
  const of = waiting.get(reversesId ?? 0);
  switch (type) {
    case 'purchase': {
      const begun = beginOf(movement);
      if (begun === null ? mustWait(movement, programs) : !isPromised(movement, begun, programs, datings))
        report(NAMED.begins, id, `it waits for ${told(begun)} by version ${String(snapshot?.['rule'])}`);
      if (begun !== null) waiting.set(id, begun);
      return;
    }
    case 'correction': {
      const begun = beginOf(movement);
      if (of !== undefined && !of.isOver && begun?.dueAt === of.dueAt)
        of.points = add(of.points, begun.points);
      else if (begun !== null && of?.isReleased === false && begun.dueAt === of.dueAt) {
        // All of the purchase had gone back while it waited.
        of.points = begun.points;
        of.isOver = false;
      } else if (begun !== null || (of !== undefined && !of.isOver))
        report(NAMED.moves, id, `it adds ${told(begun)}, while ${told(of ?? null)} waits`);
      return;
    }
    case 'reversal':
      followReturn(movement, of, report);
      return;
    case 'available':
      followEnd(movement, of, report);
      return;
    case 'adjustment':
      if (snapshot !== null && 'erased' in snapshot) for (const one of waiting.values()) one.isOver = true;
  }
}

function followReturn(
  { id, at, amount, pointsEarned, snapshot }: Movement,
  of: Waiting | undefined,
  report: Report,
) {
  const waited = snapshot?.['waited'];
  const open = of === undefined || of.isOver ? undefined : of;
  const takes = open === undefined ? undefined : smaller(negative(pointsEarned), open.points);
  // A return that moves only cents takes nothing.
  if (waited !== takes)
    report(NAMED.moves, id, `it takes ${String(waited)}, and ${String(takes)} of it waits`);
  if (snapshot?.['cancelled'] !== undefined) {
    const isDue = open?.becomes === 'cancelled' && at >= open.dueAt && snapshot['kept'] === 0;
    if (!isDue || amount === 0) report(NAMED.ends, id, `it was cancelled, though ${told(of ?? null)} waits`);
  }
  if (open === undefined) return;
  open.points = add(open.points, negative(takes!));
  if (snapshot?.['kept'] === 0) open.isOver = true;
}

function followEnd({ id, at, points, snapshot }: Movement, of: Waiting | undefined, report: Report): void {
  const isConfirmed = snapshot?.['confirmed'] === true;
  const isRight =
    of !== undefined &&
    !of.isOver &&
    points === of.points &&
    (of.becomes === 'available' ? at === of.dueAt && !isConfirmed : at < of.dueAt && isConfirmed);
  if (!isRight)
    report(NAMED.ends, id, `${points} became available at ${timeOf(at)}, while ${told(of ?? null)} waits`);
  if (of === undefined) return;
  of.isOver = true;
  of.isReleased = true;
}

function beginOf({ pointsEarned, points, snapshot }: Movement): Waiting | null {
  const waits = snapshot?.['waits'];
  if (waits === undefined) return null;
  const { points: waiting, becomes, until } = waits as Record<string, unknown>;
  const isRight = waiting === pointsEarned && points === 0;
  return {
    points: isRight ? pointsEarned : Number.NaN,
    dueAt: Date.parse(String(until)),
    becomes: String(becomes),
    isOver: false,
    isReleased: false,
  };
}

/** A purchase of which the shop was told the balance is no old one, whose time to wait may be over when it comes. */
function mustWait({ balanceAfter, snapshot }: Movement, programs: Programs): boolean {
  return balanceAfter !== null && (programs.get(Number(snapshot?.['rule']))?.waits ?? null) !== null;
}

function isPromised(movement: Movement, begun: Waiting, programs: Programs, datings: Datings): boolean {
  const promised = programs.get(Number(movement.snapshot?.['rule']))?.waits;
  const dating = datingOf(movement, datings);
  if (promised === undefined || dating === undefined) return true; // other checks report these
  if (promised === null || promised.becomes !== begun.becomes || Number.isNaN(begun.points)) return false;
  const first = addDays(dating.dayOf(movement.at - HOUR_MS), promised.days);
  const last = addDays(
    dating.dayOf(movement.at + HOUR_MS),
    promised.days + (isLate(movement) ? LATE_DAYS : 0),
  );
  const day: Day = dating.dayOf(begun.dueAt);
  const isMidnight = dating.dayOf(begun.dueAt - 1) < day;
  return isMidnight && day >= first && day <= last;
}

/** The shop was told no balance after a purchase that was reported late. */
function isLate({ balanceAfter }: Movement): boolean {
  return balanceAfter === null;
}

function compare(waiting: ReadonlyMap<number, Waiting>, stored: readonly Pending[], report: Report): void {
  const rows = new Map(stored.map((row) => [row.purchaseId, row]));
  const open = [...waiting].filter(([, { isOver }]) => !isOver);
  for (const [id, one] of open) {
    const row = rows.get(id);
    rows.delete(id);
    if (row?.points === one.points && row.dueAt === one.dueAt && row.becomes === one.becomes) continue;
    report(NAMED.stored, id, `${told(row ?? null)} is stored, and the movements leave ${told(one)}`);
  }
  for (const [id, row] of rows)
    report(NAMED.stored, id, `${told(row)} is stored, and the movements leave nothing`);
}

function told(waiting: Pick<Waiting, 'points' | 'dueAt' | 'becomes'> | null): string {
  return waiting === null
    ? 'nothing'
    : `${waiting.points} points until ${timeOf(waiting.dueAt)}, then ${waiting.becomes}`;
}

function timeOf(at: number): string {
  return Number.isNaN(at) ? 'no instant' : new Date(at).toISOString();
}

function negative(figure: Figure): Figure {
  return typeof figure === 'bigint' ? -figure : 0 - figure;
}

function smaller(one: Figure, other: Figure): Figure {
  return one < other ? one : other;
}
