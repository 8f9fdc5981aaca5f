import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { setClock } from '#commerces/clock.ts';
import { sql, type Database } from '#db/database.ts';
import { importMembers } from '#enrolment/import-members.ts';
import { importPurchases } from '#purchases/import-purchases.ts';
import { assertBooksAgree } from '#test/books.ts';
import { startLoyalty } from '#test/command.ts';
import { service } from '#test/harness.ts';
import { createRandom } from '#test/create-random.ts';
import { benefit, makeShop, type Shop } from '#test/make.ts';
import { SEED } from '#test/random.ts';
import { DAYS_BEFORE_END } from '../src/operations/jobs/expiring-codes.ts';
import { runDueJobs, runJob } from '../src/operations/jobs/run-jobs.ts';

const ROUNDS = Number(process.env['JOBS_KILL_ROUNDS'] ?? 50);
const random = createRandom(SEED);
/** In 400 days, all that was earned expires. */
const DAYS_A_ROUND = Math.ceil(400 / ROUNDS);
const MEMBERS = Number(process.env['JOBS_KILL_MEMBERS'] ?? 2000);
const DAY_MS = 86_400_000;
const END_OF_DATA = Date.parse('2028-01-01T12:00:00Z');

// Mails that are kept to be looked at are forgotten soon; those that cannot be sent stay in the outbox.
const NO_SMTP = 'smtp://127.0.0.1:1';

const tellers = [
  ['jobs', 'run', 'expiring-codes'],
  ['jobs', 'run', 'expiring-codes'],
] as const;

/** Two processes of each round, which are killed together. */
const pairs = [
  [
    ['jobs', 'run', 'expire-points'],
    ['jobs', 'run', 'expire-points'],
  ],
  [
    ['jobs', 'run', 'expire-tiers'],
    ['jobs', 'run', 'expire-tiers'],
  ],
  [['worker'], ['worker']],
  [['worker'], ['jobs', 'run', 'expire-points']],
  [
    ['jobs', 'run', 'reminders'],
    ['jobs', 'run', 'birthdays'],
  ],
  [
    ['jobs', 'run', 'reports'],
    ['jobs', 'run', 'reports'],
  ],
  tellers,
] as const;

test(`${ROUNDS} times kill -9 of two processes that do the same jobs leaves every effect exactly once`, async (t) => {
  const { db } = await service();
  const shop = await liveAYear(db);
  await letCodesEnd(db, shop);
  let running = 0;
  let unfinished = 0;
  let untold = 0;
  for (let round = 1; round <= ROUNDS; round++) {
    await setClock(db, shop.id, new Date(END_OF_DATA + round * DAYS_A_ROUND * DAY_MS));
    await outliveLeases(db);
    const pair = pairs[round % pairs.length]!;
    const exited = await killTwo(db, shop, pair);
    if (exited < 2) running++;
    if (pair === tellers) untold += await tellTheRest(db, shop);
    if (await hasOverduePoints(db, shop)) unfinished++;
    await assertBooksAgree(db, shop.id);
  }
  // A few rounds prove less, but not nothing.
  if (ROUNDS >= 50) {
    assert.ok(running > ROUNDS / 2, `only ${running} were killed`);
    assert.ok(unfinished > ROUNDS / 5, `only ${unfinished} had something left to do`);
  }
  await runDueJobs(db, shop.id);
  await assertAsIfNeverKilled(t, db, shop);
  t.diagnostic(
    `${running} of ${ROUNDS} pairs ran when they were killed, ${unfinished} left points to expire, and the ends of codes of ${untold} members were left to tell`,
  );
});

/** A shop whose members bought once a month in 2027; its clock stands at the end of that year. */
async function liveAYear(db: Database): Promise<Shop> {
  const shop = await makeShop({
    sandbox: true,
    points_expiration: { mode: 'rolling', months: 12 },
    levels: {
      threshold_type: 'points',
      valid_months: 3,
      ladder: [
        { name: 'One', threshold: 0 },
        { name: 'Two', threshold: 100, benefit: 'gift' },
        { name: 'Three', threshold: 200, points_multiplier: 1.5, benefit: 'gift' },
      ],
    },
    rewards: { birthday: { benefit: 'cake' } },
    benefits: [
      benefit('gift', { benefit_type: 'level', cost: 0 }),
      benefit('cake', { benefit_type: 'birthday', cost: 0 }),
    ],
    mail: { reminders: true },
  });
  await setClock(db, shop.id, new Date('2027-01-01T00:00:00Z'));
  const members = await importMembers(db, shop.id, lines(MEMBERS, memberFields));
  await setClock(db, shop.id, new Date(END_OF_DATA));
  const purchases = await importPurchases(db, shop.id, lines(12 * MEMBERS, purchaseFields));
  assert.deepEqual([members.imported, purchases.imported], [MEMBERS, 12 * MEMBERS]);
  return shop;
}

