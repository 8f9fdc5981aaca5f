/** When something goes wrong, the portal says so, and a purchase is still made only once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import type { MadeMember, Shop } from '#test/make.ts';
import { age } from '#test/sign-in.ts';
import { benefit } from '#test/make.ts';
import {
  assertAccessible,
  becomes,
  codeFromMailbox,
  picture,
  pictureOfScreen,
  signIn,
  visit,
  type Visit,
} from './browser.ts';
import { club } from './club.ts';
import { intercept } from './intercept.ts';

/** Signs in a member with 500 points and opens the dialog that asks whether to trade 150 of them. */
async function aboutToBuy(
  shop?: Shop,
): Promise<{ shop: Shop; member: MadeMember; visited: Visit; page: Page }> {
  const at = shop ?? (await club());
  const member = await at.member();
  await at.sell(member, 450);
  const visited = await visit(at);
  await signIn(visited, member.email);
  const { page } = visited;
  await page.getByRole('link', { name: 'Benefits', exact: true }).click();
  await page.getByRole('button', { name: /^Get it: A coffee/ }).click();
  return { shop: at, member, visited, page };
}

const yes = (page: Page) => page.getByRole('button', { name: /^Yes, trade/ });
const again = (page: Page) => page.getByRole('dialog').getByRole('button', { name: 'Try again' });
const isBought = (page: Page) => page.getByText('It is yours.').waitFor();

async function assertBought(shop: Shop, member: MadeMember, times: number): Promise<void> {
  const vouchers = (await shop.get(`/v1/clients/${member.code}/benefits`)).body as unknown[];
  const { points } = (await shop.get(`/v1/clients/${member.code}`)).body as { points: number };
  assert.deepEqual({ vouchers: vouchers.length, points }, { vouchers: times, points: 500 - 150 * times });
}

/** Changes the tokens that the browser has stored. */
function keepTokens(page: Page, change: object): Promise<void> {
  return page.evaluate((change) => {
    const key = Object.keys(localStorage).find((name) => /^loyalty.\d+$/.test(name))!;
    const tokens = JSON.parse(localStorage.getItem(key)!) as object;
    localStorage.setItem(key, JSON.stringify({ ...tokens, ...change }));
  }, change);
}

/** Leaves out the errors that browsers log for every refusal and lost response: they are not the page's fault. */
function ownFaults({ faults }: Visit): string[] {
  return faults.filter((fault) => !fault.includes('Failed to load resource'));
}

test('an access token that expires during a purchase is renewed, and the purchase is made once', async () => {
  const { shop, member, visited, page } = await aboutToBuy();
  await keepTokens(page, { access: 'ended' });
  await yes(page).click();
  await isBought(page);
  await assertBought(shop, member, 1);
  assert.deepEqual(ownFaults(visited), []);
});

test('a member whose session has ended signs in again, then the purchase continues', async () => {
  const { shop, member, visited, page } = await aboutToBuy();
  await age(member.email, '2 minutes');
  await keepTokens(page, { access: 'ended', refresh: 'ended' });
  await yes(page).click();
  await page.getByText('Your session has ended.').waitFor();
  await picture(page, 'fault-session-ended');
  await assertAccessible(page, 'session ended');
  await page.getByLabel('E-mail address').fill(member.email);
  await page.getByRole('button', { name: 'Send me the code' }).click();
  // The mailbox still holds the code of the first sign-in, so wait until the second code has been sent.
  await page.getByLabel('Six-digit code').waitFor();
  await page.getByLabel('Six-digit code').fill(await codeFromMailbox(member.email));
  await again(page).click();
  await isBought(page);
  await assertBought(shop, member, 1);
  assert.deepEqual(ownFaults(visited), []);
});

test('a double tap buys once', async () => {
  const { shop, member, visited, page } = await aboutToBuy();
  await yes(page).dblclick();
  await isBought(page);
  await page.waitForLoadState('networkidle');
  await assertBought(shop, member, 1);
  assert.deepEqual(ownFaults(visited), []);
});

test('a purchase whose response is lost is retried with the same key, and is made once', async (t) => {
  const { shop, member, page } = await aboutToBuy();
  const keys: (string | undefined)[] = [];
  await intercept(t, page, '**/v1/me/benefits/exchange', async (route) => {
    keys.push(route.request().headers()['idempotency-key']);
    const response = await route.fetch();
    await (keys.length === 1 ? route.abort('connectionreset') : route.fulfill({ response }));
  });
  await yes(page).click();
  await isBought(page);
  assert.equal(keys.length, 2);
  assert.equal(new Set(keys).size, 1);
  await assertBought(shop, member, 1);
});

