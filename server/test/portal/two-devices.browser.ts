/** Acts on one device are seen on the other within seconds, whatever the phone's clock says. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { createKey } from '#commerces/api-keys.ts';
import { undoRedemption } from '#corrections/undo-redemption.ts';
import { transaction } from '#db/database.ts';
import { service } from '#test/harness.ts';
import type { MadeMember, Shop } from '#test/make.ts';
import { age } from '#test/sign-in.ts';
import { becomes, clubs, open, signIn, visit, type Visit } from './browser.ts';
import { club } from './club.ts';

/** Waits for the figure of the balance. */
function balance(page: Page, points: number): Promise<void> {
  return page.getByText(new Intl.NumberFormat('en-GB').format(points), { exact: true }).first().waitFor();
}

/** Matches a code however its digits are grouped. */
function digitsOf(code: number): RegExp {
  return new RegExp(String(code).split('').join('\\s?'));
}

async function memberWithCode(shop: Shop): Promise<{ member: MadeMember; code: number }> {
  const member = await shop.member();
  await shop.sell(member, 450);
  return { member, code: await shop.voucher(member, 'coffee') };
}

async function openCode({ page }: Visit, code: number): Promise<void> {
  await page.getByRole('button', { name: /^Show code: A coffee/ }).click();
  await page.getByRole('dialog').getByText(digitsOf(code)).waitFor();
}

/** Tells how long it took until the screen was right. */
function diagnose(t: TestContext, what: string, since: number): void {
  t.diagnostic(`${what}: ${Math.round(performance.now() - since)} ms`);
}

test('a purchase at the till appears on an open Home by itself', async (t) => {
  const shop = await club();
  const member = await shop.member();
  const phone = await visit(shop);
  await signIn(phone, member.email);
  await balance(phone.page, 50);
  for (const [amount, points] of [
    [130, 180],
    [1000, 1180],
  ] as const) {
    await shop.post('/v1/consumptions/client-code', { client_code: member.code, amount });
    const since = performance.now();
    await balance(phone.page, points);
    diagnose(t, 'purchase on an open Home', since);
  }
  // The tier that the purchase reached is there as well.
  await phone.page.getByText('Silver').first().waitFor();
  assert.deepEqual(phone.faults, []);
});

test('a code on the screen says that it was used when the till redeems it, and Home no longer offers it', async (t) => {
  const shop = await club();
  const { member, code } = await memberWithCode(shop);
  const phone = await visit(shop);
  await signIn(phone, member.email);
  await openCode(phone, code);
  await shop.post('/v1/benefits/redeem', { client_benefit_code: code });
  const since = performance.now();
  await phone.page.getByText('Used. Enjoy!').waitFor();
  diagnose(t, 'redeemed code on the open screen', since);
  assert.equal(await phone.page.getByRole('dialog').getByText(digitsOf(code)).count(), 0);
  await phone.page.getByRole('button', { name: 'Close', exact: true }).last().click();
  await phone.page.getByRole('button', { name: /^Show code/ }).waitFor({ state: 'detached' });
  assert.deepEqual(phone.faults, []);
});

test('a code in a cart says so, and one whose use was undone says that it is the member’s again', async () => {
  const shop = await club({ codes: { undo_days: 10 } });
  const { db } = await service();
  const { member, code } = await memberWithCode(shop);
  const cart = { client_benefit_code: code, external_id: 'order 7' };
  await shop.post('/v1/benefits/holds', cart);
  const phone = await visit(shop);
  await signIn(phone, member.email);
  await phone.page.getByText(/^In your cart until /).waitFor();
  await shop.post('/v1/benefits/redeem', cart);
  const { id: keyId } = await createKey(db, shop.id, 'returns', { scopes: ['undo'] });
  const undo = { commerceId: shop.id, externalId: 'order 7', code: null, keyId, network: '::1' };
  await transaction(db, (tx) => undoRedemption(tx, undo, null));
  await phone.page.reload();
  await phone.page.getByRole('button', { name: /^Show code: A coffee/ }).waitFor();
  await phone.page.getByText('Yours again').first().waitFor();
  assert.equal(await phone.page.getByText(/^In your cart until /).count(), 0);
  assert.deepEqual(phone.faults, []);
});

test('a code that the till redeems disappears from the codes of an open Home', async (t) => {
  const shop = await club();
  const { member, code } = await memberWithCode(shop);
  const phone = await visit(shop);
  await signIn(phone, member.email);
  const show = phone.page.getByRole('button', { name: /^Show code: A coffee/ });
  await show.waitFor();
  await shop.post('/v1/benefits/redeem', { client_benefit_code: code });
  const since = performance.now();
  await show.waitFor({ state: 'detached' });
  diagnose(t, 'redeemed code in the list', since);
});

