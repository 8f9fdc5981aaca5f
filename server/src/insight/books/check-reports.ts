/** Counts the figures of reports from the movements again, and compares them with the stored ones. */
import type { Day } from '#calendar/calendar.ts';
import { add, type Figure } from '#db/copy-out.ts';
import { sql, type Db } from '#db/database.ts';
import type { History, Movement } from './history.ts';

/** The counts of the job, and the days by which it counted. */
interface Counting {
  /** All movements up to this id are counted. */
  readonly countedTo: number;
  readonly timeZone: string;
}

/** The figures of reports, as movements add up to them or as they are stored. */
export interface ReportFigures {
  /** By day and kind. */
  readonly days: Map<Day, Map<string, DayFigures>>;
  /** The number of people who were active on a day, by that day and the day before it on which they were. */
  readonly people: Map<Day, Map<Day, number>>;
}

interface DayFigures {
  movements: number;
  points: Figure;
  amount: Figure;
}

export function noReportFigures(): ReportFigures {
  return { days: new Map(), people: new Map() };
}

/**
 * Returns how far the job has counted at these commerces. Those are missing of which it has counted nothing, or by the days of another time
 * zone: it will begin anew, and reads do not use its figures.
 */
export async function readCountings(
  db: Db,
  commerceIds: readonly number[],
): Promise<ReadonlyMap<number, Counting>> {
  const { rows } = await sql<Counting & { commerceId: number }>`
    select p.commerce_id as "commerceId", p.counted_to as "countedTo", p.time_zone as "timeZone"
      from report_progress p
      join commerces c on c.id = p.commerce_id and c.time_zone = p.time_zone
     where p.commerce_id = any(${commerceIds}::bigint[])`.execute(db);
  return new Map(rows.map(({ commerceId, ...counting }) => [commerceId, counting]));
}

/** Returns the stored figures of each of these commerces. */
export async function readReportFigures(
  db: Db,
  commerceIds: readonly number[],
): Promise<ReadonlyMap<number, ReportFigures>> {
  const figures = new Map(commerceIds.map((id) => [id, noReportFigures()]));
  const days = await sql<DayFigures & { commerceId: number; day: Day; kind: string }>`
    select commerce_id as "commerceId", day, kind, movements, points, amount
      from report_days
     where commerce_id = any(${commerceIds}::bigint[])`.execute(db);
  const people = await sql<{ commerceId: number; day: Day; before: Day; people: number }>`
    select commerce_id as "commerceId", day, before, people
      from report_active
     where commerce_id = any(${commerceIds}::bigint[])`.execute(db);
  for (const { commerceId, day, kind, movements, points, amount } of days.rows)
    addToDay(figures.get(commerceId)!, day, kind, movements, points, amount);
  for (const { commerceId, day, before, people: count } of people.rows)
    addPeople(figures.get(commerceId)!, day, before, count);
  return figures;
}

/** Returns a function that adds one history after another to `figures`. `readDay` reads the days of the counting's time zone. */
export function createReportCount(
  { countedTo }: Counting,
  readDay: (at: Date) => Day,
  figures: ReportFigures,
) {
  return ({ movements }: History): void => {
    const active: Day[] = [];
    for (const movement of movements) {
      if (movement.id > countedTo || movement.type === 'redate') continue;
      const day = readDay(new Date(movement.at));
      addToDay(figures, day, kindOf(movement), 1, movement.points, movement.amount ?? 0);
      if (ACTS.has(movement.type) && active.at(-1) !== day) active.push(day);
    }
    countDays(figures, active);
  };
}

/** Acts of a person, and not things that are done to their points. */
const ACTS: ReadonlySet<string> = new Set(['purchase', 'exchange', 'usage']);

function kindOf({ type, points, snapshot }: Movement): string {
  if (type !== 'adjustment') return type;
  if (snapshot !== null && 'erased' in snapshot) return 'erased';
  return points < 0 ? 'taken' : 'added';
}

/** Purchases may be recorded late, so the days of a person need not come in their order. */
function countDays(figures: ReportFigures, active: Day[]): void {
  if (active.some((day, i) => i > 0 && day < active[i - 1]!)) active.sort();
  let before = '-infinity';
  for (const day of active) {
    if (day === before) continue;
    addPeople(figures, day, before, 1);
    before = day;
  }
}

function addToDay(
  { days }: ReportFigures,
  day: Day,
  kind: string,
  movements: number,
  points: Figure,
  amount: Figure,
): void {
  let kinds = days.get(day);
  if (kinds === undefined) days.set(day, (kinds = new Map()));
  const sum = kinds.get(kind);
  if (sum === undefined) {
    kinds.set(kind, { movements, points, amount });
    return;
  }
  sum.movements += movements;
  sum.points = add(sum.points, points);
  sum.amount = add(sum.amount, amount);
}

function addPeople({ people }: ReportFigures, day: Day, before: Day, count: number): void {
  let days = people.get(day);
  if (days === undefined) people.set(day, (days = new Map()));
  days.set(before, (days.get(before) ?? 0) + count);
}

/** Adds up the figures of different people of a commerce. */
export function sumReportFigures(all: readonly ReportFigures[]): ReportFigures {
  const sum = noReportFigures();
  for (const { days, people } of all) {
    for (const [day, kinds] of days)
      for (const [kind, { movements, points, amount }] of kinds)
        addToDay(sum, day, kind, movements, points, amount);
    for (const [day, counts] of people)
      for (const [before, count] of counts) addPeople(sum, day, before, count);
  }
  return sum;
}

/** Returns the differences, each as the invariant that does not hold and a sentence. */
export function compareReportFigures(stored: ReportFigures, told: ReportFigures): [string, string][] {
  const differences: [string, string][] = [];
  const none: DayFigures = { movements: 0, points: 0, amount: 0 };
  for (const [day, kind, has = none, sum = none] of pairsOf(stored.days, told.days)) {
    if (has.movements === sum.movements && has.points === sum.points && has.amount === sum.amount) continue;
    differences.push([
      'the figures of a day are the sum of its movements',
      `movements of kind ${kind} on ${day}: ${has.movements} with ${has.points} points and an amount of ${has.amount} are stored, ` +
        `but the movements add up to ${sum.movements} with ${sum.points} and ${sum.amount}; run loyalty reports rebuild`,
    ]);
  }
  for (const [day, before, has = 0, sum = 0] of pairsOf(stored.people, told.people)) {
    if (has === sum) continue;
    differences.push([
      'the people of a day are those of its movements',
      `${has} people who were active on ${day} and before that on ${before} are stored, but the movements tell of ${sum}; run loyalty reports rebuild`,
    ]);
  }
  return differences;
}

type ByDay<T> = ReadonlyMap<Day, ReadonlyMap<string, T>>;

/** Yields each day and what else is the key, with both values. */
function* pairsOf<T>(one: ByDay<T>, other: ByDay<T>): Generator<[Day, string, T | undefined, T | undefined]> {
  for (const day of new Set([...one.keys(), ...other.keys()])) {
    const [a, b] = [one.get(day), other.get(day)];
    for (const key of new Set([...(a?.keys() ?? []), ...(b?.keys() ?? [])]))
      yield [day, key, a?.get(key), b?.get(key)];
  }
}
