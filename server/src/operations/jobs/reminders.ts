import { addDays, daysBetween, endOfDay, type Day } from '#calendar/calendar.ts';
import { readCommerce, type Commerce } from '#commerces/commerce.ts';
import { programField } from '#commerces/program-field.ts';
import { isActiveRow } from '#members/eligibility.ts';
import { lockMembers } from '#members/lock-members.ts';
import { sql, transaction, type Database, type Db, type Tx } from '#db/database.ts';
import { enqueueMails } from '#mail/outbox.ts';
import { storeHappenings } from '#happenings/store-happenings.ts';
import { isMessageOn } from '#program/messages.ts';
import { inBatches, type Due } from './in-batches.ts';
import type { Job, RunOptions } from './job.ts';

/**
 * Reminds members by mail 30 days and 7 days before points expire, each once, if the program asks for it. A member
 * who earns points every day gets one reminder a week, about the next points to expire.
 */
export const reminders: Job = { due, run };

/** How many days before the last day members are reminded. */
export const DAYS_BEFORE = [30, 7] as const;
// Half a day short of a week, so that a run at the same hour a week later counts.
const WEEK_HOURS = 156;

async function due(database: Database): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select c.id
      from commerces c
      join programs p on p.commerce_id = c.id and p.version = c.program_version
     where c.status <> 'closed'
       and coalesce(nullif(${programField('mail', 'messages', 'expiring')}, 'null'), ${programField('mail', 'reminders')}) = 'true'
     order by c.id`.execute(database);
  return rows.map((row) => row.id);
}

async function run(database: Database, commerceId: number, options: RunOptions = {}): Promise<number> {
  const commerce = (await readCommerce(database, commerceId))!;
  if (!isMessageOn(commerce.program, 'expiring')) return 0;
  return inBatches(
    (after: Due | undefined, limit) => nextMembers(database, commerce, after?.memberId ?? 0, limit),
    (found) => {
      const ids = found.map(({ memberId }) => memberId);
      return transaction(database, (tx) => remind(tx, commerceId, ids));
    },
    options,
  );
}

/** Reminds these members. Returns how many mails are sent. */
async function remind(tx: Tx, commerceId: number, memberIds: readonly number[]): Promise<number> {
  const commerce = (await readCommerce(tx, commerceId))!;
  if (!isMessageOn(commerce.program, 'expiring')) return 0;
  const { today, now, rules } = commerce;
  // A member who is being erased must not be sent a mail afterwards.
  await lockMembers(
    tx,
    memberIds.map((id) => ({ commerceId, id })),
  );
  const told = await noteReminders(tx, commerce, memberIds);
  await enqueueMails(
    tx,
    told.map(({ email, points, expiresOn }) => ({
      commerceId,
      kind: 'expiry-reminder',
      recipient: email,
      content: { points, expiresOn, daysLeft: daysBetween(today, expiresOn) },
      expiresInSeconds: Math.ceil((endOfDay(expiresOn, rules.timeZone).getTime() - now.getTime()) / 1000),
    })),
  );
  await storeHappenings(
    tx,
    told.map(({ memberId, points, expiresOn, daysBefore }) => ({
      type: 'points.expiring',
      commerceId,
      memberId,
      at: now,
      facts: { points, expires_on: expiresOn, days_before: daysBefore },
    })),
  );
  return told.length;
}

/** Finds members whose points expire soon and who have not been reminded. */
async function nextMembers(db: Db, commerce: Commerce, after: number, limit: number): Promise<Due[]> {
  const { rows } = await sql<Due>`-- next-reminders
    select distinct s.member_id as "memberId"
      from (${expiringSoon(commerce)}) s
      ${untold(commerce)}
       and s.member_id > ${after}
     order by s.member_id
     limit ${limit}`.execute(db);
  return rows;
}

interface Reminder {
  readonly memberId: number;
  readonly email: string;
  readonly points: number;
  readonly expiresOn: Day;
  readonly daysBefore: number;
}

/** Records the reminder of each member and day. The unique key ensures that it happens once. */
async function noteReminders(tx: Tx, commerce: Commerce, memberIds: readonly number[]): Promise<Reminder[]> {
  const { id, now } = commerce;
  const { rows } = await sql<Reminder>`-- note-reminders
    with soon as (
      select s.member_id, s.expires_on, s.days_before, sum(s.points)::bigint as points
        from (${expiringSoon(commerce)}) s
       where s.member_id = any(${memberIds}::bigint[])
       group by s.member_id, s.expires_on, s.days_before
    ), untold as (
      select distinct on (s.member_id, s.days_before) s.*, m.email
        from soon s
        ${untold(commerce)}
       order by s.member_id, s.days_before, s.expires_on
    ), noted as (
      insert into reminders (commerce_id, member_id, expires_on, days_before, told_at)
      select ${id}, member_id, expires_on, days_before, ${now} from untold
          on conflict do nothing
      returning member_id, expires_on, days_before
    )
    select u.member_id as "memberId", u.email, u.points, u.expires_on as "expiresOn", u.days_before as "daysBefore"
      from untold u
      join noted using (member_id, expires_on, days_before)`.execute(tx);
  return rows;
}

/**
 * Selects the points of a commerce that expire within a month, with the number of days before which the reminder is
 * due.
 */
function expiringSoon({ id, today }: Commerce) {
  const [first, last] = DAYS_BEFORE;
  return sql`
      select b.member_id, b.expires_on, b.points,
             case when b.expires_on <= ${addDays(today, last)}::date then ${last}::smallint else ${first}::smallint end as days_before
        from balances b
       where b.commerce_id = ${id} and b.expires_on >= ${today}::date
         and b.expires_on <= ${addDays(today, first)}::date`;
}

/** Filters `s` for members who can be reminded and have not been. */
function untold({ id, now }: Commerce) {
  return sql`
        join members m on m.commerce_id = ${id} and m.id = s.member_id
       where ${isActiveRow} and m.email is not null
         and not exists (select from reminders r
                          where r.commerce_id = ${id} and r.member_id = s.member_id and r.days_before = s.days_before
                            and (r.expires_on = s.expires_on
                                 or r.told_at > ${now}::timestamptz - make_interval(hours => ${WEEK_HOURS})))`;
}
