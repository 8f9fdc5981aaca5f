import assert from 'node:assert/strict';
import { test } from 'node:test';
import { benefit, makeShop } from '#test/make.ts';

test('my tier has every field, including the next tier', async () => {
  const shop = await makeShop({
    levels: {
      threshold_type: 'amount',
      ladder: [
        { name: 'Nueva', threshold: 0 },
        { name: 'Llena', threshold: 100, points_multiplier: 1.25, icon_url: 'https://luna.example/full.png' },
      ],
    },
  });
  const member = await shop.member();
  await shop.sell(member, 40);
  const browser = await shop.browser(member);
  const low = await browser.get('/v1/me/level');
  assert.equal(low.status, 200);
  const { reached_at: joined, ...rest } = low.body as { reached_at: string };
  assert.match(joined, /^\d{4}-.*\.\d{3}Z$/);
  assert.deepEqual(rest, {
    name: 'Nueva',
    rank: 1,
    points_multiplier: 1,
    icon_url: null,
    expiration_date: null,
    is_expired: false,
    next_level: { name: 'Llena', rank: 2, threshold_type: 'amount', threshold: 100 },
    total_earned_points: 40,
    total_spent_amount: 40,
    total_consumptions_count: 1,
  });
  await shop.sell(member, 60);
  const { reached_at: climbed, ...top } = (await browser.get('/v1/me/level')).body as { reached_at: string };
  assert.ok(climbed >= joined);
  assert.deepEqual(top, {
    name: 'Llena',
    rank: 2,
    points_multiplier: 1.25,
    icon_url: 'https://luna.example/full.png',
    expiration_date: null,
    is_expired: false,
    next_level: null,
    total_earned_points: 100,
    total_spent_amount: 100,
    total_consumptions_count: 2,
  });
});

test('the tier of somebody who has left shows no day that has passed meanwhile', async () => {
  const shop = await makeShop({
    sandbox: true,
    time_zone: 'UTC',
    levels: { valid_months: 1, ladder: [{ name: 'Llena', threshold: 10 }] },
  });
  const member = await shop.member();
  await shop.sell(member, 10);
  await shop.leave(member);
  const browser = await shop.browser(member);
  const shown = async () => {
    const { name, expiration_date: end } = (await browser.get('/v1/me/level')).body as Record<
      string,
      unknown
    >;
    return [name, end === null];
  };
  assert.deepEqual(await shown(), ['Llena', false]);
  await shop.moveClock('40 days');
  assert.deepEqual(await shown(), ['Llena', true]);
});

test('a tier with a period shows when it ends', async () => {
  const shop = await makeShop({
    sandbox: true,
    time_zone: 'UTC',
    levels: { valid_months: 1, ladder: [{ name: 'Llena', threshold: 10 }] },
  });
  const member = await shop.member();
  const browser = await shop.browser(member);
  await shop.sell(member, 10);
  const held = (await browser.get('/v1/me/level')).body as Record<string, unknown>;
  const end = Temporal.Now.plainDateISO('UTC').add({ months: 1 });
  assert.deepEqual([held['expiration_date'], held['is_expired']], [`${end.toString()}T23:59:59.999Z`, false]);
  await shop.moveClock('40 days');
  const over = (await browser.get('/v1/me/level')).body as Record<string, unknown>;
  assert.equal(over['is_expired'], true);
});

test('without a tier, or at a commerce without tiers, the level is a 404', async () => {
  const climbing = await makeShop({ levels: { ladder: [{ name: 'High', threshold: 1000 }] } });
  const flat = await makeShop();
  for (const shop of [climbing, flat]) {
    const answer = await (await shop.browser(await shop.member())).get('/v1/me/level');
    assert.deepEqual([answer.status, Object.keys(answer.body as object)], [404, ['message']]);
  }
});

test('the automatic rewards are as configured: points or a benefit, and the other is null', async () => {
  const gift = (kind: string) => ({ ...benefit(`a-${kind}`, { benefit_type: kind }), cost: undefined });
  const shop = await makeShop({
    benefits: [gift('birthday')],
    rewards: { welcome: { points: 5 }, birthday: { benefit: 'a-birthday' }, monthly_top: { points: 400 } },
  });
  const browser = await shop.browser(await shop.member());
  const { status, body } = await browser.get('/v1/me/rewards');
  assert.equal(status, 200);
  const [benefitOnTheWire] = (await shop.get('/v1/benefits/list')).body as object[];
  assert.deepEqual(body, [
    { event: 'welcome', reward_type: 'points', benefit: null, points: 5 },
    { event: 'birthday', reward_type: 'benefit', benefit: benefitOnTheWire, points: null },
    { event: 'monthly_top', reward_type: 'points', benefit: null, points: 400 },
  ]);
  const bare = await makeShop();
  assert.deepEqual((await (await bare.browser(await bare.member())).get('/v1/me/rewards')).body, []);
});
