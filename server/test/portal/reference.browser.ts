/** The API reference at `/docs` in a real browser. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createKey } from '#commerces/api-keys.ts';
import { service } from '#test/harness.ts';
import { benefit, makeShop } from '#test/make.ts';
import { assertAccessible, becomes, open, startClubs } from './browser.ts';

const RECORD = '#operations-Consumptions-recordConsumptionByClientCode';
const ACCOUNT = '#operations-My_account-getMyAccount';

test('on a developer’s machine every call works at once, a second try counts again, and a reload keeps the key', async () => {
  const { db } = await service();
  const shop = await makeShop({ benefits: [benefit('coffee')], earning: { money_per_point: 1 } });
  const member = await shop.member();
  await shop.sell(member, 20);
  const { key } = await createKey(db, shop.id, 'demo');
  const demo = { commerceId: shop.id, name: 'Luna', slug: shop.slug, key, clientCode: member.code };
  const base = await startClubs({ tryItOut: true, demo });
  const { page, faults, context } = await open({ viewport: { width: 1280, height: 900 } }, base);
  await page.goto(`${base}/docs`);

  await page.locator(`${RECORD} .opblock-summary-control`).click();
  for (const balance of [46, 72]) {
    await page.locator(`${RECORD} .execute`).click();
    await page
      .locator(`${RECORD} .live-responses-table`, { hasText: `x-points-balance: ${balance}` })
      .waitFor();
  }

  for (const [operation, answer] of [
    ['getConsumption', '"amount": 20'],
    ['reverseConsumption', '"amount": 6'],
  ] as const) {
    const block = page.locator(`[id^="operations-"][id$="-${operation}"]`);
    await block.locator('.opblock-summary-control').click();
    await block.locator('.execute').click();
    await block.locator('.live-responses-table', { hasText: answer }).waitFor();
  }

  await page.getByRole('button', { name: `Sign in as ${member.email}` }).click();
  await page.getByText('Signed in for 15 minutes').waitFor();
  await page.reload();
  await page.locator(`${ACCOUNT} .opblock-summary-control`).click();
  await page.locator(`${ACCOUNT} .execute`).click();
  await page.locator(`${ACCOUNT} .live-responses-table`, { hasText: '"points": 66' }).waitFor();
  assert.deepEqual(faults, []);
  await context.close();
});

test('a key of the page’s own is kept, and one of a demo that was made anew is replaced', async () => {
  const { db } = await service();
  const shop = await makeShop({ benefits: [benefit('coffee')] });
  const member = await shop.member();
  const { key } = await createKey(db, shop.id, 'demo');
  const demo = { commerceId: shop.id, name: 'Luna', slug: shop.slug, key, clientCode: member.code };
  const base = await startClubs({ tryItOut: true, demo });
  for (const [filledIn, text] of [
    ['lk_test_old', 'The demo’s API key is filled in.'],
    [null, 'Your key is kept.'],
  ] as const) {
    const { page, faults, context } = await open({ viewport: { width: 1280, height: 900 } }, base);
    await context.addInitScript((last) => {
      if (localStorage.getItem('authorized') !== null) return;
      const schema = { type: 'http', scheme: 'bearer' };
      localStorage.setItem(
        'authorized',
        JSON.stringify({ CommerceApiKey: { name: 'CommerceApiKey', schema, value: 'lk_test_old' } }),
      );
      if (last !== null) localStorage.setItem('loyalty/docs/key', last);
    }, filledIn);
    await page.goto(`${base}/docs`);
    await page.getByText(text).waitFor();
    // There is no purchase and no code, so none is filled in.
    await page.locator('#operations-Benefits-redeemBenefit .opblock-summary-control').click();
    assert.doesNotMatch(await page.content(), /52840917364015|446165214474872/);
    assert.deepEqual(faults, []);
    await context.close();
  }
});

test('a guide has the way to all others, its reader’s values in the commands, other languages, and nothing cut off', async () => {
  const { db } = await service();
  const shop = await makeShop({ benefits: [benefit('coffee')] });
  const member = await shop.member();
  const { key } = await createKey(db, shop.id, 'demo');
  const demo = { commerceId: shop.id, name: 'Luna', slug: shop.slug, key, clientCode: member.code };
  for (const [base, isDeveloper] of [
    [await startClubs({ tryItOut: true, demo }), true],
    [await startClubs(), false],
  ] as const) {
    const { page, faults, context } = await open({ viewport: { width: 1280, height: 900 } }, base);
    await page.goto(`${base}/docs/guides/till.md`);
    const side = page.getByRole('navigation', { name: 'All documents' });
    assert.equal(await side.getByRole('link', { name: 'The till' }).getAttribute('aria-current'), 'page');
    const preview = page.locator('pre', { hasText: '/v1/consumptions/preview' });
    await preview.getByText(`curl -s ${base}/v1/consumptions/preview`).waitFor();
    if (isDeveloper) await preview.getByText(`Bearer ${key}`).waitFor();
    await page.getByLabel('KEY').fill('lk_test_mine');
    await preview.getByText('Bearer lk_test_mine').waitFor();
    for (const [language, text] of [
      ['Node', 'await fetch('],
      ['Python', 'urllib.request.Request('],
      ['PHP', 'curl_init('],
      ['curl', 'Bearer lk_test_mine'],
    ] as const) {
      await page.getByRole('button', { name: language, exact: true }).first().click();
      await preview.getByText(text).waitFor();
    }
    await page.getByRole('button', { name: 'Copy' }).first().click();
    await page.getByRole('button', { name: /Copied|Selected/ }).waitFor();
    // The check loads style sheets, which a page without an origin may not.
    if (isDeveloper) await assertAccessible(page, 'a guide');

    const paths = await side
      .locator('a')
      .evaluateAll((links) => links.map((link) => (link as HTMLAnchorElement).href));
    assert.ok(
      paths.some((path) => path.endsWith('#rate-limits')) &&
        paths.some((path) => path.endsWith('CHANGELOG.md')),
    );
    for (const path of new Set(paths.map((one) => one.split('#')[0]!).filter((one) => one.endsWith('.md')))) {
      await page.goto(path);
      const cut = await page
        .locator('main *')
        .evaluateAll((all) =>
          all
            .filter((one) => one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 0)
            .map((one) => one.outerHTML.slice(0, 80)),
        );
      assert.deepEqual(
        cut.filter((html) => !html.startsWith('<input')),
        [],
        path,
      );
    }
    assert.deepEqual(faults, []);
    await context.close();
  }
});

test('the search finds the guide that speaks of a word', async () => {
  const base = await startClubs();
  const { page, faults, context } = await open({ viewport: { width: 1280, height: 900 } }, base);
  await page.goto(`${base}/docs`);
  await page.locator(RECORD).waitFor();
  const found = page.getByRole('list', { name: 'In the guides' });
  await page.getByLabel('Search the operations and the guides').fill('cents');
  await found.getByRole('link', { name: /Cents$/ }).waitFor();
  await found.getByRole('link', { name: /Cents$/ }).click();
  await becomes(() => Promise.resolve(page.url()), `${base}/docs/api.md#cents`);
  assert.deepEqual(faults, []);
  await context.close();
});

test('elsewhere the page is for reading; it can be searched, breaks no rule of accessibility and fits a small phone', async () => {
  const base = await startClubs();
  for (const colorScheme of ['light', 'dark'] as const) {
    const { page, faults, context } = await open(
      { colorScheme, viewport: { width: 1280, height: 900 } },
      base,
    );
    await page.goto(`${base}/docs`);
    await page.locator(RECORD).waitFor();
    await becomes(() => page.evaluate(() => self.origin), 'null');
    assert.equal(await page.locator('#ready').count(), 0);

    await page.getByLabel('Search the operations').fill('redeem code');
    await page.locator('#operations-Benefits-redeemBenefit').waitFor();
    assert.equal(await page.locator(RECORD).count(), 0);
    await page.getByLabel('Search the operations').fill('nonsense');
    await page.getByText('Nothing matches. Try one word, such as refund').waitFor();
    assert.equal(await page.getByText('No operations defined').isVisible(), false);
    await page.getByLabel('Search the operations').fill('');
    await page.locator(RECORD).waitFor();

    for (const width of [320, 390, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
    }
    await page.goto(`${base}/docs/guides/online-shop.md`);
    await page.getByRole('heading', { name: 'The online shop' }).waitFor();
    assert.deepEqual(faults, []);

    // Axe itself loads the style sheets, which a page without an origin may not.
    await page.goto(`${base}/docs`);
    await page.locator(RECORD).waitFor();
    await assertAccessible(page, colorScheme);
    await context.close();
  }
});
