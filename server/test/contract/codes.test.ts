import assert from 'node:assert/strict';
import { test } from 'node:test';
import { transaction } from '#db/database.ts';
import { service, type Answer } from '#test/harness.ts';
import { benefit, makeShop, type Shop } from '#test/make.ts';
import { giveBackVoucher } from '#vouchers/give-back-voucher.ts';
import { everyBenefit, everyBenefitOnTheWire, inVersion2 } from './every-benefit.ts';

const REDEEM = '/v1/benefits/redeem';

test('both versions of the lookup show the benefit of a code, in every shape and any number of times', async () => {
  const shop = await makeShop({ benefits: everyBenefit });
  const member = await shop.member();
  await shop.sell(member, 100);
  for (const expected of everyBenefitOnTheWire) {
    const code = await shop.voucher(member, expected.id);
    for (let i = 0; i < 2; i++) {
      const first = await shop.get(`/v1/benefits/preview/${code}`);
      assert.deepEqual([first.status, first.body], [200, expected]);
      const second = await shop.get(`/v2/benefits/preview/${code}`);
      assert.deepEqual([second.status, second.body], [200, inVersion2(expected)]);
    }
  }
});

test('a code keeps the benefit as it was when the code was issued', async () => {
  const shop = await makeShop({ benefits: [benefit('coffee', { cost: 1, value: 10 })] });
  const member = await shop.member();
  await shop.sell(member, 5);
  const code = await shop.voucher(member, 'coffee');
  const before = await lookUps(shop, code);
  await shop.apply({
    benefits: [benefit('coffee', { cost: 99, value: 55, title: 'New', expiration: '2020-01-01T00:00:00Z' })],
  });
  assert.deepEqual(await lookUps(shop, code), before);
  await shop.apply({ benefits: [] });
  assert.deepEqual(await lookUps(shop, code), before);
  assert.equal((await redeem(shop, code)).status, 200);
});

test('redeeming uses a code up: a 200 once, then every lookup and redemption is a 400', async () => {
  const shop = await makeShop({ benefits: [benefit('coffee', { cost: 0 })] });
  const code = await shop.voucher(await shop.member(), 'coffee');
  const done = await redeem(shop, code);
  assert.equal(done.status, 200);
  assert.deepEqual(done.body, { message: 'benefit redeemed' });
  for (let i = 0; i < 2; i++) await assertAllRefuse(shop, code, 400, 'the benefit was already used');
});

test('an overdue code is a 400 everywhere and stays unused', async () => {
  const shop = await makeShop({ sandbox: true, benefits: [benefit('coffee', { cost: 0, valid_days: 10 })] });
  const member = await shop.member();
  const code = await shop.voucher(member, 'coffee');
  await shop.moveClock('9 days');
  assert.equal((await shop.get(`/v1/benefits/preview/${code}`)).status, 200);
  await shop.moveClock('2 days');
  await assertAllRefuse(shop, code, 400, 'the benefit is past its due date');
  const [bought] = (await shop.get(`/v1/clients/${member.code}/benefits`)).body as { used: boolean }[];
  assert.equal(bought?.used, false);
});

test('a refunded code is a 400 everywhere and disappears from the client’s benefits', async () => {
  const { db } = await service();
  const shop = await makeShop({ benefits: [benefit('coffee', { cost: 0 })] });
  const member = await shop.member();
  const code = await shop.voucher(member, 'coffee');
  await transaction(db, (tx) => giveBackVoucher(tx, { commerceId: shop.id, code }));
  await assertAllRefuse(shop, code, 400, 'the benefit was given back');
  assert.deepEqual((await shop.get(`/v1/clients/${member.code}/benefits`)).body, []);
});

test('a code of another commerce and an unknown code are the same 404, byte for byte, and the code stays valid', async () => {
  const [shop, other] = [await makeShop(), await makeShop({ benefits: [benefit('coffee', { cost: 0 })] })];
  const code = await other.voucher(await other.member(), 'coffee');
  for (const path of [`/v1/benefits/preview/${code}`, `/v2/benefits/preview/${code}`]) {
    const [foreign, never] = [
      await shop.get(path),
      await shop.get(path.replace(String(code), '10000000000000')),
    ];
    assert.deepEqual([foreign.status, foreign.text], [404, never.text]);
  }
  const [foreign, never] = [await redeem(shop, code), await redeem(shop, 10_000_000_000_000)];
  assert.deepEqual([foreign.status, foreign.text], [404, never.text]);
  assert.equal((await redeem(other, code)).status, 200);
});

