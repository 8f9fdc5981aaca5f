import assert from 'node:assert/strict';
import { test } from 'node:test';
import { transaction } from '#db/database.ts';
import { service } from '#test/harness.ts';
import { benefit, makeShop } from '#test/make.ts';
import { giveBackVoucher } from '#vouchers/give-back-voucher.ts';
import type { Page, Voucher } from './my-answers.ts';

const EXCHANGE = '/v1/me/benefits/exchange';

test('the history is newest first, and each kind of entry has its own fields', async () => {
  const shop = await makeShop({
    benefits: [benefit('coffee', { cost: 4 })],
    rewards: { welcome: { points: 15 } },
  });
  const member = await shop.member();
  const browser = await shop.browser(member);
  await shop.sell(member, 30);
  const bought = (await browser.post(EXCHANGE, { benefit_id: 'coffee' })).body as Voucher & {
    benefit: unknown;
  };
  await shop.post('/v1/benefits/redeem', { client_benefit_code: bought.client_benefit_code });
  const { status, body } = await browser.get('/v1/me/activity');
  assert.equal(status, 200);
  const { results, ...cursors } = body as { results: { date: string }[] };
  assert.deepEqual(cursors, { next_cursor: null, previous_cursor: null });
  const empty = { points: null, benefit: null, amount: null, event: null, additional_note: null };
  assert.deepEqual(
    results.map(({ date, ...rest }) => (assert.match(date, /^\d{4}-.*\.\d{3}Z$/), rest)),
    [
      { ...empty, type: 'benefit_usage', benefit: bought.benefit },
      { ...empty, type: 'benefit_exchange', points: -4, benefit: bought.benefit },
      { ...empty, type: 'consumption', points: 30, amount: 30 },
      { ...empty, type: 'points_special_reward', points: 15, event: 'welcome' },
    ],
  );
});

test('points refunded for a code appear in the history with a note, and the code disappears', async () => {
  const { db } = await service();
  const shop = await makeShop({ benefits: [benefit('coffee', { cost: 4 })] });
  const member = await shop.member();
  const browser = await shop.browser(member);
  await shop.sell(member, 30);
  const code = await shop.voucher(member, 'coffee');
  await transaction(db, (tx) =>
    giveBackVoucher(tx, { commerceId: shop.id, code, reason: 'closed for works' }),
  );
  const { results } = (await browser.get('/v1/me/activity')).body as { results: Record<string, unknown>[] };
  const [first] = results;
  assert.deepEqual(
    [first!['type'], first!['points'], first!['additional_note']],
    ['benefit_exchange', 4, 'closed for works'],
  );
  assert.deepEqual((await browser.get('/v1/me/benefits')).body, []);
  assert.equal(((await browser.get('/v1/me')).body as { points: number }).points, 30);
});

test('cursors walk the whole history once, forwards and back, while it grows', async () => {
  const shop = await makeShop();
  const member = await shop.member();
  for (let amount = 1; amount <= 45; amount++) await shop.sell(member, amount);
  const browser = await shop.browser(member);
  const pages: Page[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const page: Page = (await browser.get(`/v1/me/activity?cursor=${cursor}`)).body as Page;
    pages.push(page);
    if (pages.length === 1) await shop.sell(member, 99);
    cursor = page.next_cursor;
  }
  assert.deepEqual(
    pages.map((page) => page.results.length),
    [20, 20, 5],
  );
  const amounts = pages.flatMap((page) => page.results.map((item) => item.amount));
  assert.deepEqual(
    amounts,
    Array.from({ length: 45 }, (_, i) => 45 - i),
  );
  const back = (await browser.get(`/v1/me/activity?cursor=${pages[2]!.previous_cursor}`)).body as Page;
  assert.deepEqual(back.results, pages[1]!.results);
  const newer = (await browser.get(`/v1/me/activity?cursor=${pages[1]!.previous_cursor}`)).body as Page;
  assert.deepEqual(newer.results, pages[0]!.results);
  const newest = (await browser.get(`/v1/me/activity?cursor=${newer.previous_cursor}`)).body as Page;
  assert.deepEqual([newest.results.map((item) => item.amount), newest.previous_cursor], [[99], null]);
});

test('a cursor of another list, member or commerce is a 422', async () => {
  const [shop, other] = [await makeShop(), await makeShop()];
  const [member, stranger] = [await shop.member(), await shop.member()];
  for (let i = 0; i < 21; i++) await shop.sell(member, 1);
  const browser = await shop.browser(member);
  const { next_cursor: cursor } = (await browser.get('/v1/me/activity')).body as Page;
  assert.ok(cursor);
  const fault = {
    detail: [
      { loc: ['query', 'cursor'], msg: 'Value error, not a cursor of this list', type: 'value_error' },
    ],
  };
  for (const wrong of [
    'x',
    'null',
    '..',
    `${cursor}x`,
    `x${cursor}`,
    cursor.toUpperCase(),
    cursor.slice(0, -5),
    '%F0%9F%8D%BA',
  ])
    assert.deepEqual((await browser.get(`/v1/me/activity?cursor=${wrong}`)).body, fault, wrong);
  assert.deepEqual(
    (await (await shop.browser(stranger)).get(`/v1/me/activity?cursor=${cursor}`)).body,
    fault,
  );
  assert.deepEqual((await (await other.browser(member)).get(`/v1/me/activity?cursor=${cursor}`)).body, fault);
  const long = await browser.get(`/v1/me/activity?cursor=${'a'.repeat(513)}`);
  assert.deepEqual(
    (long.body as { detail: { type: string }[] }).detail.map(({ type }) => type),
    ['string_too_long'],
  );
});
