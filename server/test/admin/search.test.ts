/** Finding and listing people through the routes. The search has tests of its own. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { sql } from '#db/database.ts';
import { service } from '#test/harness.ts';
import { makeShop, type Shop } from '#test/make.ts';
import { makeStaff, type BackOffice, type MadeStaff } from '#test/staff.ts';
import type { Found, MemberList, MemberPage, MemberSearch } from '../../../sdk/src/admin.ts';

const { db } = await service();

test('a cashier finds people by the beginnings of words, without accents, at most eight of them', async () => {
  const { shop, till } = await opened();
  await named(shop, 'María José Núñez');
  await named(shop, 'Josefa Marín');
  for (let i = 0; i < 10; i++) await named(shop, `Marcos ${i}`);
  const namesOf = async (text: string) =>
    ((await till.post('find', { text })).body as Found).members.map(({ username }) => username);
  assert.deepEqual(await namesOf('nun mar'), ['María José Núñez']);
  assert.deepEqual(new Set(await namesOf('JOSE mari')), new Set(['María José Núñez', 'Josefa Marín']));
  assert.equal((await namesOf('marc')).length, 8);
});

test('a manager finds people by the beginning of an address, and a cashier only by all of it', async () => {
  const { shop, manager, till } = await opened();
  const member = await shop.member('eva.marin');
  const find = async (who: BackOffice, text: string) =>
    ((await who.post('find', { text })).body as Found).members.map(({ client_code: code }) => code);
  assert.deepEqual(await find(manager, 'eva.marin@exam'), [member.code]);
  assert.deepEqual(await find(till, 'eva.marin@exam'), []);
  assert.deepEqual(await find(till, 'Eva.Marin@example.com'), [member.code]);
});

test('the list meets all its conditions, in pages that belong to them, and equals the members’ pages', async () => {
  const { shop, manager } = await opened();
  const members = [];
  for (let i = 0; i < 7; i++) {
    const member = await shop.member();
    await shop.sell(member, 10 * i + 10);
    members.push(member);
  }
  await shop.leave(members[6]!);
  const list = async (search: MemberSearch) => {
    const { status, body } = await manager.post('members/search', search);
    assert.equal(status, 200);
    return body as MemberList;
  };
  const conditions = { min_points: 20, state: 'member', sort: 'oldest' } as const;
  const first = await list({ ...conditions, limit: 3 });
  const second = await list({ ...conditions, limit: 3, cursor: first.next_cursor! });
  assert.deepEqual(
    [...first.results, ...second.results].map(({ client_code: code }) => code),
    members.slice(1, 6).map(({ code }) => code),
  );
  assert.deepEqual([first.total, second.next_cursor], [5, null]);
  const [row] = first.results;
  const page = (await manager.get(`members/${row!.member_id}`)).body as MemberPage;
  assert.deepEqual(
    [row!.email, row!.points, row!.state, row!.last_purchase_at, row!.amount_spent, row!.purchases],
    [
      page.email,
      page.points,
      page.state,
      page.last_purchase_at,
      page.lifetime.amount,
      page.lifetime.purchases,
    ],
  );
  for (const wrong of [
    { sort: 'oldest', limit: 3, cursor: first.next_cursor },
    { colour: 'red' },
    { limit: 101 },
    { bought_from: 'today' },
  ])
    assert.equal((await manager.post('members/search', wrong)).status, 422);
  const other = await opened();
  const { results } = (await other.manager.post('members/search', {})).body as MemberList;
  assert.deepEqual(results, []);
});

test('the exported list is CSV in which no name is a formula', async () => {
  const { shop, manager } = await opened();
  await named(shop, '=HYPERLINK("http://evil.example")');
  await shop.sell(await shop.member(), 5);
  const { status, headers, text } = await manager.post('members/export', { min_points: 0, sort: 'oldest' });
  assert.deepEqual([status, headers.get('content-type')], [200, 'text/csv; charset=utf-8']);
  const [names, evil, other, end] = text.replace('\ufeff', '').split('\r\n');
  assert.match(names!, /^client_code,username,email,state,level,points/);
  assert.match(evil!, /^\d{9},"'=HYPERLINK/);
  assert.match(other!, /,member,,5,/);
  assert.equal(end, '');
  assert.equal((await manager.post('members/export', { cursor: 'x' })).status, 422);
});

async function opened(): Promise<{ shop: Shop; manager: MadeStaff; till: MadeStaff }> {
  const shop = await makeShop();
  return { shop, manager: await makeStaff(shop, 'manager'), till: await makeStaff(shop, 'cashier') };
}

async function named(shop: Shop, username: string): Promise<void> {
  const member = await shop.member(`n-${randomUUID()}`);
  await sql`
    update members set username = ${username} where commerce_id = ${shop.id} and id = ${member.memberId}`.execute(
    db,
  );
}
