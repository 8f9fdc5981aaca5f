import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type } from 'typebox';
import { createAdminRoutes } from '#admin/admin-routes.ts';
import { createAside } from '#aside/aside.ts';
import { auditedTransaction } from '#audit/audited-transaction.ts';
import type { Actor } from '#audit/audited.ts';
import { LostOffice } from '#audit/store-audit-entry.ts';
import { readInstallationIds } from '#batching/wire-ids.ts';
import { createKey } from '#commerces/api-keys.ts';
import { readCommerce } from '#commerces/commerce.ts';
import { pinTier } from '#corrections/pin-tier.ts';
import { createCaps } from '#base/caps.ts';
import { readFeed } from '#events/feed.ts';
import { openReceiver } from '#test/webhooks/receiver.ts';
import { makeWebhook } from '#test/webhooks/sending.ts';
import { deliveryIdOf } from '#webhooks/delivery-ids.ts';
import { sql, sqlState, type Db, type Tx } from '#db/database.ts';
import { createServer } from '#http/server.ts';
import { findMember } from '#members/lock-members.ts';
import { suppressAddresses } from '#mail/suppressions.ts';
import { blockPerson } from '#member-care/block-person.ts';
import { changeRole } from '#staff/change-role.ts';
import { removeStaff } from '#staff/remove-staff.ts';
import { expectTampering } from '#test/database.ts';
import { service } from '#test/harness.ts';
import { makeShop } from '#test/make.ts';
import { randomPicture } from '#test/pictures.ts';
import { someone } from '#test/sign-in.ts';
import { commandLine, makeStaff, makeStaffKey, type MadeStaff } from '#test/staff.ts';

/** Something that a use case could write. */
const count = (commerceId: number) => async (tx: Tx) => {
  await sql`insert into enrolments (commerce_id, total) values (${commerceId}, 1)
                on conflict (commerce_id) do update set total = enrolments.total + 1`.execute(tx);
  return { answer: 'counted', entry: { action: 'test.count' } };
};

async function countOf(commerceId: number): Promise<number> {
  const { db } = await service();
  const { rows } = await sql<{ total: number }>`
    select total from enrolments where commerce_id = ${commerceId}`.execute(db);
  return rows[0]?.total ?? 0;
}

async function actorOf(staff: MadeStaff, commerceId: number): Promise<Actor> {
  const { db } = await service();
  const { rows } = await sql<{ id: number }>`
    select id from staff_sessions where person_id = ${staff.personId}`.execute(db);
  const sessionId = rows[0]!.id;
  return { kind: 'staff', commerceId, staffId: staff.staffId, sessionId, needed: 'manager', network: '::1' };
}

test('every route of the back office that writes is made by adminAct, and no read is', async () => {
  const { app } = await service();
  const ours = app.routeTable.filter(({ url }) => url.startsWith('/admin/v1/'));
  const wrong = ours.filter(({ method, url, config }) => {
    const isRead = method === 'GET' || method === 'HEAD';
    if (config?.madeBy === 'adminRead') return !isRead && method !== 'POST';
    if (config?.madeBy === 'adminAct') return isRead;
    return !SESSION_ROUTES.has(url) && !SET_UP_ROUTES.has(url);
  });
  assert.deepEqual(
    wrong.map(({ method, url }) => `${String(method)} ${url}`),
    [],
  );
  assert.ok(ours.some(({ config }) => config?.madeBy === 'adminAct'));
});

/** They write the session of the caller, and nothing of a commerce. */
const SESSION_ROUTES: ReadonlySet<string> = new Set([
  '/admin/v1/auth/otp/request',
  '/admin/v1/auth/otp/verify',
  '/admin/v1/auth/link/verify',
  '/admin/v1/auth/step-up/request',
  '/admin/v1/auth/step-up/verify',
  '/admin/v1/auth/logout',
  '/admin/v1/session',
]);

/** Their callers have no role yet. The one that makes a commerce writes its audit itself: `first-shop.test.ts` reads it. */
const SET_UP_ROUTES: ReadonlySet<string> = new Set([
  '/admin/v1/set-up',
  '/admin/v1/set-up/link',
  '/admin/v1/set-up/code',
  '/admin/v1/set-up/claim',
  '/admin/v1/set-up/preview',
  '/admin/v1/set-up/shop',
]);

