import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Registry } from 'prom-client';
import { sql, transaction, type Database } from '#db/database.ts';
import { storeLedgerChecks } from '#books/ledger-checks.ts';
import { anotherDatabase, expectTampering } from '#test/database.ts';
import { onOneServer } from '#test/on-cluster.ts';
import { readStatus } from './read-status.ts';
import { showStatus } from './status-metrics.ts';

test('the status of a database in which nothing has happened is read without an error', async () => {
  const status = await readStatus(await anotherDatabase());
  assert.deepEqual(status.outbox, {
    urgent: { waiting: 0, oldestSeconds: 0 },
    ordinary: { waiting: 0, oldestSeconds: 0 },
  });
  assert.deepEqual(status.jobs, []);
  assert.deepEqual(status.ledger, {
    differences: 0,
    checkedAt: null,
    unchecked: 0,
    sealed: 0,
    sealedAt: null,
    rewritten: 0,
  });
  assert.deepEqual(status.webhooks, { enabled: 0, failing: 0, disabled: 0, lateSeconds: 0 });
  assert.ok(Math.abs(status.server.clockAheadSeconds) < 60);
  assert.ok(status.server.connections >= 1);
  assert.ok(status.server.mostConnections >= status.server.connections);
});

test('the outbox, the jobs and the books are shown as they are, and closed commerces are left out', async () => {
  const db = await anotherDatabase();
  const [open, failing, closed] = await addCommerces(db, ['active', 'active', 'closed']);
  await sql`
    insert into outbox (commerce_id, kind, recipient, content, urgent, created_at, sent_at, failed_at)
    values (${open}, 'invitation', 'a@example.com', '{}', false, now() - interval '900 s', null, null),
           (${open}, 'invitation', 'b@example.com', '{}', false, now() - interval '9000 s', now(), null),
           (${open}, 'sign-in-code', 'c@example.com', '{}', true, now() - interval '90 s', null, null),
           (${open}, 'sign-in-code', 'd@example.com', '{}', true, now() - interval '9000 s', null, now())`.execute(
    db,
  );
  await sql`
    insert into jobs (name, started_at, finished_at, ran_seconds, failing_since)
    values ('birthdays', to_timestamp(1000), to_timestamp(900), 2.5, to_timestamp(800)),
           ('reports', to_timestamp(2000), null, null, null)`.execute(db);
  await sql`
    insert into commerce_jobs (commerce_id, job, failing_since, last_error)
    values (${failing}, 'birthdays', now(), 'broken'), (${open}, 'birthdays', null, null)`.execute(db);
  await storeLedgerChecks(db, [
    { commerceId: open!, lastMovement: 7, differences: 1 },
    { commerceId: closed!, lastMovement: null, differences: 5 },
  ]);
  await storeLedgerChecks(db, [{ commerceId: open!, lastMovement: 9, differences: 2 }]);
  // There are no movements under these seals.
  for (const id of [open!, failing!, closed!]) expectTampering(id);
  await sql`
    insert into seal_logs (commerce_id, origin, size, sealed_at, rewritten_at, rewritten_in)
    values (${open}, 'a', 7, to_timestamp(3000), now(), '/heads'), (${failing}, 'b', 5, to_timestamp(2000), null, null),
           (${closed}, 'c', 3, now(), now(), '/heads')`.execute(db);

  await sql`
    insert into watched_work (name, succeeded_at, failing_since) values ('backup', to_timestamp(4000), to_timestamp(5000))`.execute(
    db,
  );
  const { outbox, jobs, work, ledger } = await readStatus(db);
  assert.deepEqual(work, [{ name: 'backup', succeededAt: 4000, failingSince: 5000 }]);
  assert.equal(outbox.ordinary.waiting, 1);
  assert.ok(outbox.ordinary.oldestSeconds >= 900 && outbox.ordinary.oldestSeconds < 9000);
  assert.equal(outbox.urgent.waiting, 1);
  assert.ok(outbox.urgent.oldestSeconds >= 90 && outbox.urgent.oldestSeconds < 900);
  assert.deepEqual(jobs, [
    {
      job: 'birthdays',
      startedAt: 1000,
      finishedAt: 900,
      seconds: 2.5,
      failingSince: 800,
      failingCommerces: 1,
    },
    {
      job: 'reports',
      startedAt: 2000,
      finishedAt: null,
      seconds: null,
      failingSince: null,
      failingCommerces: 0,
    },
  ]);
  assert.equal(ledger.differences, 2);
  assert.equal(ledger.unchecked, 1);
  assert.deepEqual([ledger.sealed, ledger.sealedAt, ledger.rewritten], [12, 3000, 1]);
  assert.ok(ledger.checkedAt !== null && Date.now() / 1000 - ledger.checkedAt < 60);
});

test('a mail that the server has put off waits, but is no sign that the server is away', async () => {
  const db = await anotherDatabase();
  const [commerceId] = await addCommerces(db, ['active']);
  await sql`
    insert into outbox (commerce_id, kind, recipient, content, urgent, created_at, attempts, put_off)
    values (${commerceId}, 'invitation', 'full@example.com', '{}', false, now() - interval '2 days', 9, true),
           (${commerceId}, 'invitation', 'a@example.com', '{}', false, now() - interval '500 s', 2, false),
           (${commerceId}, 'sign-in-code', 'b@example.com', '{}', true, now() - interval '300 s', 5, true)`.execute(
    db,
  );
  const { urgent, ordinary } = (await readStatus(db)).outbox;
  assert.deepEqual([urgent.waiting, urgent.oldestSeconds], [1, 0]);
  assert.equal(ordinary.waiting, 2);
  assert.ok(ordinary.oldestSeconds >= 500 && ordinary.oldestSeconds < 5_000);
});

