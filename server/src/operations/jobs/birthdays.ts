import { localDay, type Day } from '#calendar/calendar.ts';
import { readCommerce, type Commerce } from '#commerces/commerce.ts';
import { sql, transaction, type Database, type Db, type Tx } from '#db/database.ts';
import { programField } from '#commerces/program-field.ts';
import { isActive, isActiveRow } from '#members/eligibility.ts';
import { lockMembers } from '#members/lock-members.ts';
import { announcedAt } from '#rewards/announced-at.ts';
import { birthdayDue, birthdaysBetween, catchUpFrom, type BirthdayFacts } from '#rewards/birthday-due.ts';
import { handOut } from '#rewards/hand-out.ts';
import { inBatches } from './in-batches.ts';
import type { Job, RunOptions } from './job.ts';

/** Gives the birthday reward, once for each member and year. A missed birthday is rewarded up to 7 days later. */
export const birthdays: Job = { due, run };

async function due(database: Database): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select c.id
      from commerces c
      join programs p on p.commerce_id = c.id and p.version = c.program_version
     where c.status <> 'closed' and ${programField('rewards', 'birthday')} <> 'null'
     order by c.id`.execute(database);
  return rows.map((row) => row.id);
}

async function run(database: Database, commerceId: number, options: RunOptions = {}): Promise<number> {
  const commerce = (await readCommerce(database, commerceId))!;
  const { rules, today } = commerce;
  if (rules.rewards.birthday === null) return 0;
  const { failingSince = null } = options;
  const from = catchUpFrom(today, failingSince && localDay(failingSince, rules.timeZone));
  return inBatches(
    (after: Birthday | undefined, limit) =>
      nextMembers(database, commerce, from, after?.memberId ?? 0, limit),
    (found) => {
      const ids = found.flatMap((birthday) =>
        yearDue(birthday, from, commerce) === null ? [] : [birthday.memberId],
      );
      if (ids.length === 0) return Promise.resolve(0);
      return transaction(database, (tx) => rewardAll(tx, commerceId, from, ids));
    },
    options,
  );
}

/** Decides again under lock: the birth date may have changed or the reward may have been given since the search. */
async function rewardAll(tx: Tx, commerceId: number, from: Day, ids: readonly number[]): Promise<number> {
  const members = await lockMembers(
    tx,
    ids.map((id) => ({ commerceId, id })),
  );
  const commerce = (await readCommerce(tx, commerceId))!;
  const reward = commerce.rules.rewards.birthday;
  const announced = await announcedAt(tx, commerceId, 'birthday');
  if (reward === null || announced === null) return 0;
  const announcedOn = localDay(announced, commerce.rules.timeZone);
  const birthdays = await readBirthdays(tx, commerceId, ids);
  const years = new Map(
    birthdays.map((birthday) => [
      birthday.memberId,
      yearDue(birthday, announcedOn > from ? announcedOn : from, commerce),
    ]),
  );
  const active = members.filter(isActive);
  return handOut(
    tx,
    active.filter(({ id }) => (years.get(id) ?? null) !== null),
    commerce,
    reward,
    'birthday',
    ({ id }) => String(years.get(id)),
  );
}

interface Birthday {
  readonly memberId: number;
  readonly birthDate: Day;
  readonly enteredAt: Date | null;
  readonly yearsGiven: readonly string[];
  readonly lastGivenAt: Date | null;
}

function yearDue(birthday: Birthday, from: Day, { rules, today }: Commerce): number | null {
  const { birthDate, enteredAt, yearsGiven, lastGivenAt } = birthday;
  const facts: BirthdayFacts = {
    birthDate,
    enteredOn: enteredAt && localDay(enteredAt, rules.timeZone),
    yearsGiven,
    lastGivenOn: lastGivenAt && localDay(lastGivenAt, rules.timeZone),
  };
  return birthdayDue(facts, from, today);
}

/** Finds members whose birthday is between `from` and today. */
async function nextMembers(
  db: Db,
  { id: commerceId, today }: Commerce,
  from: Day,
  after: number,
  limit: number,
): Promise<Birthday[]> {
  const { rows } = await sql<Birthday>`-- next-birthdays
    select ${birthdayColumns}
      from members m ${rewardsGiven}
     where m.commerce_id = ${commerceId} and ${isActiveRow} and m.birth_date is not null
       and (extract(month from m.birth_date) * 100 + extract(day from m.birth_date))::integer
           = any(${birthdaysBetween(from, today)}::integer[])
       and m.id > ${after}
     order by m.id
     limit ${limit}`.execute(db);
  return rows;
}

/** Reads the birthdays of these members. Members without a birth date are left out. */
async function readBirthdays(db: Db, commerceId: number, ids: readonly number[]): Promise<Birthday[]> {
  const { rows } = await sql<Birthday>`-- read-birthdays
    select ${birthdayColumns}
      from members m ${rewardsGiven}
     where m.commerce_id = ${commerceId} and m.id = any(${ids}::bigint[]) and m.birth_date is not null`.execute(
    db,
  );
  return rows;
}

const birthdayColumns = sql.raw(`
  m.id as "memberId", m.birth_date as "birthDate", m.birth_date_set_at as "enteredAt",
  coalesce(g.years, '{}') as "yearsGiven", g.last_at as "lastGivenAt"`);

const rewardsGiven = sql.raw(`
  cross join lateral (select array_agg(r.period) as years, max(r.given_at) as last_at
                        from rewards r
                       where r.commerce_id = m.commerce_id and r.member_id = m.id and r.event = 'birthday') g`);
