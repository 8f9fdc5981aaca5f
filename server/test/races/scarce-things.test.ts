import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql, transaction } from '#db/database.ts';
import { NOWHERE } from '#points/purchase-facts.ts';
import { Problem } from '#problems/problem.ts';
import { recordPurchases } from '#purchases/record-purchases.ts';
import { createBenefitExchanger } from '#vouchers/benefit-exchanger.ts';
import { exchangeBenefit } from '#test/exchange-benefit.ts';
import { NotEnoughPoints, SoldOut } from '#vouchers/exchange-benefit.ts';
import { redeemVoucher, UnknownVoucher, VoucherUsed } from '#vouchers/redeem-voucher.ts';
import { createVoucherRedeemer } from '#vouchers/voucher-redeemer.ts';
import { service } from '#test/harness.ts';
import { benefit, makeShop, type MadeMember, type Shop } from '#test/make.ts';

/** `RACE_ROUNDS=200` is a long form. */
const ROUNDS = Number(process.env['RACE_ROUNDS'] ?? 10);
const AT_ONCE = 60;

test(`a balance for 10, spread over several expiry days, buys exactly 10 of ${AT_ONCE} at once`, async () => {
  const { db } = await service();
  const shop = await makeShop({
    points_expiration: { mode: 'rolling', months: 12 },
    benefits: [benefit('coffee', { cost: 7 })],
  });
  for (let round = 0; round < ROUNDS; round++) {
    const member = await shop.member();
    await earnOverMonths(shop, member, [20, 20, 15, 15]);
    const outcomes = await atOnce(() =>
      exchangeBenefit(db, { commerceId: shop.id, userId: member.userId, benefitId: 'coffee' }),
    );
    assert.equal(outcomes.done, 10);
    assert.deepEqual([...outcomes.refusals], [[NotEnoughPoints.name, AT_ONCE - 10]]);
    assert.equal(await pointsOf(shop, member), 0);
  }
});

test(`a limit of 5 sells exactly 5 to ${AT_ONCE} members at once`, async () => {
  const { db } = await service();
  const limited = Array.from({ length: ROUNDS }, (_, round) =>
    benefit(`mug-${round}`, { cost: 1, buy_limit: 5 }),
  );
  const shop = await makeShop({ benefits: limited });
  const members = await Promise.all(Array.from({ length: AT_ONCE }, () => shop.member()));
  for (const member of members) await earn(shop, member, ROUNDS);
  for (let round = 0; round < ROUNDS; round++) {
    const outcomes = await atOnce((i) =>
      exchangeBenefit(db, { commerceId: shop.id, userId: members[i]!.userId, benefitId: `mug-${round}` }),
    );
    assert.equal(outcomes.done, 5);
    assert.deepEqual([...outcomes.refusals], [[SoldOut.name, AT_ONCE - 5]]);
  }
});

test(`in batches too, a limit of 5 sells exactly 5, and a balance for 10 buys exactly 10`, async () => {
  const { db } = await service();
  const exchanger = createBenefitExchanger(db);
  const shop = await makeShop({
    benefits: [benefit('mug', { cost: 1, buy_limit: 5 }), benefit('tea', { cost: 7 })],
  });
  const members = await Promise.all(Array.from({ length: AT_ONCE + 1 }, () => shop.member()));
  for (const member of members) await earn(shop, member, 70);
  const spender = members.pop()!;
  const buy = (member: MadeMember, benefitId: string) =>
    exchanger.exchange({ commerceId: shop.id, userId: member.userId, benefitId });

  const [mugs, teas] = await Promise.all([
    atOnce((i) => buy(members[i]!, 'mug')),
    atOnce(() => buy(spender, 'tea')),
  ]);
  assert.deepEqual([mugs.done, mugs.refusals], [5, new Map([[SoldOut.name, AT_ONCE - 5]])]);
  assert.deepEqual([teas.done, teas.refusals], [10, new Map([[NotEnoughPoints.name, AT_ONCE - 10]])]);
  assert.equal(await pointsOf(shop, spender), 0);
});

