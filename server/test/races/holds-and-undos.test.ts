import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createKey } from '#commerces/api-keys.ts';
import { undoRedemption } from '#corrections/undo-redemption.ts';
import { sql, transaction } from '#db/database.ts';
import { assertBooksAgree } from '#test/books.ts';
import { call, service } from '#test/harness.ts';
import { benefit, makeShop, type MadeMember, type Shop } from '#test/make.ts';
import { untilOneWaits } from '#test/until-one-waits.ts';
import { redeemVoucherIn } from '#vouchers/redeem-voucher.ts';

/** `RACE_ROUNDS=200` is a long form. */
const ROUNDS = Number(process.env['RACE_ROUNDS'] ?? 5);

const { db } = await service();

async function make(fields = {}) {
  const shop = await makeShop({
    codes: { undo_days: 5, max_unused: 1000 },
    benefits: [benefit('coffee', { cost: 0 })],
    ...fields,
  });
  const { key, id: keyId } = await createKey(db, shop.id, 'returns', { scopes: ['undo'] });
  const undo = (externalId: string) =>
    call('POST', `/v1/benefits/redemptions/${externalId}/undo`, {
      headers: { authorization: `Bearer ${key}` },
      body: {},
    });
  return { shop, member: await shop.member(), undo, keyId };
}

const hold = (shop: Shop, code: number, externalId: string) =>
  shop.post('/v1/benefits/holds', { client_benefit_code: code, external_id: externalId });

const redeem = (shop: Shop, code: number, externalId?: string) =>
  shop.post('/v1/benefits/redeem', {
    client_benefit_code: code,
    ...(externalId !== undefined && { external_id: externalId }),
  });

