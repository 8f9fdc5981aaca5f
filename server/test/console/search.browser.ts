/** The search at the top: it goes straight to whatever a text stands for. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { benefit, makeShop } from '#test/make.ts';
import { makeStaff } from '#test/staff.ts';
import { assertUsable, openConsole } from './console.ts';

/** As a scanner types: fast, with Enter right after the last character. */
async function scan(page: Page, text: string | number): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog', { name: 'Search' }).getByRole('combobox').waitFor();
  await page.keyboard.type(String(text));
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Search' }).waitFor({ state: 'detached' });
}

test('a code, an e-mail, a voucher code and a movement lead straight to their page, without waiting', async () => {
  const shop = await makeShop({ benefits: [benefit('coffee', { cost: 10 })] });
  const manager = await makeStaff(shop, 'manager');
  const member = await shop.member();
  const bought = await shop.post('/v1/consumptions/client-code', { client_code: member.code, amount: 50 });
  const movement = bought.headers.get('x-consumption-id')!;
  const voucher = await shop.voucher(member, 'coffee');
  const { page, faults, base } = await openConsole(`/${shop.slug}/nowhere`, manager);
  await page.getByRole('heading', { name: 'There is no page here' }).waitFor();
  const here = `${base}/console/${shop.slug}`;
  const find = (text: string | number) => manager.post('find', { text: String(text) });
  const { member_id: id } = ((await find(member.code)).body as { members: { member_id: number }[] })
    .members[0]!;

  for (const [text, address] of [
    [member.code, `${here}/members/${id}`],
    [member.email, `${here}/members/${id}`],
    [movement, `${here}/members/${id}?movement=${movement}`],
  ] as const) {
    await page.goto(`${here}/nowhere`);
    await page.getByRole('heading', { name: 'There is no page here' }).waitFor();
    await scan(page, text);
    // Once its line is shown, the member's page says so in the address.
    assert.equal(page.url().replace('#movement-', '?movement='), address);
  }
  // The till takes what it was given out of its address again.
  for (const text of [voucher, 'nobody.yet@example.com']) {
    await page.goto(`${here}/nowhere`);
    await page.getByRole('heading', { name: 'There is no page here' }).waitFor();
    await scan(page, text);
    assert.match(page.url(), /\/till/);
  }
  assert.deepEqual(faults, []);
});

test('the first search after a load keeps every key, however fast they come', async () => {
  const shop = await makeShop();
  const manager = await makeStaff(shop, 'manager');
  const member = await shop.member();
  const { page, faults } = await openConsole(`/${shop.slug}/nowhere`, manager);
  for (const key of ['/', 'Control+k', '/', 'Control+k']) {
    await page.reload();
    await page.getByRole('heading', { name: 'There is no page here' }).waitFor();
    // Nothing is awaited but the keys: who waits for the field hides that it was not there yet.
    await page.keyboard.press(key);
    await page.keyboard.type(String(member.code));
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: member.email.split('@')[0]! }).waitFor();
    assert.match(page.url(), /\/members\/\d+$/, key);
    await page.goBack();
  }
  assert.deepEqual(faults, []);
});

test('a cashier’s search leads to the till, and shows no whole address', async () => {
  const shop = await makeShop();
  const cashier = await makeStaff(shop, 'cashier');
  const member = await shop.member();
  const { page, faults } = await openConsole(`/${shop.slug}/nowhere`, cashier);
  await page.getByRole('heading', { name: 'There is no page here' }).waitFor();
  await page.keyboard.press('/');
  await page.getByRole('combobox').fill(String(member.code));
  const found = page.getByRole('option').first();
  await found.waitFor();
  await assertUsable(page, 'what was found');
  assert.ok(!(await found.textContent())!.includes(member.email));
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/till/);
  assert.deepEqual(faults, []);
});

test('an action that is found counts as a result, and the search does not say that it found nothing', async () => {
  const shop = await makeShop();
  const owner = await makeStaff(shop, 'owner');
  const { page } = await openConsole(`/${shop.slug}/team`, owner);
  await page.getByRole('button', { name: 'Search members and codes' }).click();
  await page.getByRole('combobox').fill('poster');
  await page.getByRole('option', { name: 'Print the poster' }).waitFor();
  await page.getByText('1 result', { exact: true }).waitFor({ state: 'attached' });
  assert.equal(await page.getByText('Nothing found').count(), 0);
});
