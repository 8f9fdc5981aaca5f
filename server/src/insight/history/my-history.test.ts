import assert from 'node:assert/strict';
import { test } from 'node:test';
import { benefit, makeShop } from '#test/make.ts';

interface Page {
  readonly results: Record<string, unknown>[];
  readonly next_cursor: string | null;
}

test('the history names the kind of each entry and what increased a purchase; the contract’s list stays as it is', async () => {
  const shop = await makeShop({
    benefits: [benefit('coffee', { cost: 4 })],
    earning: {
      money_per_point: 1,
      double_points: [{ from: '2020-01-01T00:00:00Z', to: '2090-01-01T00:00:00Z' }],
    },
    levels: {
      threshold_type: 'points',
      ladder: [
        { name: 'Crew', threshold: 0, points_multiplier: 1 },
        { name: 'Captain', threshold: 20, points_multiplier: 1.5 },
      ],
    },
  });
  const member = await shop.member();
  const browser = await shop.browser(member);
  await shop.sell(member, 10);
  await shop.sell(member, 10);
  await browser.post('/v1/me/benefits/exchange', { benefit_id: 'coffee' });

  const { results } = (await browser.get('/v1/me/history')).body as Page;
  assert.deepEqual(
    results.map(({ kind, points, factors }) => [kind, points, factors]),
    [
      ['exchange', -4, null],
      ['purchase', 30, 'double points, Captain × 1.5'],
      ['purchase', 20, 'double points'],
    ],
  );
  const activity = (await browser.get('/v1/me/activity')).body as Page;
  assert.deepEqual(
    results.map(({ kind, factors, ...rest }) => (assert.ok(kind), assert.notEqual(factors, undefined), rest)),
    activity.results,
  );
  assert.ok(activity.results.every((item) => item['additional_note'] === null));
});

test('both lists accept each other’s cursors', async () => {
  const shop = await makeShop();
  const member = await shop.member();
  for (let amount = 1; amount <= 25; amount++) await shop.sell(member, amount);
  const browser = await shop.browser(member);
  const first = (await browser.get('/v1/me/activity')).body as Page;
  const rest = (await browser.get(`/v1/me/history?cursor=${first.next_cursor}`)).body as Page;
  assert.deepEqual(
    rest.results.map(({ amount }) => amount),
    [5, 4, 3, 2, 1],
  );
  assert.equal(rest.next_cursor, null);
});
