/** The first day of a shop: from the set-up link to the first purchase, a poster and an API key. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { sql } from '#db/database.ts';
import { makeSetUpLink } from '#set-up/set-up-link.ts';
import { service } from '#test/harness.ts';
import { makeShop } from '#test/make.ts';
import { age, someone } from '#test/sign-in.ts';
import { makeStaff } from '#test/staff.ts';
import { assertFits, becomes, codeFromMailbox } from '../portal/browser.ts';
import { readQr } from '../portal/read-qr.ts';
import { intercept } from '../portal/intercept.ts';
import { assertUsable, openConsole } from './console.ts';
import { handOn } from './hand.ts';
import { finderOf } from './till.ts';

const run = promisify(execFile);
const step = (page: Page, name: string) => page.waitForURL(`**/console/set-up/${name}`);
/** Steps that show what follows from the answers do so in a moment. */
const sentence = (page: Page, text: string) => page.getByText(text).first().waitFor();

test('a first key whose answer is lost is not made again, and the page says where to look', async (t) => {
  const shop = await makeShop();
  const owner = await makeStaff(shop, 'owner');
  const { page } = await openConsole(`/${shop.slug}/first-day`, owner);
  await intercept(t, page, /admin\/v1\/keys$/, async (route) => {
    if (route.request().method() === 'GET') return route.continue();
    await route.fetch();
    await route.fulfill({ status: 504, body: 'Gateway Timeout' });
  });
  await page.getByRole('button', { name: 'Make an API key' }).click();
  await page.getByText('A key may have been made that nobody has seen').waitFor();
  await assertUsable(page, 'a first key that nobody has seen');
  assert.equal(await page.getByRole('button', { name: 'Make an API key' }).count(), 0);
  await page.getByRole('link', { name: 'Look at the keys' }).click();
  await page.getByText('First key', { exact: true }).waitFor();
});

test('a new owner comes from the set-up link to the first purchase and a printed poster', async (t) => {
  const { db } = await service();
  const email = someone('owner');
  const seat = await openConsole(`/set-up#${await makeSetUpLink(db)}`);
  const { page, faults, base } = seat;
  const hand = handOn(page, t);
  const button = (name: string) => page.getByRole('button', { name, exact: true });

  await page.getByRole('heading', { name: 'Set up your shop' }).waitFor();
  await assertUsable(page, 'the address');
  await hand.type(email);
  await hand.click(button('Send me a code'));
  await page.getByLabel('Six-digit code').waitFor();
  assert.equal(
    await page.getByRole('link', { name: 'Open the mailbox' }).getAttribute('href'),
    `${base}/dev/mail`,
  );
  await assertUsable(page, 'the code');
  await hand.type(await codeFromMailbox(email));

  await step(page, 'shop');
  assert.ok(!page.url().includes('#'), 'the token is not in the address any more');
  await hand.click(button('Continue'));
  await sentence(page, 'Type a name of at most 100 characters.');
  await assertUsable(page, 'a shop without a name');
  await hand.click(page.getByLabel('Name'));
  await hand.type('Corner Bakery');
  await hand.click(page.getByTitle('Terracotta'));
  await assertUsable(page, 'the shop');
  await hand.click(button('Continue'));

  await step(page, 'place');
  // Neither is in use any more.
  for (const ended of ['HRK', 'BGN'])
    assert.equal(await page.getByLabel('Currency').locator(`option[value=${ended}]`).count(), 0);
  await page.getByLabel('Currency').selectOption('ARS');
  await page.getByLabel('Time zone').selectOption('America/Bogota');
  await assertUsable(page, 'the place');
  await hand.click(button('Continue'));

  await step(page, 'points');
  await hand.type('100');
  await sentence(page, 'A purchase of $1,750 earns 17 points');
  await hand.type('x');
  await hand.press('Enter');
  await sentence(page, 'Type an amount from 0.001 on');
  await hand.press('Backspace');
  await assertUsable(page, 'the points');
  await hand.click(button('Continue'));

  await step(page, 'benefit');
  assert.equal(await page.getByLabel('A coffee on us').isChecked(), true);
  await hand.click(page.getByLabel('A coffee on us'));
  await sentence(page, '50 points, after spending $5,000');
  await assertUsable(page, 'the benefit');
  await hand.click(button('Continue'));

  await step(page, 'open');
  await sentence(page, 'A coffee on us, 50 points');
  await assertUsable(page, 'the check');
  await hand.click(button('Open the shop'));
  await page.getByRole('heading', { name: 'Corner Bakery is open' }).waitFor();
  hand.done('from the link to an open shop');
  await page.locator('article[aria-busy=false]').waitFor();
  await assertUsable(page, 'the first day');

  await hand.click(page.getByRole('link', { name: 'Open the till' }));
  await finderOf(page).waitFor();
  await hand.type('ana@example.com');
  await hand.press('Enter');
  const amount = page.getByLabel('Purchase', { exact: true });
  await amount.waitFor();
  await hand.click(amount);
  await hand.type('1750');
  await hand.press('Enter');
  await sentence(page, '17 points');
  await page.getByText('$1,750').first().waitFor();
  const slug = new URL(page.url()).pathname.split('/')[2]!;
  const { rows } = await sql<{ points: number }>`
    select m.points from movements m join commerces c on c.id = m.commerce_id
     where c.slug = ${slug} and m.type = 'purchase'`.execute(db);
  assert.deepEqual(rows, [{ points: 17 }]);
  hand.done('from there to the first purchase');

  await page.goto(`${base}/console/${slug}/poster`);
  await page.locator('article[aria-busy=false]').waitFor();
  await assertUsable(page, 'the poster');
  await becomes(() => readQr(seat), `${base}/club/${slug}`);
  for (const format of ['A4', 'Letter']) {
    const pdf = await page.pdf({ format, printBackground: true });
    assert.equal(pdf.toString('latin1').match(/\/Type \/Page\b/g)?.length, 1, format);
  }
  await page.emulateMedia({ media: 'print' });
  for (const hidden of ['banner', 'navigation', 'heading'] as const)
    assert.equal(await page.getByRole(hidden).count(), 0, hidden);
  assert.deepEqual(faults, []);
});

