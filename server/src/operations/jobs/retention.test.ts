import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql, transaction, type Database } from '#db/database.ts';
import { assertBooksAgree } from '#test/books.ts';
import { deleteOldOrderLines } from '#orders/delete-old-lines.ts';
import { earlier } from '#test/earlier.ts';
import { call, service } from '#test/harness.ts';
import { makeShop, type Shop } from '#test/make.ts';
import { signIn, someone } from '#test/sign-in.ts';
import { findTraces } from '#test/traces.ts';
import { withoutSetting } from '#test/on-cluster.ts';
import { DEFAULT_SETTINGS } from './job.ts';
import { runJob } from './run-jobs.ts';

const { db } = await service();

const buy = (shop: Shop, email: string) =>
  shop.post('/v1/consumptions/email', { client_email: email, amount: 500 });

/** Lets a person and all movements be so old, as the ledger itself never allows. */
async function letPass(shop: Shop, email: string, age: string): Promise<void> {
  await transaction(db, async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx);
    await sql`
      with person as (
        update members set created_at = ${earlier('created_at', age)}
         where commerce_id = ${shop.id} and email = ${email} returning id
      )
      update movements set recorded_at = ${earlier('recorded_at', age)}
       where commerce_id = ${shop.id} and member_id = (select id from person)`.execute(tx);
  });
}

async function peopleOf(shop: Shop): Promise<(string | null)[]> {
  const { rows } = await sql<{ email: string | null }>`
    select email from members where commerce_id = ${shop.id} order by id`.execute(db);
  return rows.map(({ email }) => email);
}

test('an address that nobody has claimed for 24 months is erased, and the books still agree', async () => {
  const shop = await makeShop();
  const [old, young, regular, member, blocked] = ['old', 'young', 'regular', 'member', 'blocked'].map(
    someone,
  );
  for (const email of [old!, young!, regular!, blocked!]) await buy(shop, email);
  await signIn(shop.id, member!);
  for (const email of [old!, regular!, member!, blocked!]) await letPass(shop, email, '25 months');
  await letPass(shop, young!, '23 months');
  await buy(shop, regular!);
  await sql`update members set blocked_at = now() where commerce_id = ${shop.id} and email = ${blocked}`.execute(
    db,
  );

  assert.deepEqual(await runJob(db, 'retention', shop.id), { members: 1, failures: [] });
  assert.deepEqual(await peopleOf(shop), [null, young, regular, blocked, member]);
  assert.deepEqual(await findTraces(db, old!, null), []);
  await assertBooksAgree(db, shop.id);
  assert.deepEqual(await runJob(db, 'retention', shop.id), { members: 0, failures: [] });

  const again = await buy(shop, old!);
  assert.equal(again.status, 201, 'the address is new again');
});

test('points that expire or get another day meanwhile prolong nothing', async () => {
  const rolling = (months: number) => ({ points_expiration: { mode: 'rolling', months } });
  const shop = await makeShop({ sandbox: true, ...rolling(12) });
  const [expired, redated] = [someone('expired'), someone('redated')];
  for (const email of [expired, redated]) {
    await buy(shop, email);
    await letPass(shop, email, '25 months');
  }
  await shop.moveClock('13 months');
  assert.equal((await runJob(db, 'expire-points', shop.id)).members, 2);
  await buy(shop, redated);
  await letPass(shop, redated, '25 months');
  await shop.apply({ sandbox: true, ...rolling(6) });
  assert.deepEqual(await runJob(db, 'retention', shop.id), { members: 2, failures: [] });
  assert.deepEqual(await peopleOf(shop), [null, null]);
});

test('what cannot be deleted keeps nobody from being erased, and the job says that it failed', async () => {
  const shop = await makeShop();
  const email = someone('waits-too');
  await buy(shop, email);
  await letPass(shop, email, '25 months');
  const query: Database['query'] = (text, values) =>
    /delete from "?outbox/.test(text) ? Promise.reject(new Error('too slow')) : db.query(text, values);
  await assert.rejects(runJob({ ...db, query }, 'retention'), /too slow/);
  assert.deepEqual(await peopleOf(shop), [null]);
});

for (const table of ['sign_in_codes', 'outbox'])
  test(`if ${table} cannot be cleared, the rows of other tables are deleted in time all the same`, async () => {
    await sql`insert into sign_in_networks values (${`of ${table}`}, array[now() - interval '2 days'])`.execute(
      db,
    );
    await sql`
      insert into set_ups (token_hash, for_first, expires_at)
      values (sha256(${`of ${table}`}::bytea), false, now() - interval '31 days')`.execute(db);
    const query: Database['query'] = (text, values) =>
      text.includes(`delete from "${table}"`)
        ? Promise.reject(new Error(`${table} is broken`))
        : db.query(text, values);
    await assert.rejects(runJob({ ...db, query }, 'retention'), { message: `${table} is broken` });
    const { rows } = await sql`
      select from sign_in_networks where network = ${`of ${table}`}
      union all
      select from set_ups where token_hash = sha256(${`of ${table}`}::bytea)`.execute(db);
    assert.equal(rows.length, 0);
  });

test('the months are a setting, and 0 keeps every address', async () => {
  const shop = await makeShop();
  const email = someone('waits');
  await buy(shop, email);
  await letPass(shop, email, '7 months');
  const erased = async (unclaimedMonths: number) =>
    (await runJob(db, 'retention', shop.id, { settings: { ...DEFAULT_SETTINGS, unclaimedMonths } })).members;
  assert.equal(await erased(0), 0);
  assert.equal(await erased(8), 0);
  assert.equal(await erased(6), 1);
});

