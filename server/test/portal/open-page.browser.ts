/** An open page neither overwrites nor forgets anything, and asks for little while nothing can be answered. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { benefit } from '#test/make.ts';
import { balanceOf, clubs, comesToMatch, visitSignedIn } from './browser.ts';
import { club } from './club.ts';
import { intercept } from './intercept.ts';
import { startNetwork } from './network.ts';

async function show(page: Page, view: string): Promise<void> {
  await page.getByRole('link', { name: view, exact: true }).first().click();
  await page.getByRole('heading', { level: 1, name: view }).waitFor();
}

/** Collects the paths of the API that a page asks for from now on. */
function listen(page: Page): string[] {
  const asked: string[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.includes('/v1/')) asked.push(pathname);
  });
  return asked;
}

test('saving the birthday keeps the phone that another device has stored meanwhile', async () => {
  const shop = await club();
  const member = await shop.member();
  const { page } = await visitSignedIn(shop, member);
  await show(page, 'Profile');
  const other = await shop.browser(member);
  await other.patch('/v1/me', { phone: '+34600111222' });
  await page.waitForTimeout(300);
  await page.getByLabel('Birthday', { exact: true }).fill('1990-05-04');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').first().waitFor();
  const profile = (await other.get('/v1/me/profile')).body as Record<string, unknown>;
  assert.deepEqual([profile['phone'], profile['birth_date']], ['+34600111222', '1990-05-04']);
  // A field that nobody has touched follows the other device.
  await page.waitForFunction(
    () => document.querySelector<HTMLInputElement>('[name=phone]')?.value === '+34600111222',
  );
});

test('ten minutes after the last touch, an open page asks no more than every 30 seconds', async () => {
  const shop = await club();
  const { page } = await visitSignedIn(shop, await shop.member());
  await page.evaluate(() => {
    const real = performance.now.bind(performance);
    performance.now = () => real() + 11 * 60_000;
  });
  // The whole load that is due by now.
  await page.waitForResponse((response) => response.url().endsWith('/public/program')).catch(() => undefined);
  const asked = listen(page);
  await page.waitForTimeout(9_000);
  assert.ok(asked.length <= 1, asked.join(' '));
});

test('the network that comes back while a page of the history is loading loses nothing', async (t) => {
  const shop = await club();
  const member = await shop.member();
  for (let i = 1; i <= 30; i++) await shop.sell(member, i);
  const { page } = await visitSignedIn(shop, member);
  await show(page, 'History');
  await page.getByRole('main').getByRole('listitem').nth(19).waitFor();
  await intercept(t, page, '**/v1/me/history*', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 500));
    await route.continue();
  });
  await page.getByRole('button', { name: 'Show more' }).click();
  await page.waitForTimeout(100);
  await page.evaluate(() => dispatchEvent(new Event('online')));
  await page.getByRole('main').getByRole('listitem').nth(30).waitFor();
});

test('a request that hangs does not keep a member who comes back from seeing what is true', async (t) => {
  const shop = await club();
  const member = await shop.member();
  const { page } = await visitSignedIn(shop, member);
  await page.getByText('50', { exact: true }).first().waitFor();
  let isHanging = true;
  const end = Promise.withResolvers<void>();
  t.after(() => end.resolve());
  await intercept(t, page, '**/v1/me', async (route) => {
    if (isHanging) await end.promise;
    await route.continue();
  });
  await page.waitForRequest((request) => request.url().endsWith('/v1/me'));
  await page.waitForTimeout(1_200);
  isHanging = false;
  await shop.sell(member, 130);
  await page.evaluate(() => dispatchEvent(new Event('focus')));
  // Sooner than the request that hangs is given up, which is after ten seconds.
  await page.getByText('180', { exact: true }).first().waitFor({ timeout: 9_000 });
});