test(
  'the connections of all roles are counted, by a role that may not look at them',
  { skip: onOneServer('the role would need a way to each machine') },
  async () => {
    const db = await anotherDatabase();
    const role = `plain_${process.pid}`;
    await transaction(db, async (tx) => {
      await sql`create role ${sql.id(role)}`.execute(tx);
      await sql`grant usage on schema public to ${sql.id(role)}`.execute(tx);
      await sql`grant select on all tables in schema public to ${sql.id(role)}`.execute(tx);
      const all = (await readStatus(tx)).server.connections;
      await sql`set local role ${sql.id(role)}`.execute(tx);
      const seen = (await readStatus(tx)).server.connections;
      assert.ok(all >= 1);
      assert.ok(seen >= 1, `${all} connections, ${seen} of them are seen`);
      await sql`reset role`.execute(tx);
      await sql`drop owned by ${sql.id(role)}`.execute(tx);
      await sql`drop role ${sql.id(role)}`.execute(tx);
    });
  },
);

test('the clock is not wrong because the answer took long', async () => {
  const db = await anotherDatabase();
  const query: Database['query'] = async (text, values) => {
    const answer = await db.query(text, values);
    if (text.includes('watch-server')) await sleep(1_000);
    return answer;
  };
  assert.equal((await readStatus({ ...db, query })).server.clockAheadSeconds, 0);
});

test('a reading that has failed since the start is as late as one that fails later', async () => {
  const registry = new Registry();
  const db = await anotherDatabase();
  const query: Database['query'] = () => Promise.reject(new Error('permission denied for table outbox'));
  const since = Math.floor(Date.now() / 1000);
  const stop = showStatus(registry, { ...db, query }, { warn() {} }, 20);
  await sleep(60);
  const [, read] = /^loyalty_status_read_timestamp_seconds ([\d.]+)$/m.exec(await registry.metrics()) ?? [];
  assert.ok(Number(read) >= since && Number(read) <= Date.now() / 1000, `read at ${read}`);
  stop();
});

test('while the database is away the metrics are answered at once, with what was read last', async () => {
  const db = await anotherDatabase();
  let isAway = false;
  let asked = 0;
  const query: Database['query'] = (text, values) => {
    asked += 1;
    return isAway
      ? Promise.reject(Object.assign(new Error('away'), { code: '57P01' }))
      : db.query(text, values);
  };
  const registry = new Registry();
  const stop = showStatus(
    registry,
    { ...db, query },
    { warn: () => assert.fail('an outage is noted elsewhere') },
    20,
  );
  assert.doesNotMatch(
    await registry.metrics(),
    /^loyalty_ledger_differences \d/m,
    'shown before it was read',
  );
  while (!/^loyalty_ledger_differences 0$/m.test(await registry.metrics())) await sleep(10);
  isAway = true;
  const before = asked;
  const hasAskedAgain = () => asked >= before + 8;
  while (!hasAskedAgain()) await sleep(10);
  const text = await registry.metrics();
  assert.match(text, /^loyalty_ledger_differences 0$/m);
  assert.match(text, /^loyalty_status_read_timestamp_seconds \d+/m);
  stop();
  db.trouble.stop();
});

test('reading the status scans neither the ledger nor the mails that were sent', async () => {
  const db = await anotherDatabase();
  const [commerceId] = await addCommerces(db, ['active']);
  await sql`
    insert into outbox (commerce_id, kind, recipient, content, sent_at)
    select ${commerceId}, 'welcome', 'a@example.com', '{}', now() from generate_series(1, 20000)`.execute(db);
  await sql`analyze outbox`.execute(db);
  const seen: string[] = [];
  const query: Database['query'] = (text, values) => {
    seen.push(text);
    return db.query(text, values);
  };
  await readStatus({ ...db, query });
  for (const text of seen) assert.doesNotMatch(text, /\b(from|join) (movements|members|balances|vouchers)\b/);
  const outbox = seen.find((text) => text.includes('watch-outbox'))!;
  const { rows } = await db.query(`explain ${outbox.replace('$1', '10000')}`, []);
  assert.match(rows.map((row: { 'QUERY PLAN': string }) => row['QUERY PLAN']).join('\n'), /outbox_turns/);
});

async function addCommerces(db: Database, statuses: readonly string[]): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    insert into commerces (slug, status, sandbox, time_zone, program_version)
    select 'shop-' || nth, status, false, 'UTC', 1
      from unnest(${statuses}::text[]) with ordinality s(status, nth)
     order by nth
    returning id`.execute(db);
  return rows.map(({ id }) => id);
}

test('webhooks are counted by state, and what has been due for long is told', async () => {
  const db = await anotherDatabase();
  const [shop] = await addCommerces(db, ['active']);
  await sql`
    insert into webhooks (commerce_id, id, address, name, secret, through, failures, next_at, retry_at, disabled_at, disabled_because)
    select ${shop}, 'we_0000000000000000000' || n, 'https://shop.example/', 'x', 'x', 0, n % 2, now() - n * interval '10 minutes',
           now() - interval '25 minutes', case when n = 3 then now() end, case when n = 3 then 'owner' end
      from generate_series(1, 3) n`.execute(db);
  const { webhooks } = await readStatus(db);
  assert.deepEqual([webhooks.enabled, webhooks.failing, webhooks.disabled], [2, 1, 1]);
  assert.ok(webhooks.lateSeconds >= 1_200 && webhooks.lateSeconds < 1_500, String(webhooks.lateSeconds));
});
