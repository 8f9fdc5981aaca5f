import { localDay, type Day } from '#calendar/calendar.ts';
import { readCommerce, type Commerce } from '#commerces/commerce.ts';
import { sql, transaction, type Database, type Db, type Tx } from '#db/database.ts';
import { programField } from '#commerces/program-field.ts';
import { isActive, isActiveRow } from '#members/eligibility.ts';
import { lockMembers } from '#members/lock-members.ts';
import type { Member } from '#members/member.ts';
import { birthdayDue, birthdaysAround } from '#rewards/birthday-due.ts';
import { handOut } from '#rewards/hand-out.ts';
import { BATCH, type Job, type RunOptions } from './job.ts';

/** Hands out the birthday reward, once for each member and year; a missed run is caught up for 7 days. */
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
  const { batch = BATCH, signal } = options;
  let count = 0;
  let after = 0;
  for (;;) {
    if (signal?.aborted === true) return count;
    const commerce = (await readCommerce(database, commerceId))!;
    if (commerce.rules.rewards.birthday === null) return count;
    const found = await nextMembers(database, commerce, after, batch);
    if (found.length === 0) return count;
    const years = yearsDue(found, commerce);
    if (years.size > 0) count += await transaction(database, (tx) => rewardAll(tx, commerceId, years));
    after = found.at(-1)!.id;
  }
}

/** The years of the birthdays that are due and were not rewarded yet, by member. */
function yearsDue(found: readonly Birthday[], { rules, today }: Commerce): Map<number, number> {
  return new Map(
    found.flatMap(({ id, birthDate, enteredAt, given }) => {
      const enteredOn = enteredAt && localDay(enteredAt, rules.timeZone);
      const year = birthdayDue(birthDate, enteredOn, today);
      return year === null || given.includes(String(year)) ? [] : [[id, year]];
    }),
  );
}

async function rewardAll(tx: Tx, commerceId: number, years: Map<number, number>): Promise<number> {
  const members = await lockMembers(
    tx,
    [...years.keys()].map((id) => ({ commerceId, id })),
  );
  const commerce = (await readCommerce(tx, commerceId))!;
  const reward = commerce.rules.rewards.birthday;
  if (reward === null) return 0;
  const active = members.filter(isActive);
  const yearOf = (member: Member) => String(years.get(member.id));
  return handOut(tx, active, commerce, reward, 'birthday', yearOf);
}

interface Birthday {
  readonly id: number;
  readonly birthDate: Day;
  readonly enteredAt: Date | null;
  /** Years for which it was handed out before. */
  readonly given: readonly string[];
}

/** Members around whose birthday it is. */
async function nextMembers(
  db: Db,
  { id, today }: Commerce,
  after: number,
  batch: number,
): Promise<Birthday[]> {
  const { rows } = await sql<Birthday>`-- next-birthdays
    select m.id, m.birth_date as "birthDate", m.birth_date_set_at as "enteredAt",
           array(select r.period from rewards r
                  where r.commerce_id = m.commerce_id and r.member_id = m.id and r.event = 'birthday') as given
      from members m
     where m.commerce_id = ${id} and ${isActiveRow} and m.birth_date is not null
       and (extract(month from m.birth_date) * 100 + extract(day from m.birth_date))::integer
           = any(${birthdaysAround(today)}::integer[])
       and m.id > ${after}
     order by m.id
     limit ${batch}`.execute(db);
  return rows;
}