test('a trade that is being confirmed keeps its benefit and its sum when the club changes below it', async () => {
  const fields = {
    benefits: [
      benefit('coffee', { title: 'A coffee on us', cost: 150 }),
      benefit('tea', { title: 'Tea', cost: 40 }),
    ],
    rewards: {},
  };
  const shop = await club(fields);
  const member = await shop.member();
  await shop.sell(member, 300);
  const { page } = await visitSignedIn(shop, member);
  await page
    .getByRole('button', { name: /^Get it: A coffee/ })
    .first()
    .click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('You will have 150 points left.').waitFor();
  await shop.voucher(member, 'coffee');
  await balanceOf(page).getByText('150', { exact: true }).waitFor({ state: 'attached' });
  await shop.apply({ ...fields, benefits: fields.benefits.slice(1) });
  await shop.sell(member, 1);
  await balanceOf(page).getByText('151', { exact: true }).waitFor({ state: 'attached' });
  await comesToMatch(() => dialog.innerText(), /A coffee on us[^]*You will have 150 points left/);
  await page.getByRole('button', { name: /^Yes, trade/ }).click();
  await dialog.getByRole('alert').waitFor();
  await page.waitForTimeout(500);
  await comesToMatch(() => dialog.getByRole('alert').innerText(), /\w/);
});

test('without a network, every view says so, and no request is made', async () => {
  const shop = await club();
  const member = await shop.member();
  await shop.sell(member, 300);
  await (await shop.browser(member)).patch('/v1/me', { birth_date: '1990-05-04' });
  const { page, context } = await visitSignedIn(shop, member, {});
  await page.waitForLoadState('networkidle');
  const profile = await context.newPage();
  await profile.goto(page.url());
  await balanceOf(profile).waitFor();
  await profile.close();
  await context.setOffline(true);
  const asked = listen(page);
  await show(page, 'Card').catch(() => undefined);
  const notice = page.getByText(/This is how it was/);
  await notice.waitFor();
  const isSeen = await notice.evaluate((element) => {
    const { left, top, width, height } = element.getBoundingClientRect();
    return element.contains(document.elementFromPoint(left + width / 2, top + height / 2));
  });
  assert.ok(isSeen, 'the notice is covered');
  await show(page, 'History');
  await page.getByText(/Your history needs a connection/).waitFor();
  assert.equal(await page.getByText('Loading…').count(), 0);
  await show(page, 'Benefits');
  assert.equal(await page.getByRole('link', { name: 'Tell us your birthday' }).count(), 0);
  await page.getByRole('button', { name: /^Get it: A coffee/ }).click();
  await page
    .getByRole('dialog')
    .getByText(/You are offline/)
    .waitFor();
  await page.keyboard.press('Escape');
  await page.waitForTimeout(5_000);
  assert.deepEqual(asked, []);
});

test('what the phone has kept has no details, and Profile says so', async (t) => {
  const shop = await club();
  const member = await shop.member();
  const { page } = await visitSignedIn(shop, member);
  await page.waitForLoadState('networkidle');
  await intercept(t, page, '**/v1/**', (route) => route.abort('internetdisconnected'));
  await page.goto(`${page.url().replace(/#.*/, '')}#profile`);
  await page.reload();
  await page.getByText(/Your details need a connection/).waitFor();
  await page.goto(`${page.url().replace(/#.*/, '')}#benefits`);
  await page.getByText('A gift on your birthday').or(page.getByText('Birthday gift')).first().waitFor();
  assert.equal(await page.getByRole('main').locator('a[href="#profile"]').count(), 0);
});

test('a service that does not answer is asked less and less', async (t) => {
  const shop = await club();
  const network = await startNetwork(await clubs());
  const { page } = await visitSignedIn(shop, await shop.member(), {}, network.url);
  await page.waitForLoadState('networkidle');
  network.isUp = false;
  const asked = listen(page);
  for (const view of ['Benefits', 'Card', 'Profile', 'Home', 'Benefits', 'Profile', 'Home']) {
    await page.getByRole('link', { name: view, exact: true }).first().click();
    await page.waitForTimeout(1_600);
  }
  t.diagnostic(`${asked.length} requests in 11 seconds`);
  assert.ok(asked.length <= 14, asked.join(' '));
});
