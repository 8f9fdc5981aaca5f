import { addDays, addMonths, endOfDay, localDay, startOfDay, type Day } from '#calendar/calendar.ts';
import type { Commerce } from '#commerces/commerce.ts';
import { sql, type Db } from '#db/database.ts';
import { isActiveRow } from '#members/eligibility.ts';
import { isMessageOn } from '#program/messages.ts';
import { birthdayIn } from '#rewards/birthday-due.ts';
import { periodRuns } from './expire-tiers.ts';
import { DAYS_BEFORE_END } from './expiring-codes.ts';
import { DAYS_BEFORE } from './reminders.ts';
import type { JobName } from './run-jobs.ts';

/** When each job next has something to do at a commerce, as things stand. Jobs with nothing to do are left out. */
export type DueDays = Partial<Record<JobName, Day>>;

/** Returns the next local day after today on which each job of a commerce has something to do. */
export async function nextDueDays(db: Db, commerce: Commerce): Promise<DueDays> {
  const { rules, program, today } = commerce;
  const { birthday, monthlyTop } = rules.rewards;
  const days: Record<JobName, Day | null> = {
    ...(await nextEnds(db, commerce)),
    birthdays: birthday === null ? null : await nextBirthday(db, commerce),
    'monthly-top': monthlyTop === null ? null : afterMonth(today, monthlyTop.settleDays),
    reminders: isMessageOn(program, 'expiring') ? await nextReminder(db, commerce) : null,
    'expiring-codes': await nextExpiringCode(db, commerce),
    // They follow the ledger, not the calendar.
    reports: null,
    verify: null,
    seal: null,
    // It keeps to real time, which nobody can move.
    retention: null,
  };
  return Object.fromEntries(Object.entries(days).filter(([, day]) => day !== null));
}

/** Returns the days after the last days of points and tiers, and the day on which points stop waiting. */
async function nextEnds(db: Db, { id, today, now, rules }: Commerce) {
  const { rows } = await sql<{ points: Day | null; tiers: Day | null; pendingAt: Date | null }>`-- next-ends
    select (select min(expires_on) + 1 from balances
             where commerce_id = ${id} and expires_on >= ${today}::date and expires_on < 'infinity') as points,
           (select min(due_at) from pending_points where commerce_id = ${id} and due_at > ${now}) as "pendingAt",
           (select min(m.tier_expires_on) + 1 from members m
             where m.commerce_id = ${id} and m.tier_expires_on >= ${today}::date and ${periodRuns}
               and ${rules.tiers.validMonths !== null}::boolean) as tiers`.execute(db);
  const { points, tiers, pendingAt } = rows[0]!;
  return {
    'pending-points': pendingAt && dayFrom(pendingAt, rules.timeZone),
    'expire-points': points,
    'expire-tiers': tiers,
  };
}

/** Returns the first day that begins at this instant or later. Points wait until a day began in the time zone of their purchase. */
function dayFrom(instant: Date, timeZone: string): Day {
  const day = localDay(instant, timeZone);
  return startOfDay(day, timeZone) < instant ? addDays(day, 1) : day;
}

async function nextReminder(db: Db, { id, today }: Commerce): Promise<Day | null> {
  const days = DAYS_BEFORE.map(async (before) => {
    const { rows } = await sql<{ day: Day | null }>`-- next-reminder
      select min(expires_on) as day
        from balances
       where commerce_id = ${id} and expires_on > ${addDays(today, before)}::date and expires_on < 'infinity'`.execute(
      db,
    );
    const day = rows[0]?.day ?? null;
    return day === null ? null : addDays(day, -before);
  });
  return (await Promise.all(days)).filter((day) => day !== null).sort()[0] ?? null;
}

async function nextExpiringCode(db: Db, { id, today, rules }: Commerce): Promise<Day | null> {
  const { rows } = await sql<{ dueAt: Date | null }>`-- next-expiring-code
    select min(due_at) as "dueAt"
      from vouchers
     where commerce_id = ${id} and used_at is null and given_back_at is null
       and due_at > ${endOfDay(addDays(today, DAYS_BEFORE_END), rules.timeZone)}::timestamptz`.execute(db);
  const dueAt = rows[0]?.dueAt ?? null;
  return dueAt && addDays(localDay(dueAt, rules.timeZone), -DAYS_BEFORE_END);
}

async function nextBirthday(db: Db, { id, today }: Commerce): Promise<Day | null> {
  const { rows } = await sql<{ birthDate: Day }>`-- all-birthdays
    select min(m.birth_date) as "birthDate"
      from members m
     where m.commerce_id = ${id} and m.birth_date is not null and ${isActiveRow}
     group by (extract(month from m.birth_date) * 100 + extract(day from m.birth_date))::integer`.execute(db);
  const year = Number(today.slice(0, 4));
  const days = rows.flatMap(({ birthDate }) => [
    birthdayIn(year, birthDate),
    birthdayIn(year + 1, birthDate),
  ]);
  return days.filter((day) => day > today).sort()[0] ?? null;
}

/** Returns the day `settleDays` after the first of a month. */
function afterMonth(today: Day, settleDays: number): Day {
  const settled = addDays(today, -settleDays);
  return addDays(addMonths(`${settled.slice(0, 7)}-01`, 1), settleDays);
}