test('a route that reads cannot write', async () => {
  const { db } = await service();
  const shop = await makeShop();
  const app = await createServer({ log: false, lookups: { ...NOBODY, staffKey: () => owner(shop.id) } });
  const { adminRead } = createAdminRoutes(db, createAside(createCaps()));
  const statements = [
    'insert into users (email) values (null)',
    'update users set email = null',
    'update users as u set email = null',
    'delete\n  from users',
    'with gone as (delete from users returning id) select from gone',
    'truncate users',
    'select 1',
  ];
  for (const [i, text] of statements.entries()) {
    const schema = { operationId: `read${i}`, response: { 200: Type.Object({}) } };
    const read = async (reading: Db) => (await reading.query(text, [])).rows[0] as object;
    app.get(`/admin/v1/${i}`, adminRead({ role: 'owner', schema, read }));
  }
  await app.ready();
  const answers = await Promise.all(
    statements.map((_, i) =>
      app.inject({ url: `/admin/v1/${i}`, headers: { authorization: 'Bearer lk_admin_x' } }),
    ),
  );
  assert.deepEqual(
    answers.map(({ statusCode }) => statusCode),
    [500, 500, 500, 500, 500, 500, 200],
  );
  await app.close();
});

const nobody = () => null;
const NOBODY = { key: nobody, user: nobody, commerce: nobody, staffSession: nobody };
const owner = (commerceId: number) => ({ commerceId, keyId: 1, role: 'owner' as const });

test('nobody changes or deletes a row of the audit, and its texts can only be deleted', async () => {
  const { db } = await service();
  const shop = await makeShop();
  await auditedTransaction(db, commandLine(shop.id), () =>
    Promise.resolve({
      answer: null,
      entry: { action: 'test.text', personal: { reason: 'She asked for it', before: { name: 'A' } } },
    }),
  );
  for (const statement of [
    sql`update audit set action = 'test.other' where commerce_id = ${shop.id}`,
    sql`delete from audit where commerce_id = ${shop.id}`,
    sql`truncate audit cascade`,
    sql`update audit_texts set reason = 'other' where commerce_id = ${shop.id}`,
  ])
    await assert.rejects(statement.execute(db), /the audit is append-only/);
  const { rows } = await sql`
    delete from audit_texts where commerce_id = ${shop.id} returning reason, before`.execute(db);
  assert.deepEqual(rows, [{ reason: 'She asked for it', before: { name: 'A' } }]);
});

test('a write without an entry is rolled back, and still gets its answer', async () => {
  const { db } = await service();
  const shop = await makeShop();
  const answer = await auditedTransaction(db, commandLine(shop.id), async (tx) => ({
    ...(await count(shop.id)(tx)),
    entry: null,
  }));
  assert.equal(answer, 'counted');
  assert.equal(await countOf(shop.id), 0);
});

test('a write of somebody who loses the role while it runs is rolled back', async () => {
  const { db } = await service();
  for (const lose of ['lower', 'remove', 'sign out'] as const) {
    const shop = await makeShop();
    await makeStaff(shop, 'owner');
    const staff = await makeStaff(shop, 'manager');
    const actor = await actorOf(staff, shop.id);
    const losing = async () => {
      if (lose === 'sign out')
        await sql`update staff_sessions set ended_at = now() where person_id = ${staff.personId}`.execute(db);
      else
        await auditedTransaction(db, commandLine(shop.id), (tx) =>
          lose === 'lower'
            ? changeRole(tx, shop.id, staff.staffId, 'cashier')
            : removeStaff(tx, shop.id, staff.staffId),
        );
    };
    const write = auditedTransaction(db, actor, async (tx) => {
      const audited = await count(shop.id)(tx);
      await losing();
      return audited;
    });
    await assert.rejects(write, LostOffice, lose);
    assert.equal(await countOf(shop.id), 0);
  }
});

