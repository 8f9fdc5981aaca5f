/** A call that has to wait for the person: nothing that was typed is lost. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { sql } from '#db/database.ts';
import { service } from '#test/harness.ts';
import { makeShop } from '#test/make.ts';
import { makeStaff, type MadeStaff } from '#test/staff.ts';
import { becomes, codeFromMailbox } from '../portal/browser.ts';
import { assertUsable, giveSession, openConsole } from './console.ts';

/** Lines that Chromium writes into its log for an answer that the test has asked for. */
const isExpected = (fault: string) => /status of (401|403|400)/.test(fault);

async function endSessions({ personId }: MadeStaff): Promise<void> {
  const { db } = await service();
  await sql`update staff_sessions set ended_at = now() where person_id = ${personId}`.execute(db);
}

async function search(page: Page, text: string) {
  await page.keyboard.press('/');
  const input = page.getByRole('combobox');
  await input.fill(text);
  return input;
}

test('a session that ends in the middle of typing: sign in again in a dialog, and the call goes on', async () => {
  const shop = await makeShop();
  const manager = await makeStaff(shop, 'manager');
  const member = await shop.member();
  const { page, faults } = await openConsole(`/${shop.slug}/nowhere`, manager);
  await page.getByRole('heading', { name: 'There is no page here' }).waitFor();
  await endSessions(manager);
  const input = await search(page, String(member.code));
  const dialog = page.getByRole('dialog', { name: 'Sign in again' });
  await dialog.waitFor();
  await assertUsable(page, 'signing in again');
  await dialog.getByText(`We have sent a code to ${manager.email}`).waitFor();
  assert.equal(
    await page.evaluate(() => document.activeElement?.getAttribute('name')),
    'code',
    'the digits can be typed at once',
  );
  await page.keyboard.type('12');
  await page.keyboard.press('Enter');
  await dialog.getByText('The code has six digits.').waitFor();
  await dialog.getByLabel('Six-digit code').fill(await codeFromMailbox(manager.email));
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('option', { name: member.email }).waitFor();
  await becomes(() => input.inputValue(), String(member.code));
  assert.deepEqual(
    faults.filter((fault) => !isExpected(fault)),
    [],
  );
});

test('whoever closes the dialog is told that the call failed, and can try again', async () => {
  const shop = await makeShop();
  const manager = await makeStaff(shop, 'manager');
  const { page } = await openConsole(`/${shop.slug}/nowhere`, manager);
  await page.getByRole('heading', { name: 'There is no page here' }).waitFor();
  await endSessions(manager);
  const input = await search(page, 'someone');
  await page.getByRole('dialog', { name: 'Sign in again' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByText('You are signed out. Sign in, then try again.').waitFor();
  await becomes(() => input.inputValue(), 'someone');
  await input.fill('someone else');
  await page.getByRole('dialog', { name: 'Sign in again' }).waitFor();
});

test('an act that weighs much asks for a fresh code, and goes on after it', async () => {
  const shop = await makeShop();
  const manager = await makeStaff(shop, 'manager');
  await manager.goStale();
  const { page, faults } = await openConsole(`/${shop.slug}/nowhere`, manager);
  await page.getByRole('heading', { name: 'There is no page here' }).waitFor();
  let calls = 0;
  // No page of the frame has such an act, so the first search is refused as one would be.
  await page.route('**/admin/v1/find', (route) =>
    ++calls === 1
      ? route.fulfill({
          status: 403,
          headers: { 'x-error-code': 'fresh_code_needed' },
          json: { message: 'ask for a code' },
        })
      : route.continue(),
  );
  await search(page, 'nobody at all');
  const dialog = page.getByRole('dialog', { name: 'Is it still you?' });
  await dialog.getByText(`We have sent one to ${manager.email}`).waitFor();
  await assertUsable(page, 'a fresh code');
  const code = await codeFromMailbox(manager.email);
  await dialog
    .getByLabel('Six-digit code')
    .fill(code.replace(/^./, (first) => String((Number(first) + 1) % 10)));
  await dialog.getByText('This code is wrong or too old').waitFor();
  await dialog.getByLabel('Six-digit code').fill(code);
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('Nothing found.').waitFor();
  assert.equal(calls, 2);
  assert.deepEqual(
    faults.filter((fault) => !isExpected(fault)),
    [],
  );
});

test('a session that ends while nobody looks leaves the page as it is, and asks when somebody comes back', async () => {
  const shop = await makeShop();
  const manager = await makeStaff(shop, 'manager');
  const { page } = await openConsole(`/${shop.slug}/nowhere`, manager);
  await page.clock.install();
  await page.reload();
  await page.getByRole('heading', { name: 'There is no page here' }).waitFor();
  const input = await search(page, 'half a wo');
  await page.getByText('Nothing found.').waitFor();
  await endSessions(manager);
  await page.clock.fastForward('02:00');
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })));
  const dialog = page.getByRole('dialog', { name: 'Sign in again' });
  await dialog.waitFor();
  await dialog.getByLabel('Six-digit code').fill(await codeFromMailbox(manager.email));
  await dialog.waitFor({ state: 'detached' });
  await becomes(() => input.inputValue(), 'half a wo');
});

test('a role that is lowered in the middle of the work changes the page with the next refused call', async () => {
  const shop = await makeShop();
  const manager = await makeStaff(shop, 'manager');
  const { page } = await openConsole(`/${shop.slug}/nowhere`, manager);
  const pages = page.getByRole('navigation', { name: 'Pages' });
  await pages.waitFor();
  const { db } = await service();
  await sql`update staff set role = 'cashier' where staff.id = ${manager.staffId}`.execute(db);
  await page.route('**/admin/v1/find', (route) =>
    route.fulfill({ status: 403, headers: { 'x-error-code': 'role_needed' }, json: { message: 'no' } }),
  );
  await search(page, 'someone');
  await page.getByText('Your role does not allow this.').waitFor();
  await pages.waitFor({ state: 'detached' });
});

test('signing in as somebody else in another tab shows nothing of the first person', async () => {
  const shop = await makeShop({ name: 'The first shop' });
  const other = await makeShop({ name: 'The other shop' });
  const first = await makeStaff(shop, 'manager');
  const second = await makeStaff(other, 'manager');
  const { page, context, base } = await openConsole(`/${shop.slug}/nowhere`, first);
  await page.getByRole('heading', { name: 'There is no page here' }).waitFor();
  await giveSession({ context }, second, base);
  const tab = await context.newPage();
  await tab.goto(`${base}/console`);
  await tab.evaluate(() => localStorage.setItem('loyalty/console/signed-in', 'another'));
  await page.getByRole('heading', { name: 'You are not part of this shop' }).waitFor();
  await page.getByRole('button', { name: 'The other shop' }).waitFor();
});
