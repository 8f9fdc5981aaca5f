/** The list of members: what it finds, and that it is found again as it was left. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeShop } from '#test/make.ts';
import { makeStaff } from '#test/staff.ts';
import { intercept } from '../portal/intercept.ts';
import { assertUsable, openConsole } from './console.ts';
import { becomes } from '../portal/browser.ts';

test('filters, order and text live in the address; the back button and a reload bring back the place', async () => {
  const shop = await makeShop({ rewards: { welcome: { points: 5 } } });
  const manager = await makeStaff(shop, 'manager');
  // Not a word that the end of the address, the shop's random slug, could begin with.
  for (let i = 0; i < 60; i++)
    await shop.member(`${i < 10 ? 'rosa' : 'person'}-${String(i).padStart(2, '0')}-${shop.slug}`);
  const { page, faults, base } = await openConsole(`/${shop.slug}/members`, manager);
  await page.getByText('60 people').waitFor();
  await page.getByRole('button', { name: 'Show more' }).click();
  await page.getByRole('table', { name: 'Members' }).getByRole('row').nth(60).waitFor();
  await page.getByRole('button', { name: /^Order/ }).click();
  await page.getByRole('menuitemradio', { name: 'Oldest first' }).click();
  await page.waitForURL(/sort=oldest/);
  await page.getByRole('button', { name: 'Show more' }).click();
  await page.getByRole('table', { name: 'Members' }).getByRole('row').nth(60).waitFor();

  const link = page.getByRole('table', { name: 'Members' }).getByRole('link').nth(55);
  const name = await link.textContent();
  await link.scrollIntoViewIfNeeded();
  await page.waitForTimeout(300);
  const y = await page.evaluate(() => scrollY);
  assert.ok(y > 500);
  await link.click();
  await page.getByRole('heading', { level: 1 }).waitFor();
  await becomes(() => page.evaluate(() => scrollY), 0, 'another page begins at its top');
  await page.goBack();
  await page.getByRole('table', { name: 'Members' }).getByRole('row').nth(60).waitFor();
  await becomes(() => page.evaluate(() => scrollY), y);
  await becomes(() => page.evaluate(() => document.activeElement?.textContent), name);
  await page.reload();
  await page.getByRole('table', { name: 'Members' }).getByRole('row').nth(60).waitFor();
  await page.waitForFunction((at) => scrollY === at, y);

  await page.goto(`${base}/console/${shop.slug}/members?state=member&min=5&sort=name#find=rosa`);
  await page.getByText('10 people').waitFor();
  await becomes(() => page.getByLabel('Find a member').inputValue(), 'rosa');
  await page.getByRole('button', { name: 'State: Member' }).waitFor();
  await assertUsable(page, 'a filtered list');
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await page.waitForURL((url) => !url.search.includes('state'));

  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export as CSV' }).click();
  const file = await (await download).createReadStream();
  assert.equal((await file.toArray()).join('').trim().split('\n').length, 11);
  assert.deepEqual(faults, []);
});

test('what is typed never stands in a request’s address', async () => {
  const shop = await makeShop();
  const manager = await makeStaff(shop, 'manager');
  const member = await shop.member();
  const { page } = await openConsole(`/${shop.slug}/members`, manager);
  const addresses: string[] = [];
  page.on('request', (request) => addresses.push(request.url()));
  await page.getByRole('table', { name: /^(?:Members|Clientes)$/ }).waitFor();
  await page.keyboard.type(member.email);
  await page.getByText('1 of 1 shown').waitFor();
  await page.waitForURL(/#find=/);
  await page.reload();
  await page.getByText('1 of 1 shown').waitFor();
  assert.deepEqual(
    addresses.filter((url) => decodeURIComponent(url).includes(member.email)),
    [],
  );
});

test('nobody at all, nobody found, no answer: each says what to do', async (t) => {
  const shop = await makeShop();
  const manager = await makeStaff(shop, 'manager');
  const { page, faults } = await openConsole(`/${shop.slug}/members`, manager);
  await page.getByRole('heading', { name: 'Nobody is here yet' }).waitFor();
  await page.getByRole('link', { name: 'To the till' }).waitFor();
  await assertUsable(page, 'nobody at all');
  await page.getByLabel('Find a member').fill('new@example.com');
  await page.getByRole('link', { name: 'Record a purchase' }).waitFor();
  await assertUsable(page, 'an address that nobody has');
  await page.getByLabel('Find a member').fill('zzz');
  await page.getByText('Nobody found for “zzz”').waitFor();
  await page.getByRole('button', { name: 'Show everybody' }).click();
  await page.getByRole('heading', { name: 'Nobody is here yet' }).waitFor();
  assert.deepEqual(faults, []);
  const stop = await intercept(t, page, /members\/search/, (route) => route.abort('connectionrefused'));
  await page.getByLabel('Find a member').fill('ana');
  await page.getByRole('heading', { name: 'No connection' }).waitFor();
  await assertUsable(page, 'no answer');
  await stop();
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('Nobody found for “ana”').waitFor();
});

test('the list works by keyboard alone, and fits any screen, light and dark, in both languages', async () => {
  const shop = await makeShop({
    levels: { ladder: [{ name: 'Bronze', threshold: 0, points_multiplier: 1 }] },
  });
  const manager = await makeStaff(shop, 'manager');
  for (const name of ['a', 'b', 'c']) await shop.member(`${name}-${shop.slug}`);
  for (const [scheme, locale] of [
    ['light', 'en-GB'],
    ['dark', 'es-AR'],
  ] as const) {
    const { page, faults } = await openConsole(`/${shop.slug}/members`, manager, { scheme, locale });
    await page.getByRole('table', { name: /^(?:Members|Clientes)$/ }).waitFor();
    for (const width of [320, 390, 640, 768, 1280, 1920]) {
      await page.setViewportSize({ width, height: 700 });
      await assertUsable(page, `${width} pixels, ${scheme}`);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    if (locale === 'en-GB') {
      await page.getByLabel('Find a member').focus();
      for (let i = 0; i < 20; i++) {
        await page.keyboard.press('Tab');
        if (await page.evaluate(() => document.activeElement?.closest('td') != null)) break;
      }
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: `c-${shop.slug}` }).waitFor();
    }
    assert.deepEqual(faults, []);
  }
});
