import assert from 'node:assert/strict';
import { test } from 'node:test';
import { benefit, makeShop } from '#test/make.ts';
import { everyBenefit, everyBenefitOnTheWire } from './every-benefit.ts';
import type { Voucher } from './my-answers.ts';

const EXCHANGE = '/v1/me/benefits/exchange';

test('the available list is the live catalog in every shape, whatever the balance', async () => {
  const shop = await makeShop({
    benefits: [
      ...everyBenefit,
      benefit('hidden', { on_sale: false }),
      { ...benefit('hello', { benefit_type: 'welcome' }), cost: undefined },
    ],
  });
  const browser = await shop.browser(await shop.member());
  const { status, body } = await browser.get('/v1/me/benefits/available');
  assert.deepEqual([status, body], [200, everyBenefitOnTheWire]);
});

test('an exchange takes points and issues a code for every shape of benefit, and my benefits show it', async () => {
  const shop = await makeShop({ benefits: everyBenefit });
  const member = await shop.member();
  await shop.sell(member, 100);
  const browser = await shop.browser(member);
  let points = 100;
  const bought: unknown[] = [];
  for (const expected of everyBenefitOnTheWire) {
    const answer = await browser.post(EXCHANGE, { benefit_id: expected.id });
    assert.equal(answer.status, 200);
    const { client_benefit_code: code, issue_date: issued, due_date: due, ...rest } = answer.body as Voucher;
    assert.deepEqual(rest, { used: false, benefit: expected });
    assert.ok(Number.isSafeInteger(code) && /^\d{4}-.*Z$/.test(issued) && (due === null || due > issued));
    points -= expected.cost;
    assert.equal(((await browser.get('/v1/me')).body as { points: number }).points, points);
    bought.unshift(answer.body);
  }
  const mine = await browser.get('/v1/me/benefits');
  assert.deepEqual([mine.status, mine.body], [200, bought]);
  assert.equal((await shop.get(`/v1/clients/${member.code}/benefits`)).text, mine.text);
});

test('exchanging a benefit that does not exist, is not on sale or costs too much is a 400 that takes no points', async () => {
  const shop = await makeShop({
    benefits: [
      benefit('dear', { cost: 31 }),
      benefit('exact', { cost: 30 }),
      benefit('hidden', { cost: 1, on_sale: false }),
      benefit('past', { cost: 1, expiration: '2020-01-01T00:00:00Z' }),
      benefit('gone', { cost: 0, buy_limit: 1 }),
      { ...benefit('hello', { benefit_type: 'welcome' }), cost: undefined },
    ],
  });
  await shop.voucher(await shop.member(), 'gone');
  const member = await shop.member();
  await shop.sell(member, 30);
  const browser = await shop.browser(member);
  for (const id of [
    'never',
    'hidden',
    'past',
    'gone',
    'hello',
    'dear',
    '',
    ' exact',
    'EXACT',
    'x'.repeat(5000),
    '\u{1f37a}',
  ]) {
    const answer = await browser.post(EXCHANGE, { benefit_id: id });
    assert.equal(answer.status, 400, id);
    assert.deepEqual(Object.keys(answer.body as object), ['message']);
  }
  assert.equal(((await browser.get('/v1/me')).body as { points: number }).points, 30);
  assert.equal((await browser.post(EXCHANGE, { benefit_id: 'exact' })).status, 200);
  assert.equal(((await browser.get('/v1/me')).body as { points: number }).points, 0);
});

test('an exchange with a missing benefit_id, or one of the wrong type, is a 422', async () => {
  const shop = await makeShop();
  const browser = await shop.browser(await shop.member());
  for (const [body, loc, type] of [
    [{}, ['body', 'benefit_id'], 'missing'],
    [{ benefit_id: 5 }, ['body', 'benefit_id'], 'string_type'],
    [{ benefit_id: null }, ['body', 'benefit_id'], 'string_type'],
    [{ benefit_id: 'a\0' }, ['body', 'benefit_id'], 'string_unicode'],
    [{ benefit_id: '\ud800' }, ['body', 'benefit_id'], 'string_unicode'],
    [undefined, ['body'], 'missing'],
    [[], ['body'], 'model_attributes_type'],
  ] as const) {
    const answer = await browser.post(EXCHANGE, body);
    assert.equal(answer.status, 422);
    const { detail } = answer.body as { detail: { loc: unknown; type: string }[] };
    assert.deepEqual(
      detail.map((fault) => [fault.loc, fault.type]),
      [[loc, type]],
    );
  }
});
