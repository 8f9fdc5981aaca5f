import assert from 'node:assert/strict';
import { test } from 'node:test';
import { benefit, makeShop } from '#test/make.ts';
import { everyBenefit, everyBenefitOnTheWire } from './every-benefit.ts';

const LIST = '/v1/benefits/list';

test('the list has every field of every shape of benefit, null if empty, in the program’s order', async () => {
  const shop = await makeShop({ benefits: everyBenefit });
  const { status, body } = await shop.get(LIST);
  assert.equal(status, 200);
  assert.deepEqual(body, everyBenefitOnTheWire);
});

test('a benefit of every shape can be looked up by its ID', async () => {
  const shop = await makeShop({ benefits: everyBenefit });
  for (const expected of everyBenefitOnTheWire) {
    const { status, body } = await shop.get(`/v1/benefits/${expected.id}`);
    assert.deepEqual([status, body], [200, expected]);
  }
});

test('the list is the full catalog, including rewards and benefits that are sold out, off sale or past their date', async () => {
  const reward = (kind: string) => ({
    ...benefit(`a-${kind.replace('_', '-')}`, { benefit_type: kind }),
    cost: undefined,
  });
  const shop = await makeShop({
    benefits: [
      reward('welcome'),
      reward('birthday'),
      reward('monthly_top'),
      reward('level'),
      benefit('sold-out', { cost: 0, buy_limit: 1 }),
      benefit('off-sale', { on_sale: false }),
      benefit('past', { expiration: '2020-01-01T00:00:00Z' }),
    ],
  });
  await shop.voucher(await shop.member(), 'sold-out');
  const { body } = await shop.get(LIST);
  const shown = (body as { id: string; benefit_type: string; cost: number }[]).map((one) => [
    one.id,
    one.benefit_type,
    one.cost,
  ]);
  assert.deepEqual(shown, [
    ['a-welcome', 'welcome', 0],
    ['a-birthday', 'birthday', 0],
    ['a-monthly-top', 'monthly_top', 0],
    ['a-level', 'level', 0],
    ['sold-out', 'normal', 0],
    ['off-sale', 'normal', 10],
    ['past', 'normal', 10],
  ]);
  for (const [id] of shown) assert.equal((await shop.get(`/v1/benefits/${id}`)).status, 200);
});

test('a commerce without a catalog returns an empty array', async () => {
  const shop = await makeShop();
  assert.deepEqual((await shop.get(LIST)).body, []);
});

test('a benefit of another commerce, a withdrawn one and an unknown one are the same 404', async () => {
  const [shop, other] = [
    await makeShop({ benefits: [benefit('gone')] }),
    await makeShop({ benefits: [benefit('mine')] }),
  ];
  await shop.apply({ benefits: [] });
  assert.deepEqual((await shop.get(LIST)).body, []);
  const never = await shop.get('/v1/benefits/never-was');
  assert.equal(never.status, 404);
  assert.deepEqual(Object.keys(never.body as object), ['message']);
  assert.equal((await shop.get('/v1/benefits/mine')).text, never.text);
  assert.equal((await shop.get('/v1/benefits/gone')).text, never.text);
  assert.equal((await other.get('/v1/benefits/mine')).status, 200);
});

test('segments of other paths are never benefit IDs', async () => {
  const shop = await makeShop();
  assert.equal((await shop.get('/v1/benefits/preview')).status, 404);
  const redeem = await shop.get('/v1/benefits/redeem');
  assert.deepEqual([redeem.status, redeem.headers.get('allow')], [405, 'POST, OPTIONS']);
  assert.equal((await shop.get(LIST)).status, 200);
});

test('any text may be looked up as an ID: it is a 404, or a 422 if it cannot be stored', async () => {
  const shop = await makeShop({ benefits: [benefit('one')] });
  for (const id of [
    'ONE',
    'one%20',
    'one%2F',
    '%27%20or%201=1',
    '%F0%9F%8D%BA',
    'a'.repeat(1000),
    'null',
    '..%2flist',
  ])
    assert.equal((await shop.get(`/v1/benefits/${id}`)).status, 404, id);
  const unstorable = await shop.get('/v1/benefits/one%00');
  assert.deepEqual(unstorable.body, {
    detail: [
      {
        loc: ['path', 'benefit_id'],
        msg: 'Input should be a valid string, unable to parse raw data as a unicode string',
        type: 'string_unicode',
      },
    ],
  });
  for (const id of ['%ff', '%zz', 'a'.repeat(2000)])
    assert.equal((await shop.get(`/v1/benefits/${id}`)).status, 404, id);
});
