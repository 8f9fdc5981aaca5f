/** The buttons of the till for the products and categories that rules name, in a real browser. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { sql } from '#db/database.ts';
import { service } from '#test/harness.ts';
import { makeShop, type Shop } from '#test/make.ts';
import { makeStaff } from '#test/staff.ts';
import { linesOf } from '../../../console/src/till/sold-lines.ts';
import { becomes, picture } from '../portal/browser.ts';
import { assertUsable, openConsole } from './console.ts';
import { amountOf, finderOf } from './till.ts';

async function linesIn(shop: Shop): Promise<unknown[]> {
  const { db } = await service();
  const { rows } = await sql<{ lines: unknown }>`
    select lines from purchase_lines where commerce_id = ${shop.id} order by purchase_id`.execute(db);
  return rows.map(({ lines }) => lines);
}

async function find(page: Page, code: number): Promise<void> {
  await finderOf(page).fill(String(code));
  await page.keyboard.press('Enter');
  await amountOf(page).waitFor();
}

test('the amounts that were said come first, and what was not said of takes the rest', () => {
  const coffee = { categories: ['coffee'] };
  const loaf = { product: 'loaf' };
  assert.equal(linesOf(undefined, 17), null);
  assert.equal(linesOf([], 17), null);
  assert.deepEqual(linesOf([{ ...coffee, amount: null }], 17), [{ ...coffee, id: '0', amount: 17 }]);
  assert.deepEqual(
    linesOf(
      [
        { ...coffee, amount: null },
        { ...loaf, amount: 10 },
      ],
      17,
    ),
    [
      { ...coffee, id: '0', amount: 7 },
      { ...loaf, id: '1', amount: 10 },
    ],
  );
  assert.deepEqual(linesOf([{ ...loaf, amount: 4 }], 17), [
    { ...loaf, id: '0', amount: 4 },
    { id: '1', amount: 13 },
  ]);
  for (const sold of [
    [{ ...loaf, amount: 40 }],
    [
      { ...loaf, amount: 9 },
      { ...coffee, amount: 9 },
    ],
  ])
    assert.equal(
      linesOf(sold, 17)!.reduce((sum, { amount }) => sum + amount, 0),
      17,
    );
});

test('a cashier says with one press what it was, or how much of it, and the purchase earns by the rules', async () => {
  const shop = await makeShop({
    earning: {
      money_per_point: 1,
      rules: [
        { id: 'coffee', title: 'Double on coffee', when: { categories: ['Coffee'] }, give: { multiply: 2 } },
        { id: 'loaf', title: 'A loaf', when: { products: ['Loaf'] }, give: { points: 3, per: 'unit' } },
        {
          id: 'old',
          title: 'Over',
          when: { products: ['Gone'] },
          to: '2020-01-01T00:00:00Z',
          give: { points: 3 },
        },
      ],
    },
  });
  const member = await shop.member();
  const cashier = await makeStaff(shop, 'cashier');
  const { page, faults } = await openConsole(`/${shop.slug}/till`, cashier, { width: 768 });
  await find(page, member.code);
  await amountOf(page).fill('17');
  const things = page.getByRole('group', { name: 'What was it?' });
  await becomes(() => things.getByRole('button').allInnerTexts(), ['Coffee', 'Loaf']);
  await page.getByText('earns 17 points').waitFor();
  await things.getByRole('button', { name: 'Coffee' }).click();
  await page.getByText('earns 34 points').waitFor();
  await things.getByRole('button', { name: 'Loaf' }).click();
  await page.getByLabel('Loaf, of it').fill('10');
  await page.getByText('earns 27 points').waitFor();
  await assertUsable(page, 'the till with buttons');
  await picture(page, 'till-sold');
  await page.getByRole('button', { name: 'Record the purchase' }).click();
  await becomes(
    () => linesIn(shop),
    [
      [
        { id: '0', amount: 7, categories: ['Coffee'] },
        { id: '1', amount: 10, product: 'Loaf' },
      ],
    ],
  );
  // The next purchase begins without.
  await find(page, member.code);
  await amountOf(page).fill('5');
  await page.getByText('earns 5 points').waitFor();
  assert.equal(await things.locator('[aria-pressed=true]').count(), 0);
  assert.deepEqual(faults, []);

  const found = await cashier.post('find', { text: String(member.code) });
  const { members } = found.body as { members: { member_id: number }[] };
  const wrong = { member_id: members[0]!.member_id, amount: 5, lines: [{ id: '1', amount: 4 }] };
  assert.equal((await cashier.post('till/preview', wrong)).status, 400);
  assert.equal((await cashier.post('purchases', wrong, { 'idempotency-key': 'k-1' })).status, 400);
});

test('where no rule names anything, the till is as it was', async () => {
  const shop = await makeShop();
  const member = await shop.member();
  const cashier = await makeStaff(shop, 'cashier');
  const { page, faults } = await openConsole(`/${shop.slug}/till`, cashier, { width: 390 });
  const loaded: string[] = [];
  page.on('request', (request) => void loaded.push(request.url()));
  await find(page, member.code);
  await amountOf(page).fill('5');
  await page.getByText('earns 5 points').waitFor();
  assert.equal(await page.getByText('What was it?').count(), 0);
  assert.ok(!loaded.some((url) => url.includes('sold-buttons')));
  assert.deepEqual(faults, []);
});
