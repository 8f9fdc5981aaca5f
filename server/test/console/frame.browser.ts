/** The frame around every page of the console. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { makeShop } from '#test/make.ts';
import { makeStaff } from '#test/staff.ts';
import { assertUsable, openConsole } from './console.ts';
import { becomes } from '../portal/browser.ts';

const inNavigation = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name });

test('a cashier sees the till and nothing else', async () => {
  const shop = await makeShop();
  const cashier = await makeStaff(shop, 'cashier');
  const { page, faults } = await openConsole('', cashier);
  await page.getByRole('banner').waitFor();
  assert.match(page.url(), new RegExp(`/console/${shop.slug}/till$`));
  assert.equal(await page.getByRole('navigation').count(), 0);
  await page.keyboard.press('Control+k');
  await page.getByRole('option', { name: 'Go to the till' }).waitFor();
  assert.equal(await page.getByRole('option', { name: 'Go to members' }).count(), 0);
  await page.goto(page.url().replace(/till$/, 'members'));
  await page.getByRole('heading', { name: 'This page is not for your role' }).waitFor();
  await assertUsable(page, 'a page of another role');
  await page.getByRole('link', { name: 'To the till' }).click();
  await page.waitForURL(/\/till$/);
  assert.deepEqual(faults, []);
});

test('a person with two shops moves between them, each in its color, and comes back to the last one', async () => {
  const bakery = await makeShop({ name: 'Harbour Bakery', color: '#0f5c6e' });
  const hardware = await makeShop({ name: 'Nuts and Bolts', color: '#b3261e' });
  const owner = await makeStaff(bakery, 'owner');
  await makeStaff(hardware, 'cashier', { email: owner.email });
  const { page, faults, base } = await openConsole(`/${bakery.slug}/members`, owner);
  const accent = () =>
    page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--accent'));
  await inNavigation(page, 'Members').waitFor();
  await page.waitForFunction(
    () => getComputedStyle(document.documentElement).getPropertyValue('--brand') === '#0f5c6e',
  );
  const before = await accent();
  await page.getByRole('button', { name: 'Change shop' }).click();
  await assertUsable(page, 'the menu of shops');
  await page.getByRole('menuitemradio', { name: 'Nuts and Bolts' }).click();
  await page.waitForURL(new RegExp(`${hardware.slug}/till$`));
  assert.equal(await page.getByRole('navigation').count(), 0, 'a cashier here');
  await page.waitForFunction(
    () => getComputedStyle(document.documentElement).getPropertyValue('--brand') === '#b3261e',
  );
  assert.notEqual(await accent(), before);
  await page.goto(`${base}/console`);
  await page.waitForURL(new RegExp(`${hardware.slug}/till$`));
  await page.goto(`${base}/console/somebody-elses-shop/till`);
  await page.getByRole('heading', { name: 'You are not part of this shop' }).waitFor();
  await assertUsable(page, 'a shop of others');
  assert.deepEqual(faults, []);
});

test('the search opens with a slash or Ctrl-K, is left with Escape, and goes to pages by keyboard alone', async () => {
  const shop = await makeShop();
  const manager = await makeStaff(shop, 'manager');
  const { page, faults } = await openConsole(`/${shop.slug}/nowhere`, manager);
  await page.getByRole('heading', { name: 'There is no page here' }).waitFor();
  await page.keyboard.press('/');
  const search = page.getByRole('combobox', { name: 'Search members and codes' });
  await search.waitFor();
  await assertUsable(page, 'the search');
  await page.keyboard.press('Escape');
  await search.waitFor({ state: 'detached' });
  await page.keyboard.press('Control+k');
  await search.waitFor();
  for (let i = 0; i < 3; i++) await page.keyboard.press('ArrowDown');
  assert.equal(
    await page.getByRole('option', { selected: true }).textContent(),
    'Go to members',
    'the arrow keys choose',
  );
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/members$/);
  await becomes(() => inNavigation(page, 'Members').getAttribute('aria-current'), 'page');
  assert.deepEqual(faults, []);
});

test('the keyboard skips to the content, and finds its keys listed', async () => {
  const shop = await makeShop();
  const manager = await makeStaff(shop, 'manager');
  const { page, faults } = await openConsole(`/${shop.slug}/nowhere`, manager);
  await page.getByRole('heading', { name: 'There is no page here' }).waitFor();
  await page.keyboard.press('Tab');
  await becomes(() => page.evaluate(() => document.activeElement?.textContent), 'Skip to content');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.activeElement?.id === 'main');
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  await assertUsable(page, 'the keys');
  // Single keys can be switched off, and stay so.
  await page.getByRole('checkbox').uncheck();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.reload();
  await page.getByRole('heading', { name: 'There is no page here' }).waitFor();
  await page.keyboard.press('/');
  await page.keyboard.press('?');
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog', { name: 'Search' }).waitFor();
  await becomes(() => page.getByRole('dialog').count(), 1);
  assert.deepEqual(faults, []);
});

test('a lost network is said at once, and what was typed stays', async () => {
  const shop = await makeShop();
  const manager = await makeStaff(shop, 'manager');
  const { page, context } = await openConsole(`/${shop.slug}/nowhere`, manager);
  await page.getByRole('heading', { name: 'There is no page here' }).waitFor();
  await page.waitForResponse(/fresh-code/);
  await context.setOffline(true);
  await page.getByText('No connection. What you have typed stays here.').waitFor();
  await assertUsable(page, 'offline');
  // The dialogs of the frame are there before they are needed.
  await page.keyboard.press('/');
  await page.getByRole('combobox').waitFor();
  await page.keyboard.press('Escape');
  await context.setOffline(false);
  await page.getByText('No connection.').waitFor({ state: 'detached' });
});

test('a sandbox is unmistakable, with the day of its program', async () => {
  const shop = await makeShop({ sandbox: true });
  const cashier = await makeStaff(shop, 'cashier');
  const { page, faults } = await openConsole(`/${shop.slug}/nowhere`, cashier, { width: 320 });
  await page.getByText(/^Sandbox · \d+ \w+$/).waitFor();
  await assertUsable(page, 'a sandbox on a phone');
  assert.deepEqual(faults, []);
});

test('the frame fits any screen: 320 pixels, a tablet, 200 % zoom, 1,920 pixels, light and dark', async () => {
  const shop = await makeShop({
    name: 'The Old Harbour Bakery and Coffee House of Puerto Madryn, since 1886',
    sandbox: true,
  });
  const owner = await makeStaff(shop, 'owner');
  await makeStaff(await makeShop(), 'owner', { email: owner.email });
  for (const scheme of ['light', 'dark'] as const) {
    const { page, faults } = await openConsole(`/${shop.slug}/nowhere`, owner, { scheme });
    await page.getByRole('heading', { name: 'There is no page here' }).waitFor();
    // 640 pixels are a screen of 1,280 at 200 %.
    for (const width of [320, 390, 640, 768, 1280, 1920]) {
      await page.setViewportSize({ width, height: 700 });
      await assertUsable(page, `${width} pixels, ${scheme}`);
    }
    assert.deepEqual(faults, []);
  }
});

test('the bar of a phone leads to four pages, and “More” to the rest', async () => {
  const shop = await makeShop();
  const owner = await makeStaff(shop, 'owner');
  const { page, faults } = await openConsole(`/${shop.slug}/nowhere`, owner, { width: 320 });
  await page.getByRole('heading', { name: 'There is no page here' }).waitFor();
  const bar = page.getByRole('navigation', { name: 'Pages' });
  await becomes(() => bar.getByRole('link').allTextContents(), ['Home', 'Till', 'Members', 'Program']);
  await bar.getByRole('button', { name: 'More' }).click();
  await assertUsable(page, 'more pages');
  await page.getByRole('menuitemradio', { name: 'Reports' }).click();
  await page.getByRole('heading', { level: 1, name: 'Reports' }).waitFor();
  assert.deepEqual(faults, []);
});

test('no text becomes markup in the console, and nothing runs that is not its own', async () => {
  const shop = await makeShop();
  const manager = await makeStaff(shop, 'manager');
  const { page } = await openConsole(`/${shop.slug}/nowhere`, manager);
  await page.getByRole('heading', { name: 'There is no page here' }).waitFor();
  const refused = await page.evaluate(() => {
    const attempts: (() => unknown)[] = [
      () => (document.body.innerHTML = '<img src=x onerror="window.taken = true">'),
      () => document.body.insertAdjacentHTML('beforeend', '<script>window.taken = true</script>'),
      () => (document.createElement('script').src = 'data:text/javascript,window.taken=true'),
    ];
    return attempts.map((attempt) => {
      try {
        attempt();
        return 'ran';
      } catch (error) {
        return (error as Error).name;
      }
    });
  });
  assert.deepEqual(refused, ['TypeError', 'TypeError', 'TypeError']);
  assert.equal(await page.evaluate(() => 'taken' in window), false);
});
