import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call } from '#test/harness.ts';
import { benefit, makeShop } from '#test/make.ts';
import { everyBenefit, everyBenefitOnTheWire } from './every-benefit.ts';

const PATHS = ['/v1/public/commerce', '/v1/public/benefits', '/v1/public/program'];

test('the commerce shows its branding with every field', async () => {
  const branding = {
    name: 'Café Luna',
    logo: 'https://luna.example/logo.png',
    color: '#4b2e83',
    category_name: 'Coffee',
    currency: 'ARS',
  };
  const shop = await makeShop(branding);
  const { status, body } = await shop.visit('/v1/public/commerce');
  assert.deepEqual([status, body], [200, { id: shop.id, ...branding }]);
});

test('fields that the commerce left out are null', async () => {
  const shop = await makeShop({ name: 'Plain' });
  const { body } = await shop.visit('/v1/public/commerce');
  assert.deepEqual(body, {
    id: shop.id,
    name: 'Plain',
    logo: null,
    color: null,
    category_name: null,
    currency: 'EUR',
  });
});

test('the public catalog shows every shape of benefit that is on sale', async () => {
  const shop = await makeShop({ benefits: everyBenefit });
  const { status, body } = await shop.visit('/v1/public/benefits');
  assert.deepEqual([status, body], [200, everyBenefitOnTheWire]);
});

test('the public catalog shows only what can be bought now: no rewards, nothing off sale, sold out or past its date', async () => {
  const shop = await makeShop({
    sandbox: true,
    benefits: [
      { ...benefit('hello', { benefit_type: 'welcome' }), cost: undefined },
      benefit('hidden', { on_sale: false }),
      benefit('past', { expiration: '2020-01-01T00:00:00Z' }),
      benefit('ending', { expiration: new Date(Date.now() + 5 * 86_400_000).toISOString() }),
      benefit('one-left', { cost: 0, buy_limit: 1 }),
      benefit('always'),
    ],
  });
  const shown = async () =>
    ((await shop.visit('/v1/public/benefits')).body as { id: string }[]).map(({ id }) => id);
  assert.deepEqual(await shown(), ['ending', 'one-left', 'always']);
  await shop.voucher(await shop.member(), 'one-left');
  assert.deepEqual(await shown(), ['ending', 'always']);
  await shop.moveClock('6 days');
  assert.deepEqual(await shown(), ['always']);
});

test('a call without X-Commerce-Id is a 422 that names the header', async () => {
  for (const path of PATHS)
    assert.deepEqual((await call('GET', path)).body, {
      detail: [{ loc: ['header', 'x-commerce-id'], msg: 'Field required', type: 'missing' }],
    });
});

test('an X-Commerce-Id that is not a canonical integer is a 422', async () => {
  for (const path of PATHS)
    for (const [sent, msg, type] of [
      ['', 'Input should be a valid integer, unable to parse string as an integer', 'int_parsing'],
      ['luna', 'Input should be a valid integer, unable to parse string as an integer', 'int_parsing'],
      ['01', 'Input should be a valid integer, unable to parse string as an integer', 'int_parsing'],
      ['1, 1', 'Input should be a valid integer, unable to parse string as an integer', 'int_parsing'],
      [
        '9007199254740992',
        'Unable to parse input string as an integer, exceeded maximum size',
        'int_parsing_size',
      ],
    ] as const) {
      const answer = await call('GET', path, { headers: { 'x-commerce-id': sent } });
      assert.equal(answer.status, 422);
      assert.deepEqual(answer.body, { detail: [{ loc: ['header', 'x-commerce-id'], msg, type }] }, sent);
    }
});

test('a closed commerce and an unknown one are the same 404, byte for byte', async () => {
  const shop = await makeShop();
  assert.equal((await shop.visit('/v1/public/commerce')).status, 200);
  await shop.close();
  for (const path of PATHS) {
    const never = await call('GET', path, { headers: { 'x-commerce-id': '9007199254740991' } });
    assert.equal(never.status, 404);
    assert.equal((await shop.visit(path)).text, never.text);
    for (const id of ['0', '-1'])
      assert.equal((await call('GET', path, { headers: { 'x-commerce-id': id } })).text, never.text);
  }
});

test('a paused commerce is still shown', async () => {
  const shop = await makeShop({ status: 'paused', benefits: [benefit('one')] });
  for (const path of PATHS) assert.equal((await shop.visit(path)).status, 200);
});

test('Authorization is ignored: no token is needed, and a wrong one is not an error', async () => {
  const shop = await makeShop();
  for (const path of PATHS)
    for (const authorization of ['Bearer nonsense', 'Basic eDp5', '', `Bearer ${shop.key}`])
      assert.equal((await shop.visit(path, { authorization })).status, 200);
});

test('a page of any origin may read the public calls', async () => {
  const shop = await makeShop();
  for (const path of PATHS) {
    const { headers } = await shop.visit(path, { origin: 'https://elsewhere.example' });
    assert.equal(headers.get('access-control-allow-origin'), '*');
    assert.equal(headers.get('access-control-allow-credentials'), null);
  }
});