test('what is typed into a step while its answers are kept stays', async (t) => {
  const { db } = await service();
  const email = someone('owner');
  const { page, faults } = await openConsole(`/set-up#${await makeSetUpLink(db)}`);
  await page.getByLabel('E-mail address').fill(email);
  await page.getByRole('button', { name: 'Send me a code' }).click();
  await page.getByLabel('Six-digit code').fill(await codeFromMailbox(email));
  await step(page, 'shop');
  const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  t.after(() => answered.resolve());
  await intercept(t, page, /admin\/v1\/set-up$/, async (route) => {
    if (route.request().method() === 'GET') return route.continue();
    asked.resolve();
    await answered.promise;
    await route.continue();
  });
  await page.getByLabel('Name').fill('Corner');
  await page.getByRole('button', { name: 'Continue' }).click();
  await asked.promise;
  await page.getByLabel('Name').fill('Corner Bakery');
  const first = page.waitForResponse(/admin\/v1\/set-up$/);
  answered.resolve();
  await first;
  await page.getByRole('button', { name: 'Continue' }).click();
  await step(page, 'place');
  await page.getByRole('link', { name: 'Back' }).click();
  await step(page, 'shop');
  await becomes(() => page.getByLabel('Name').inputValue(), 'Corner Bakery');
  assert.deepEqual(faults, []);
});

test('an API key is shown once, with a command that records a purchase', async () => {
  const shop = await makeShop({ name: 'Corner Bakery', earning: { money_per_point: 10 } });
  const owner = await makeStaff(shop, 'owner');
  const { page, faults } = await openConsole(`/${shop.slug}/first-day`, owner);
  await page.getByRole('button', { name: 'Make an API key' }).click();
  await sentence(page, 'Copy it now: it is not shown again.');
  await assertUsable(page, 'the key');
  const curl = await page.locator('pre', { hasText: 'curl' }).innerText();
  const { stdout } = await run('bash', ['-c', curl]);
  assert.match(stdout, /^HTTP\/1\.1 201 Created/);
  assert.match(stdout, /x-points-earned: 25/i);
  await page.reload();
  await page.getByRole('button', { name: 'Make an API key' }).waitFor();
  assert.equal(await page.getByText(/lk_(live|test)_/).count(), 0);
  assert.deepEqual(faults, []);
});

