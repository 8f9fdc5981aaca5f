import { addDays, addMonths, type Day } from '#commerces/calendar.ts';
import type { Commerce } from '#commerces/commerce.ts';
import { sql, type Database } from '#db/database.ts';
import { birthdayIn } from '#rewards/birthday-due.ts';
import { DAYS_BEFORE } from './reminders.ts';

/**
 * The first local day after today at whose beginning a job has something to do at a commerce, as things stand; null
 * where nothing is to come.
 */
export async function nextDueDay(database: Database, commerce: Commerce): Promise<Day | null> {
  const { rules, program, today } = commerce;
  const { birthday, monthlyTop } = rules.rewards;
  const days = [
    await nextEnd(database, commerce),
    program.mail.reminders ? await nextReminder(database, commerce) : null,
    birthday === null ? null : await nextBirthday(database, commerce),
    monthlyTop === null ? null : afterMonth(today, monthlyTop.settleDays),
  ];
  return days.filter((day) => day !== null).sort()[0] ?? null;
}

/** The day after the last one of points or of a tier. */
async function nextEnd(database: Database, { id, today, rules }: Commerce): Promise<Day | null> {
  const { rows } = await sql<{ day: Day | null }>`-- next-end
    select least((select min(expires_on) from balances
                   where commerce_id = ${id} and expires_on >= ${today}::date and expires_on < 'infinity'),
                 (select min(tier_expires_on) from members
                   where commerce_id = ${id} and tier_expires_on >= ${today}::date and tier_expires_on is not null
                     and not tier_expired and not tier_pinned and ${rules.tiers.validMonths !== null}::boolean)) as day`.execute(
    database,
  );
  const day = rows[0]?.day ?? null;
  return day === null ? null : addDays(day, 1);
}

async function nextReminder(database: Database, { id, today }: Commerce): Promise<Day | null> {
  const days = DAYS_BEFORE.map(async (before) => {
    const { rows } = await sql<{ day: Day | null }>`-- next-reminder
      select min(expires_on) as day
        from balances
       where commerce_id = ${id} and expires_on > ${addDays(today, before)}::date and expires_on < 'infinity'`.execute(
      database,
    );
    const day = rows[0]?.day ?? null;
    return day === null ? null : addDays(day, -before);
  });
  return (await Promise.all(days)).filter((day) => day !== null).sort()[0] ?? null;
}

async function nextBirthday(database: Database, { id, today }: Commerce): Promise<Day | null> {
  const { rows } = await sql<{ birthDate: Day }>`-- all-birthdays
    select min(birth_date) as "birthDate"
      from members
     where commerce_id = ${id} and birth_date is not null and state = 'member'
     group by (extract(month from birth_date) * 100 + extract(day from birth_date))::integer`.execute(
    database,
  );
  const year = Number(today.slice(0, 4));
  const days = rows.flatMap(({ birthDate }) => [
    birthdayIn(year, birthDate),
    birthdayIn(year + 1, birthDate),
  ]);
  return days.filter((day) => day > today).sort()[0] ?? null;
}

/** The first day of a month, `settleDays` later. */
function afterMonth(today: Day, settleDays: number): Day {
  const settled = addDays(today, -settleDays);
  return addDays(addMonths(`${settled.slice(0, 7)}-01`, 1), settleDays);
}