test('a change of the role waits for a write that has its audit row, so their order is the order of the audit', async () => {
  const { db } = await service();
  const shop = await makeShop();
  const staff = await makeStaff(shop, 'manager');
  const actor = await actorOf(staff, shop.id);
  const client = await db.pool.connect();
  try {
    await client.query('begin');
    // Holds the lock that the last statement of a write holds until the commit.
    await client.query('select from staff where commerce_id = $1 and id = $2 for share', [
      shop.id,
      staff.staffId,
    ]);
    const lowering = auditedTransaction(db, commandLine(shop.id), (tx) =>
      changeRole(tx, shop.id, staff.staffId, 'cashier'),
    );
    const waited = await Promise.race([
      lowering.then(() => 'lowered'),
      new Promise((resolve) => setTimeout(resolve, 300, 'waits')),
    ]);
    assert.equal(waited, 'waits');
    await client.query('commit');
    await lowering;
  } finally {
    client.release();
  }
  await assert.rejects(auditedTransaction(db, actor, count(shop.id)), LostOffice);
});

test('a key that is revoked while its write runs changes nothing', async () => {
  const { db } = await service();
  const shop = await makeShop();
  const { id } = await makeStaffKey(shop, 'manager');
  const actor: Actor = { kind: 'key', commerceId: shop.id, keyId: id, needed: 'manager', network: '::1' };
  await auditedTransaction(db, actor, count(shop.id));
  const write = auditedTransaction(db, actor, async (tx) => {
    const audited = await count(shop.id)(tx);
    await sql`update api_keys set revoked_at = now() where id = ${id}`.execute(db);
    return audited;
  });
  await assert.rejects(write, LostOffice);
  assert.equal(await countOf(shop.id), 1);
  expectTampering(shop.id);
});

test('a person’s writes race the removal: what was answered is in the audit, and nothing else was written', async () => {
  const { db } = await service();
  const shop = await makeShop();
  const ids = await readInstallationIds(db, 'staff');
  const [owner, staff] = [await makeStaff(shop, 'owner'), await makeStaff(shop, 'owner')];
  const invite = async (i: number) => {
    if (i === 10) return owner.delete(`staff/${ids.toWire(staff.staffId)}`);
    return staff.post('staff', { email: someone(), role: 'cashier' });
  };
  const answers = await Promise.all(Array.from({ length: 30 }, (_, i) => invite(i)));
  assert.equal(answers[10]!.status, 200);
  const invited = answers.filter(({ status }) => status === 201).length;
  const others = answers.filter(({ status }) => status !== 201 && status !== 200);
  for (const { status } of others) assert.ok([401, 403, 404, 503].includes(status), String(status));
  const { rows } = await sql<{ audited: number; people: number; late: number }>`
    select count(*) filter (where action = 'staff.invite' and staff_id = ${staff.staffId}) as audited,
           (select count(*) from staff where commerce_id = ${shop.id}) - 2 as people,
           count(*) filter (where staff_id = ${staff.staffId}
                              and id > (select id from audit where commerce_id = ${shop.id} and action = 'staff.remove')) as late
      from audit where commerce_id = ${shop.id}`.execute(db);
  assert.deepEqual(rows[0], { audited: invited, people: invited, late: 0 });
});

test('each route that writes has a call below, with which the next test tries it', async () => {
  const { app } = await service();
  const acts = app.routeTable.filter(({ config }) => config?.madeBy === 'adminAct');
  assert.deepEqual(
    acts.map(({ schema }) => (schema as { operationId: string }).operationId).toSorted(),
    Object.keys(await makeWrites()).toSorted(),
  );
});

test('a write whose audit row cannot be stored is rolled back as a whole, on every route that writes', async () => {
  const { app, db, url } = await service();
  const writes = await makeWrites();
  await sql`
    create function fail_for_a_test() returns trigger language plpgsql as
      $$ begin raise exception 'no audit today' using errcode = 'P0A0D'; end $$`.execute(db);
  await sql`
    create trigger fail_for_a_test before insert on audit for each row execute function fail_for_a_test()`.execute(
    db,
  );
  const before = await contentOf();
  const send = async ({ method, path, body, headers }: Write) =>
    app.inject({
      method,
      url: new URL(`/admin/v1/${path}`, url).href,
      headers,
      ...(body && { payload: body }),
    });
  for (const [name, write] of Object.entries(writes)) {
    assert.equal((await send(write)).statusCode, 500, name);
    assert.deepEqual(await contentOf(), before, name);
  }
  await sql`drop trigger fail_for_a_test on audit`.execute(db);
  for (const [name, write] of Object.entries(writes)) {
    const { statusCode, payload } = await send(write);
    assert.ok(statusCode >= 200 && statusCode < 300, `${name}: ${statusCode} ${payload}`);
  }
});

