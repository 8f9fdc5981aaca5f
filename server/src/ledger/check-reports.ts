/** Counts the figures of reports from the movements again, and compares them with the stored ones. */
import { createDayReader, type Day } from '#calendar/calendar.ts';
import { add, type Figure } from '#db/copy-out.ts';
import { sql, type Db } from '#db/database.ts';
import type { History, Movement } from './history.ts';

/** What the job has counted, and by which days. */
interface Counting {
  /** All movements up to this id are counted. */
  readonly countedTo: number;
  readonly timeZone: string;
}

/** The figures of reports, as movements add up to them or as they are stored. */
export interface ReportFigures {
  /** By day and kind. */
  readonly days: Map<string, DayFigures>;
  /** The number of people who were active on a day, by that day and the day before it on which they were. */
  readonly people: Map<string, number>;
}

interface DayFigures {
  movements: number;
  points: Figure;
  amount: Figure;
}

/**
 * Returns how far the job has counted. Null if it has not, or by the days of another time zone: it will begin anew, and reads do not use
 * its figures.
 */
export async function readCounting(db: Db, commerceId: number): Promise<Counting | null> {
  const { rows } = await sql<Counting>`
    select p.counted_to as "countedTo", p.time_zone as "timeZone"
      from report_progress p
      join commerces c on c.id = p.commerce_id and c.time_zone = p.time_zone
     where p.commerce_id = ${commerceId}`.execute(db);
  return rows[0] ?? null;
}

export async function readReportFigures(db: Db, commerceId: number): Promise<ReportFigures> {
  const days = await sql<DayFigures & { day: Day; kind: string }>`
    select day, kind, movements, points, amount from report_days where commerce_id = ${commerceId}`.execute(
    db,
  );
  const people = await sql<{ day: Day; before: Day; people: number }>`
    select day, before, people from report_active where commerce_id = ${commerceId}`.execute(db);
  return {
    days: new Map(days.rows.map(({ day, kind, ...figures }) => [`${day} ${kind}`, figures])),
    people: new Map(people.rows.map(({ day, before, people }) => [`${day} ${before}`, people])),
  };
}

/** Returns a function that adds one history after another to `figures`. */
export function createReportCount({ countedTo, timeZone }: Counting, figures: ReportFigures) {
  const readDay = createDayReader(timeZone);
  return ({ movements }: History): void => {
    const active: Day[] = [];
    for (const movement of movements) {
      if (movement.id > countedTo || movement.type === 'redate') continue;
      const day = readDay(new Date(movement.at));
      const { points, amount } = movement;
      addToDay(figures.days, `${day} ${kindOf(movement)}`, { movements: 1, points, amount: amount ?? 0 });
      if (ACTS.has(movement.type) && active.at(-1) !== day) active.push(day);
    }
    countPeople(figures.people, active);
  };
}

/** What a person does, and not what is done to their points. */
const ACTS: ReadonlySet<string> = new Set(['purchase', 'exchange', 'usage']);

function kindOf({ type, points, snapshot }: Movement): string {
  if (type !== 'adjustment') return type;
  if (snapshot !== null && 'erased' in snapshot) return 'erased';
  return points < 0 ? 'taken' : 'added';
}

function addToDay(days: ReportFigures['days'], key: string, { movements, points, amount }: DayFigures): void {
  const sum = days.get(key);
  if (sum === undefined) {
    days.set(key, { movements, points, amount });
    return;
  }
  sum.movements += movements;
  sum.points = add(sum.points, points);
  sum.amount = add(sum.amount, amount);
}

/** Purchases may be recorded late, so the days of a person need not come in their order. */
function countPeople(people: ReportFigures['people'], active: readonly Day[]): void {
  let before = '-infinity';
  for (const day of [...active].sort()) {
    if (day === before) continue;
    const key = `${day} ${before}`;
    people.set(key, (people.get(key) ?? 0) + 1);
    before = day;
  }
}

/** Adds up the figures of different people of a commerce. */
export function sumReportFigures(all: readonly ReportFigures[]): ReportFigures {
  const sum: ReportFigures = { days: new Map(), people: new Map() };
  for (const { days, people } of all) {
    for (const [key, figures] of days) addToDay(sum.days, key, figures);
    for (const [key, count] of people) sum.people.set(key, (sum.people.get(key) ?? 0) + count);
  }
  return sum;
}

/** Returns the differences, each as the invariant that does not hold and a sentence. */
export function compareReportFigures(stored: ReportFigures, told: ReportFigures): [string, string][] {
  const differences: [string, string][] = [];
  const none: DayFigures = { movements: 0, points: 0, amount: 0 };
  for (const key of new Set([...stored.days.keys(), ...told.days.keys()])) {
    const [has, sum] = [stored.days.get(key) ?? none, told.days.get(key) ?? none];
    if (has.movements === sum.movements && has.points === sum.points && has.amount === sum.amount) continue;
    const [day, kind] = key.split(' ');
    differences.push([
      'the figures of a day are the sum of its movements',
      `movements of kind ${kind} on ${day}: ${has.movements} with ${has.points} points and an amount of ${has.amount} are stored, ` +
        `but the movements add up to ${sum.movements} with ${sum.points} and ${sum.amount}; run loyalty reports rebuild`,
    ]);
  }
  for (const key of new Set([...stored.people.keys(), ...told.people.keys()])) {
    const [has, sum] = [stored.people.get(key) ?? 0, told.people.get(key) ?? 0];
    if (has === sum) continue;
    const [day, before] = key.split(' ');
    differences.push([
      'the people of a day are those of its movements',
      `${has} people who were active on ${day} and before that on ${before} are stored, but the movements tell of ${sum}; run loyalty reports rebuild`,
    ]);
  }
  return differences;
}
