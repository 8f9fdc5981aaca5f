/** A till takes 3.40, the interface counts 3. Parts that come back are summed with their cents. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { assertBooksAgree } from '#test/books.ts';
import { service, type Answer } from '#test/harness.ts';
import { makeShop, type MadeMember } from '#test/make.ts';
import { makeStaff, type BackOffice } from '#test/staff.ts';
import type { MemberHistory, RecordedPurchase, ReversalPreview, TillMember } from '../../../sdk/src/admin.ts';

const { db } = await service();

test('1.70 twice of 3.40 takes back 3: two, then one, and each line has its cents', async () => {
  const { shop, manager, member, id } = await soldAtTill(3, 40);
  assert.deepEqual(await previewed(manager, id, { amount: 1, cents: 70 }), [2, 2]);
  assert.deepEqual(await returned(manager, id, { amount: 1, cents: 70 }), [2, 2, 1]);
  assert.deepEqual(await previewed(manager, id, { amount: 1, cents: 70 }), [1, 1]);
  assert.deepEqual(await returned(manager, id, { amount: 1, cents: 70 }), [1, 1, 0]);
  assert.equal((await reversal(manager, id, { cents: 1 })).headers.get('x-error-code'), 'already_reversed');
  const lines = await history(manager, member);
  assert.deepEqual(
    lines.map(({ kind, amount, cents, reversed_amount: units, reversed_cents: over, can }) => [
      kind,
      amount,
      cents,
      units,
      over,
      can,
    ]),
    [
      ['return', -1, -70, 0, 0, []],
      ['return', -2, 30, 0, 0, []],
      ['purchase', 3, 40, 3, 40, []],
    ],
  );
  await assertBooksAgree(db, shop.id);
});

test('cents that change no whole unit are kept: the next part counts them, and a repeated call counts once', async () => {
  const { shop, manager, member, id } = await soldAtTill(3, 40);
  const key = { 'idempotency-key': randomUUID() };
  for (const replayed of [null, 'true']) {
    const answer = await manager.post(`purchases/${id}/reversal`, { cents: 40 }, key);
    assert.equal(answer.status, 201);
    assert.equal(answer.headers.get('idempotency-replayed'), replayed);
    assert.deepEqual(answer.body, { message: 'consumption reversed', amount: 0, points: 0, balance: 3 });
  }
  assert.deepEqual(await returned(manager, id, { cents: 1 }), [1, 1, 2]);
  // The shop's own program knows whole units.
  const answer = await shop.post(`/v1/consumptions/${id}/reversal`, { amount: 1 });
  assert.deepEqual([answer.status, (answer.body as { points: number }).points], [201, 1]);
  assert.deepEqual(await previewed(manager, id, {}), [1, 1]);
  assert.equal((await reversal(manager, id, { amount: 2 })).headers.get('x-error-code'), 'invalid_amount');
  assert.deepEqual(await returned(manager, id, { amount: 1, cents: 99 }), [1, 1, 0]);
  const { body } = await shop.get(`/v1/clients/${member.code}`);
  assert.equal((body as { points: number }).points, 0);
  await assertBooksAgree(db, shop.id);
});

test('two registers that take parts back at once take back what one would', async () => {
  const { shop, manager, member, id } = await soldAtTill(9, 90);
  const parts = await Promise.all(
    Array.from({ length: 9 }, () => reversal(manager, id, { amount: 1, cents: 10 })),
  );
  assert.deepEqual(
    parts.map(({ status }) => status),
    Array(9).fill(201),
  );
  assert.equal(sumOf(parts.map(({ body }) => (body as { points: number }).points)), 9);
  const [newest] = await history(manager, member);
  assert.equal(newest!.balance, 0);
  await assertBooksAgree(db, shop.id);
});

test('a purchase of the shop’s own program takes cents back as of its whole units', async () => {
  const shop = await makeShop();
  const manager = await makeStaff(shop, 'manager');
  const member = await shop.member();
  const { headers } = await shop.post('/v1/consumptions/client-code', {
    client_code: member.code,
    amount: 26,
  });
  const id = Number(headers.get('x-consumption-id'));
  assert.deepEqual(await returned(manager, id, { amount: 5, cents: 50 }), [6, 6, 20]);
  assert.deepEqual(await returned(manager, id, {}), [20, 20, 0]);
});

test('cents that the currency does not have are refused, and a cashier takes back no part', async () => {
  const yen = await makeShop({ currency: 'JPY' });
  const office = await makeStaff(yen, 'manager');
  const { status, headers } = await office.post(
    'purchases',
    { client_email: 'eva@example.com', amount: 3, cents: 40 },
    { 'idempotency-key': randomUUID() },
  );
  assert.deepEqual([status, headers.get('x-error-code')], [400, 'invalid_amount']);
  const { shop, id } = await soldAtTill(3, 40);
  const cashier = await makeStaff(shop, 'cashier');
  assert.equal((await reversal(cashier, id, { cents: 40 })).status, 403);
});

async function soldAtTill(amount: number, cents: number) {
  const shop = await makeShop();
  const manager = await makeStaff(shop, 'manager');
  const member = await shop.member();
  const { status, body } = await manager.post(
    'purchases',
    { client_email: member.email, amount, cents },
    { 'idempotency-key': randomUUID() },
  );
  assert.equal(status, 201);
  return { shop, manager, member, id: (body as RecordedPurchase).consumption_id };
}

function reversal(office: BackOffice, id: number, body: object): Promise<Answer> {
  return office.post(`purchases/${id}/reversal`, body, { 'idempotency-key': randomUUID() });
}

/** Returns the whole units, the points and the balance. */
async function returned(office: BackOffice, id: number, cameBack: object) {
  const answer = await reversal(office, id, cameBack);
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  const { amount, points, balance } = answer.body as { amount: number; points: number; balance: number };
  return [amount, points, balance];
}

/** Returns the whole units and the points. */
async function previewed(office: BackOffice, id: number, cameBack: object) {
  const { status, body } = await office.post(`purchases/${id}/reversal/preview`, cameBack);
  assert.equal(status, 200);
  const { amount, points } = body as ReversalPreview;
  return [amount, points];
}

async function history(office: BackOffice, member: MadeMember) {
  const { body: found } = await office.post('find', { text: String(member.code) });
  const [{ member_id: id }] = (found as { members: [TillMember] }).members;
  const { body } = await office.get(`members/${id}/history`);
  return (body as MemberHistory).results;
}

const sumOf = (figures: readonly number[]) => figures.reduce((sum, one) => sum + one, 0);