/** Lets the codes of tiers end within days after the rounds of the tellers: in no other round is it time to tell them. */
async function letCodesEnd(db: Database, { id }: Shop): Promise<void> {
  const ends = Array.from({ length: ROUNDS }, (_, i) => i + 1)
    .filter((round) => pairs[round % pairs.length] === tellers)
    .map((round) => new Date(END_OF_DATA + (round * DAYS_A_ROUND + DAYS_BEFORE_END - 1) * DAY_MS));
  if (ends.length === 0) return;
  await sql`
    update vouchers v
       set due_at = ends.at
      from (select code, row_number() over (order by code) as n
              from vouchers
             where commerce_id = ${id} and source = 'level') as numbered
      join unnest(${ends}::timestamptz[]) with ordinality as ends(at, n)
           on ends.n = 1 + numbered.n % ${ends.length}::int
     where v.commerce_id = ${id} and v.code = numbered.code`.execute(db);
}

// oxlint-disable-next-line typescript/require-await -- what reads a file gives its rows one by one
async function* lines<Fields>(count: number, fieldsOf: (i: number) => Fields) {
  for (let i = 0; i < count; i++) yield { line: i + 2, fields: fieldsOf(i) };
}

function memberFields(i: number) {
  return { email: emailOf(i), birth_date: `1990-${twoDigits(1 + (i % 12))}-${twoDigits(1 + (i % 28))}` };
}

/** Spread over the days of each month, of amounts that let tiers rise and fall. */
function purchaseFields(i: number) {
  const member = i % MEMBERS;
  const month = Math.floor(i / MEMBERS);
  const amount = String(1 + ((member * 7919 + month * 104_729) % 60));
  return {
    client_email: emailOf(member),
    amount,
    date: `2027-${twoDigits(1 + month)}-${twoDigits(1 + (member % 28))}`,
  };
}

function emailOf(i: number): string {
  return `member${i}@example.com`;
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}

/** As if minutes had passed, for whose killing nobody waited. */
async function outliveLeases(db: Database): Promise<void> {
  await sql`
    update jobs set leased_until = now() - interval '1 s', started_at = now() - interval '1 hour'`.execute(
    db,
  );
}

/** Kills both a random while after one of them has done something. Gives how many had ended by themselves. */
async function killTwo(
  db: Database,
  shop: Shop,
  [one, other]: readonly [readonly string[], readonly string[]],
): Promise<number> {
  const before = await effectsOf(db, shop);
  const children = await Promise.all([one, other].map((args) => startLoyalty(args, { SMTP_URL: NO_SMTP })));
  const ends = children.map((child) => once(child, 'exit'));
  for (const child of children) {
    child.stdout.resume();
    child.stderr.resume();
  }
  const running = () => children.filter((child) => child.exitCode === null);
  const deadline = performance.now() + 5_000;
  while (running().length > 0 && performance.now() < deadline && (await effectsOf(db, shop)) === before) {
    await sleep(2);
  }
  await sleep(random.below(60));
  const exited = 2 - running().length;
  for (const child of running()) child.kill('SIGKILL');
  await Promise.all(ends);
  return exited;
}

async function hasOverduePoints(db: Database, { id }: Shop): Promise<boolean> {
  const { rows } = await sql`
    select from balances b
      join commerces c on c.id = b.commerce_id
     where c.id = ${id} and b.expires_on < (program_now(c) at time zone c.time_zone)::date
     limit 1`.execute(db);
  return rows.length > 0;
}

/**
 * Runs the tellers' job to its end, and returns for how many members something was left to tell. Then each code that ends within a week is told
 * once.
 */