interface Write {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body?: object;
}

/** A valid call of each route that writes, by its operation. In this order, all of them succeed. */
async function makeWrites(): Promise<Record<string, Write>> {
  const { db } = await service();
  const shop = await makeShop({
    sandbox: true,
    benefits: [{ id: 'coffee', type: 'free_product', title: 'Coffee', cost: 1, product: { name: 'Coffee' } }],
  });
  const { headers } = await makeStaff(shop, 'owner');
  const keyIds = await readInstallationIds(db, 'key');
  const contractKey = async () => keyIds.toWire((await createKey(db, shop.id, 'a test')).id);
  const ids = await readInstallationIds(db, 'staff');
  const colleague = async () => ids.toWire((await makeStaff(shop, 'cashier')).staffId);
  const member = await shop.member();
  await shop.sell(member, 100);
  const [code, other] = [await shop.voucher(member, 'coffee'), await shop.voucher(member, 'coffee')];
  const waiting = someone();
  await shop.post('/v1/consumptions/email', { client_email: waiting, amount: 5 });
  await sql`update invitations set sent_at = now() - interval '2 days' where commerce_id = ${shop.id}`.execute(
    db,
  );
  const held = await shop.member();
  const pin = { commerceId: shop.id, memberId: held.memberId, tierId: null, reason: 'a test' };
  await auditedTransaction(db, commandLine(shop.id), (tx) => pinTier(tx, pin));
  await auditedTransaction(db, commandLine(shop.id), (tx) =>
    blockPerson(tx, shop.id, held.memberId, 'a test'),
  );
  const bounced = await shop.member();
  await suppressAddresses(db, [{ email: bounced.email, reason: 'bounce' }]);
  const invited = (await findMember(db, { commerceId: shop.id, email: waiting }))!;
  const sold = await shop.post('/v1/consumptions/client-code', { client_code: member.code, amount: 20 });
  const purchaseId = sold.headers.get('x-consumption-id');
  const memberIds = await readInstallationIds(db, 'member');
  const memberId = memberIds.toWire(member.memberId);
  const [ofMember, ofHeld] = [`members/${memberId}`, `members/${memberIds.toWire(held.memberId)}`];
  const ofBounced = `members/${memberIds.toWire(bounced.memberId)}`;
  const reason = 'a test';
  const key = (name: string) => ({ ...headers, 'idempotency-key': name });
  const webhook = async () => `webhooks/${await makeWebhook(shop, await openReceiver())}`;
  const [changed, disabled, tested] = [await webhook(), await webhook(), await webhook()];
  await sql`update webhooks set disabled_at = now(), disabled_because = 'owner' where commerce_id = ${shop.id} and id = ${disabled.slice(9)}`.execute(
    db,
  );
  await sql`
    insert into webhook_deliveries (commerce_id, webhook_id, event_id, type, state) values (${shop.id}, ${tested.slice(9)}, 7, 'member.joined', 'failed')`.execute(
    db,
  );
  const { ids: eventIds } = await readFeed(db, shop.id);
  return {
    inviteStaff: { method: 'POST', path: 'staff', headers, body: { email: someone(), role: 'cashier' } },
    changeStaffRole: {
      method: 'PATCH',
      path: `staff/${await colleague()}`,
      headers,
      body: { role: 'manager' },
    },
    signOutStaff: { method: 'POST', path: `staff/${await colleague()}/sign-out`, headers },
    removeStaff: { method: 'DELETE', path: `staff/${await colleague()}`, headers },
    createKey: { method: 'POST', path: 'keys', headers, body: { name: 'online shop' } },
    rotateKey: { method: 'POST', path: `keys/${await contractKey()}/rotation`, headers, body: {} },
    revokeKey: { method: 'POST', path: `keys/${await contractKey()}/revocation`, headers },
    createWebhook: {
      method: 'POST',
      path: 'webhooks',
      headers,
      body: { name: 'mails', url: 'https://shop.example/' },
    },
    changeWebhook: { method: 'PATCH', path: changed, headers, body: { name: 'other' } },
    rotateWebhookSecret: { method: 'POST', path: `${changed}/rotation`, headers },
    enableWebhook: { method: 'POST', path: `${disabled}/enable`, headers, body: {} },
    testWebhook: { method: 'POST', path: `${tested}/test`, headers },
    replayWebhook: { method: 'POST', path: `${tested}/replay`, headers, body: {} },
    replayWebhookDelivery: {
      method: 'POST',
      path: `${tested}/deliveries/${deliveryIdOf(7, eventIds)}/replay`,
      headers,
    },
    disableWebhook: { method: 'POST', path: `${changed}/disable`, headers },
    deleteWebhook: { method: 'DELETE', path: changed, headers },
    recordPurchase: {
      method: 'POST',
      path: 'purchases',
      headers: key('a'),
      body: { member_id: memberId, amount: 10 },
    },
    reversePurchase: {
      method: 'POST',
      path: `purchases/${purchaseId}/reversal`,
      headers: key('c'),
      body: { amount: 5 },
    },
    redeemVoucher: { method: 'POST', path: `vouchers/${code}/redemption`, headers: key('b'), body: {} },
    giveBackVoucher: { method: 'POST', path: `vouchers/${other}/return`, headers, body: { reason } },
    adjustPoints: {
      method: 'POST',
      path: `${ofMember}/adjustments`,
      headers: key('d'),
      body: { points: 5, reason },
    },
    pinLevel: { method: 'PUT', path: `${ofMember}/level`, headers, body: { level_id: null, reason } },
    unpinLevel: { method: 'DELETE', path: `${ofHeld}/level`, headers },
    editProfile: { method: 'PATCH', path: `${ofMember}/profile`, headers, body: { username: 'Eva' } },
    blockMember: { method: 'POST', path: `${ofMember}/block`, headers, body: { reason } },
    unblockMember: { method: 'POST', path: `${ofHeld}/unblock`, headers, body: {} },
    resendInvitation: {
      method: 'POST',
      path: `members/${memberIds.toWire(invited.id)}/invitation`,
      headers,
      body: {},
    },
    liftSuppression: { method: 'DELETE', path: `${ofBounced}/suppression`, headers },
    sendTestMessage: { method: 'POST', path: 'messages/test', headers, body: { kind: 'welcome' } },
    moveClock: { method: 'POST', path: 'clock/moves', headers, body: { count: 1, unit: 'days' } },
    eraseMember: {
      method: 'POST',
      path: `${ofMember}/erasure`,
      headers,
      body: { confirm: String(member.code), reason },
    },
    publishProgram: {
      method: 'POST',
      path: 'program/publish',
      headers,
      body: { program: { ...(await readCommerce(db, shop.id))!.program, name: 'Another' }, base_version: 1 },
    },
    uploadPicture: {
      method: 'POST',
      path: 'pictures',
      headers,
      body: { data: (await randomPicture()).toString('base64') },
    },
  };
}

/** A digest of every table, except when sessions were last seen. */
async function contentOf(): Promise<Record<string, string>> {
  const { db } = await service();
  const { rows: tables } = await sql<{ name: string }>`
    select relname as name from pg_class
     where relkind = 'r' and relnamespace = 'public'::regnamespace
       and relname not in ('staff_sessions', 'api_key_uses', 'problem_calls', 'ignored_fields', 'cluster_heartbeat')
     order by 1`.execute(db);
  const digests = tables.map(async ({ name }) => {
    const { rows } = await sql<{ digest: string }>`
      select md5(coalesce(string_agg(t::text, ';' order by t::text), '')) as digest from ${sql.id(name)} t`.execute(
      db,
    );
    return [name, rows[0]!.digest];
  });
  return Object.fromEntries(await Promise.all(digests)) as Record<string, string>;
}

test('an error of the database is not taken for a lost role', async () => {
  const { db } = await service();
  const shop = await makeShop();
  const entry = { action: 'no action' };
  await assert.rejects(
    auditedTransaction(db, commandLine(shop.id), () => Promise.resolve({ answer: null, entry })),
    (error) => sqlState(error) === '23514',
  );
});
