/** The promises of each screen of the portal: the card, what is new, the history, the shop window, pictures, odd values. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { benefit, makeShop, type MadeMember, type Shop } from '#test/make.ts';
import { assertAccessible, assertFits, becomes, passOf, signIn, type Visit, visit } from './browser.ts';
import { club } from './club.ts';
import { readQr } from './read-qr.ts';

const tab = (page: Page, name: string) => page.getByRole('link', { name, exact: true }).click();
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });

async function enter(shop: Shop, member: MadeMember, width = 390): Promise<Visit> {
  const visited = await visit(shop, { width });
  await signIn(visited, member.email);
  return visited;
}

test('the card is one tap from every view, and the till can read it', async () => {
  const shop = await club();
  const member = await shop.member();
  const visited = await enter(shop, member);
  const { page, faults } = visited;
  for (const view of ['Home', 'Benefits', 'History', 'Profile']) {
    await tab(page, view);
    await tab(page, 'Card');
    await heading(page, 'Your card').waitFor();
  }
  await assertAccessible(page, 'card');
  await assertFits(page, 'card');
  await becomes(() => readQr(visited), String(member.code));
  await becomes(
    async () =>
      (
        await passOf(page)
          .getByText(/^[\d\s]{9,}$/)
          .innerText()
      ).replaceAll(' ', ''),
    String(member.code),
  );
  const pass = await passOf(page).evaluate((pass) => getComputedStyle(pass).backgroundColor);
  await page.emulateMedia({ colorScheme: 'dark' });
  assert.equal(pass, 'rgb(255, 255, 255)');
  await becomes(() => passOf(page).evaluate((pass) => getComputedStyle(pass).backgroundColor), pass);

  await tab(page, 'Home');
  await page.getByRole('link', { name: 'Show my card' }).click();
  await heading(page, 'Your card').waitFor();
  assert.deepEqual(faults, []);
});

test('Home says what was gained since the last visit, and forgets it when the member signs out', async () => {
  const shop = await club();
  const member = await shop.member();
  await shop.sell(member, 5);
  const { page, faults } = await enter(shop, member);
  assert.equal(await page.getByText(/since your last visit/).count(), 0);

  // The member comes back an hour later, and has bought something in between.
  await page.evaluate(() => {
    const key = Object.keys(localStorage).find((name) => name.endsWith('/seen'))!;
    const seen = JSON.parse(localStorage.getItem(key)!) as { at: number };
    localStorage.setItem(key, JSON.stringify({ ...seen, at: seen.at - 3_600_000 }));
  });
  await shop.sell(member, 26);
  await page.reload();
  await page.getByText('+26 points today').waitFor();
  // Looking again is the same visit.
  await page.reload();
  await page.getByText('+26 points today').waitFor();
  await tab(page, 'Profile');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('link', { name: 'Join the club' }).waitFor();
  await becomes(() => page.evaluate(() => localStorage.length), 0);
  assert.deepEqual(faults, []);
});

test('joining and climbing are celebrated, without motion too', async () => {
  const shop = await club();
  const visited = await visit(shop);
  const { page, faults } = visited;
  await signIn(visited, `joins-${shop.slug}@example.com`);
  await page.getByRole('heading', { name: 'Welcome to the club!' }).waitFor();
  await page.getByText('You got 50 points.').waitFor();
  await assertAccessible(page, 'joined');
  await page.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('heading', { name: 'Welcome to the club!' }).waitFor({ state: 'detached' });

  const { body } = await shop.post('/v1/clients/email', { client_email: `joins-${shop.slug}@example.com` });
  await shop.post('/v1/consumptions/client-code', {
    client_code: (body as { code: number }).code,
    amount: 2000,
  });
  await page.reload();
  await page.getByRole('heading', { name: 'You have reached Silver!' }).waitFor();
  await page.reload();
  await heading(page, 'Your points').waitFor();
  await page.getByText('Silver').first().waitFor();
  assert.equal(await page.getByRole('heading', { name: 'You have reached Silver!' }).count(), 0);
  assert.deepEqual(faults, []);
});

test('points that end on 53 days are at most seven lines', async () => {
  const shop = await makeShop({ points_expiration: { mode: 'rolling', months: 24 }, sandbox: true });
  const member = await shop.member();
  for (let week = 0; week < 53; week++) {
    await shop.sell(member, 10);
    await shop.moveClock('7 days');
  }
  const { page } = await enter(shop, member);
  await page.getByRole('heading', { name: 'When points end' }).waitFor();
  const lines = await page
    .getByRole('region', { name: 'When points end' })
    .getByRole('listitem')
    .allInnerTexts();
  assert.equal(lines.length, 7);
  assert.match(lines.at(-1)!, /^Later/);
  const figures = lines.map((line) => Number(/([\d,]+) points/.exec(line)![1]!.replaceAll(',', '')));
  assert.equal(
    figures.reduce((sum, points) => sum + points, 0),
    530,
  );
});

test('the history is grouped by month, tells why, can be filtered, and a gain is green in a red shop', async () => {
  const shop = await club({
    color: '#d40000',
    sandbox: true,
    earning: {
      money_per_point: 1,
      double_points: [{ from: '2020-01-01T00:00:00Z', to: '2090-01-01T00:00:00Z' }],
    },
    points_expiration: { mode: 'rolling', months: 3 },
  });
  const member = await shop.member();
  await shop.sell(member, 600);
  await shop.moveClock('40 days');
  await shop.sell(member, 100);
  await shop.voucher(member, 'coffee');
  await shop.moveClock('70 days');
  const { page, faults } = await enter(shop, member);
  await tab(page, 'History');
  await page.getByText('Points expired', { exact: true }).waitFor();
  await page.getByText('These points expired unused.').waitFor();
  await page.getByText('double points, Silver × 1.25').waitFor();
  const months = await page.getByRole('main').getByRole('heading', { level: 2 }).allInnerTexts();
  assert.equal(months.length, 3, months.join());
  const gained = page.getByText(/^\+\d/).first();
  const [gain, red] = await gained.evaluate((element) => [
    getComputedStyle(element).color,
    getComputedStyle(document.documentElement).getPropertyValue('--accent'),
  ]);
  assert.equal(gain, 'rgb(20, 113, 60)');
  assert.match(red, /^#[a-d]/);

  await page.getByRole('button', { name: 'Gifts' }).click();
  await becomes(
    () => page.getByRole('main').getByRole('listitem').locator('p:first-child').allInnerTexts(),
    ['Welcome gift'],
  );
  await assertAccessible(page, 'filtered history');
  await page.getByRole('button', { name: 'Purchases' }).click();
  await becomes(() => page.getByRole('main').getByRole('listitem').locator('p:first-child').count(), 2);
  await page.getByRole('button', { name: 'All' }).click();
  assert.deepEqual(faults, []);
});

test('a visitor’s headline is the name of the shop in at most four lines of a phone, however long the name is', async () => {
  const shop = await club({
    name: 'The Old Harbour Bakery and Coffee House of Puerto Madryn since 1886',
    tagline: null,
  });
  const { page } = await visit(shop, { width: 390 });
  const title = page.getByRole('heading', { level: 1 });
  await title.waitFor();
  const { lines, share } = await title.evaluate((element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    const tops = [...range.getClientRects()].map(({ top }) => Math.round(top));
    return { lines: new Set(tops).size, share: element.getBoundingClientRect().height / innerHeight };
  });
  assert.ok(lines <= 4, `${lines} lines`);
  assert.ok(share < 0.25, `${share} of the screen`);
});

test('the shop window says how to earn, what joining gives, and what each tier brings', async () => {
  const shop = await club({
    tagline: 'Breakfast pays you back',
    earning: {
      money_per_point: 10,
      double_points: [{ from: '2020-01-01T00:00:00Z', to: '2090-01-01T00:00:00Z' }],
    },
    levels: {
      ladder: [
        { name: 'Bronze', threshold: 0 },
        { name: 'Silver', threshold: 1000, points_multiplier: 1.25, benefit: 'jam' },
      ],
    },
    benefits: [
      benefit('coffee', { type: 'free_product', title: 'A coffee on us', value: null, cost: 120 }),
      benefit('jam', {
        benefit_type: 'level',
        type: 'free_product',
        title: 'A jar of jam',
        value: null,
        cost: 0,
      }),
    ],
    rewards: { welcome: { points: 50 } },
  });
  for (const width of [320, 390, 768, 1280]) {
    const { page, faults } = await visit(shop, { width });
    await heading(page, 'Breakfast pays you back').waitFor();
    await page.getByText(/1 point for every €10, double points until \d+ \w+ 20(89|90)/).waitFor();
    await page.getByText('A coffee on us from 120 points.').waitFor();
    await page.getByText('A gift for joining').waitFor();
    await page.getByText('From 1,000 points').waitFor();
    await page.getByText('1.25× points').waitFor();
    await page.getByText('A jar of jam').waitFor();
    await becomes(() => page.getByRole('link', { name: 'Join the club' }).count(), 1);
    await assertFits(page, `shop window at ${width}`);
    await assertAccessible(page, `shop window at ${width}`);
    assert.deepEqual(faults, []);
  }
});

test('a benefit without a picture, or with one that cannot be loaded, is drawn', async () => {
  const shop = await club({
    benefits: [
      benefit('coffee', { type: 'free_product', title: 'A coffee on us', value: null }),
      benefit('off', { title: 'Ten per cent off' }),
      benefit('broken', { title: 'Broken', image: 'https://pictures.invalid/none.png' }),
    ],
    rewards: {},
  });
  const { page } = await visit(shop);
  await page.getByRole('link', { name: 'Join the club' }).waitFor();
  assert.equal(await page.getByText('Free', { exact: true }).count(), 0, 'nothing is free that nobody names');
  await page.getByRole('main').getByRole('listitem').last().scrollIntoViewIfNeeded();
  await page.waitForFunction(() => document.querySelectorAll('main li svg.drawing').length === 3);
  for (const card of await page.locator('main li .picture').all()) {
    const box = (await card.boundingBox())!;
    assert.ok(box.width > 100 && box.height > 60, JSON.stringify(box));
  }
});

test('names of 60 characters, balances of nine digits and below zero fit on 320 pixels', async () => {
  const long = 'Maximiliana Alexandrovna Montgomery-Fitzgerald the Third ABCD';
  const shop = await club({
    name: 'The Old Harbour Bakery and Coffee House of Saint Bartholomew',
    levels: {
      ladder: [
        { name: long, threshold: 0 },
        { name: `${long} II`, threshold: 900_000_000 },
      ],
    },
    benefits: [benefit('long', { title: long, cost: 999_999_999, description: 'x'.repeat(120) })],
    rewards: { welcome: { points: 50 } },
  });
  const rich = await shop.member();
  await (await shop.browser(rich)).patch('/v1/me', { username: long });
  await shop.sell(rich, 123_456_789);
  const poor = await shop.member();
  const bought = await shop.post('/v1/consumptions/client-code', { client_code: poor.code, amount: 500 });
  await shop.apply({
    name: 'Harbour Bakery',
    benefits: [benefit('cheap', { title: 'Cheap', cost: 400 })],
    rewards: {},
  });
  await shop.voucher(poor, 'cheap');
  await shop.post(`/v1/consumptions/${bought.headers.get('x-consumption-id')}/reversal`, {});
  for (const [member, balance] of [
    [rich, '123,456,839'],
    [poor, '−350'],
  ] as const) {
    const { page } = await enter(shop, member, 320);
    await page.getByText(balance, { exact: true }).waitFor();
    for (const view of ['Home', 'Benefits', 'Card', 'History', 'Profile']) {
      await tab(page, view);
      await heading(page, { Home: 'Your points', Card: 'Your card' }[view] ?? view).waitFor();
      await assertFits(page, `${view} of ${balance}`);
      await assertAccessible(page, `${view} of ${balance}`);
    }
  }
});

test('a birthday stays visible after saving, and can be removed', async () => {
  const shop = await club();
  const { page, faults } = await enter(shop, await shop.member());
  await tab(page, 'Profile');
  await page.getByLabel('Birthday', { exact: true }).fill('1990-05-04');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').first().waitFor();
  await becomes(() => page.getByLabel('Birthday', { exact: true }).inputValue(), '1990-05-04');
  await page.reload();
  await page.getByLabel('Birthday', { exact: true }).waitFor();
  await becomes(() => page.getByLabel('Birthday', { exact: true }).inputValue(), '1990-05-04');
  await page.getByLabel('Birthday', { exact: true }).fill('');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').first().waitFor();
  await page.reload();
  await page.getByLabel('Birthday', { exact: true }).waitFor();
  await becomes(() => page.getByLabel('Birthday', { exact: true }).inputValue(), '');
  assert.deepEqual(faults, []);
});

test('an address without a club has a page in the portal’s design', async () => {
  const shop = await club();
  for (const scheme of ['light', 'dark'] as const) {
    const { page, faults } = await visit(shop, { scheme, width: 320 }, '/club/nobody-here');
    await heading(page, 'No club here').waitFor();
    await becomes(
      () => page.locator('.card').evaluate((card) => getComputedStyle(card).borderRadius),
      '18px',
    );
    await assertAccessible(page, `no club, ${scheme}`);
    await assertFits(page, `no club, ${scheme}`);
    assert.deepEqual(
      faults.filter((fault) => !fault.includes('status of 404')),
      [],
    );
  }
});