test('what a member buys on one device is on the other, in every view', async (t) => {
  const shop = await club();
  const member = await shop.member();
  await shop.sell(member, 450);
  const [phone, tablet] = [await visit(shop), await visit(shop, { width: 1280 })];
  await signIn(phone, member.email);
  await age(member.email, '2 minutes');
  await signIn(tablet, member.email);
  await tablet.page.getByRole('link', { name: 'History', exact: true }).first().click();
  await tablet.page.getByRole('heading', { level: 1, name: 'History' }).waitFor();

  await phone.page.getByRole('link', { name: 'Benefits', exact: true }).first().click();
  await phone.page.getByRole('button', { name: /^Get it: A coffee/ }).click();
  await phone.page.getByRole('button', { name: /^Yes, trade/ }).click();
  await phone.page.getByText('It is yours.').waitFor();
  const since = performance.now();
  await tablet.page.getByText('A coffee on us').first().waitFor();
  diagnose(t, 'exchange in the history of the other device', since);
  await tablet.page.getByRole('link', { name: 'Home', exact: true }).first().click();
  await balance(tablet.page, 350);
  await tablet.page.getByRole('button', { name: /^Show code: A coffee/ }).waitFor();
  assert.deepEqual([phone.faults, tablet.faults], [[], []]);
});

test('a page that nobody looks at asks for nothing, and is right as soon as somebody does', async () => {
  const shop = await club();
  const member = await shop.member();
  const phone = await visit(shop);
  await signIn(phone, member.email);
  await balance(phone.page, 50);
  const asked: string[] = [];
  phone.page.on('request', (request) => void asked.push(request.url()));
  await setHidden(phone.page, true);
  asked.length = 0;
  await shop.post('/v1/consumptions/client-code', { client_code: member.code, amount: 130 });
  await phone.page.waitForTimeout(6_000);
  assert.deepEqual(asked, []);
  await setHidden(phone.page, false);
  await balance(phone.page, 180);
});

test('an open Home asks for little: the account, and the codes only while there are some to use', async () => {
  const shop = await club();
  const { member, code } = await memberWithCode(shop);
  const phone = await visit(shop);
  await signIn(phone, member.email);
  await phone.page.getByRole('button', { name: /^Show code/ }).waitFor();
  await phone.page.waitForLoadState('networkidle');
  const asked: string[] = [];
  phone.page.on('request', (request) => void asked.push(new URL(request.url()).pathname));
  const both = ['/v1/me', '/v1/me/benefits'];
  await becomes(() => Promise.resolve([...new Set(asked)].toSorted()), both);
  await askedSlowly(asked, 6);
  assert.deepEqual([...new Set(asked)].toSorted(), both);

  await shop.post('/v1/benefits/redeem', { client_benefit_code: code });
  await phone.page.getByRole('button', { name: /^Show code/ }).waitFor({ state: 'detached' });
  await phone.page.waitForLoadState('networkidle');
  asked.length = 0;
  await becomes(() => Promise.resolve(asked.includes('/v1/me')), true);
  await askedSlowly(asked, 3);
  assert.deepEqual([...new Set(asked)], ['/v1/me']);
});

/** Asserts that a page makes at most so many requests in ten seconds from now on. A busy machine makes them fewer. */
async function askedSlowly(asked: readonly string[], most: number): Promise<void> {
  const before = asked.length;
  await new Promise((resolve) => setTimeout(resolve, 10_000));
  assert.ok(asked.length - before <= most, asked.join(' '));
}

for (const years of [1, -1]) {
  test(`a phone whose clock is a year ${years > 0 ? 'ahead' : 'behind'} judges a code by the shop’s time`, async () => {
    const shop = await club({ sandbox: true });
    const { member, code } = await memberWithCode(shop);
    const phone = await open({ viewport: { width: 390, height: 800 }, locale: 'en-GB' });
    await setClock(phone.context, years);
    await phone.page.goto(`${await clubs()}/club/${shop.slug}`);
    await signIn(phone, member.email);
    // Valid for 30 days.
    await openCode(phone, code);
    await phone.page.waitForTimeout(4_000);
    await phone.page.getByRole('dialog').getByText(digitsOf(code)).waitFor();
    await shop.moveClock('29 days');
    await phone.page.waitForTimeout(4_000);
    await phone.page.getByRole('dialog').getByText(digitsOf(code)).waitFor();
    await shop.moveClock('2 days');
    await phone.page.getByRole('dialog').getByText('Expired').waitFor();
    await phone.page.getByRole('button', { name: 'Close', exact: true }).last().click();
    await phone.page.getByRole('button', { name: /^Show code/ }).waitFor({ state: 'detached' });
    assert.deepEqual(phone.faults, []);
  });
}

function setHidden(page: Page, hidden: boolean): Promise<void> {
  return page.evaluate((hidden) => {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => hidden });
    document.dispatchEvent(new Event('visibilitychange'));
  }, hidden);
}

async function setClock(context: BrowserContext, years: number): Promise<void> {
  await context.addInitScript(
    (aheadMs) => {
      const Real = Date;
      const now = () => Real.now() + aheadMs;
      globalThis.Date = new Proxy(Real, {
        construct: (target, args: [number]) => (args.length > 0 ? new target(...args) : new target(now())),
        get: (target, name) => (name === 'now' ? now : (Reflect.get(target, name) as unknown)),
      });
    },
    years * 365 * 86_400_000,
  );
}
