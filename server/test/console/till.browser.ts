/** A cashier in front of the till, with a queue. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeShop } from '#test/make.ts';
import { makeStaff } from '#test/staff.ts';
import { assertUsable, openConsole } from './console.ts';

test('a cashier finds a member by the code, types the amount, presses Enter, and is ready for the next one', async () => {
  const shop = await makeShop({ earning: { money_per_point: 100 } });
  const cashier = await makeStaff(shop, 'cashier');
  const member = await shop.member('ana');
  const { page, faults } = await openConsole(`/${shop.slug}/till`, cashier);
  const finder = page.getByRole('combobox', { name: 'Member or code' });
  await finder.waitFor();
  await assertUsable(page, 'the till, empty');
  await page.keyboard.type(String(member.code), { delay: 60 });
  await page.keyboard.press('Enter');
  await page.getByLabel('Purchase').waitFor();
  await page.keyboard.type('1750', { delay: 60 });
  await page.getByText('earns 17 points').waitFor();
  await assertUsable(page, 'a purchase');

  await page.keyboard.press('Enter');
  await page.getByText('+17 points').waitFor();
  assert.equal(await finder.inputValue(), '');
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('role')), 'combobox');

  await assertUsable(page, 'recorded');
  assert.deepEqual(faults, []);
});
