import { addDays, addMonths, localDay, startOfDay, type Day } from '#calendar/calendar.ts';
import type { Commerce } from '#commerces/commerce.ts';
import { sql, type Database, type Db } from '#db/database.ts';
import { announcedAt } from '#rewards/announced-at.ts';

/** Months by their first days, oldest first. `latest` is the last one that can be rewarded by now. */
export interface Months {
  readonly months: readonly Day[];
  readonly latest: Day;
}

/**
 * Returns the months of a commerce that are still to be rewarded, from the first full month after the reward was
 * announced. A month is settled if it was rewarded, or if nobody could be rewarded and a later month can be.
 */
export async function monthsToReward(db: Db, commerce: Commerce): Promise<Months> {
  const { rules, today } = commerce;
  const reward = rules.rewards.monthlyTop;
  if (reward === null) return { months: [], latest: today };
  const latest = monthToReward(today, reward.settleDays);
  const { settled, rewarded } = await readSettled(db, commerce.id);
  const isOpen = (first: Day) => !rewarded.has(monthOf(first));
  // Almost every run ends here: the latest month was rewarded and all earlier ones are settled.
  if (settled !== null && addMonths(settled, 1) >= latest && !isOpen(latest)) return { months: [], latest };

  const announced = await announcedAt(db, commerce.id, 'monthly_top');
  if (announced === null) return { months: [], latest };
  const whole = firstWholeMonth(announced, rules.timeZone);
  const months = [];
  for (
    let first = settled !== null && settled >= whole ? addMonths(settled, 1) : whole;
    first <= latest;
    first = addMonths(first, 1)
  )
    if (isOpen(first)) months.push(first);
  return { months, latest };
}

/** Returns the first day of the latest month that can be rewarded `today`, `settleDays` after its end. */
export function monthToReward(today: Day, settleDays: number): Day {
  return addMonths(firstDayOf(addDays(today, -settleDays)), -1);
}

/** Returns the first day of the first month that starts at that instant or later. */
export function firstWholeMonth(since: Date, timeZone: string): Day {
  const first = firstDayOf(localDay(since, timeZone));
  return startOfDay(first, timeZone) < since ? addMonths(first, 1) : first;
}

/** Returns the name of a month as stored in `rewards`: `2027-04`. */
export function monthOf(first: Day): string {
  return first.slice(0, 7);
}

/** Stores up to which month everything is settled, given the months that this run has settled. */
export async function settleMonths(
  database: Database,
  commerceId: number,
  months: readonly Day[],
  settled: readonly Day[],
): Promise<void> {
  const open = months.find((first) => !settled.includes(first));
  const last = open === undefined ? months.at(-1) : addMonths(open, -1);
  if (last === undefined || settled.length === 0) return;
  await sql`-- settle-months
    insert into commerce_jobs as j (commerce_id, job, settled_month) values (${commerceId}, 'monthly-top', ${monthOf(last)})
        on conflict (commerce_id, job) do update
       set settled_month = greatest(j.settled_month, excluded.settled_month)`.execute(database);
}

async function readSettled(db: Db, commerceId: number) {
  const { rows } = await sql<{ settled: string | null; rewarded: string[] }>`-- read-settled-months
    select j.settled_month as settled,
           array(select r.period from rewards r
                  where r.commerce_id = ${commerceId} and r.event = 'monthly_top'
                    and r.period >= coalesce(j.settled_month, '')) as rewarded
      from (select 1) as one
      left join commerce_jobs j on j.commerce_id = ${commerceId} and j.job = 'monthly-top'`.execute(db);
  const { settled, rewarded } = rows[0]!;
  return { settled: settled && `${settled}-01`, rewarded: new Set(rewarded) };
}

function firstDayOf(day: Day): Day {
  return `${day.slice(0, 7)}-01`;
}