test(`in batches too, one idempotency key sent ${AT_ONCE} times at once makes one voucher`, async () => {
  const { db } = await service();
  const exchanger = createBenefitExchanger(db);
  const shop = await makeShop({ benefits: [benefit('coffee', { cost: 1 })] });
  const member = await shop.member();
  await earn(shop, member, 2);
  const codes = new Set<number>();
  const outcomes = await atOnce(async () => {
    const exchange = {
      commerceId: shop.id,
      userId: member.userId,
      benefitId: 'coffee',
      request: { key: 'key', path: {}, body: { benefit_id: 'coffee' } },
    };
    codes.add((await exchanger.exchange(exchange)).voucher.code);
  });
  assert.deepEqual([outcomes.done, codes.size], [AT_ONCE, 1]);
  assert.equal(await pointsOf(shop, member), 1);
});

test(`a code is redeemed once by ${AT_ONCE} tills at once`, async () => {
  const { db } = await service();
  const shop = await makeShop({ benefits: [benefit('coffee', { cost: 1 })] });
  const member = await shop.member();
  await earn(shop, member, ROUNDS);
  for (let round = 0; round < ROUNDS; round++) {
    const { voucher } = await exchangeBenefit(db, {
      commerceId: shop.id,
      userId: member.userId,
      benefitId: 'coffee',
    });
    const outcomes = await atOnce(() => redeemVoucher(db, { commerceId: shop.id, code: voucher.code }));
    assert.equal(outcomes.done, 1);
    assert.deepEqual([...outcomes.refusals], [[VoucherUsed.name, AT_ONCE - 1]]);
  }
});

test(`in batches too, a code is redeemed once by ${AT_ONCE} tills at once, and the wrong codes among them are refused`, async () => {
  const { db } = await service();
  const redeemer = createVoucherRedeemer(db);
  const shop = await makeShop({ benefits: [benefit('coffee', { cost: 1 })] });
  const member = await shop.member();
  await earn(shop, member, ROUNDS);
  for (let round = 0; round < ROUNDS; round++) {
    const code = await buyCoffee(shop, member);
    const calls = Array.from({ length: AT_ONCE }, (_, i) =>
      i % 3 === 0 ? 10_000_000_000_000 + i : code,
    ).values();
    const outcomes = await atOnce(() =>
      redeemer.redeem({ commerceId: shop.id, code: calls.next().value as number }),
    );
    assert.equal(outcomes.done, 1);
    assert.equal(outcomes.refusals.get(UnknownVoucher.name), AT_ONCE / 3);
    assert.equal(outcomes.refusals.get(VoucherUsed.name), AT_ONCE - AT_ONCE / 3 - 1);
  }
  assert.equal(await usesOf(shop, member), ROUNDS);
});

test(`in batches too, one idempotency key sent ${AT_ONCE} times at once redeems a code once, and all are answered`, async () => {
  const { db } = await service();
  const redeemer = createVoucherRedeemer(db);
  const shop = await makeShop({ benefits: [benefit('coffee', { cost: 1 })] });
  const member = await shop.member();
  await earn(shop, member, 1);
  const code = await buyCoffee(shop, member);
  const request = { key: 'key', path: {}, body: { client_benefit_code: code } };
  const answers = await Promise.all(
    Array.from({ length: AT_ONCE }, () => redeemer.redeem({ commerceId: shop.id, code, request })),
  );
  assert.equal(answers.filter(({ replayed }) => !replayed).length, 1);
  assert.equal(await usesOf(shop, member), 1);
});

test('a code that is locked elsewhere is redeemed when it is free, and holds up no other code', async () => {
  const { db } = await service();
  const redeemer = createVoucherRedeemer(db);
  const shop = await makeShop({ benefits: [benefit('coffee', { cost: 1 })] });
  const member = await shop.member();
  await earn(shop, member, 2);
  const [held, free] = [await buyCoffee(shop, member), await buyCoffee(shop, member)];
  let late: Promise<unknown> | undefined;
  await transaction(db, async (tx) => {
    await sql`select from vouchers where commerce_id = ${shop.id} and code = ${held} for update`.execute(tx);
    late = redeemer.redeem({ commerceId: shop.id, code: held });
    assert.deepEqual(await redeemer.redeem({ commerceId: shop.id, code: free }), { replayed: false });
  });
  assert.deepEqual(await late, { replayed: false });
  assert.equal(await usesOf(shop, member), 2);
});

