/** Without a network, a member sees their card and their codes, and nobody sees those of another person. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { sql } from '#db/database.ts';
import { service } from '#test/harness.ts';
import type { MadeMember, Shop } from '#test/make.ts';
import { age, askForCode, mailedLinks } from '#test/sign-in.ts';
import {
  becomes,
  clubs,
  ENGLISH,
  passOf,
  picture,
  signIn,
  visit,
  type Visit,
  waitForWorker,
} from './browser.ts';
import { club } from './club.ts';
import { startNetwork, type Network } from './network.ts';

/** Matches a code however its digits are grouped. */
function digitsOf(code: number): RegExp {
  return new RegExp(String(code).split('').join('\\s?'));
}

interface OnPhone {
  readonly shop: Shop;
  readonly member: MadeMember;
  readonly code: number;
  readonly network: Network;
  readonly phone: Visit;
}

/** A member with 350 points and a code, signed in on a phone that has a service worker. */
async function memberOnPhone(mount = ''): Promise<OnPhone> {
  const shop = await club();
  const member = await shop.member();
  await shop.sell(member, 450);
  const code = await shop.voucher(member, 'coffee');
  const network = await startNetwork(await clubs(), mount);
  const phone = await visit(shop, {}, `/club/${shop.slug}`, network.url);
  await signIn(phone, member.email);
  await waitForWorker(phone.page);
  await phone.page.getByText('350', { exact: true }).first().waitFor();
  return { shop, member, code, network, phone };
}

