/** The acts of a manager for a person or on one, through the routes. The use cases have tests of their own. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { sql } from '#db/database.ts';
import { assertBooksAgree } from '#test/books.ts';
import { service, type Answer } from '#test/harness.ts';
import { benefit, makeShop, type MadeMember, type Shop } from '#test/make.ts';
import { someone } from '#test/sign-in.ts';
import { makeStaff, makeStaffKey, type BackOffice, type MadeStaff } from '#test/staff.ts';
import type { AuditPage, ErasedMember, Found, MemberPage, TillVoucher } from '../../../sdk/src/admin.ts';

const { db } = await service();

test('a blocked member buys nothing until the block is lifted, and the page says why', async () => {
  const { shop, manager, member, id } = await opened();
  const blocked = await manager.post(`members/${id}/block`, { reason: 'the card was stolen' });
  const page = blocked.body as MemberPage;
  assert.deepEqual([blocked.status, page.state, page.block_reason], [200, 'blocked', 'the card was stolen']);
  assert.deepEqual(page, (await manager.get(`members/${id}`)).body);
  const refused = await manager.post('purchases', { member_id: id, amount: 5 }, key());
  assert.deepEqual(codeOf(refused), [403, 'not_eligible']);
  assert.deepEqual(codeOf(await manager.post(`members/${id}/block`, { reason: 'x' })), [
    400,
    'already_blocked',
  ]);
  const free = await manager.post(`members/${id}/unblock`, {});
  assert.deepEqual([free.status, (free.body as MemberPage).state], [200, 'member']);
  assert.deepEqual(codeOf(await manager.post(`members/${id}/unblock`, {})), [400, 'not_blocked']);
  assert.equal((await manager.post('purchases', { member_id: id, amount: 5 }, key())).status, 201);
  assert.equal(member.code, page.client_code);
  await assertBooksAgree(db, shop.id);
});

test('an edited profile is the one that the member sees, and the audit has what was', async () => {
  const { shop, manager, member, id } = await opened();
  const edited = await manager.patch(`members/${id}/profile`, {
    username: 'Eva Marín',
    phone: '+351912345678',
    birth_date: '1990-05-14',
  });
  const { username, phone, birth_date: birthDate } = edited.body as MemberPage;
  assert.deepEqual(
    [edited.status, username, phone, birthDate],
    [200, 'Eva Marín', '+351912345678', '1990-05-14'],
  );
  const me = (await (await shop.browser(member)).get('/v1/me/profile')).body;
  assert.deepEqual(me, { username, phone, birth_date: birthDate });
  await manager.patch(`members/${id}/profile`, { phone: null });
  const { results } = (await manager.get(`audit?member_id=${id}`)).body as AuditPage;
  assert.deepEqual(
    results.map(({ action, before, after }) => [action, before, after]),
    [
      ['member.edit', { phone: '+351912345678' }, { phone: null }],
      [
        'member.edit',
        { username: member.email.split('@')[0], phone: null, birth_date: null },
        { username, phone, birth_date: birthDate },
      ],
    ],
  );
  for (const wrong of [{ phone: '12' }, { username: '' }, { birth_date: '2999-01-01' }])
    assert.equal((await manager.patch(`members/${id}/profile`, wrong)).status, 422);
});

test('a person whose points wait is invited again, once a day', async () => {
  const { shop, manager, id } = await opened();
  const email = someone('waiting');
  await manager.post('purchases', { client_email: email, amount: 5 }, key());
  const waiting = await memberIdOf(manager, email);
  await sql`
    update members set invited_at = now() - interval '2 days' where commerce_id = ${shop.id} and email = ${email}`.execute(
    db,
  );
  await sql`
    update invitations set sent_at = now() - interval '2 days' where commerce_id = ${shop.id}`.execute(db);
  assert.equal((await manager.post(`members/${waiting}/invitation`, {})).status, 200);
  assert.deepEqual(codeOf(await manager.post(`members/${waiting}/invitation`, {})), [400, 'invited_lately']);
  assert.deepEqual(codeOf(await manager.post(`members/${id}/invitation`, {})), [400, 'already_joined']);
});

test('the document about a person has the history, and another commerce’s person has none', async () => {
  const { shop, manager, member, id } = await opened();
  await shop.sell(member, 12);
  const { status, body, headers } = await manager.get(`members/${id}/data`);
  const data = body as { profile: { email: string }; movements: { amount: number }[] };
  assert.deepEqual(
    [status, data.profile.email, data.movements.map(({ amount }) => amount), headers.get('cache-control')],
    [200, member.email, [12], 'no-store'],
  );
  const there = await opened();
  const [foreign, unknown] = [
    await manager.get(`members/${there.id}/data`),
    await manager.get(`members/${there.id + 1}/data`),
  ];
  assert.deepEqual([foreign.status, foreign.text], [404, unknown.text]);
});

test('the audit says who got the data of a person or of the list, before any of it is read', async () => {
  const { manager, id } = await opened();
  assert.equal((await manager.get(`members/${id}/data`)).status, 200);
  const { results } = (await manager.get(`audit?member_id=${id}`)).body as AuditPage;
  assert.deepEqual([results[0]!.action, results[0]!.by.kind], ['member.data', 'staff']);
  assert.equal((await manager.post('members/export', {})).status, 200);
  const { rows } = await sql<{ action: string }>`
    select action from audit where staff_id = ${manager.staffId} order by id desc limit 1`.execute(db);
  assert.equal(rows[0]!.action, 'members.export');
});

test('erasing asks for a fresh code and the typed digits, and leaves the books', async () => {
  const { shop, manager, member, id } = await opened();
  const till = await makeStaff(shop, 'cashier');
  await manager.post('purchases', { member_id: id, amount: 90 }, key());
  await manager.post(`members/${id}/adjustments`, { points: 5, reason: `sorry, ${member.email}` }, key());
  const code = await shop.voucher(member, 'coffee');
  const erasure = { confirm: String(member.code), reason: 'asked for it by mail' };
  const script = await makeStaffKey(shop, 'owner');
  assert.deepEqual(codeOf(await script.post(`members/${id}/erasure`, erasure)), [403, 'fresh_code_needed']);
  await manager.goStale();
  assert.deepEqual(codeOf(await manager.post(`members/${id}/erasure`, erasure)), [403, 'fresh_code_needed']);
  const fresh = await makeStaff(shop, 'manager');
  const wrong = await fresh.post(`members/${id}/erasure`, { ...erasure, confirm: '123456789' });
  assert.deepEqual(codeOf(wrong), [400, 'not_confirmed']);
  const erased = await fresh.post(`members/${id}/erasure`, erasure);
  assert.deepEqual([erased.status, erased.body as ErasedMember], [200, { points: 85, codes: 1 }]);

  const page = (await fresh.get(`members/${id}`)).body as MemberPage;
  assert.deepEqual(
    [page.state, page.username, page.email, page.points, page.lifetime.amount],
    ['erased', null, null, 0, 90],
  );
  const stranger = (await till.post('find', { text: member.email })).body as Found;
  assert.equal(stranger.stranger, member.email);
  assert.notEqual(((await till.get(`vouchers/${code}`)).body as TillVoucher).state, 'usable');
  const everything = [
    await fresh.get(`members/${id}/history`),
    await fresh.get(`audit?member_id=${id}`),
    await till.get('till/day'),
    await fresh.get(`members/${id}/data`),
  ];
  for (const { status, text } of everything) {
    assert.equal(status, 200);
    assert.ok(!text.includes(member.email.split('@')[0]!), text);
  }
  assert.deepEqual(codeOf(await fresh.post(`members/${id}/erasure`, erasure)), [400, 'erased']);
  await assertBooksAgree(db, shop.id);
});

interface Opened {
  readonly shop: Shop;
  readonly manager: MadeStaff;
  readonly member: MadeMember;
  readonly id: number;
}

async function opened(): Promise<Opened> {
  const shop = await makeShop({ benefits: [benefit('coffee')] });
  const manager = await makeStaff(shop, 'manager');
  const member = await shop.member();
  return { shop, manager, member, id: await memberIdOf(manager, member.email) };
}

async function memberIdOf(who: BackOffice, email: string): Promise<number> {
  return ((await who.post('find', { text: email })).body as Found).members[0]!.member_id;
}

function codeOf({ status, headers }: Answer) {
  return [status, headers.get('x-error-code')];
}

function key(): Record<string, string> {
  return { 'idempotency-key': randomUUID() };
}
