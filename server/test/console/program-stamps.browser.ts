/** An owner makes stamp cards, in a real browser. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import type { Program } from '#program/program.ts';
import { benefit, makeShop, stampCard } from '#test/make.ts';
import { makeStaff, type MadeStaff } from '#test/staff.ts';
import { becomes, picture } from '../portal/browser.ts';
import { assertUsable, openConsole } from './console.ts';

async function publish(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Review' }).click();
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await page.getByRole('button', { name: 'Publish now' }).click();
  await page.getByRole('heading', { name: /^Version \d+ is in force/ }).waitFor();
}

async function programOf(owner: MadeStaff): Promise<Program> {
  const { body } = await owner.get('program/model');
  return (body as { program: Program }).program;
}

const card = (page: Page, name: string) =>
  page
    .getByRole('main')
    .getByRole('listitem')
    .filter({ has: page.getByRole('heading', { level: 2, name }) });
const sentence = (page: Page, name: string) => card(page, name).getByRole('paragraph').first().innerText();

test('an owner makes a card with its gift, says what stamps it, and publishes; the till stamps it', async () => {
  const shop = await makeShop();
  const owner = await makeStaff(shop, 'owner');
  const { page, faults } = await openConsole(`/${shop.slug}/program/stamps`, owner);
  await page.getByRole('heading', { name: 'No stamp cards yet' }).waitFor();
  await assertUsable(page, 'no cards');
  await page.getByRole('button', { name: 'Add a stamp card' }).click();
  await page.getByLabel('Name').fill('Ten coffees');
  await page.getByLabel('A full card gives').fill('A free coffee');
  await assertUsable(page, 'a new card');
  await page.getByRole('button', { name: 'Add it' }).click();
  await becomes(() => sentence(page, 'Ten coffees'), '10 stamps give A free coffee: one for each purchase');
  const coffee = card(page, 'Ten coffees');
  await coffee.getByLabel('Stamps of a full card').fill('8');
  await coffee.getByLabel('A stamp is').selectOption('unit');
  await coffee.getByLabel('Pause between stamps').fill('5');
  await coffee.getByLabel('Time to fill it').fill('6');
  await coffee.getByRole('button', { name: 'Add a condition' }).click();
  await page.getByRole('menuitem', { name: 'Categories', exact: true }).click();
  await coffee.getByLabel('Categories', { exact: true }).fill('Coffee');
  await becomes(
    () => sentence(page, 'Ten coffees'),
    '8 stamps give A free coffee: one for each unit of Coffee with 5 minutes between two purchases if the card is full within 6 months',
  );
  for (const width of [390, 768, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    await assertUsable(page, `a card with conditions at ${width}`);
    await picture(page, `stamps-${width}`);
  }
  await publish(page);
  const { stamps, benefits } = await programOf(owner);
  assert.deepEqual(
    stamps.map(({ when, ...others }) => ({ ...others, categories: when.categories })),
    [
      {
        ...stampCard('ten-coffees', 'a-free-coffee'),
        title: 'Ten coffees',
        paused: false,
        per: 'unit',
        need: 8,
        within_months: 6,
        min_minutes_between: 5,
        categories: ['Coffee'],
      },
    ],
  );
  const gift = benefits.find(({ id }) => id === 'a-free-coffee')!;
  assert.deepEqual([gift.title, gift.cost, gift.on_sale], ['A free coffee', 0, false]);
  const member = await shop.member();
  const bought = await shop.post('/v1/consumptions/client-code', {
    client_code: member.code,
    amount: 6,
    lines: [{ id: '1', categories: ['Coffee'], units: 2, amount: 6 }],
  });
  assert.equal(bought.headers.get('x-stamps'), '"ten-coffees";given=2;have=2;need=8');
  assert.deepEqual(faults, []);
});

test('a card is paused and ended with one press each, brought back, and a mistake stands at its field', async () => {
  const shop = await makeShop({
    benefits: [
      benefit('free-roll', { title: 'A free roll', on_sale: false }),
      benefit('cake', { title: 'Cake' }),
    ],
    stamps: [
      stampCard('rolls', 'free-roll', { title: 'Rolls', need: 5 }),
      stampCard('bread', 'free-roll', { title: 'Bread', need: 7 }),
    ],
  });
  const owner = await makeStaff(shop, 'owner');
  const { page, faults } = await openConsole(`/${shop.slug}/program/stamps`, owner, { width: 390 });
  await page.getByRole('button', { name: 'Pause: Rolls' }).click();
  await card(page, 'Rolls').getByText('paused').waitFor();
  await page.getByRole('button', { name: 'Bread: more' }).click();
  await page.getByRole('menuitem', { name: 'End' }).click();
  await card(page, 'Bread').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Undo' }).last().click();
  await card(page, 'Bread').waitFor();
  await page.getByRole('button', { name: 'Bread: more' }).click();
  await page.getByRole('menuitem', { name: 'End' }).click();

  await page.getByRole('button', { name: 'Change: Rolls' }).click();
  const rolls = card(page, 'Rolls');
  await rolls.getByLabel('Stamps of a full card').fill('1');
  await rolls.getByText('Must be between 2 and 50.').waitFor();
  await rolls.getByLabel('Stamps of a full card').fill('6');
  await rolls.getByText('Must be between 2 and 50.').waitFor({ state: 'detached' });
  await assertUsable(page, 'a paused card on a phone');
  await picture(page, 'stamps-paused');
  await publish(page);
  assert.deepEqual(
    (await programOf(owner)).stamps.map(({ id, need, paused }) => [id, need, paused]),
    [['rolls', 6, true]],
  );

  // The gift is put on sale: its card says that nobody may be able to buy it.
  await page.goto(`${page.url().split('/program')[0]}/program/benefits/free-roll`);
  await page.getByRole('checkbox', { name: 'In the catalog' }).check();
  await page.goto(`${page.url().split('/program')[0]}/program/stamps`);
  await card(page, 'Rolls').getByText('Choose a benefit that is not on sale').waitFor();
  await assertUsable(page, 'a card with a mistake');
  assert.deepEqual(faults, []);
});
