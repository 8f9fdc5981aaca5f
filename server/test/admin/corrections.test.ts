/** The corrections that a manager makes by hand, through the routes. The use cases have tests of their own. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { assertBooksAgree } from '#test/books.ts';
import { service, type Answer } from '#test/harness.ts';
import { benefit, makeShop, type MadeMember, type Shop } from '#test/make.ts';
import { makeStaff, makeStaffKey, type BackOffice } from '#test/staff.ts';
import type {
  AdjustedPoints,
  AuditPage,
  Found,
  GivenBack,
  MemberHistory,
  MemberPage,
} from '../../../sdk/src/admin.ts';

const { db } = await service();

const PROGRAM = {
  benefits: [benefit('coffee', { cost: 20 })],
  step_up_points: 500,
  levels: {
    threshold_type: 'points',
    ladder: [
      { name: 'Crew', threshold: 0, points_multiplier: 1 },
      { name: 'Captain', threshold: 1000, points_multiplier: 1.5 },
    ],
  },
};

test('an adjustment counts once for each key, with its reason in the history, the audit and the member’s own list', async () => {
  const { shop, member, id } = await opened();
  const manager = await makeStaff(shop, 'manager');
  const keyed = key();
  const adjustment = { points: 50, reason: 'for the long queue' };
  const answers = await Promise.all(
    [1, 2].map(() => manager.post(`members/${id}/adjustments`, adjustment, keyed)),
  );
  assert.deepEqual(
    answers.map(({ status }) => status),
    [201, 201],
  );
  assert.equal(answers[0]!.text, answers[1]!.text);
  const { movement_id: movement, points, balance } = answers[0]!.body as AdjustedPoints;
  assert.deepEqual([points, balance], [50, 50]);
  const [line, ...others] = ((await manager.get(`members/${id}/history`)).body as MemberHistory).results;
  assert.deepEqual(
    [line!.id, line!.kind, line!.points, line!.note, line!.by.kind, others],
    [movement, 'adjustment', 50, 'for the long queue', 'staff', []],
  );
  const [written, ...more] = ((await manager.get(`audit?member_id=${id}`)).body as AuditPage).results;
  assert.deepEqual(
    [written!.action, written!.before, written!.after, written!.reason, more],
    ['points.adjust', { points: 0 }, { points: 50 }, 'for the long queue', []],
  );
  const mine = (await (await shop.browser(member)).get('/v1/me/activity')).body as {
    results: { additional_note: string }[];
  };
  assert.equal(mine.results[0]!.additional_note, 'for the long queue');
  assert.equal((await manager.post(`members/${id}/adjustments`, adjustment)).status, 422);
  for (const wrong of [
    { points: 5 },
    { points: 5, reason: '' },
    { points: 5, reason: 'two\nlines' },
    { points: 5, reason: 'x'.repeat(201) },
    { points: 1.5, reason: 'half' },
  ])
    assert.equal((await manager.post(`members/${id}/adjustments`, wrong, key())).status, 422);
  await assertBooksAgree(db, shop.id);
});

test('more points than the program’s limit ask for a fresh code, which no key has', async () => {
  const { shop, id } = await opened();
  const [manager, script] = [await makeStaff(shop, 'manager'), await makeStaffKey(shop, 'manager')];
  const adjust = (who: BackOffice, points: number) =>
    who.post(`members/${id}/adjustments`, { points, reason: 'a prize' }, key());
  assert.equal((await adjust(manager, 501)).status, 201);
  assert.equal((await adjust(script, 500)).status, 201);
  await manager.goStale();
  for (const refused of [await adjust(manager, 501), await adjust(manager, -501), await adjust(script, 501)])
    assert.deepEqual([refused.status, refused.headers.get('x-error-code')], [403, 'fresh_code_needed']);
  assert.equal((await adjust(manager, -500)).status, 201);
  const page = (await manager.get(`members/${id}`)).body as MemberPage;
  assert.equal(page.points, 501);
  await assertBooksAgree(db, shop.id);
});

test('a pinned tier shows on the page until it is unpinned', async () => {
  const { shop, id } = await opened();
  const manager = await makeStaff(shop, 'manager');
  const pinned = await manager.put(`members/${id}/level`, { level_id: 'captain', reason: 'a founder' });
  const { level } = pinned.body as MemberPage;
  assert.deepEqual([pinned.status, level!.id, level!.is_pinned], [200, 'captain', true]);
  assert.deepEqual(pinned.body, (await manager.get(`members/${id}`)).body);
  const unknown = await manager.put(`members/${id}/level`, { level_id: 'king', reason: 'x' });
  assert.deepEqual([unknown.status, unknown.headers.get('x-error-code')], [400, 'unknown_level']);
  const none = (await manager.put(`members/${id}/level`, { level_id: null, reason: 'x' })).body as MemberPage;
  assert.equal(none.level, null);
  const free = await manager.delete(`members/${id}/level`);
  assert.deepEqual(
    [free.status, (free.body as MemberPage).level!.id, (free.body as MemberPage).level!.is_pinned],
    [200, 'crew', false],
  );
  const { results } = (await manager.get(`audit?member_id=${id}`)).body as AuditPage;
  assert.deepEqual(
    results.map(({ action }) => action),
    ['tier.unpin', 'tier.pin', 'tier.pin'],
  );
  await assertBooksAgree(db, shop.id);
});

test('a code is either redeemed at a till or given back by the manager, never both', async () => {
  const { shop, member, id } = await opened();
  const [manager, till] = [await makeStaff(shop, 'manager'), await makeStaff(shop, 'cashier')];
  await shop.sell(member, 500);
  for (let round = 0; round < 8; round++) {
    const code = await shop.voucher(member, 'coffee');
    const before = ((await manager.get(`members/${id}`)).body as MemberPage).points;
    const [back, used] = await Promise.all([
      manager.post(`vouchers/${code}/return`, { reason: 'changed their mind' }),
      till.post(`vouchers/${code}/redemption`, {}, key()),
    ]);
    assert.deepEqual([back, used].map(({ status }) => status).filter((status) => status === 200).length, 1);
    if (back.status !== 200) continue;
    const { voucher, points, balance } = back.body as GivenBack;
    assert.deepEqual([voucher.state, points, balance], ['given_back', 20, before + 20]);
    assert.deepEqual(codeOf(await till.post(`vouchers/${code}/redemption`, {}, key())), [
      400,
      'voucher_given_back',
    ]);
  }
  await assertBooksAgree(db, shop.id);
});

test('corrections of unknown members and of another commerce’s are the same 404', async () => {
  const { shop } = await opened();
  const manager = await makeStaff(shop, 'manager');
  const there = await opened();
  for (const act of [
    (id: number) => manager.post(`members/${id}/adjustments`, { points: 1, reason: 'x' }, key()),
    (id: number) => manager.put(`members/${id}/level`, { level_id: null, reason: 'x' }),
    (id: number) => manager.delete(`members/${id}/level`),
  ]) {
    const [foreign, unknown, hidden] = [await act(there.id), await act(there.id + 1), await act(7)];
    assert.deepEqual([foreign.status, foreign.text, hidden.text], [404, unknown.text, unknown.text]);
  }
});

interface Opened {
  readonly shop: Shop;
  readonly member: MadeMember;
  readonly id: number;
}

async function opened(): Promise<Opened> {
  const shop = await makeShop(PROGRAM);
  const member = await shop.member();
  const found = await (await makeStaff(shop, 'manager')).post('find', { text: member.email });
  return { shop, member, id: (found.body as Found).members[0]!.member_id };
}

function codeOf({ status, headers }: Answer) {
  return [status, headers.get('x-error-code')];
}

function key(): Record<string, string> {
  return { 'idempotency-key': randomUUID() };
}