test('by keyboard, in Spanish, in the dark, on 320 pixels: each step can be left, and goes on where it was', async () => {
  const { db } = await service();
  const email = someone('dueña').replace('ñ', 'n');
  const seat = await openConsole(`/set-up#${await makeSetUpLink(db)}`, null, {
    width: 320,
    scheme: 'dark',
    locale: 'es-AR',
  });
  const { faults, base, context } = seat;
  let { page } = seat;
  /** Closes the window and opens the console's address in a new one. */
  const leaveAndComeBack = async (to: string) => {
    await page.close();
    page = await context.newPage();
    await page.goto(`${base}/console/set-up`);
    await step(page, to);
    await page.getByRole('heading', { level: 1 }).waitFor();
  };
  await page.locator('input[type=email]:focus').waitFor();
  await page.keyboard.type(email);
  await page.keyboard.press('Enter');
  await page
    .getByLabel(/dígitos/)
    .and(page.locator(':focus'))
    .waitFor();
  await page.keyboard.type(await codeFromMailbox(email));
  await step(page, 'shop');
  await leaveAndComeBack('shop');
  await page.locator('input:focus').waitFor();
  await page.keyboard.type('Panadería con un nombre tan largo que no cabe en ninguna línea');
  await page.keyboard.press('Tab');
  await page.keyboard.press('ArrowRight');
  await assertFits(page, 'la tienda');
  await page.keyboard.press('Enter');
  await step(page, 'place');
  await leaveAndComeBack('place');
  await assertFits(page, 'el lugar');
  await page.getByRole('button', { name: 'Continuar' }).press('Enter');
  await step(page, 'points');
  await leaveAndComeBack('points');
  await page.locator('input:focus').waitFor();
  await page.keyboard.type('0,5');
  await sentence(page, 'suma 16 puntos');
  await assertUsable(page, 'los puntos');
  await page.keyboard.press('Enter');
  await step(page, 'benefit');
  await leaveAndComeBack('benefit');
  await page.getByLabel('Ninguno por ahora').press('Space');
  await assertFits(page, 'el beneficio');
  await page.keyboard.press('Enter');
  await step(page, 'open');
  await leaveAndComeBack('open');
  await page.getByRole('button', { name: 'Cambiar la dirección' }).press('Enter');
  await page.getByLabel('La última parte de la dirección').fill('no vale');
  await page.keyboard.press('Enter');
  await sentence(page, 'Solo letras minúsculas');
  await assertFits(page, 'la dirección');
  const slug = `panaderia-${someone().slice(0, 6).replaceAll(/\W/g, '')}`;
  await page.getByLabel('La última parte de la dirección').fill(slug);
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/console/${slug}/first-day`);
  await page.locator('article[aria-busy=false]').waitFor();
  await assertUsable(page, 'el primer día');
  assert.deepEqual(
    faults.filter((fault) => !fault.includes('422')),
    [],
  );
});

test('a link that somebody else has opened, or that has ended, says what to do', async () => {
  const { db } = await service();
  const token = await makeSetUpLink(db);
  const email = someone('owner');
  const first = await openConsole(`/set-up#${token}`);
  const prove = async ({ page }: { page: Page }) => {
    await page.getByLabel('E-mail address').fill(email);
    await page.keyboard.press('Enter');
    await page.getByLabel('Six-digit code').fill(await codeFromMailbox(email));
    await step(page, 'shop');
  };
  await prove(first);

  const other = await openConsole(`/set-up#${token}`);
  await other.page.getByRole('heading', { name: 'Go on with your shop' }).waitFor();
  await other.page.getByLabel('E-mail address').fill('thief@example.com');
  await other.page.keyboard.press('Enter');
  await sentence(other.page, 'This link was opened with another e-mail address.');
  await assertUsable(other.page, 'a link that is taken');
  await age(email, '2 minutes');
  await sql`delete from outbox where recipient = ${email}`.execute(db);
  await prove(other);

  await first.page.getByLabel('Name').fill('Written in the old window');
  await first.page.keyboard.press('Enter');
  await first.page.getByRole('heading', { name: 'Open your set-up link' }).waitFor();
  await assertUsable(first.page, 'a window that has lost its set-up');

  await sql`update set_ups set expires_at = now() where email = ${email}`.execute(db);
  const late = await openConsole(`/set-up#${token}`);
  await late.page.getByRole('heading', { name: 'This link is not valid any more' }).waitFor();
  await assertUsable(late.page, 'a link that has ended');
});

test('the owner of a demo finds the way to a shop of their own, until there is one', async () => {
  const { url } = await service();
  const demo = await makeShop({ name: 'Demo', sandbox: true });
  const owner = await makeStaff(demo, 'owner');
  const { page } = await openConsole(`/${demo.slug}/till`, owner);
  await page.getByRole('link', { name: 'Make your own shop' }).click();
  await page.getByRole('heading', { name: 'Set up your shop' }).waitFor();
  assert.match(page.url(), /\/console\/set-up#[\w-]{43}$/);
  await makeStaff(await makeShop({ name: 'Own' }), 'owner', { email: owner.email });
  await page.goto(`${new URL(page.url()).origin}/console/${demo.slug}/till`);
  await finderOf(page).waitFor();
  assert.equal(await page.getByRole('link', { name: 'Make your own shop' }).count(), 0);
  // A service that sends its mails has no such way.
  const { body } = await owner.get('session');
  assert.equal((body as { own_shop_url: string | null }).own_shop_url, null);
  assert.equal((await fetch(`${url}/dev/set-up`)).status, 404);
});