async function buyCoffee(shop: Shop, { userId }: MadeMember): Promise<number> {
  const { db } = await service();
  const { voucher } = await exchangeBenefit(db, { commerceId: shop.id, userId, benefitId: 'coffee' });
  return voucher.code;
}

async function usesOf(shop: Shop, { userId }: MadeMember): Promise<number> {
  const { db } = await service();
  const { rows } = await sql<{ uses: number }>`
    select count(*) as uses
      from movements v
      join members m on m.commerce_id = v.commerce_id and m.id = v.member_id
     where v.commerce_id = ${shop.id} and m.user_id = ${userId} and v.type = 'usage'`.execute(db);
  return rows[0]!.uses;
}

test(`one idempotency key sent ${AT_ONCE} times at once makes one voucher`, async () => {
  const { db } = await service();
  const shop = await makeShop({ benefits: [benefit('coffee', { cost: 1 })] });
  const member = await shop.member();
  await earn(shop, member, 2 * ROUNDS);
  for (let round = 0; round < ROUNDS; round++) {
    const codes = new Set<number>();
    const outcomes = await atOnce(async () => {
      const exchange = {
        commerceId: shop.id,
        userId: member.userId,
        benefitId: 'coffee',
        request: { key: `key-${round}`, path: {}, body: { benefit_id: 'coffee' } },
      };
      codes.add((await exchangeBenefit(db, exchange)).voucher.code);
    });
    assert.deepEqual([outcomes.done, codes.size], [AT_ONCE, 1]);
    assert.equal(await pointsOf(shop, member), 2 * ROUNDS - round - 1);
  }
});

test(`one idempotency key on ${AT_ONCE} purchases at once counts once`, async () => {
  const shop = await makeShop();
  const member = await shop.member();
  for (let round = 0; round < ROUNDS; round++) {
    const answers = await Promise.all(
      Array.from({ length: AT_ONCE }, () =>
        shop.post(
          '/v1/consumptions/client-code',
          { client_code: member.code, amount: 10 },
          { 'idempotency-key': `key-${round}` },
        ),
      ),
    );
    assert.deepEqual(new Set(answers.map((answer) => answer.status)), new Set([201]));
    assert.equal(new Set(answers.map((answer) => answer.headers.get('x-consumption-id'))).size, 1);
  }
  assert.equal(await pointsOf(shop, member), 10 * ROUNDS);
});

interface Outcomes {
  readonly done: number;
  readonly refusals: Map<string, number>;
}

/** Runs the same call many times at once, each on its own connection. Any error other than a refusal fails the test. */
async function atOnce(run: (i: number) => Promise<unknown>): Promise<Outcomes> {
  const settled = await Promise.allSettled(Array.from({ length: AT_ONCE }, (_, i) => run(i)));
  const refusals = new Map<string, number>();
  for (const outcome of settled) {
    if (outcome.status === 'fulfilled') continue;
    if (!(outcome.reason instanceof Problem)) throw outcome.reason;
    const name = outcome.reason.constructor.name;
    refusals.set(name, (refusals.get(name) ?? 0) + 1);
  }
  return { done: settled.filter((outcome) => outcome.status === 'fulfilled').length, refusals };
}

async function earn(shop: Shop, member: MadeMember, amount: number): Promise<void> {
  const answer = await shop.post('/v1/consumptions/client-code', { client_code: member.code, amount });
  assert.equal(answer.status, 201);
}

/** Purchases of the last months, a month apart, so that their points expire on different days. */
async function earnOverMonths(shop: Shop, member: MadeMember, amounts: number[]): Promise<void> {
  const { db } = await service();
  const month = 31 * 24 * 60 * 60 * 1000;
  const outcomes = await transaction(db, (tx) =>
    recordPurchases(
      tx,
      amounts.map((amount, i) => ({
        commerceId: shop.id,
        buyer: { code: member.code },
        amount,
        ...NOWHERE,
        late: { at: new Date(Date.now() - (amounts.length - i) * month), isLatest: false },
      })),
    ),
  );
  assert.ok(outcomes.every((outcome) => outcome.recorded));
}

async function pointsOf(shop: Shop, member: MadeMember): Promise<unknown> {
  const { body } = await shop.get(`/v1/clients/${member.code}`);
  return (body as { points: number }).points;
}