async function countOf(shop: Shop, type: 'usage' | 'undo', code: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from movements
     where commerce_id = ${shop.id} and type = ${type} and voucher_code = ${code}`.execute(db);
  return rows[0]!.count;
}

function times(statuses: readonly number[], status: number): number {
  return statuses.filter((one) => one === status).length;
}

test('60 carts and 20 tills on one code make one use, and whoever has not got it is told so', async () => {
  const { shop, member } = await make();
  for (let round = 0; round < ROUNDS; round++) {
    const code = await shop.voucher(member, 'coffee');
    const cart = async (i: number) => {
      const { status } = await hold(shop, code, `cart-${round}-${i}`);
      if (status !== 201) return { held: status, redeemed: null };
      return { held: status, redeemed: (await redeem(shop, code, `cart-${round}-${i}`)).status };
    };
    const [carts, tills] = await Promise.all([
      Promise.all(Array.from({ length: 60 }, (_, i) => cart(i))),
      Promise.all(Array.from({ length: 20 }, async () => (await redeem(shop, code)).status)),
    ]);
    const redemptions = [...tills, ...carts.flatMap(({ redeemed }) => redeemed ?? [])];
    assert.equal(times(redemptions, 200), 1);
    assert.equal(times(redemptions, 400), redemptions.length - 1);
    assert.ok(carts.every(({ held }) => held === 201 || held === 400 || held === 409));
    assert.equal(await countOf(shop, 'usage', code), 1);
  }
  assert.deepEqual((await (await shop.browser(member)).get('/v1/me/benefits/holds')).body, []);
  await assertBooksAgree(db, shop.id);
});

test('a redemption is never refused because of a hold, and no used code stays in a cart', async () => {
  const { shop, member } = await make();
  const browser = await shop.browser(member);
  for (let round = 0; round < 2 * ROUNDS; round++) {
    const code = await shop.voucher(member, 'coffee');
    const [first, used, second] = await Promise.all([
      hold(shop, code, `a-${round}`),
      redeem(shop, code),
      hold(shop, code, `b-${round}`),
    ]);
    assert.equal(used.status, 200);
    for (const { status } of [first, second]) assert.ok([201, 400, 409].includes(status), String(status));
    assert.deepEqual((await browser.get('/v1/me/benefits/holds')).body, []);
  }
});

test('one id sent 60 times at once redeems its code once, and all are answered with the first 200', async () => {
  const { shop, member } = await make();
  for (let round = 0; round < ROUNDS; round++) {
    const code = await shop.voucher(member, 'coffee');
    const answers = await Promise.all(Array.from({ length: 60 }, () => redeem(shop, code, `order-${round}`)));
    assert.ok(answers.every(({ status, text }) => status === 200 && text === answers[0]!.text));
    assert.equal(answers.filter(({ headers }) => headers.get('idempotency-replayed') === null).length, 1);
    assert.equal(await countOf(shop, 'usage', code), 1);
  }
});

test('undos and redemptions of one code at once leave it used once or free, and the books agree', async () => {
  const { shop, member, undo } = await make();
  for (let round = 0; round < ROUNDS; round++) {
    const code = await shop.voucher(member, 'coffee');
    await redeem(shop, code, `first-${round}`);
    const [undone, repeats, others] = await Promise.all([
      Promise.all(Array.from({ length: 5 }, () => undo(`first-${round}`))),
      Promise.all(Array.from({ length: 5 }, () => redeem(shop, code, `first-${round}`))),
      Promise.all(Array.from({ length: 5 }, (_, i) => redeem(shop, code, `next-${round}-${i}`))),
    ]);
    assert.ok(undone.every(({ status }) => status === 200));
    assert.equal(undone.filter(({ headers }) => headers.get('idempotency-replayed') === null).length, 1);
    assert.ok(repeats.every(({ status }) => status === 200 || status === 409));
    const again = times(
      others.map(({ status }) => status),
      200,
    );
    assert.ok(again <= 1);
    assert.deepEqual([await countOf(shop, 'usage', code), await countOf(shop, 'undo', code)], [1 + again, 1]);
  }
  await assertBooksAgree(db, shop.id);
});

test('a code is redeemed by whoever waits for it while its use is undone', async () => {
  const { shop, member, keyId } = await make();
  const code = await shop.voucher(member, 'coffee');
  await redeem(shop, code, 'first');
  // Among so many codes, the one is looked up, and locked, before it is known whether it was used.
  const browser = await shop.browser(member);
  const buy = () => browser.post('/v1/me/benefits/exchange', { benefit_id: 'coffee' });
  await Promise.all(Array.from({ length: 300 }, buy));
  await sql`analyze vouchers`.execute(db);
  let used: Promise<unknown> | undefined;
  await transaction(db, async (tx) => {
    const undo = { commerceId: shop.id, externalId: 'first', code: null, keyId, network: '192.0.2.1' };
    await undoRedemption(tx, undo, null);
    used = transaction(db, (other) => redeemVoucherIn(other, { commerceId: shop.id, code }));
    await Promise.race([used, untilOneWaits(db, { text: 'redeem-' })]);
  });
  assert.notEqual(await used, null);
  assert.deepEqual([await countOf(shop, 'usage', code), await countOf(shop, 'undo', code)], [2, 1]);
  await assertBooksAgree(db, shop.id);
});

test('an undo beside sales of the last one never sells beyond the limit', async () => {
  const limited = Array.from({ length: ROUNDS }, (_, i) => benefit(`mug-${i}`, { cost: 0, buy_limit: 1 }));
  const { shop, member, undo } = await make({ benefits: limited });
  const browsers = await Promise.all(
    Array.from({ length: 20 }, async () => shop.browser(await shop.member())),
  );
  for (let round = 0; round < ROUNDS; round++) {
    const code = await shop.voucher(member, `mug-${round}`);
    await redeem(shop, code, `order-${round}`);
    const [undone, ...sales] = await Promise.all([
      undo(`order-${round}`),
      ...browsers.map((one) => one.post('/v1/me/benefits/exchange', { benefit_id: `mug-${round}` })),
    ]);
    assert.equal(undone.status, 200);
    assert.ok(sales.every(({ status }) => status === 400));
  }
  const { rows } = await sql<{ sold: number }>`
    select sum(sold)::integer as sold from benefits where commerce_id = ${shop.id}`.execute(db);
  assert.equal(rows[0]!.sold, ROUNDS);
  await assertBooksAgree(db, shop.id);
});

test('an undo beside an erasure leaves no code that anybody can use', async () => {
  const { shop, undo } = await make();
  for (let round = 0; round < ROUNDS; round++) {
    const member: MadeMember = await shop.member();
    const code = await shop.voucher(member, 'coffee');
    await redeem(shop, code, `order-${round}`);
    const [undone] = await Promise.all([undo(`order-${round}`), shop.erase(member)]);
    assert.ok(undone.status === 200 || undone.headers.get('x-error-code') === 'erased', undone.text);
    assert.equal((await redeem(shop, code, `later-${round}`)).status, 400);
  }
  await assertBooksAgree(db, shop.id);
});
