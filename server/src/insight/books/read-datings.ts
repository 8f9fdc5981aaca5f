/** Reads how the programs of many commerces date points. */
import { addMonths, type Day } from '#calendar/calendar.ts';
import { programField } from '#commerces/program-field.ts';
import { sql, type Db } from '#db/database.ts';

/** How a version of the program dates points. */
export interface Dating {
  readonly mode: string;
  /** The local day of an instant. */
  readonly dayOf: (at: number) => Day;
  /** The day on which points end that begin on a day. */
  readonly endOf: (day: Day) => Day;
}

export interface Datings {
  readonly byVersion: ReadonlyMap<number, Dating>;
  /** Of all versions. */
  readonly timeZones: ReadonlySet<string>;
  /** The time of the commerce's clock. */
  readonly now: number;
}

/** Reads how each version of the programs of these commerces dates points. */
export async function readDatings(
  db: Db,
  commerceIds: readonly number[],
  dayReaderOf: (timeZone: string) => (at: Date) => Day,
): Promise<ReadonlyMap<number, Datings>> {
  const { rows: clocks } = await sql<{ commerceId: number; now: Date }>`
    select c.id as "commerceId", program_now(c.clock_offset) as now from commerces c where c.id = any(${commerceIds}::bigint[])`.execute(
    db,
  );
  const { rows } = await sql<{
    commerceId: number;
    version: number;
    timeZone: string;
    mode: string;
    months: number;
  }>`
    select p.commerce_id as "commerceId", p.version, p.program ->> 'time_zone' as "timeZone",
           ${programField('points_expiration', 'mode')} #>> '{}' as mode,
           coalesce((${programField('points_expiration', 'months')} #>> '{}')::int, 0) as months
      from programs p
     where p.commerce_id = any(${commerceIds}::bigint[])
     order by p.version desc`.execute(db);
  const datings = new Map(
    clocks.map(({ commerceId, now }) => [
      commerceId,
      { byVersion: new Map<number, Dating>(), timeZones: new Set<string>(), now: now.getTime() },
    ]),
  );
  for (const { commerceId, version, timeZone, mode, months } of rows) {
    const read = dayReaderOf(timeZone);
    const { byVersion, timeZones } = datings.get(commerceId)!;
    byVersion.set(version, { mode, dayOf: (at) => read(new Date(at)), endOf: addingMonths(months) });
    timeZones.add(timeZone);
  }
  return datings;
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