async function tellTheRest(db: Database, { id }: Shop): Promise<number> {
  let members = 0;
  // What the dead ones had sent may still be committed, and a run that is overtaken by it ends.
  for (let run = 0; run < 3; run++) members += (await runJob(db, 'expiring-codes', id)).members;
  const { rows } = await sql<{ codes: number; once: number }>`
    with told as (
      select voucher_code as code, count(*) as times
        from happenings
       where commerce_id = ${id} and type = 'voucher.expiring'
       group by voucher_code
    )
    select count(*) as codes, count(*) filter (where told.times = 1) as once
      from vouchers v
      join commerces c on c.id = v.commerce_id
      left join told on told.code = v.code
     where v.commerce_id = ${id} and v.due_at > program_now(c.clock_offset)
       and v.due_at <= program_now(c.clock_offset) + make_interval(days => ${DAYS_BEFORE_END})`.execute(db);
  const { codes, once } = rows[0]!;
  assert.ok(codes > 0);
  assert.equal(once, codes);
  return members;
}

/** Something that changes with whatever a job does. */
async function effectsOf(db: Database, { id }: Shop): Promise<string> {
  const { rows } = await sql<{ effects: string }>`
    select concat_ws('/',
             (select count(*) from movements where commerce_id = ${id} and type = 'expiry'),
             (select sum(tier_expires_on - date '2027-01-01') from members where commerce_id = ${id}),
             (select count(*) from rewards where commerce_id = ${id}),
             (select count(*) from reminders where commerce_id = ${id}),
             (select count(*) from happenings where commerce_id = ${id} and type = 'voucher.expiring'),
             (select counted_to from report_progress where commerce_id = ${id})) as effects`.execute(db);
  return rows[0]!.effects;
}

/** Compares with a shop of the same year whose jobs ran once, in one go; what a run in time hands out has a key. */
async function assertAsIfNeverKilled(t: TestContext, db: Database, shop: Shop): Promise<void> {
  const twin = await liveAYear(db);
  await setClock(db, twin.id, new Date(END_OF_DATA + ROUNDS * DAYS_A_ROUND * DAY_MS));
  await runDueJobs(db, twin.id);
  const { rows } = await sql<{ expiries: number; differing: number; standings: number }>`
    with expiries as (
      select m.commerce_id, m.email, e.at, e.points, e.split
        from movements e
        join members m on m.commerce_id = e.commerce_id and m.id = e.member_id
       where e.type = 'expiry'
    ), standings as (
      select commerce_id, email, tier_id, tier_reached_at, tier_expires_on, tier_expired,
             tier_period_base_points, tier_climb_base_points, points_earned
        from members
    )
    select (select count(*) from expiries where commerce_id = ${shop.id}) as expiries,
           (select count(*)
              from (select email, at, points, split from expiries where commerce_id = ${shop.id}) a
              full join (select email, at, points, split from expiries where commerce_id = ${twin.id}) b
                   using (email, at, points, split)
             where a is null or b is null) as differing,
           (select count(*)
              from (select * from standings where commerce_id = ${shop.id}) a
              join (select * from standings where commerce_id = ${twin.id}) b using (email)
             where (to_jsonb(a) - 'commerce_id' - 'tier_reached_at') <> (to_jsonb(b) - 'commerce_id' - 'tier_reached_at')
                or date_trunc('minute', a.tier_reached_at) <> date_trunc('minute', b.tier_reached_at)) as standings`.execute(
    db,
  );
  assert.deepEqual(rows[0], { expiries: 12 * MEMBERS, differing: 0, standings: 0 });

  const { rows: keyed } = await sql<
    Record<'cakes' | 'birthdays' | 'mails' | 'reminders' | 'told' | 'codes', number>
  >`
    select (select count(*) from vouchers where commerce_id = ${shop.id} and source = 'birthday') as cakes,
           (select count(*) from rewards where commerce_id = ${shop.id} and event = 'birthday') as birthdays,
           (select count(*) from outbox where commerce_id = ${shop.id} and kind = 'expiry-reminder') as mails,
           (select count(*) from reminders where commerce_id = ${shop.id}) as reminders,
           (select count(*) from happenings where commerce_id = ${shop.id} and type = 'voucher.expiring') as told,
           (select count(distinct voucher_code)
              from happenings where commerce_id = ${shop.id} and type = 'voucher.expiring') as codes`.execute(
    db,
  );
  const { cakes, birthdays, mails, reminders, told, codes } = keyed[0]!;
  assert.deepEqual([cakes, mails, told], [birthdays, reminders, codes]);
  if (ROUNDS >= 50) assert.ok(cakes > 0 && mails > 0 && told > 0);
  t.diagnostic(
    `${12 * MEMBERS} expiries, ${cakes} birthday benefits, ${mails} reminders and ${told} ends of codes, each once`,
  );
}
