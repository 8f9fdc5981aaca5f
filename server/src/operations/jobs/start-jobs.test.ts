import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDatabase, sql, transaction } from '#db/database.ts';
import { breakMember } from '#test/break-member.ts';
import { service } from '#test/harness.ts';
import { makeShop } from '#test/make.ts';
import { isOnNodes } from '#test/on-cluster.ts';
import { HELD_UP } from './job.ts';
import { jobNames } from './run-jobs.ts';
import { startJobs } from './start-jobs.ts';

test('jobs run on their own, in one of several processes at a time, and can be stopped', async () => {
  const { db } = await service();
  const shop = await makeShop({ sandbox: true, points_expiration: { mode: 'rolling', months: 1 } });
  const member = await shop.member();
  await shop.post('/v1/consumptions/client-code', { client_code: member.code, amount: 10 });
  await sql`update commerces set clock_offset = '3 months' where id = ${shop.id}`.execute(db);

  const failures: unknown[] = [];
  const log = { info: () => {}, warn: () => {}, error: (failure: unknown) => failures.push(failure) };
  const running = Array.from({ length: 3 }, () => startJobs(db, log));
  for (const jobs of running) await jobs.stop();
  const expiries = await count(sql`movements where commerce_id = ${shop.id} and type = 'expiry'`);
  assert.ok(expiries <= 1);

  await sql`delete from jobs`.execute(db);
  const again = startJobs(db, log);
  await waitFor(async () => (await count(sql`jobs where finished_at is not null`)) === jobNames.length);
  await again.stop();
  assert.equal(await count(sql`movements where commerce_id = ${shop.id} and type = 'expiry'`), 1);
  assert.equal(await count(sql`jobs where leased_until is not null`), 0);
  assert.deepEqual(failures, []);

  async function count(from: ReturnType<typeof sql>): Promise<number> {
    const { rows } = await sql<{ count: number }>`select count(*) from ${from}`.execute(db);
    return rows[0]!.count;
  }
});

test('a failure is logged once with its shop and member, and stored in the row of the job', async () => {
  const { db } = await service();
  const shop = await makeShop({ sandbox: true, points_expiration: { mode: 'rolling', months: 1 } });
  const [broken, healthy] = [await shop.member(), await shop.member()];
  for (const member of [broken, healthy]) await shop.sell(member, 10);
  await breakMember(db, broken.memberId);
  await sql`update commerces set clock_offset = '3 months' where id = ${shop.id}`.execute(db);
  await sql`delete from jobs`.execute(db);

  const failures: object[] = [];
  const log = { info: () => {}, warn: () => {}, error: (failure: object) => failures.push(failure) };
  const jobs = startJobs(db, log, { everyMs: 40 });
  const rounds = async () => (await jobRow())?.['finished_at'];
  const first = await until(rounds);
  await until(async () => ((await rounds()) === first ? undefined : true));
  await until(async () => ((await rounds()) === first ? undefined : true));
  await jobs.stop();

  assert.deepEqual(
    failures.map(({ err, ...rest }: { err?: unknown }) => [String(err), rest]),
    [
      [
        `error: member ${broken.memberId} is broken`,
        { job: 'expire-points', commerceId: shop.id, commerce: shop.slug, memberId: broken.memberId },
      ],
    ],
  );
  const { last_error: error } = (await jobRow())!;
  assert.equal(error, `${shop.slug}, member ${broken.memberId}: member ${broken.memberId} is broken`);
  const { rows } = await sql`
    select 1 from movements where member_id = ${healthy.memberId} and type = 'expiry'`.execute(db);
  assert.equal(rows.length, 1);

  async function jobRow(): Promise<Record<string, string | null> | undefined> {
    const { rows } = await sql<Record<string, string | null>>`
      select finished_at::text, last_error from jobs where name = 'expire-points'`.execute(db);
    return rows[0];
  }
});

