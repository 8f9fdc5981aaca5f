/** How a person of the shop enters and leaves the console. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { sql } from '#db/database.ts';
import { call, service } from '#test/harness.ts';
import { makeShop } from '#test/make.ts';
import { mailedLinks } from '#test/sign-in.ts';
import { makeStaff } from '#test/staff.ts';
import { becomes, codeFromMailbox } from '../portal/browser.ts';
import { intercept } from '../portal/intercept.ts';
import { assertUsable, openConsole } from './console.ts';

const till = (page: Page) =>
  page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Till' });

test('a person signs in with a code from the mail, and is where the address led', async () => {
  const shop = await makeShop({ name: 'Harbour Bakery' });
  const owner = await makeStaff(shop, 'owner');
  const { page, faults, base } = await openConsole(`/${shop.slug}/members?sort=name`);
  await page.getByLabel('E-mail address').fill('marta');
  await page.getByRole('button', { name: 'Send me a code' }).click();
  await page.getByText('Enter your whole e-mail address').waitFor();
  await assertUsable(page, 'a problem at the address');
  await page.getByLabel('E-mail address').fill(` ${owner.email} `);
  await page.keyboard.press('Enter');
  const code = page.getByLabel('Six-digit code');
  await code.waitFor();
  await assertUsable(page, 'the code');
  // Pasted with a space, as some mail programs show it. The sixth digit sends it.
  const digits = await codeFromMailbox(owner.email);
  await code.fill(`${digits.slice(0, 3)} ${digits.slice(3)}`);
  await till(page).waitFor();
  assert.equal(page.url(), `${base}/console/${shop.slug}/members?sort=name`);
  await page.reload();
  await till(page).waitFor();
  assert.deepEqual(faults, []);
});

test('a wrong code is said, and the right one is taken after it', async () => {
  const shop = await makeShop();
  const cashier = await makeStaff(shop, 'cashier');
  const { page } = await openConsole('');
  await page.getByLabel('E-mail address').fill(cashier.email);
  await page.keyboard.press('Enter');
  const right = await codeFromMailbox(cashier.email);
  const wrong = right.replace(/^./, (first) => String((Number(first) + 1) % 10));
  const code = page.getByLabel('Six-digit code');
  await code.fill(wrong);
  await page.getByText('This code is wrong or too old').waitFor();
  await becomes(() => code.inputValue(), wrong, 'the digits stay, to be corrected');
  await becomes(() => code.getAttribute('aria-invalid'), 'true');
  await assertUsable(page, 'a wrong code');
  await code.fill(right);
  await page.getByRole('banner').waitFor();
});

test('a code that is typed while a new one is on its way stays', async (t) => {
  const shop = await makeShop();
  const cashier = await makeStaff(shop, 'cashier');
  const { page } = await openConsole('');
  await page.getByLabel('E-mail address').fill(cashier.email);
  await page.keyboard.press('Enter');
  const code = page.getByLabel('Six-digit code');
  await code.fill('12');
  const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  t.after(() => answered.resolve());
  const free = await intercept(t, page, /otp\/request$/, async (route) => {
    asked.resolve();
    await answered.promise;
    await route.continue();
  });
  await page.getByRole('button', { name: 'Send a new code' }).click();
  await asked.promise;
  await code.fill('345');
  answered.resolve();
  await page.getByText('A new code is on its way.').waitFor();
  await becomes(() => code.inputValue(), '345');
  await free();
  await page.getByRole('button', { name: 'Send a new code' }).click();
  await becomes(() => code.inputValue(), '', 'nothing was typed since');
});

test('the link from the mail signs in when its button is pressed, and only then', async () => {
  const shop = await makeShop();
  const manager = await makeStaff(shop, 'manager');
  const { url } = await service();
  await call('POST', '/admin/v1/auth/otp/request', {
    headers: { origin: url },
    body: { email: manager.email },
  });
  const [token] = await mailedLinks(shop.id, manager.email);
  const { page, faults } = await openConsole(`#link=${token}`);
  const enter = page.getByRole('button', { name: 'Sign in' });
  await enter.waitFor();
  assert.ok(!page.url().includes('link='), 'the token is not in the address any more');
  await assertUsable(page, 'the link');
  await enter.click();
  await till(page).waitFor();
  assert.deepEqual(faults, []);
});

test('signing out leaves nothing behind, and signing out everywhere ends every browser', async () => {
  const shop = await makeShop();
  const manager = await makeStaff(shop, 'manager');
  const here = await openConsole('', manager);
  await till(here.page).waitFor();
  const other = await openConsole('');
  await other.page.getByLabel('E-mail address').fill(manager.email);
  await other.page.keyboard.press('Enter');
  await other.page.getByLabel('Six-digit code').fill(await codeFromMailbox(manager.email));
  await till(other.page).waitFor();
  await other.page.getByRole('button', { name: 'Your account' }).click();
  await other.page.getByRole('menuitem', { name: 'Sign out everywhere' }).click();
  await other.page.getByRole('heading', { name: 'Sign in' }).waitFor();
  const { db } = await service();
  const { rows } = await sql`
    select from staff_sessions where person_id = ${manager.personId} and ended_at is null`.execute(db);
  assert.equal(rows.length, 0);
  await here.page.reload();
  await here.page.getByRole('heading', { name: 'Sign in' }).waitFor();
  assert.equal(
    await other.page.evaluate(() => Object.keys(localStorage).join()),
    'loyalty/console/shop',
    'only the last shop is remembered',
  );
});

test('the whole way works by keyboard, in Spanish, in the dark, on 320 pixels', async () => {
  const shop = await makeShop({ locale: 'es-AR' });
  const cashier = await makeStaff(shop, 'cashier');
  const { page, faults } = await openConsole('', null, { width: 320, scheme: 'dark', locale: 'es-AR' });
  await page.getByRole('heading', { name: 'Iniciar sesión' }).waitFor();
  await becomes(() => page.locator('html').getAttribute('lang'), 'es');
  await assertUsable(page, 'la dirección');
  await page.keyboard.type(cashier.email);
  await page.keyboard.press('Enter');
  await page.getByLabel('Código de seis dígitos').waitFor();
  await assertUsable(page, 'el código');
  await page.keyboard.type(await codeFromMailbox(cashier.email));
  // The till takes the focus when it appears.
  await page.getByRole('combobox').and(page.locator(':focus')).waitFor();
  await page.getByRole('button', { name: 'Tu cuenta' }).focus();
  await page.keyboard.press('ArrowDown');
  await page.getByRole('menuitem', { name: 'Atajos de teclado' }).waitFor();
  await page.waitForFunction(() => document.activeElement?.getAttribute('role') === 'menuitem');
  await assertUsable(page, 'el menú');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Iniciar sesión' }).waitFor();
  assert.deepEqual(faults, []);
});