test('a member who gets no response at all is told so, and pays once after another attempt', async (t) => {
  const { shop, member, visited, page } = await aboutToBuy();
  const answerAgain = await intercept(t, page, '**/v1/me/benefits/exchange', async (route) => {
    await route.fetch();
    await route.abort('connectionreset');
  });
  await yes(page).click();
  await page.getByText('We did not get an answer').waitFor();
  await picture(page, 'fault-no-answer');
  await assertAccessible(page, 'no answer');
  await assertBought(shop, member, 1);

  await answerAgain();
  await again(page).click();
  await isBought(page);
  await assertBought(shop, member, 1);
  assert.deepEqual(ownFaults(visited), []);
});

test('a purchase whose answer was lost is not sold as new later: the dialog says so, and shows the code that is there', async (t) => {
  const { shop, member, visited, page } = await aboutToBuy();
  const answerAgain = await intercept(t, page, '**/v1/me/benefits/exchange', async (route) => {
    await route.fetch();
    await route.abort('connectionreset');
  });
  await yes(page).click();
  await page.getByText('We did not get an answer').waitFor();
  await answerAgain();
  await page.getByText('350 points', { exact: true }).waitFor({ state: 'attached' });
  await page.reload();
  const get = page.getByRole('button', { name: /^Get it: A coffee/ });
  await get.click();
  await page.getByText('We did not get an answer').waitFor();
  assert.equal(await page.getByText('You will have').count(), 0);
  await pictureOfScreen(page, 'fault-no-answer-later');
  await assertAccessible(page, 'no answer, later');
  await again(page).click();
  const dialog = page.getByRole('dialog', { name: 'A coffee on us' });
  await dialog.getByText('Show it at the till or read out the digits.').waitFor();
  assert.equal(await page.getByText('It is yours.').count(), 0);
  await pictureOfScreen(page, 'fault-no-answer-later-code');
  await assertBought(shop, member, 1);
  // The next one is another purchase.
  await page.keyboard.press('Escape');
  await get.click();
  await yes(page).click();
  await isBought(page);
  await assertBought(shop, member, 2);
  assert.deepEqual(ownFaults(visited), []);
});

test('a member who has spent the points elsewhere is told how many are missing', async () => {
  const { shop, member, visited, page } = await aboutToBuy();
  for (let i = 0; i < 3; i++) await shop.voucher(member, 'coffee');
  await yes(page).click();
  await page.getByText('You are 100 points short. You have not spent any points.').waitFor();
  await picture(page, 'fault-no-points');
  await assertAccessible(page, 'no points');
  await page.getByRole('button', { name: 'Back to the benefits' }).click();
  await page.getByText('100 points to go').waitFor();
  await assertBought(shop, member, 3);
  assert.deepEqual(ownFaults(visited), []);
});

test('a benefit that sells out before the purchase is refused as unavailable and leaves the catalog', async () => {
  const shop = await club({
    benefits: [benefit('coffee', { title: 'A coffee on us', cost: 150, buy_limit: 1 })],
    rewards: { welcome: { points: 50 } },
  });
  const { member, visited, page } = await aboutToBuy(shop);
  const quicker = await shop.member();
  await shop.sell(quicker, 450);
  await shop.voucher(quicker, 'coffee');
  await yes(page).click();
  await page.getByText('This benefit is no longer available. You have not spent any points.').waitFor();
  await page.getByRole('button', { name: 'Back to the benefits' }).click();
  await page.getByText('There are no benefits at the moment.').waitFor();
  await assertAccessible(page, 'no benefits');
  await assertBought(shop, member, 0);
  assert.deepEqual(ownFaults(visited), []);
});

test('a member who is offline is told so, and buys once when the connection is back', async () => {
  const { shop, member, visited, page } = await aboutToBuy();
  await visited.context.setOffline(true);
  await page.getByText('You are offline. Trading points needs a connection.').waitFor();
  await page.getByText('We will continue as soon as the connection is back.').waitFor();
  await picture(page, 'fault-offline');
  await assertAccessible(page, 'offline');
  await visited.context.setOffline(false);
  // The dialog asks again by itself.
  await yes(page).click();
  await isBought(page);
  await assertBought(shop, member, 1);
  assert.deepEqual(ownFaults(visited), []);
});

test('while the service is down the page says so, and loads when the visitor tries again', async (t) => {
  const shop = await club();
  const visited = await visit(shop, {}, '/club/_assets/nothing');
  const { page } = visited;
  const answerAgain = await intercept(t, page, '**/v1/**', (route) => route.abort('connectionrefused'));
  await page.goto(page.url().replace('_assets/nothing', shop.slug));
  await page.getByText('The club is not responding at the moment.').waitFor();
  await picture(page, 'fault-down');
  await assertAccessible(page, 'down');
  await answerAgain();
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('link', { name: 'Join the club' }).waitFor();
  assert.deepEqual(ownFaults(visited), []);
});

