/** Money that makes no point waits for the member's next purchase, and comes back exactly when a purchase does. Figures computed by hand. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verifyLedger } from '#books/verify-ledger.ts';
import { sql, transaction } from '#db/database.ts';
import { NOWHERE } from '#points/purchase-facts.ts';
import { recordPurchases } from '#purchases/record-purchases.ts';
import { assertBooksAgree } from '#test/books.ts';
import { countingDatabase } from '#test/count-statements.ts';
import { expectTampering } from '#test/database.ts';
import { call, service, type Answer } from '#test/harness.ts';
import { makeShop, type ProgramFields, type Shop } from '#test/make.ts';
import { withoutSetting } from '#test/on-cluster.ts';

const { db } = await service();

const CARRIES = { money_per_point: 10, carry_remainder: true };

test('what was not enough for a point counts with the next purchase, and the explanation says so', async () => {
  const { shop, member, buy, waits } = await make(CARRIES);
  const earned = [];
  for (const amount of [6, 7, 26, 1]) earned.push(pointsOf(await buy(amount)));
  // 6; 6 + 7 = 13; 3 + 26 = 29; 9 + 1 = 10.
  assert.deepEqual(earned, [0, 1, 2, 1]);
  assert.equal(await waits(), 0);
  const preview = await shop.post('/v1/consumptions/preview', { client_code: member.code, amount: 14 });
  assert.deepEqual((preview.body as { explanation: string }).explanation, '14 ÷ 10 = 1 point.');
  await buy(14);
  const told = await shop.post('/v1/consumptions/preview', { client_code: member.code, amount: 26 });
  assert.partialDeepStrictEqual(told.body, {
    points: 3,
    base_points: 3,
    explanation: '26 + 4 (left from before) = 30; 30 ÷ 10 = 3 points.',
  });
  assert.equal(await waits(), 4_000);
  await assertBooksAgree(db, shop.id);
});

test('multipliers, double points and a cap do not touch what waits', async () => {
  const { shop, buy, waits } = await make({
    ...CARRIES,
    double_points: [{ from: '2020-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z' }],
    rules: [{ id: 'half', title: 'Half again', give: { multiply: 1.5 } }],
    cap: { points: 3, per: 'day' },
  });
  // 9 × 1.5 = 13.5, of which 3.5 waits; 3.5 + 21 × 1.5 = 35, of which 5 waits.
  assert.deepEqual([pointsOf(await buy(9)), pointsOf(await buy(21))], [2, 1]);
  assert.equal(await waits(), 5_000);
  await assertBooksAgree(db, shop.id);
});

test('once all purchases have come back, in any order and in pieces, points and money are what they were', async () => {
  for (const order of [
    [0, 1, 2, 3],
    [3, 2, 1, 0],
    [1, 3, 0, 2],
  ]) {
    const { shop, buy, reverse, waits, balance } = await make(CARRIES);
    const bought: Answer[] = [];
    for (const amount of [6, 7, 26, 18]) bought.push(await buy(amount));
    for (const place of order) {
      await reverse(bought[place]!, 3);
      await reverse(bought[place]!);
    }
    assert.deepEqual([await balance(), await waits()], [0, 0], `in the order ${order.join()}`);
    await assertBooksAgree(db, shop.id);
  }
});

test('what waits can be below zero: a purchase that came back had helped another one to its point', async () => {
  const { shop, buy, reverse, waits, balance } = await make(CARRIES);
  const first = await buy(6);
  const second = await buy(7);
  assert.deepEqual([await balance(), await waits()], [1, 3_000]);
  await reverse(first);
  assert.deepEqual([await balance(), await waits()], [1, -3_000]);
  const third = await buy(2);
  assert.deepEqual([pointsOf(third), await waits()], [0, -1_000]);
  const fourth = await buy(12);
  assert.deepEqual([pointsOf(fourth), await waits()], [1, 1_000]);
  const { body } = await shop.get(fourth.headers.get('location')!);
  assert.equal(
    (body as { explanation: string }).explanation,
    '12 − 1 (left from before) = 11; 11 ÷ 10 = 1 point.',
  );
  for (const one of [second, third, fourth]) await reverse(one);
  assert.deepEqual([await balance(), await waits()], [0, 0]);
  await assertBooksAgree(db, shop.id);
});

test('less than a point is carried when a point has become cheaper', async () => {
  const { shop, buy, reverse, waits } = await make(CARRIES);
  const first = await buy(8);
  await shop.apply({ earning: { ...CARRIES, money_per_point: 5 } });
  // 8 becomes 4.999, so 1 more makes 5.999.
  const second = await buy(1);
  assert.deepEqual([pointsOf(second), await waits()], [1, 999]);
  await reverse(second);
  await reverse(first);
  assert.equal(await waits(), 0);
  await assertBooksAgree(db, shop.id);
});

test('what waits is dropped when the program stops carrying, for good', async () => {
  const { shop, buy, reverse, waits } = await make(CARRIES);
  const first = await buy(8);
  await shop.apply({ earning: { money_per_point: 10 } });
  assert.equal(pointsOf(await buy(8)), 0);
  await shop.apply({ earning: CARRIES });
  assert.deepEqual([pointsOf(await buy(8)), await waits()], [0, 8_000]);
  await reverse(first);
  assert.equal(await waits(), 8_000);
  // A new version that still carries is no new beginning.
  await shop.apply({ earning: { ...CARRIES, max_amount: 500 } });
  assert.deepEqual([pointsOf(await buy(2)), await waits()], [1, 0]);
  await assertBooksAgree(db, shop.id);
});

test('an order that grows and shrinks leaves what its amount leaves', async () => {
  const { shop, member, buy, waits } = await make(CARRIES);
  await buy(4);
  const state = (version: number, paid: number, refunded = 0) =>
    stateOrder(shop, 'a', { client_code: member.code, status: 'paid', paid, refunded, codes: [], version });
  assert.equal((await state(1, 5)).points, 0);
  assert.equal(await waits(), 9_000);
  assert.equal((await state(2, 27)).points, 3);
  assert.equal(await waits(), 1_000);
  assert.equal((await state(3, 27, 27)).points, 0);
  assert.equal(await waits(), 4_000);
  await assertBooksAgree(db, shop.id);
});

test('purchases and returns at once are carried one after the other', async () => {
  const { shop, buy, reverse, waits, balance } = await make(CARRIES);
  const bought = await Promise.all(Array.from({ length: 12 }, () => buy(7)));
  assert.deepEqual([await balance(), await waits()], [8, 4_000]);
  await Promise.all([
    ...bought.slice(0, 6).map((one) => reverse(one)),
    ...Array.from({ length: 6 }, () => buy(7)),
  ]);
  assert.equal((await balance()) * 10_000 + (await waits())!, 12 * 7_000);
  await assertBooksAgree(db, shop.id);
});

test('an erased person has nothing that waits, and neither has a visitor', async () => {
  const { shop, member, buy, reverse, waits } = await make(CARRIES);
  const bought = await buy(6);
  const visitor = await shop.visit('/v1/me/points/expirations');
  assert.equal(visitor.status, 401);
  await shop.erase(member);
  assert.equal(await waits(), null);
  await reverse(bought);
  assert.equal(await waits(), null);
  await assertBooksAgree(db, shop.id);
});

test('the books find what waits too much, too little, since another version or not at all, and what was used of it', async () => {
  const { shop, member, buy, waits } = await make(CARRIES);
  expectTampering(shop.id);
  for (const amount of [6, 7]) await buy(amount);
  assert.equal(await waits(), 3_000);
  const ofMember = (set: ReturnType<typeof sql>) =>
    sql`update members set ${set} where commerce_id = ${shop.id} and id = ${member.memberId}`;
  const ofLast = (value: string) =>
    sql`update movements set snapshot = jsonb_set(snapshot, '{factors,0,5}', ${value}::jsonb)
         where commerce_id = ${shop.id} and member_id = ${member.memberId} and amount = 7`;
  const stored = 'what waits for the next purchase is what the purchases leave';
  const followed = 'a purchase followed the program of its version';
  const tampered: readonly [ReturnType<typeof sql>, ReturnType<typeof sql>, string][] = [
    [ofMember(sql`remainder = 3001`), ofMember(sql`remainder = 3000`), stored],
    [ofMember(sql`remainder = 0`), ofMember(sql`remainder = 3000`), stored],
    [ofMember(sql`remainder = -3000`), ofMember(sql`remainder = 3000`), stored],
    [ofMember(sql`remainder_since = 2`), ofMember(sql`remainder_since = 1`), stored],
    [
      ofMember(sql`remainder = null, remainder_since = null`),
      ofMember(sql`remainder = 3000, remainder_since = 1`),
      stored,
    ],
    [ofLast('[5999, 0, 1]'), ofLast('[6000, 0, 1]'), followed],
    [ofLast('[6000, 1, 1]'), ofLast('[6000, 0, 1]'), followed],
    [ofLast('[6000, 0, 2]'), ofLast('[6000, 0, 1]'), followed],
    [ofLast('null'), ofLast('[6000, 0, 1]'), followed],
  ];
  for (const [tamper, mend, invariant] of tampered) {
    await asSuperuser(tamper);
    const { differences } = await verifyLedger(db, { commerceIds: [shop.id] });
    await asSuperuser(mend);
    assert.ok(
      differences.some((one) => one.invariant === invariant),
      JSON.stringify(differences),
    );
  }
  await assertBooksAgree(db, shop.id);
});

test(
  'a purchase that carries takes the statements of any other',
  { skip: withoutSetting('points by day are a statement of their own, if there are any') },
  async () => {
    const { db: counted, count } = await countingDatabase();
    const namesOf = async (earning: ProgramFields) => {
      const { shop, member } = await make(earning);
      const purchase = { commerceId: shop.id, buyer: { code: member.code }, amount: 5, ...NOWHERE };
      const record = () => transaction(counted, (tx) => recordPurchases(tx, [purchase]));
      await record();
      return (await count(record)).names;
    };
    const usual = await namesOf({ money_per_point: 10 });
    assert.deepEqual(
      await namesOf(CARRIES),
      usual.map((name) => (name === 'store-movements' ? 'store-movements-with-remainders' : name)),
    );
  },
);

async function make(earning: ProgramFields) {
  const shop = await makeShop({ earning });
  const member = await shop.member();
  return {
    shop,
    member,
    buy: (amount: number) => shop.post('/v1/consumptions/client-code', { client_code: member.code, amount }),
    reverse: async (bought: Answer, amount?: number) => {
      const answer = await shop.post(
        `${bought.headers.get('location')}/reversal`,
        amount === undefined ? {} : { amount },
      );
      assert.equal(answer.status, 201, answer.text);
    },
    balance: async () => ((await shop.get(`/v1/clients/${member.code}`)).body as { points: number }).points,
    /** In thousandths of the currency unit. */
    waits: async () => {
      const { rows } = await sql<{ remainder: number | null }>`
        select remainder from members where id = ${member.memberId}`.execute(db);
      return rows[0]!.remainder;
    },
  };
}

/** Movements are only added to, for anybody else. */
function asSuperuser(change: ReturnType<typeof sql>) {
  return transaction(db, async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx);
    await change.execute(tx);
  });
}

function pointsOf(bought: Answer): number {
  assert.equal(bought.status, 201, bought.text);
  return Number(bought.headers.get('x-points-earned'));
}

async function stateOrder({ key }: Shop, id: string, body: object) {
  const headers = { authorization: `Bearer ${key}` };
  const answer = await call('PUT', `/v1/orders/${id}`, { headers, body });
  assert.ok(answer.status < 300, answer.text);
  return answer.body as { points: number };
}