test('the lines of orders are deleted after their months, and the orders stay', async () => {
  const shop = await makeShop();
  const member = await shop.member();
  for (const id of ['old', 'new'])
    await call('PUT', `/v1/orders/${id}`, {
      headers: { authorization: `Bearer ${shop.key}` },
      body: {
        client_code: member.code,
        status: 'paid',
        paid: 5,
        refunded: 0,
        codes: [],
        version: 1,
        lines: [{ id: '1', amount: 5 }],
      },
    });
  await sql`
    update order_lines set stored_at = now() - interval '25 months'
     where commerce_id = ${shop.id} and external_id = 'old'`.execute(db);
  const left = async (orderLinesMonths: number) => {
    await deleteOldOrderLines(db, orderLinesMonths);
    const { rows } = await sql<{ id: string }>`
      select external_id as id from order_lines where commerce_id = ${shop.id}`.execute(db);
    return rows.map(({ id }) => id).toSorted((a, b) => a.localeCompare(b));
  };
  assert.deepEqual(await left(0), ['new', 'old']);
  assert.deepEqual(await left(26), ['new', 'old']);
  assert.deepEqual(await left(24), ['new']);
  const { rows } = await sql`select from orders where commerce_id = ${shop.id}`.execute(db);
  assert.equal(rows.length, 2);
});

test('people who join at the moment when they would be erased are either members with their points or erased', async () => {
  const shop = await makeShop();
  const emails = Array.from({ length: 6 }, (_, i) => someone(`racer-${i}`));
  for (const email of emails) {
    await buy(shop, email);
    await letPass(shop, email, '25 months');
  }
  await Promise.all([
    runJob(db, 'retention', shop.id),
    ...emails.map((email) => signIn(shop.id, email)),
    runJob(db, 'retention', shop.id),
  ]);
  const { rows } = await sql<{ email: string; people: number; points: number }>`
    select email, count(*)::integer as people, sum(points_earned)::integer as points
      from members where commerce_id = ${shop.id} and email is not null and state = 'member' group by email`.execute(
    db,
  );
  assert.deepEqual(rows.map(({ email }) => email).toSorted(), emails.toSorted());
  for (const { people } of rows) assert.equal(people, 1);
  await assertBooksAgree(db, shop.id);
});

test('sent mails and ended set-up links go after 30 days, and what waits stays', async () => {
  const shop = await makeShop();
  const mail = async (more: { sent?: string; created: string }) => {
    const { rows } = await sql<{ id: number }>`
      insert into outbox (commerce_id, kind, recipient, content, created_at, sent_at)
      values (${shop.id}, 'test', 'kept@example.com', '{}', now() - ${more.created}::interval, now() - ${more.sent ?? null}::interval)
      returning id`.execute(db);
    return rows[0]!.id;
  };
  const gone = await mail({ created: '32 days', sent: '31 days' });
  const recent = await mail({ created: '32 days', sent: '29 days' });
  await sql`
    insert into set_ups (token_hash, for_first, expires_at)
    values (sha256(${`old ${shop.id}`}::bytea), false, now() - interval '31 days'),
           (sha256(${`new ${shop.id}`}::bytea), false, now() + interval '1 hour')`.execute(db);
  await runJob(db, 'retention');
  const { rows } = await sql<{ id: number }>`select id from outbox where id in (${gone}, ${recent})`.execute(
    db,
  );
  assert.deepEqual(rows, [{ id: recent }]);
  const links = await sql<{ left: number }>`
    select count(*)::integer as left from set_ups
     where token_hash in (sha256(${`old ${shop.id}`}::bytea), sha256(${`new ${shop.id}`}::bytea))`.execute(
    db,
  );
  assert.equal(links.rows[0]!.left, 1);
});

test(
  'no row is waited for: what somebody else has locked stays for the next time',
  { skip: withoutSetting('a statement over all machines can lock no row, and waits') },
  async () => {
    const shop = await makeShop();
    const { rows } = await sql<{ id: number }>`
    insert into outbox (commerce_id, kind, recipient, content, sent_at)
    select ${shop.id}, 'test', 'locked@example.com', '{}', now() - interval '31 days' from generate_series(1, 2)
    returning id`.execute(db);
    const [locked, free] = rows.map(({ id }) => id);
    const left = async () => {
      const found = await sql<{ id: number }>`select id from outbox where id in (${locked}, ${free})`.execute(
        db,
      );
      return found.rows.map(({ id }) => id);
    };
    await transaction(db, async (tx) => {
      await sql`select from outbox where id = ${locked} for update`.execute(tx);
      await runJob(db, 'retention');
      assert.deepEqual(await left(), [locked]);
    });
    await runJob(db, 'retention');
    assert.deepEqual(await left(), []);
  },
);

test('a key of two years ago still answers a repeated purchase with its first response', async () => {
  const shop = await makeShop();
  const email = someone('key');
  const body = { client_email: email, amount: 500 };
  const first = await shop.post('/v1/consumptions/email', body, { 'idempotency-key': 'for ever' });
  await sql`update idempotency_keys set created_at = ${earlier('created_at', '25 months')} where commerce_id = ${shop.id}`.execute(
    db,
  );
  await letPass(shop, email, '25 months');
  assert.equal((await runJob(db, 'retention', shop.id)).members, 1);
  const replay = await shop.post('/v1/consumptions/email', body, { 'idempotency-key': 'for ever' });
  assert.equal(replay.headers.get('idempotency-replayed'), 'true');
  assert.deepEqual([replay.status, replay.body], [first.status, first.body]);
});
