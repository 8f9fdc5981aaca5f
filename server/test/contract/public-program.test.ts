/** The program as visitors read it before they join. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runJob } from '#jobs/run-jobs.ts';
import { service } from '#test/harness.ts';
import { benefit, makeShop, type Shop } from '#test/make.ts';

const { db } = await service();

const PATH = '/v1/public/program';
const DAY_MS = 86_400_000;

test('a program shows all its rules', async () => {
  const gift = (id: string, kind: string) => benefit(id, { benefit_type: kind, cost: 0 });
  const shop = await makeShop({
    tagline: 'Breakfast pays you back',
    cover: 'https://luna.example/cover.jpg',
    color: '#4b2e83',
    locale: 'es-AR',
    time_zone: 'America/Argentina/Buenos_Aires',
    earning: { money_per_point: 2.5 },
    points_expiration: { mode: 'rolling', months: 12 },
    levels: {
      threshold_type: 'amount',
      ladder: [
        { id: 'new', name: 'New', threshold: 10 },
        {
          name: 'Half Moon',
          threshold: 100,
          points_multiplier: 1.25,
          icon_url: 'https://luna.example/half.png',
          benefit: 'moon',
        },
      ],
    },
    benefits: [gift('moon', 'level'), gift('cake', 'birthday'), benefit('coffee')],
    rewards: { welcome: { points: 50 }, birthday: { benefit: 'cake' } },
  });
  const list = (await shop.get('/v1/benefits/list')).body as { id: string }[];
  const [moon, cake] = ['moon', 'cake'].map((id) => list.find((one) => one.id === id));
  const { status, body } = await shop.visit(PATH);
  assert.deepEqual(
    [status, body],
    [
      200,
      {
        tagline: 'Breakfast pays you back',
        cover: 'https://luna.example/cover.jpg',
        color: '#4b2e83',
        locale: 'es-AR',
        time_zone: 'America/Argentina/Buenos_Aires',
        earning: {
          money_per_point: 2.5,
          double_points: [],
          has_rules: false,
          points_wait: false,
          has_stamps: false,
        },
        points_expiration: { mode: 'rolling', months: 12 },
        levels: {
          threshold_type: 'amount',
          ladder: [
            {
              id: 'new',
              rank: 1,
              name: 'New',
              threshold: 10,
              points_multiplier: 1,
              icon_url: null,
              benefit: null,
            },
            {
              id: 'half-moon',
              rank: 2,
              name: 'Half Moon',
              threshold: 100,
              points_multiplier: 1.25,
              icon_url: 'https://luna.example/half.png',
              benefit: moon,
            },
          ],
        },
        rewards: {
          welcome: { points: 50, benefit: null },
          birthday: { points: null, benefit: cake },
          monthly_top: null,
        },
      },
    ],
  );
});

test('a program without tiers, rewards and expiry says so with nulls', async () => {
  const shop = await makeShop();
  const { body } = await shop.visit(PATH);
  assert.deepEqual(body, {
    tagline: null,
    cover: null,
    color: null,
    locale: 'en',
    time_zone: 'Europe/Madrid',
    earning: {
      money_per_point: 1,
      double_points: [],
      has_rules: false,
      points_wait: false,
      has_stamps: false,
    },
    points_expiration: { mode: 'none', months: null },
    levels: null,
    rewards: { welcome: null, birthday: null, monthly_top: null },
  });
});

test('a tagline is one line of 1 to 120 characters, and a cover is a picture that the portal shows', async () => {
  for (const [field, value] of [
    ['tagline', ''],
    ['tagline', 'x'.repeat(121)],
    ['tagline', 'two\nlines'],
    ['cover', 'http://luna.example/cover.jpg'],
    ['cover', 'https://user@luna.example/cover.jpg'],
    ['cover', 'cover.jpg'],
    ['cover', 'data:image/png;base64,AA=='],
  ] as const)
    await assert.rejects(makeShop({ [field]: value }), new RegExp(`"${field}"`), `${field}: ${value}`);
  const shop = await makeShop({ tagline: '🥐'.repeat(60) });
  assert.equal(((await shop.visit(PATH)).body as { tagline: string }).tagline, '🥐'.repeat(60));
});

test('double points come and go by the clock of the commerce, and ended ones are left out', async () => {
  const at = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();
  const shop = await makeShop({
    sandbox: true,
    earning: {
      money_per_point: 1,
      double_points: [
        { from: at(5.5), to: at(7) },
        { from: at(-9), to: at(-8) },
        { from: at(-1), to: at(2.5) },
      ],
    },
  });
  assert.deepEqual(await openWindows(shop), [true, false]);
  await shop.moveClock('3 days');
  assert.deepEqual(await openWindows(shop), [false]);
  await shop.moveClock('3 days');
  assert.deepEqual(await openWindows(shop), [true]);
  await shop.moveClock('3 days');
  assert.deepEqual(await openWindows(shop), []);
});

test('a reward whose benefit has expired is no longer promised', async () => {
  const expiration = new Date(Date.now() + 2 * DAY_MS).toISOString();
  const shop = await makeShop({
    sandbox: true,
    benefits: [benefit('hello', { benefit_type: 'welcome', cost: 0, expiration })],
    rewards: { welcome: { benefit: 'hello' } },
  });
  const welcome = async () =>
    ((await shop.visit(PATH)).body as { rewards: { welcome: unknown } }).rewards.welcome;
  assert.notEqual(await welcome(), null);
  await shop.moveClock('3 days');
  assert.equal(await welcome(), null);
});

async function openWindows(shop: Shop): Promise<boolean[]> {
  const { body } = await shop.visit(PATH);
  const { earning } = body as { earning: { double_points: { is_open: boolean }[] } };
  return earning.double_points.map((window) => window.is_open);
}

test('a program that makes no points wait any more says that points wait for as long as some do', async () => {
  const shop = await makeShop({ sandbox: true, earning: { money_per_point: 1, pending: { days: 14 } } });
  const member = await shop.member();
  await shop.sell(member, 10);
  const waits = async () =>
    ((await shop.visit(PATH)).body as { earning: { points_wait: boolean } }).earning.points_wait;
  assert.equal(await waits(), true);
  await shop.apply({ sandbox: true, earning: { money_per_point: 1 } });
  assert.equal(await waits(), true);
  await shop.moveClock('15 days');
  await runJob(db, 'pending-points', shop.id);
  assert.equal(await waits(), false);
});