test('a well-formed code that cannot exist is a 404', async () => {
  const shop = await makeShop();
  for (const version of ['v1', 'v2'])
    for (const code of ['0', '1', '0000', '9999999999999999', '00000000000001'])
      assert.equal((await shop.get(`/${version}/benefits/preview/${code}`)).status, 404, code);
  for (const code of [0, -1, 1, Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER])
    assert.equal((await redeem(shop, code)).status, 404, String(code));
});

test('a code with leading zeros is a different code', async () => {
  const shop = await makeShop({ benefits: [benefit('coffee', { cost: 0 })] });
  const code = await shop.voucher(await shop.member(), 'coffee');
  assert.equal((await shop.get(`/v1/benefits/preview/0${code}`)).status, 404);
  assert.equal((await shop.get(`/v2/benefits/preview/00${code}`)).status, 404);
});

test('a code in the path that is not 1 to 16 digits is a 422', async () => {
  const shop = await makeShop();
  for (const version of ['v1', 'v2'])
    for (const sent of ['abc', '1a', '-1', '+1', '1.0', '1'.repeat(17), '%20', '%D9%A1', '1%0A'])
      assert.deepEqual(
        (await shop.get(`/${version}/benefits/preview/${sent}`)).body,
        {
          detail: [
            {
              loc: ['path', 'client_benefit_code'],
              msg: "String should match pattern '^[0-9]{1,16}$'",
              type: 'string_pattern_mismatch',
            },
          ],
        },
        sent,
      );
  const unstorable = await shop.get('/v2/benefits/preview/1%00');
  assert.deepEqual(
    (unstorable.body as { detail: { type: string }[] }).detail.map(({ type }) => type),
    ['string_unicode'],
  );
});

test('a redemption without an integer code is a 422', async () => {
  const shop = await makeShop();
  for (const [sent, msg, type] of [
    [undefined, 'Field required', 'missing'],
    [null, 'Input should be a valid integer', 'int_type'],
    ['10000000000000', 'Input should be a valid integer', 'int_type'],
    ['code', 'Input should be a valid integer, unable to parse string as an integer', 'int_parsing'],
    [1.5, 'Input should be a valid integer, got a number with a fractional part', 'int_from_float'],
    [2 ** 53, 'Unable to parse input string as an integer, exceeded maximum size', 'int_parsing_size'],
  ] as const) {
    const answer = await shop.post(REDEEM, { client_benefit_code: sent });
    assert.deepEqual(
      answer.body,
      { detail: [{ loc: ['body', 'client_benefit_code'], msg, type }] },
      String(sent),
    );
  }
});

for (const away of ['leave', 'block'] as const) {
  test(`codes already bought stay valid for a client after ${away === 'leave' ? 'leaving' : 'being blocked'}`, async () => {
    const shop = await makeShop({ benefits: [benefit('coffee', { cost: 0 })] });
    const member = await shop.member();
    const code = await shop.voucher(member, 'coffee');
    await shop[away](member);
    assert.equal((await shop.get(`/v1/benefits/preview/${code}`)).status, 200);
    assert.equal((await shop.get(`/v2/benefits/preview/${code}`)).status, 200);
    assert.equal((await redeem(shop, code)).status, 200);
  });
}

async function lookUps(shop: Shop, code: number): Promise<unknown[]> {
  const answers = [
    await shop.get(`/v1/benefits/preview/${code}`),
    await shop.get(`/v2/benefits/preview/${code}`),
  ];
  for (const { status } of answers) assert.equal(status, 200);
  return answers.map(({ body }) => body);
}

function redeem(shop: Shop, code: number): Promise<Answer> {
  return shop.post(REDEEM, { client_benefit_code: code });
}

async function assertAllRefuse(shop: Shop, code: number, status: number, message: string): Promise<void> {
  for (const answer of [
    await shop.get(`/v1/benefits/preview/${code}`),
    await shop.get(`/v2/benefits/preview/${code}`),
    await redeem(shop, code),
  ])
    assert.deepEqual([answer.status, answer.body], [status, { message }]);
}
