import { addDays, endOfDay } from '#calendar/calendar.ts';
import { readCommerce } from '#commerces/commerce.ts';
import { isDatabaseAway } from '#db/database-errors.ts';
import { sql, transaction, type Database, type Db, type Tx } from '#db/database.ts';
import { storeHappenings } from '#happenings/store-happenings.ts';
import { lockMembers } from '#members/lock-members.ts';
import { BATCH, PartlyFailed, type Broken, type Job, type RunOptions } from './job.ts';

/**
 * Stores an event for each unused code that ends on the seventh day from today or sooner, once. Codes that are issued later than that have
 * none: the event of their issue says when they end. Neither has a code that is being redeemed just then.
 */
export const expiringCodes: Job = { due, run };

/** How many days before its last day a code is told. */
export const DAYS_BEFORE_END = 7;

/** Codes are read in the order of their ends, which no index has. So they are read in large parts, and told in small ones. */
const PART = 5_000;

/** How far a commerce has come: all codes up to this end, and at the same end up to this code, are told. */
interface Mark {
  readonly dueAt: Date;
  readonly code: number;
}

interface Expiring extends Mark {
  readonly memberId: number;
}

/** Codes have 14 digits. */
const AFTER_ALL_CODES = 99_999_999_999_999;

async function due(database: Database): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    with told as materialized (
      select commerce_id, told_until from commerce_jobs where job = 'expiring-codes' and told_until is not null
    )
    select c.id
      from commerces c
      left join told t on t.commerce_id = c.id
     where c.status <> 'closed'
       and (t.told_until is null or t.told_until < program_now(c.clock_offset) + make_interval(days => ${DAYS_BEFORE_END}))
     order by c.id`.execute(database);
  return rows.map((row) => row.id);
}

async function run(
  database: Database,
  commerceId: number,
  { batch = BATCH, signal }: RunOptions = {},
): Promise<number> {
  const { today, now, rules } = (await readCommerce(database, commerceId))!;
  const until = endOfDay(addDays(today, DAYS_BEFORE_END), rules.timeZone);
  const members = new Set<number>();
  const broken: Broken[] = [];
  const done = () => {
    if (broken.length > 0) throw new PartlyFailed(members.size, broken);
    return members.size;
  };
  let mark = await readMark(database, commerceId);
  const moveTo = (to: Mark) => transaction(database, (tx) => moveMark(tx, commerceId, mark, to));
  /** Returns false if another run is ahead. */
  const tellAll = async (codes: readonly Expiring[]): Promise<boolean> => {
    try {
      const told = await transaction(database, (tx) => tell(tx, commerceId, codes, mark));
      if (told === null) return false;
      for (const { memberId } of told) members.add(memberId);
      mark = codes.at(-1)!;
      return true;
    } catch (error) {
      if (isDatabaseAway(error)) throw error;
      if (codes.length > 1) {
        for (const code of codes) if (!(await tellAll([code]))) return false;
        return true;
      }
      // It is left out, because the codes behind it would wait for it for ever.
      const [code] = codes;
      broken.push({ memberId: code!.memberId, error });
      if (!(await moveTo(code!))) return false;
      mark = code!;
      return true;
    }
  };
  // A mark that is further than that was set by a later clock, or in another time zone.
  const isBehind = () => mark === null || mark.dueAt < until;
  while (isBehind()) {
    const found = await nextCodes(database, commerceId, { after: mark, now, until });
    for (let i = 0; i < found.length; i += batch)
      if (signal?.aborted === true || !(await tellAll(found.slice(i, i + batch)))) return done();
    if (found.length === PART) continue;
    await moveTo({ dueAt: until, code: AFTER_ALL_CODES });
    break;
  }
  return done();
}

/** Stores the events of these codes. Returns those that are told, or null if another run has told them. */
async function tell(
  tx: Tx,
  commerceId: number,
  codes: readonly Expiring[],
  mark: Mark | null,
): Promise<Expiring[] | null> {
  if (!(await moveMark(tx, commerceId, mark, codes.at(-1)!))) return null;
  // A member who is being erased must not be in an event afterwards.
  await lockMembers(
    tx,
    [...new Set(codes.map(({ memberId }) => memberId))].map((id) => ({ commerceId, id })),
  );
  // Who redeems a code locks its row alone, and must not be told to hurry afterwards.
  const { rows } = await sql<{ code: number }>`-- still-unused
    select code from vouchers
     where commerce_id = ${commerceId} and code = any(${codes.map(({ code }) => code)}::bigint[])
       and used_at is null and given_back_at is null
       for share skip locked`.execute(tx);
  const unused = new Set(rows.map(({ code }) => code));
  const told = codes.filter(({ code }) => unused.has(code));
  await storeHappenings(
    tx,
    told.map(({ memberId, code }) => ({ type: 'voucher.expiring', commerceId, memberId, voucherCode: code })),
  );
  return told;
}

async function nextCodes(
  db: Db,
  commerceId: number,
  { after, now, until }: { after: Mark | null; now: Date; until: Date },
): Promise<Expiring[]> {
  const { rows } = await sql<Expiring>`-- next-expiring-codes
    select v.code, v.member_id as "memberId", v.due_at as "dueAt"
      from vouchers v
     where v.commerce_id = ${commerceId} and v.used_at is null and v.given_back_at is null
       and v.due_at > ${now}::timestamptz and v.due_at <= ${until}::timestamptz
       and (v.due_at, v.code) > (coalesce(${after?.dueAt ?? null}::timestamptz, '-infinity'), ${after?.code ?? 0}::bigint)
     order by v.due_at, v.code
     limit ${PART}`.execute(db);
  return rows;
}

async function readMark(db: Db, commerceId: number): Promise<Mark | null> {
  const { rows } = await sql<Mark>`-- read-told-codes
    select told_until as "dueAt", told_code as code
      from commerce_jobs
     where commerce_id = ${commerceId} and job = 'expiring-codes' and told_until is not null`.execute(db);
  return rows[0] ?? null;
}

/** Returns whether the mark was where it is expected. Of runs at once, one moves it. */
async function moveMark(tx: Tx, commerceId: number, from: Mark | null, to: Mark): Promise<boolean> {
  const { rows } = await sql`-- move-told-codes
    insert into commerce_jobs as j (commerce_id, job, told_until, told_code)
    values (${commerceId}, 'expiring-codes', ${to.dueAt}, ${to.code})
        on conflict (commerce_id, job) do update
       set told_until = excluded.told_until, told_code = excluded.told_code
     where j.told_until is not distinct from ${from?.dueAt ?? null}::timestamptz
       and j.told_code is not distinct from ${from?.code ?? null}::bigint
    returning 1`.execute(tx);
  return rows.length === 1;
}