/** Closes the page and opens the club again, as a phone does in the cellar. */
async function openAgain({ context, page }: { context: BrowserContext; page: Page }): Promise<Page> {
  const address = page.url().replace(/#.*/, '');
  await page.close();
  const next = await context.newPage();
  await next.goto(address);
  return next;
}

async function everythingStored(page: Page): Promise<string> {
  return page.evaluate(async () => {
    const stored: string[] = [JSON.stringify(localStorage), JSON.stringify(sessionStorage)];
    for (const name of await caches.keys()) {
      const cache = await caches.open(name);
      for (const request of await cache.keys()) {
        stored.push(request.url, await (await cache.match(request))!.text());
      }
    }
    stored.push(JSON.stringify(await indexedDB.databases()));
    return stored.join('\n');
  });
}

for (const mount of ['', '/loyal/members']) {
  test(`without a network, a cold open shows the card, the balance with its date and the codes${mount && `, below ${mount}`}`, async () => {
    const { member, code, network, phone } = await memberOnPhone(mount);
    network.isUp = false;
    const page = await openAgain(phone);
    await page.getByText(digitsOf(member.code)).first().waitFor();
    await page.getByText('350', { exact: true }).first().waitFor();
    await page.getByText(/This is how it was/).waitFor();
    await page.getByRole('button', { name: /^Show code: A coffee/ }).click();
    await page.getByRole('dialog').getByText(digitsOf(code)).waitFor();
    await page.getByRole('dialog').getByRole('img').waitFor();
    // Back in the shop, everything is true again by itself.
    await page.keyboard.press('Escape');
    network.isUp = true;
    await page.getByText(/This is how it was/).waitFor({ state: 'detached' });
  });
}

test('an open page goes on showing the card and the codes when the network is gone', async () => {
  const { member, code, phone } = await memberOnPhone();
  const { page } = phone;
  await phone.context.setOffline(true);
  await page.getByText(/This is how it was/).waitFor();
  await page.getByText(digitsOf(member.code)).first().waitFor();
  await page.getByRole('button', { name: /^Show code: A coffee/ }).click();
  await page.getByRole('dialog').getByText(digitsOf(code)).waitFor();
  await phone.context.setOffline(false);
  await page.getByText(/This is how it was/).waitFor({ state: 'detached' });
});

test('a service that answers with an error, or not at all, does not close the club', async () => {
  const { member, network, phone } = await memberOnPhone();
  let { page } = phone;
  for (const status of [500, 503]) {
    network.change = () => ({ status, headers: { 'content-type': 'text/html' }, body: 'away' });
    page = await openAgain({ context: phone.context, page });
    await page.getByText(digitsOf(member.code)).first().waitFor();
    await page.getByText(/This is how it was/).waitFor();
  }
  await picture(page, 'kept-during-an-error');
  network.change = null;
  network.delayMs = 60_000;
  page = await openAgain({ context: phone.context, page });
  await page.getByText(digitsOf(member.code)).first().waitFor();
});

test('what the phone has kept says nothing of news: after an outage only what is new since the last visit counts', async () => {
  const { shop, member, network, phone } = await memberOnPhone();
  /** An hour passes, so that the next look is another visit. */
  const leave = (page: Page) =>
    page.evaluate(() => {
      const key = Object.keys(localStorage).find((name) => name.endsWith('/seen'))!;
      const seen = JSON.parse(localStorage.getItem(key)!) as { at: number };
      localStorage.setItem(key, JSON.stringify({ ...seen, at: seen.at - 3_600_000 }));
    });
  await leave(phone.page);
  // Not asked again by itself, so the answer is there with the page.
  network.change = () => ({ status: 500, headers: { 'content-type': 'text/html' }, body: 'away' });
  let page = await openAgain(phone);
  await page.getByText(digitsOf(member.code)).first().waitFor();
  await page.waitForTimeout(300);
  await leave(page);
  await shop.sell(member, 60);
  network.change = null;
  page = await openAgain({ context: phone.context, page });
  await page.getByText('+60 points today').waitFor();
});

test('a purchase of the time without a network is not celebrated as one of now', async () => {
  const { shop, member, network, phone } = await memberOnPhone();
  network.isUp = false;
  const page = await openAgain(phone);
  await page.getByRole('link', { name: 'Card', exact: true }).click();
  await page.getByText(/This is how it was/).waitFor();
  await shop.sell(member, 60);
  network.isUp = true;
  const pass = passOf(page);
  await pass.getByText('410', { exact: true }).waitFor();
  await becomes(() => pass.getByRole('status').innerText(), '');
  await shop.sell(member, 20);
  await pass.getByRole('status').getByText('+20 points').waitFor();
});

test('neither tokens nor responses of the API are in the service worker’s cache', async () => {
  const { shop, member, phone } = await memberOnPhone();
  const { page } = phone;
  for (const view of ['Benefits', 'History', 'Profile', 'Home'])
    await page.getByRole('link', { name: view, exact: true }).first().click();
  await openAgain(phone);
  const next = phone.context.pages().at(-1)!;
  await next.getByText('350', { exact: true }).first().waitFor();
  const kept = await next.evaluate(async () => {
    const found: { url: string; text: string }[] = [];
    for (const name of await caches.keys()) {
      const cache = await caches.open(name);
      for (const { url } of await cache.keys())
        found.push({ url, text: await (await cache.match(url))!.text() });
    }
    return {
      found,
      tokens: localStorage.getItem(Object.keys(localStorage).find((key) => /\/\d+$/.test(key))!)!,
    };
  });
  const paths = kept.found.map(({ url }) => new URL(url).pathname);
  const allowed = new RegExp(`^/club/(_assets/[\\w.-]+|${shop.slug}(/[\\w.]+)?)$`);
  assert.deepEqual(
    paths.filter((path) => !allowed.test(path)),
    [],
  );
  assert.ok(paths.length >= 5, paths.join(' '));
  const { access, refresh } = JSON.parse(kept.tokens) as { access: string; refresh: string };
  const cached = kept.found.map(({ text }) => text).join('\n');
  for (const secret of [access, refresh, member.email, String(member.code)])
    assert.ok(!cached.includes(secret), 'a cached file contains something of the member');
});

test('what is kept for offline has no address, phone or birth date', async () => {
  const { member, phone } = await memberOnPhone();
  const { page } = phone;
  await page.evaluate(async () => {
    const key = Object.keys(localStorage).find((name) => /\/\d+$/.test(name))!;
    const { access } = JSON.parse(localStorage.getItem(key)!) as { access: string };
    await fetch('../v1/me', {
      method: 'PATCH',
      headers: {
        authorization: `Bearer ${access}`,
        'content-type': 'application/json',
        'x-commerce-id': key.split('/')[1]!,
      },
      body: JSON.stringify({ phone: '+34600111222', birth_date: '1990-05-04' }),
    });
  });
  await page.getByRole('link', { name: 'Profile', exact: true }).first().click();
  await page.reload();
  await page.getByLabel('Phone').waitFor();
  await becomes(() => page.getByLabel('Birthday', { exact: true }).inputValue(), '1990-05-04');
  const stored = await everythingStored(page);
  assert.ok(stored.includes(String(member.code)));
  for (const secret of [member.email, '600111222', '1990-05-04']) assert.ok(!stored.includes(secret), secret);
});

for (const how of ['signs out', 'signs out without a network', 'is signed out by the service'] as const) {
  test(`when a member ${how}, nothing of them stays on the phone`, async () => {
    const { member, code, network, phone } = await memberOnPhone();
    const { page } = phone;
    await page.getByRole('link', { name: 'Profile', exact: true }).first().click();
    if (how === 'is signed out by the service') {
      await endSessions(member);
      await page.evaluate(() => {
        const key = Object.keys(localStorage).find((name) => /\/\d+$/.test(name))!;
        const tokens = JSON.parse(localStorage.getItem(key)!) as object;
        localStorage.setItem(key, JSON.stringify({ ...tokens, expires_at: 0 }));
      });
      await page.getByText('Your session has ended.').waitFor();
    } else {
      if (how === 'signs out without a network') network.isUp = false;
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('button', { name: 'Sign out' }).waitFor({ state: 'detached' });
    }
    await becomes(() => page.evaluate(() => localStorage.length), 0);

    network.isUp = false;
    const next = await openAgain(phone);
    await next.getByText('The club is not responding at the moment.').waitFor();
    const shown = await next.locator('body').innerText();
    for (const number of [member.code, code]) {
      assert.doesNotMatch(shown, digitsOf(number));
      assert.ok(!(await everythingStored(next)).includes(String(number)));
    }
    assert.doesNotMatch(shown, /350/);
  });
}

test('a member who signs in on a phone after another never sees the other one’s data, not even offline', async () => {
  const { shop, member: first, code, network, phone } = await memberOnPhone();
  const { page } = phone;
  const second = await shop.member();
  await page.getByRole('link', { name: 'Profile', exact: true }).first().click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await signIn(phone, second.email);
  await page.getByText(digitsOf(second.code)).first().waitFor();
  network.isUp = false;
  const next = await openAgain(phone);
  await next.getByText(digitsOf(second.code)).first().waitFor();
  await assertNothingOf(next, [first.code, code]);
});

test('a sign-in in another tab takes the first member off the screen and out of the phone', async () => {
  const { shop, member: first, code, network, phone } = await memberOnPhone();
  const second = await shop.member();
  // A link from a mail replaces the session without signing out first.
  await askForCode(shop.id, second.email);
  const [token] = await mailedLinks(shop.id, second.email);
  const other = await phone.context.newPage();
  await other.goto(`${phone.page.url().replace(/#.*/, '')}#link=${token}`);
  await other.getByRole('button', { name: 'Sign in' }).click();
  await other.getByText(digitsOf(second.code)).first().waitFor();
  // The first tab follows by itself.
  await phone.page.getByText(digitsOf(second.code)).first().waitFor();
  await assertNothingOf(phone.page, [first.code, code]);
  network.isUp = false;
  await other.close();
  const next = await openAgain(phone);
  await next.getByText(digitsOf(second.code)).first().waitFor();
  await assertNothingOf(next, [first.code, code]);
});

test('the codes of one shop are not shown at another shop on the same phone', async () => {
  const { member, code, network, phone } = await memberOnPhone();
  const other = await club({ name: 'The other shop' });
  const page = await phone.context.newPage();
  await page.goto(`${network.url}/club/${other.slug}`);
  await page.getByRole('link', { name: ENGLISH.enter }).first().waitFor();
  await waitForWorker(page);
  network.isUp = false;
  await page.reload();
  await page.getByText('The club is not responding at the moment.').waitFor();
  await assertNothingOn(page, [member.code, code]);
});

test('a phone whose clock is a year off judges its codes right without a network, too', async () => {
  const { member, network, phone } = await memberOnPhone();
  await phone.context.addInitScript(() => {
    const Real = Date;
    const now = () => Real.now() + 365 * 86_400_000;
    globalThis.Date = new Proxy(Real, {
      construct: (target, args: [number]) => (args.length > 0 ? new target(...args) : new target(now())),
      get: (target, name) => (name === 'now' ? now : (Reflect.get(target, name) as unknown)),
    });
  });
  await phone.page.reload();
  await phone.page.getByRole('button', { name: /^Show code: A coffee/ }).waitFor();
  await phone.page.waitForLoadState('networkidle');
  network.isUp = false;
  const page = await openAgain(phone);
  await page.getByText(digitsOf(member.code)).first().waitFor();
  await page.getByRole('button', { name: /^Show code: A coffee/ }).waitFor();
});

async function assertNothingOf(page: Page, codes: readonly number[]): Promise<void> {
  await assertNothingOn(page, codes);
  const stored = await everythingStored(page);
  for (const code of codes) assert.ok(!stored.includes(String(code)), 'the phone still keeps a code');
}

async function assertNothingOn(page: Page, codes: readonly number[]): Promise<void> {
  const shown = await page.locator('body').innerText();
  for (const code of codes) assert.doesNotMatch(shown, digitsOf(code));
}

async function endSessions(member: MadeMember): Promise<void> {
  const { db } = await service();
  await sql`delete from refresh_tokens where session_id in
    (select id from sessions where user_id = ${member.userId})`.execute(db);
  await age(member.email, '2 minutes');
}
