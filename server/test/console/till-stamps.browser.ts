/** The stamp cards of a customer at the till, in a real browser. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { benefit, makeShop, stampCard } from '#test/make.ts';
import { makeStaff } from '#test/staff.ts';
import { becomes, picture } from '../portal/browser.ts';
import { assertUsable, openConsole } from './console.ts';
import { amountOf, finderOf } from './till.ts';

test('the till shows what is on a card and what is missing to what, after each purchase anew', async () => {
  const shop = await makeShop({
    benefits: [benefit('free-coffee', { title: 'a free coffee', on_sale: false })],
    stamps: [
      stampCard('coffee', 'free-coffee', { title: 'Ten coffees', need: 10 }),
      stampCard('rolls', 'free-coffee', { title: 'Rolls', need: 5, paused: true }),
    ],
  });
  const member = await shop.member();
  for (let n = 0; n < 7; n++) await shop.sell(member, 3);
  const { page, faults } = await openConsole(`/${shop.slug}/till`, await makeStaff(shop, 'cashier'));
  const find = async () => {
    await finderOf(page).fill(String(member.code));
    await page.keyboard.press('Enter');
    await amountOf(page).waitFor();
  };
  const cards = () => page.getByRole('list', { name: 'Stamp cards' }).getByRole('listitem').allInnerTexts();
  await find();
  await becomes(
    async () => (await cards()).map((text) => text.split('\n').at(-1)),
    ['3 more to a free coffee'],
  );
  await page.getByRole('img', { name: '7 of 10 stamps' }).waitFor();
  for (const width of [390, 768, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    await assertUsable(page, `a card with stamps at ${width}`);
    await picture(page, `till-stamps-${width}`);
  }
  await amountOf(page).fill('4');
  await page.keyboard.press('Enter');
  await page
    .getByText(/^\+?4 points/)
    .first()
    .waitFor();
  await find();
  await page.getByRole('img', { name: '8 of 10 stamps' }).waitFor();
  await becomes(
    async () => (await cards()).map((text) => text.split('\n').at(-1)),
    ['2 more to a free coffee'],
  );
  assert.deepEqual(faults, []);
});

test('where nothing is stamped, nothing of it is loaded', async () => {
  const shop = await makeShop();
  const member = await shop.member();
  const { page, faults } = await openConsole(`/${shop.slug}/till`, await makeStaff(shop, 'cashier'));
  const loaded: string[] = [];
  page.on('request', (request) => loaded.push(request.url()));
  await finderOf(page).fill(String(member.code));
  await page.keyboard.press('Enter');
  await amountOf(page).waitFor();
  await page.getByRole('group', { name: 'Customer' }).waitFor();
  assert.deepEqual(
    loaded.filter((url) => url.includes('stamps')),
    [],
  );
  assert.deepEqual(faults, []);
});