test('where the browser keeps no site data, the portal works until it is closed', async () => {
  const shop = await club();
  const member = await shop.member();
  const visited = await visit(shop, {}, '/club/_assets/nothing');
  const { page } = visited;
  await page.addInitScript(() => {
    for (const name of ['localStorage', 'sessionStorage'])
      Object.defineProperty(window, name, {
        get: () => {
          throw new DOMException('Access is denied for this document.', 'SecurityError');
        },
      });
  });
  await page.goto(page.url().replace('_assets/nothing', shop.slug));
  await page.getByRole('link', { name: 'Join the club' }).waitFor();
  await signIn(visited, member.email);
  await page.getByRole('link', { name: 'Benefits', exact: true }).click();
  await page.getByText('A coffee').first().waitFor();
  assert.deepEqual(ownFaults(visited), []);
});

test('a wrong code is refused, and a right one works even if it is pasted with spaces', async () => {
  const shop = await club();
  const visited = await visit(shop);
  const { page } = visited;
  const { email } = await shop.member();
  await page.getByRole('link', { name: 'Join the club' }).click();
  await page.getByRole('button', { name: 'Send me the code' }).click();
  await page.getByText('Enter a valid e-mail address, such as').waitFor();
  await page.getByLabel('E-mail address').fill(email);
  await page.getByRole('button', { name: 'Send me the code' }).click();
  const field = page.getByLabel('Six-digit code');
  const code = await codeFromMailbox(email);
  await field.fill('12');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('Enter all six digits.').waitFor();
  const others = page.getByText(
    'If they are right, press the link in that e-mail instead, or ask for a new code.',
  );
  assert.equal(await others.count(), 0);
  await field.fill(code === '000000' ? '000001' : '000000');
  await page.getByText('This code is wrong or has expired. Check the digits in the newest e-mail.').waitFor();
  await others.waitFor();
  const boxOf = async (one: Locator) => (await one.boundingBox())!;
  const button = await boxOf(page.getByRole('button', { name: 'Sign in' }));
  assert.ok((await boxOf(others)).y > button.y, 'the other ways stand below the first');
  await picture(page, 'fault-wrong-code');
  await assertAccessible(page, 'wrong code');
  await becomes(() => field.getAttribute('autocomplete'), 'one-time-code');
  await field.fill('');
  await field.evaluate(
    (input, text) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/plain', text);
      input.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }));
      (input as HTMLInputElement).value = text;
      input.dispatchEvent(new InputEvent('input', { bubbles: true, inputType: 'insertFromPaste' }));
    },
    ` ${code.slice(0, 3)} ${code.slice(3)}\n`,
  );
  await page.getByRole('heading', { name: 'Your points' }).waitFor();
  assert.deepEqual(ownFaults(visited), []);
});

test('an invalid phone number is reported at its field, and the typed text stays', async () => {
  const { page, visited } = await aboutToBuy();
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Profile' }).click();
  await page.getByLabel('Phone').fill('600 111 222');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Start with + and the country code').waitFor();
  await becomes(() => page.evaluate(() => (document.activeElement as HTMLInputElement).name), 'phone');
  await assertAccessible(page, 'wrong phone');
  await page.getByLabel('Phone').fill('+34 600 111-222');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').first().waitFor();
  assert.deepEqual(ownFaults(visited), []);
});

test('two tabs renew their session only once, and signing out in one tab signs out the other', async (t) => {
  const { visited, page } = await aboutToBuy();
  const other = await visited.context.newPage();
  await other.goto(page.url());
  await other.getByRole('heading', { name: 'Benefits' }).waitFor();
  let renewals = 0;
  // A page that shows something may renew just before it is loaded again, and then its call is broken off.
  visited.context.on('requestfinished', (request) => {
    if (request.url().endsWith('/v1/auth/refresh')) renewals++;
  });
  await intercept(t, visited.context, '**/v1/auth/refresh', async (route) => {
    // Long enough for the other tab to start a renewal too.
    await new Promise((resolve) => setTimeout(resolve, 1000));
    await route.continue();
  });
  await keepTokens(page, { expires_at: 0 });
  await Promise.all([page.reload(), other.reload()]);
  for (const tab of [page, other]) await tab.getByRole('heading', { name: 'Benefits' }).waitFor();
  assert.equal(renewals, 1);
  await page.getByRole('link', { name: 'Profile' }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await other.getByRole('link', { name: 'Join the club' }).waitFor();
  assert.deepEqual(ownFaults(visited), []);
});
