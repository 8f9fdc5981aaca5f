/** A manager whom the world gets in the way of: sessions end, networks go, and others are faster. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { sql } from '#db/database.ts';
import { service } from '#test/harness.ts';
import { makeShop, type MadeMember } from '#test/make.ts';
import { makeStaff, type MadeStaff } from '#test/staff.ts';
import { becomes, codeFromMailbox } from '../portal/browser.ts';
import { intercept } from '../portal/intercept.ts';
import { assertUsable, openConsole } from './console.ts';

const isExpected = (fault: string) => /status of (400|401|403)|ERR_/.test(fault);

async function idOf(manager: MadeStaff, member: MadeMember): Promise<number> {
  const found = await manager.post('find', { text: String(member.code) });
  return (found.body as { members: { member_id: number }[] }).members[0]!.member_id;
}

async function adjust(page: Page, points: string, reason: string): Promise<void> {
  await page.getByRole('button', { name: 'Adjust points' }).click();
  await page.keyboard.type(points);
  await page.getByRole('dialog').getByLabel('Reason').fill(reason);
}

test('a session that ends in the middle of a reason: sign in again in a dialog, nothing is lost, and it counts once', async () => {
  const { db } = await service();
  const shop = await makeShop();
  const manager = await makeStaff(shop, 'manager');
  const id = await idOf(manager, await shop.member());
  const { page, faults } = await openConsole(`/${shop.slug}/members/${id}`, manager);
  await adjust(page, '25', 'the queue was lo');
  await sql`update staff_sessions set ended_at = now() where person_id = ${manager.personId}`.execute(db);
  await page.keyboard.type('ng');
  await page.keyboard.press('Enter');
  const again = page.getByRole('dialog', { name: 'Sign in again' });
  await again.waitFor();
  await again.getByText(manager.email).waitFor();
  await again.getByLabel('Six-digit code').fill(await codeFromMailbox(manager.email));
  await page.getByText('+25 points. The balance is 25.').waitFor();
  await page.locator('#changes', { hasText: 'the queue was long' }).waitFor();
  assert.deepEqual(
    faults.filter((fault) => !isExpected(fault)),
    [],
  );
});

test('the network goes while an adjustment is sent: it says so, and a second press counts it once', async (t) => {
  const shop = await makeShop();
  const manager = await makeStaff(shop, 'manager');
  const id = await idOf(manager, await shop.member());
  const { page, faults } = await openConsole(`/${shop.slug}/members/${id}`, manager);
  await adjust(page, '25', 'sorry');
  // The service does it, and the answer is lost each time.
  const stop = await intercept(t, page, /adjustments$/, async (route) => {
    await route.fetch();
    await route.abort('connectionreset');
  });
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Try again: it counts once').waitFor();
  await assertUsable(page, 'no answer to an adjustment');
  await becomes(() => dialog.getByLabel('Reason').inputValue(), 'sorry');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Adjust points' }).click();
  await becomes(() => dialog.getByLabel('Points', { exact: true }).inputValue(), '25', 'kept with its key');
  await stop();
  await dialog.getByRole('button', { name: 'Give 25 points' }).click();
  await page.getByText('+25 points. The balance is 25.').waitFor();
  await page.getByRole('region', { name: 'Balance' }).getByText('25', { exact: true }).first().waitFor();
  await becomes(() => page.getByRole('button', { name: /^Adjustment(?!s)/ }).count(), 1);
  assert.deepEqual(
    faults.filter((fault) => !isExpected(fault)),
    [],
  );
});

test('two managers at one member at once: the second is told what is true now, and keeps what was typed', async () => {
  const shop = await makeShop();
  const first = await makeStaff(shop, 'manager');
  const second = await makeStaff(shop, 'manager');
  const member = await shop.member();
  await shop.sell(member, 30);
  const id = await idOf(first, member);
  const { page } = await openConsole(`/${shop.slug}/members/${id}`, first);
  await page.getByRole('region', { name: 'Balance' }).getByText('30', { exact: true }).first().waitFor();
  await page.getByRole('button', { name: 'Adjust points' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Take', { exact: true }).click();
  await dialog.getByLabel('Points', { exact: true }).fill('30');
  await dialog.getByLabel('Reason').fill('counted twice');
  const key = { 'idempotency-key': crypto.randomUUID() };
  const taken = await second.post(`members/${id}/adjustments`, { points: -20, reason: 'first' }, key);
  assert.equal(taken.status, 201);
  await page.keyboard.press('Enter');
  await dialog.getByText('Meanwhile there are fewer points than that.').waitFor();
  await dialog.getByRole('status').filter({ hasText: '10' }).waitFor();
  await becomes(() => dialog.getByLabel('Reason').inputValue(), 'counted twice');
  await dialog.getByLabel('Points', { exact: true }).fill('10');
  await page.keyboard.press('Enter');
  await page.getByText('−10 points. The balance is 0.').waitFor();

  await page.getByRole('button', { name: 'More that can be done' }).click();
  await page.getByRole('menuitem', { name: 'Block' }).click();
  await page.keyboard.type('me too');
  await second.post(`members/${id}/block`, { reason: 'faster' });
  await page.keyboard.press('Enter');
  await dialog.getByText('this person is blocked already').waitFor();
  await page.keyboard.press('Escape');
  await page.getByText(/^Blocked since .*: faster$/).waitFor();
});

test('a cashier reaches neither the list nor a member by an address, and sees no menu for it', async () => {
  const shop = await makeShop();
  const manager = await makeStaff(shop, 'manager');
  const cashier = await makeStaff(shop, 'cashier');
  const id = await idOf(manager, await shop.member());
  const { page, faults, base } = await openConsole(`/${shop.slug}/members`, cashier);
  const calls: string[] = [];
  page.on('request', (request) => calls.push(new URL(request.url()).pathname));
  await page.getByRole('heading', { name: 'This page is not for your role' }).waitFor();
  await page.goto(`${base}/console/${shop.slug}/members/${id}#movement-1`);
  await page.getByRole('heading', { name: 'This page is not for your role' }).waitFor();
  assert.deepEqual(
    calls.filter((path) => path.startsWith('/admin/v1/members')),
    [],
  );
  assert.deepEqual(faults, []);
});