test('a job that takes longer than its lease stays with its process, and one that was taken over is left to the other', async () => {
  const { db } = await service();
  const shop = await makeShop({ sandbox: true, points_expiration: { mode: 'rolling', months: 1 } });
  const member = await shop.member();
  await shop.sell(member, 10);
  await sql`update commerces set clock_offset = '3 months' where id = ${shop.id}`.execute(db);
  await sql`delete from jobs`.execute(db);
  const [locked, letGo] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const holding = transaction(db, async (tx) => {
    await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx);
    await sql`select from members where commerce_id = ${shop.id} and id = ${member.memberId} for update`.execute(
      tx,
    );
    locked.resolve();
    await letGo.promise;
  });
  await locked.promise;
  const jobs = startJobs(
    db,
    { info: () => {}, warn: () => {}, error: () => {} },
    { everyMs: 40, leaseMs: 100 },
  );

  const readLease = async () => {
    const { rows } = await sql<{ startedAt: string; until: string }>`
      select started_at::text as "startedAt", leased_until::text as until
        from jobs where name = 'expire-points' and leased_until is not null`.execute(db);
    return rows[0];
  };
  let before = await until(readLease);
  await until(async () => {
    const now = await readLease();
    if (now?.startedAt === before.startedAt && now.until > before.until) return true;
    before = now ?? before;
    return null;
  });

  await until(async () => {
    const { rows } = await sql`
      update jobs set started_at = started_at + interval '1 second', leased_until = now() + interval '1 hour'
       where name = 'expire-points' and leased_until > now()
      returning 1`.execute(db);
    return rows[0];
  });
  const others = await readLease();
  letGo.resolve();
  await holding;
  await jobs.stop();
  assert.deepEqual(await readLease(), others);
  await sql`delete from jobs`.execute(db);
});

test('no other job waits while the books are checked', async () => {
  const { db } = await service();
  await sql`delete from jobs`.execute(db);
  const readStart = async (name: string) => {
    const { rows } = await sql<{ at: string; isRunning: boolean }>`
      select started_at::text as at, leased_until is not null as "isRunning" from jobs where name = ${name}`.execute(
      db,
    );
    return rows[0];
  };
  await transaction(db, async (tx) => {
    await sql`savepoint unlocked`.execute(tx);
    await sql`lock table ledger_checks in access exclusive mode`.execute(tx);
    const jobs = startJobs(db, { info: () => {}, warn: () => {}, error: () => {} }, { everyMs: 40 });
    const check = await until(() => readStart('verify'));
    const first = await until(() => readStart('birthdays'));
    await until(async () => ((await readStart('birthdays'))?.at === first.at ? null : true));
    assert.deepEqual(await readStart('verify'), { at: check.at, isRunning: true });
    await sql`rollback to savepoint unlocked`.execute(tx);
    await jobs.stop();
  });
});

test('a round that an open transaction holds up is not finished and says so, and one that is stopped says nothing', async () => {
  const { db } = await service();
  const shop = await makeShop();
  await shop.sell(await shop.member(), 10);
  await sql`delete from jobs`.execute(db);
  const [begun, letGo] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const writer = transaction(db, async (tx) => {
    await sql`lock table movements in row exclusive mode`.execute(tx);
    begun.resolve();
    await letGo.promise;
  });
  await begun.promise;
  const start = () => startJobs(db, { info: () => {}, warn: () => {}, error: () => {} }, { everyMs: 40 });
  const readRound = async (where: ReturnType<typeof sql>) => {
    const { rows } = await sql<{ finished: string | null; failing: string | null; error: string | null }>`
      select finished_at::text as finished, failing_since::text as failing, last_error as error
        from jobs where name = 'reports' and ${where}`.execute(db);
    return rows[0];
  };

  const stopped = start();
  await until(() => readRound(sql`leased_until is not null`));
  await stopped.stop();
  assert.deepEqual(await readRound(sql`leased_until is null`), {
    finished: null,
    failing: null,
    error: null,
  });

  const jobs = start();
  await until(() => readRound(sql`leased_until is not null`));
  assert.deepEqual(await until(() => readRound(sql`leased_until is null`)), {
    finished: null,
    failing: null,
    error: HELD_UP,
  });
  letGo.resolve();
  await writer;
  const finished = await until(() => readRound(sql`finished_at is not null`));
  await jobs.stop();
  assert.deepEqual([finished.failing, finished.error], [null, null]);
});

/** Asks repeatedly until there is an answer. */
async function until<T>(ask: () => Promise<T | null | undefined>): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (answer !== null && answer !== undefined) return answer;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

async function waitFor(reached: () => Promise<boolean>): Promise<void> {
  while (!(await reached())) await new Promise((resolve) => setTimeout(resolve, 20));
}

test(
  'a process whose database was made a cluster runs no job',
  { skip: !isOnNodes && 'this is one server' },
  async () => {
    const { db } = await service();
    await sql`delete from jobs`.execute(db);
    const unaware = openDatabase({ ...db.address, cluster: null, poolSize: 2 });
    const said: string[] = [];
    const log = { info: () => {}, warn: () => {}, error: (_: unknown, words: string) => said.push(words) };
    const jobs = startJobs(unaware, log as unknown as Parameters<typeof startJobs>[1]);
    await waitFor(async () => said.length > 0);
    await jobs.stop();
    await unaware.destroy();
    assert.deepEqual(said, ['no job runs']);
    assert.deepEqual((await sql`select name from jobs`.execute(db)).rows, []);
  },
);
