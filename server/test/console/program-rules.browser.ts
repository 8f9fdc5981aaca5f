/** An owner makes earning rules by sentences, in a real browser. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import type { Program } from '#program/program.ts';
import { makeShop } from '#test/make.ts';
import { makeStaff, type MadeStaff } from '#test/staff.ts';
import { becomes, picture } from '../portal/browser.ts';
import { assertUsable, openConsole } from './console.ts';

const EMPTY_WHEN = {
  products: [],
  categories: [],
  channels: [],
  branches: [],
  registers: [],
  weekdays: [],
  hours: null,
  levels: [],
  first_purchase: false,
  min_amount: null,
  joined_days: null,
};

async function publish(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Review' }).click();
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await page.getByRole('button', { name: 'Publish now' }).click();
  await page.getByRole('heading', { name: /^Version \d+ is in force/ }).waitFor();
}

async function earningOf(owner: MadeStaff): Promise<Program['earning']> {
  const { body } = await owner.get('program/model');
  return (body as { program: Program }).program.earning;
}

const card = (page: Page, name: string) =>
  page
    .getByRole('main')
    .getByRole('listitem')
    .filter({ has: page.getByRole('heading', { level: 2, name }) });
const sentence = (page: Page, name: string) => card(page, name).getByRole('paragraph').first().innerText();
const add = async (page: Page, name: string, condition: string) => {
  await card(page, name).getByRole('button', { name: 'Add a condition' }).click();
  await page.getByRole('menuitem', { name: condition, exact: true }).click();
};

test('an owner makes a rule by its conditions, sees what it gives next week, pauses it with one press, and publishes', async () => {
  const shop = await makeShop();
  const owner = await makeStaff(shop, 'owner');
  const { page, faults } = await openConsole(`/${shop.slug}/program/rules`, owner);
  await page.getByRole('heading', { name: 'Every purchase earns alike' }).waitFor();
  await assertUsable(page, 'no rules');
  await page.getByRole('button', { name: 'Add a rule' }).click();
  await page.getByLabel('Name').fill('Double on coffee');
  await assertUsable(page, 'a new rule');
  await page.getByRole('button', { name: 'Add it' }).click();
  await becomes(() => sentence(page, 'Double on coffee'), 'Double points');

  await add(page, 'Double on coffee', 'Categories');
  const coffee = card(page, 'Double on coffee');
  await coffee.getByLabel('Categories', { exact: true }).fill('Coffee, Tea, Coffee');
  await add(page, 'Double on coffee', 'Time of day');
  await add(page, 'Double on coffee', 'Days of the week');
  await becomes(
    () => sentence(page, 'Double on coffee'),
    'Double points on Coffee and Tea from 7 to 10 on weekdays',
  );
  await assertUsable(page, 'a rule with conditions');

  // What it gives: on two of the seven days nobody works.
  const aside = page.getByRole('complementary', { name: 'Try a purchase' });
  await aside.getByLabel('Of', { exact: true }).selectOption('Coffee');
  const doubled = () => aside.locator('.week b.gain').count();
  await becomes(doubled, 5, 'five working days');
  await aside.getByLabel('At', { exact: true }).fill('10:00');
  await becomes(doubled, 0, 'ten is no longer part of it');
  await aside.getByLabel('At', { exact: true }).fill('09:00');
  await becomes(doubled, 5);
  await picture(page, 'rules-one');

  // One press, and it counts no more.
  await page.getByRole('button', { name: 'Pause: Double on coffee' }).click();
  await card(page, 'Double on coffee').getByText('paused').waitFor();
  await becomes(doubled, 0, 'a paused rule gives nothing');
  await page.getByRole('button', { name: 'Go on: Double on coffee' }).click();
  await becomes(doubled, 5);

  await publish(page);
  const [rule, ...others] = (await earningOf(owner)).rules;
  assert.deepEqual(others, []);
  assert.deepEqual(rule, {
    id: 'double-on-coffee',
    title: 'Double on coffee',
    public: true,
    from: null,
    to: null,
    paused: false,
    when: {
      ...EMPTY_WHEN,
      categories: ['Coffee', 'Tea'],
      weekdays: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'],
      hours: { from: '07:00', to: '10:00' },
    },
    give: { multiply: 2, points: null, per: null },
    limit: null,
  });
  assert.deepEqual(faults, []);
});

test('rules that can meet say so, are duplicated, removed and brought back, and a mistake opens its rule', async () => {
  const shop = await makeShop({
    earning: {
      money_per_point: 1,
      rules: [
        {
          id: 'mornings',
          title: 'Mornings',
          when: { hours: { from: '07:00', to: '10:00' } },
          give: { multiply: 2 },
        },
        { id: 'bread', title: 'Bread', when: { categories: ['bread'] }, give: { multiply: 3 } },
        { id: 'loaf', title: 'A loaf', when: { products: ['loaf'] }, give: { points: 5, per: 'unit' } },
        {
          id: 'nights',
          title: 'Nights',
          when: { hours: { from: '22:00', to: '02:00' } },
          give: { multiply: 2 },
        },
      ],
    },
  });
  const owner = await makeStaff(shop, 'owner');
  const { page, faults } = await openConsole(`/${shop.slug}/program/rules`, owner);
  const mornings = card(page, 'Mornings');
  await mornings.getByText('Can apply together with Bread. The higher multiplier counts.').waitFor();
  await mornings.getByText('Can apply together with A loaf. Both count.').waitFor();
  await assertUsable(page, 'four rules');

  await page.getByRole('button', { name: 'Bread: more' }).click();
  await page.getByRole('menuitem', { name: 'Remove' }).click();
  await mornings.getByText('The higher multiplier counts.').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Undo' }).last().click();
  await mornings.getByText('The higher multiplier counts.').waitFor();

  await page.getByRole('button', { name: 'A loaf: more' }).click();
  await page.getByRole('menuitem', { name: 'Duplicate' }).click();
  await card(page, 'A loaf (copy)').waitFor();
  await page.getByRole('button', { name: 'Change: A loaf (copy)' }).click();
  await card(page, 'A loaf (copy)').getByLabel('Points', { exact: true }).fill('many');
  await page.getByText('1 value needs a correction').waitFor();
  await card(page, 'A loaf (copy)').getByText('Enter a whole number.').waitFor();
  await page.reload();
  // The draft is still there, and the mistake opens its rule.
  await card(page, 'A loaf (copy)').getByText('Enter a whole number.').waitFor();
  await assertUsable(page, 'a rule with a mistake');
  await card(page, 'A loaf (copy)').getByLabel('Points', { exact: true }).fill('7');
  await becomes(() => sentence(page, 'A loaf (copy)'), '7 more points for each unit on loaf');
  await publish(page);
  assert.deepEqual(
    (await earningOf(owner)).rules.map(({ id, give }) => [id, give.multiply ?? give.points]),
    [
      ['mornings', 2],
      ['bread', 3],
      ['loaf', 5],
      ['a-loaf-copy', 7],
      ['nights', 2],
    ],
  );
  assert.deepEqual(faults, []);
});

test('what earns nothing, the most of a period and points that wait are forms of the same page', async () => {
  const shop = await makeShop();
  const owner = await makeStaff(shop, 'owner');
  const { page, faults } = await openConsole(`/${shop.slug}/program/rules`, owner, { width: 390 });
  await page.getByLabel('Categories').fill('tobacco');
  await page.getByLabel('Reduced prices earn nothing').check();
  await page.getByRole('radio', { name: 'Earns nothing' }).check();
  await page.getByLabel('Counted').selectOption('week');
  await page.getByLabel('Points', { exact: true }).fill('200');
  await page.getByLabel('When', { exact: true }).selectOption('confirmed');
  await page.getByLabel('Taken back if nobody confirms it').fill('20');
  await page.getByText(/changes, not in force yet/).waitFor();
  await assertUsable(page, 'the forms on a phone');
  await picture(page, 'rules-forms');
  await publish(page);
  const { exclude, lines, cap, pending } = await earningOf(owner);
  assert.deepEqual(
    { exclude, lines, cap, pending },
    {
      exclude: { products: [], categories: ['tobacco'], discounted: true },
      lines: 'required',
      cap: { points: 200, per: 'week' },
      pending: { days: null, until: 'confirmed', cancel_after_days: 20 },
    },
  );
  assert.deepEqual(faults, []);
});

test('an owner asks what one member would earn on another day', async () => {
  const shop = await makeShop({
    earning: {
      money_per_point: 1,
      rules: [
        { id: 'first', title: 'Hello', when: { first_purchase: true }, give: { points: 100 } },
        { id: 'gold', title: 'Gold only', when: { levels: ['gold'] }, give: { multiply: 3 } },
      ],
    },
    levels: {
      ladder: [
        { id: 'first', name: 'First', threshold: 0 },
        { id: 'gold', name: 'Gold', threshold: 150 },
      ],
    },
  });
  const [newcomer, nora] = [await shop.member(), await shop.member()];
  await shop.sell(nora, 200);
  const owner = await makeStaff(shop, 'owner');
  const { page, faults } = await openConsole(`/${shop.slug}/program/rules`, owner);
  const aside = page.getByRole('complementary', { name: 'Try a purchase' });
  await aside.getByLabel('Amount').fill('10');
  const lines = () => aside.getByRole('status').getByRole('listitem').allInnerTexts();
  await becomes(async () => (await lines()).map((line) => line.split('\n')[0]), ['First', 'Gold']);
  await aside.getByLabel('Card').fill(String(nora.code));
  await becomes(async () => (await lines()).map((line) => line.replaceAll(/\s+/g, ' ')), ['Gold 30 ÷ 1 30']);
  await aside.getByLabel('Card').fill(String(newcomer.code));
  await becomes(async () => (await lines()).map((line) => line.split(/\s+/).at(-1)), ['110']);
  await aside.locator('.week label').nth(3).click();
  await becomes(async () => (await lines()).map((line) => line.split(/\s+/).at(-1)), ['110']);
  const asked: string[] = [];
  page.on('request', (request) => {
    if (request.postData()?.includes('"client_code":100000000') === true) asked.push(request.url());
  });
  await aside.getByLabel('Card').fill('100000000');
  await aside.getByText('Nobody who can earn points has this card.').waitFor();
  await assertUsable(page, 'an unknown card');
  assert.equal(asked.length, 2, 'the week and the chosen day are asked for once each');
  assert.deepEqual(
    faults.filter((fault) => !fault.includes('404')),
    [],
  );
});

test('branches and registers get names, and rules, the till and a history speak of them', async () => {
  const shop = await makeShop();
  const owner = await makeStaff(shop, 'owner');
  const member = await shop.member();
  const { page, faults } = await openConsole(`/${shop.slug}/program/branches`, owner);
  await page.getByRole('button', { name: 'Add a branch' }).click();
  await page.getByLabel('Name of the branch').fill('Harbour Street');
  await page.getByLabel('Number', { exact: true }).fill('3');
  await page.getByRole('button', { name: 'Add a register' }).click();
  await page.getByLabel('Name of the register').fill('Counter');
  await assertUsable(page, 'branches');
  await picture(page, 'branches');
  await page.getByRole('link', { name: 'Rules', exact: true }).click();
  await page.getByRole('button', { name: 'Add a rule' }).click();
  await page.getByLabel('Name').fill('New branch');
  await page.getByRole('button', { name: 'Add it' }).click();
  await add(page, 'New branch', 'Branches');
  await card(page, 'New branch').getByLabel('Harbour Street').check();
  await becomes(() => sentence(page, 'New branch'), 'Double points at Harbour Street');
  await add(page, 'New branch', 'Registers');
  await card(page, 'New branch').getByLabel('Counter', { exact: true }).check();
  await becomes(() => sentence(page, 'New branch'), 'Double points at Harbour Street at Counter');
  await card(page, 'New branch').getByLabel('Counter', { exact: true }).uncheck();
  await card(page, 'New branch').getByRole('button', { name: 'Remove the condition: Registers' }).click();
  await publish(page);
  const { body } = await shop.visit('/v1/public/earning');
  const { rules } = body as { rules: { text: { en: string; es: string } }[] };
  assert.deepEqual(rules[0]!.text, {
    en: 'points × 2, at Harbour Street',
    es: 'puntos × 2, en Harbour Street',
  });

  // The till is told where it stands by name.
  await page.getByRole('link', { name: 'Till', exact: true }).click();
  await page.getByLabel('Branch', { exact: true }).selectOption('Harbour Street');
  await page.getByLabel('Which register is this?').selectOption('Counter');
  await assertUsable(page, 'the question of the till');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Today at register Counter' }).waitFor();
  const purchases = [3, 7].map((id_suc) => ({ client_code: member.code, amount: 10, id_suc, counter_id: 1 }));
  for (const purchase of purchases)
    assert.equal((await shop.post('/v1/consumptions/client-code', purchase)).status, 201);
  const found = await owner.post('find', { text: String(member.code) });
  const { members } = found.body as { members: { member_id: number }[] };
  await page.goto(`${page.url().split('/till')[0]}/members/${members[0]!.member_id}`);
  const history = page.getByRole('main');
  // The last line is open.
  await history.getByText('unknown branch 7').waitFor();
  await history.getByRole('button', { name: /^Purchase Counter/ }).click();
  await history.getByText('Harbour Street').waitFor();
  assert.deepEqual(faults, []);
});
