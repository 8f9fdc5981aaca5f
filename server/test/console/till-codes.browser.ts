/** A card or a code in the field of the amount, amounts far above the usual, and what is typed on a tablet. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { sql } from '#db/database.ts';
import { service } from '#test/harness.ts';
import { benefit, makeShop, type Shop } from '#test/make.ts';
import { makeStaff } from '#test/staff.ts';
import { becomes, comesToMatch, picture } from '../portal/browser.ts';
import { assertUsable, openConsole } from './console.ts';
import { amountOf, customerOf, doneOf, finderOf, handsOn, waitForAmount, waitForDone } from './till.ts';

async function openTill(shop: Shop) {
  const cashier = await makeStaff(shop, 'cashier');
  const { page, faults } = await openConsole(`/${shop.slug}/till`, cashier);
  await finderOf(page).waitFor();
  return { page, faults, hands: handsOn(page) };
}

/** A scanner so slow, or so unusual, that only its digits and its Enter tell that it is none of a hand. */
async function scanSlowly(page: Page, text: string | number): Promise<void> {
  await page.keyboard.type(String(text), { delay: 65 });
  await page.keyboard.press('Enter');
}

async function ledgerOf(shop: Shop): Promise<number[]> {
  const { db } = await service();
  const { rows } = await sql<{ amount: number }>`
    select amount from movements where commerce_id = ${shop.id} and type = 'purchase' order by id`.execute(
    db,
  );
  return rows.map(({ amount }) => amount);
}

test('a card in the field of the amount finds its member, and is never money: the same card, another one, twice in a row', async () => {
  const shop = await makeShop();
  const [ana, tom] = [await shop.member('ana'), await shop.member('tom')];
  const { page, faults, hands } = await openTill(shop);
  await scanSlowly(page, ana.code);
  await waitForAmount(page);
  await scanSlowly(page, ana.code);
  await becomes(() => amountOf(page).inputValue(), '', 'the same card changes nothing');
  await customerOf(page).getByText('ana').first().waitFor();
  await hands.scan(ana.code);
  await becomes(() => amountOf(page).inputValue(), '');
  await waitForAmount(page);
  await scanSlowly(page, tom.code);
  await customerOf(page).getByText('tom').first().waitFor();
  await becomes(() => amountOf(page).inputValue(), '');
  assert.deepEqual(await ledgerOf(shop), []);
  await hands.type('12');
  await hands.press('Enter');
  assert.match(await waitForDone(page), /€12 · tom/);
  assert.deepEqual(await ledgerOf(shop), [12]);
  assert.deepEqual(faults, []);
});

test('a card that nobody has puts the last customer away, and while another is looked up no key of the pad counts for the last one', async () => {
  const shop = await makeShop();
  const ana = await shop.member('ana');
  const cashier = await makeStaff(shop, 'cashier');
  const tablet = { width: 768, height: 1024, hasTouch: true };
  const { page, faults } = await openConsole(`/${shop.slug}/till`, cashier, tablet);
  const hands = handsOn(page);
  await finderOf(page).waitFor();
  await hands.scan(ana.code);
  await waitForAmount(page);
  await hands.scan('123456789');
  await page.getByText('No member of this shop has the code 123 456 789.').first().waitFor();
  assert.equal(await page.getByRole('button', { name: 'Record the purchase' }).count(), 0);
  await assertUsable(page, 'a card that nobody has, after a customer');

  await hands.scan(ana.code);
  await waitForAmount(page);
  await finderOf(page).pressSequentially('44');
  const isInert = () => amountOf(page).evaluate((field) => field.closest('[inert]') !== null);
  await becomes(isInert, true);
  const six = page
    .getByRole('group', { name: 'Numbers', includeHidden: true })
    .getByText('6', { exact: true });
  await six.tap({ force: true });
  await becomes(() => amountOf(page).inputValue(), '', 'the press only brings the customer back');
  await becomes(isInert, false);
  await six.tap();
  await becomes(() => amountOf(page).inputValue(), '6');
  assert.deepEqual(await ledgerOf(shop), []);
  assert.deepEqual(faults, []);
});

test('a code of a benefit in the field of the amount is shown, and a code that nobody has is said to be none', async () => {
  const shop = await makeShop({ benefits: [benefit('coffee', { title: 'A coffee on us' })] });
  const ana = await shop.member('ana');
  await shop.sell(ana, 100);
  const code = await shop.voucher(ana, 'coffee');
  const { page, faults, hands } = await openTill(shop);
  await hands.scan(ana.code);
  await waitForAmount(page);
  await scanSlowly(page, '98765432109876');
  await page
    .getByText(/This shop has not given out the code/)
    .first()
    .waitFor();
  await hands.press('Enter');
  await assertUsable(page, 'an unknown code as an amount');
  await amountOf(page).fill('');
  await scanSlowly(page, code);
  await page.getByRole('heading', { name: 'A coffee on us' }).first().waitFor();
  await becomes(() => amountOf(page).inputValue(), '');
  assert.deepEqual(await ledgerOf(shop), [100]);
  assert.deepEqual(faults, []);
});

test('letters and a pasted address go into the field that finds, and scanners may put signs around a code', async () => {
  const shop = await makeShop();
  const [ana, tom] = [await shop.member('ana'), await shop.member('tom')];
  const { page, faults, hands } = await openTill(shop);
  await hands.scan(ana.code);
  await waitForAmount(page);
  await hands.type('25');
  await hands.type('tom');
  await becomes(() => finderOf(page).inputValue(), 'tom');
  await becomes(() => amountOf(page).inputValue(), '25');
  await page.getByRole('option', { name: /tom/ }).waitFor();
  await customerOf(page).click({ force: true });
  for (const text of [`]C1${tom.code}`, `A${ana.code}`, `${tom.code} `]) {
    await amountOf(page).fill('');
    await amountOf(page).focus();
    await scanSlowly(page, text);
    await customerOf(page)
      .getByText(text.includes(String(ana.code)) ? 'ana' : 'tom')
      .first()
      .waitFor();
    await waitForAmount(page);
    await becomes(() => amountOf(page).inputValue(), '');
    await hands.scan(text);
    await becomes(() => amountOf(page).inputValue(), '');
  }
  await page.evaluate(() => navigator.clipboard?.writeText('').catch(() => undefined));
  await amountOf(page).fill('nobody@elsewhere.example');
  await becomes(() => finderOf(page).inputValue(), 'nobody@elsewhere.example');
  assert.deepEqual(await ledgerOf(shop), []);
  assert.deepEqual(faults, []);
});

test('nine digits that are nobody’s card can be money in a currency of small units, after one answer that no scanner gives', async () => {
  const shop = await makeShop({
    currency: 'IDR',
    earning: { money_per_point: 10_000, max_amount: 1_000_000_000 },
  });
  const ana = await shop.member('ana');
  const { page, faults, hands } = await openTill(shop);
  await hands.scan(ana.code);
  await waitForAmount(page);
  await scanSlowly(page, '150000000');
  await page.getByText('Nobody here has the card 150 000 000. Is it the amount?').waitFor();
  await hands.press('Enter', 'Enter');
  await assertUsable(page, 'a card or an amount');
  assert.deepEqual(await ledgerOf(shop), []);
  await page.getByRole('button', { name: /^Yes, record/ }).click();
  await waitForDone(page);
  assert.deepEqual(await ledgerOf(shop), [150_000_000]);
  assert.deepEqual(faults, []);
});

test('an amount far above the shop’s usual is asked for once, and neither Enter nor a scan answers', async () => {
  const shop = await makeShop();
  const [ana, tom] = [await shop.member('ana'), await shop.member('tom')];
  await Promise.all(Array.from({ length: 20 }, (_, i) => shop.sell(tom, 10 + i)));
  const { page, faults, hands } = await openTill(shop);
  await hands.scan(ana.code);
  await waitForAmount(page);
  await hands.type('280');
  await hands.press('Enter');
  await waitForDone(page);
  await hands.scan(ana.code);
  await waitForAmount(page);
  await hands.type('45000');
  await hands.press('Enter');
  await page.getByText('€45,000 is unusually high for this shop. Is it right?').waitFor();
  await hands.press('Enter', 'Enter');
  await assertUsable(page, 'an unusual amount');
  await page.getByRole('button', { name: 'Change the amount' }).click();
  await waitForAmount(page);
  await hands.type('46000');
  await hands.press('Enter');
  await page.getByText('€46,000 is unusually high for this shop. Is it right?').waitFor();
  await hands.press('Tab', 'Tab');
  await hands.press('Enter');
  await waitForDone(page);
  assert.deepEqual((await ledgerOf(shop)).slice(20), [280, 46_000]);
  assert.deepEqual(faults, []);
});

test('cents: 3.40 is taken, counts as 3, and the shop keeps what was paid', async () => {
  const shop = await makeShop();
  const ana = await shop.member('ana');
  const { page, faults, hands } = await openTill(shop);
  await hands.scan(ana.code);
  await waitForAmount(page);
  await hands.type('3.40');
  await page.getByText('counts as €3').waitFor();
  await assertUsable(page, 'cents');
  await hands.press('Enter');
  assert.match(await waitForDone(page), /€3\.40 · ana/);
  await page.getByText('1 purchase · €3.40 · 3 points').waitFor();
  assert.deepEqual(await ledgerOf(shop), [3]);
  const { db } = await service();
  const { rows } = await sql<{ cents: number }>`
    select (after ->> 'cents')::int as cents from audit
     where commerce_id = ${shop.id} and action = 'purchase.record'`.execute(db);
  assert.deepEqual(rows, [{ cents: 40 }]);
  await hands.scan(ana.code);
  await waitForAmount(page);
  await hands.type('0,40');
  await hands.press('Enter');
  await page.getByText('Less than €1 counts as nothing.').waitFor();
  assert.deepEqual(await ledgerOf(shop), [3]);
  assert.deepEqual(faults, []);
});

test('after a reload the unfinished purchase waits until somebody wants it or the next customer is served; a refused amount is not offered', async () => {
  const shop = await makeShop({ earning: { money_per_point: 1, max_amount: 10_000 } });
  const [ana, tom] = [await shop.member('ana'), await shop.member('tom')];
  const { page, faults, hands } = await openTill(shop);
  await hands.scan(ana.code);
  await waitForAmount(page);
  await hands.type('80');
  await page.reload();
  await page.waitForFunction(() => document.activeElement?.getAttribute('role') === 'combobox');
  await page.getByText('Go on with ana?').waitFor();
  await assertUsable(page, 'an unfinished purchase');
  await hands.type(tom.code);
  await hands.press('Enter');
  await customerOf(page).getByText('tom').first().waitFor();
  await waitForAmount(page);
  await hands.type('7');
  await hands.press('Enter');
  assert.match(await waitForDone(page), /€7 · tom/);
  assert.equal(await page.getByText('Go on with ana?').count(), 0);

  await hands.scan(ana.code);
  await waitForAmount(page);
  await hands.type('99999');
  await page.getByText('The shop accepts at most').waitFor();
  // The limit comes after the card could be drawn.
  const answers = Promise.withResolvers<void>();
  await page.route('**/admin/v1/program', async (route) => {
    await answers.promise;
    await route.continue();
  });
  const card = page.waitForResponse(/left-card/);
  await page.reload();
  await page.waitForFunction(() => document.activeElement?.getAttribute('role') === 'combobox');
  await (await card).finished();
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 200)));
  assert.equal(await page.getByText('Go on with ana?').count(), 0);
  const program = page.waitForResponse('**/admin/v1/program');
  answers.resolve();
  await (await program).finished();
  await page.unroute('**/admin/v1/program');
  assert.equal(await page.getByText('Go on with ana?').count(), 0);

  await hands.scan(ana.code);
  await waitForAmount(page);
  await hands.type('80');
  await page.reload();
  await page.getByRole('button', { name: 'Go on' }).click();
  await waitForAmount(page);
  await becomes(() => amountOf(page).inputValue(), '80');
  await hands.press('Enter');
  assert.match(await waitForDone(page), /€80 · ana/);
  assert.deepEqual(await ledgerOf(shop), [7, 80]);
  assert.equal(await page.getByText('Go on with ana?').count(), 0);
  assert.deepEqual(faults, []);
});

test('the first search after the page is loaded keeps every key', async () => {
  const shop = await makeShop();
  const ana = await shop.member('ana');
  const owner = await makeStaff(shop, 'owner');
  for (let round = 0; round < 3; round++) {
    const { page, faults, context } = await openConsole(`/${shop.slug}/till`, owner);
    // The parts that are loaded later come late.
    await page.route(/palette|overlay/, async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 2_000));
      await route.continue();
    });
    await page
      .getByRole('banner')
      .getByRole('button', { name: /^Search/ })
      .click();
    await page.keyboard.type(String(ana.code));
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/members\/\d+/);
    assert.deepEqual(faults, []);
    await context.close();
  }
});

test('on a tablet the numbers are on the screen: touched, they type, and a scanner goes on beside them', async () => {
  const shop = await makeShop();
  const [ana, tom] = [await shop.member('ana'), await shop.member('tom')];
  const cashier = await makeStaff(shop, 'cashier');
  const { page, faults } = await openConsole(`/${shop.slug}/till`, cashier, {
    width: 768,
    height: 1024,
    hasTouch: true,
  });
  const hands = handsOn(page);
  await finderOf(page).waitFor();
  await hands.scan(ana.code);
  await waitForAmount(page);
  const pad = page.getByRole('group', { name: 'Numbers' });
  for (const key of ['1', '2', '7', '.', '5', '0'])
    await pad.getByRole('button', { name: key, exact: true }).tap();
  await becomes(() => amountOf(page).inputValue(), '127.50');
  assert.equal(await amountOf(page).getAttribute('inputmode'), 'none', 'no keyboard of the device covers it');
  await waitForAmount(page);
  await assertUsable(page, 'the pad of a tablet');
  for (let i = 0; i < 4; i++) await pad.getByRole('button', { name: 'Delete the last digit' }).tap();
  await becomes(() => amountOf(page).inputValue(), '12');
  await hands.scan(tom.code);
  await customerOf(page).getByText('tom').first().waitFor();
  await pad.getByRole('button', { name: '9', exact: true }).tap();
  await page.getByRole('button', { name: 'Record the purchase' }).tap();
  assert.match(await waitForDone(page), /tom[\s\S]*now 9 points/);
  assert.deepEqual(await ledgerOf(shop), [9]);
  await assertUsable(page, 'recorded on a tablet');
  const { height } = (await doneOf(page).boundingBox())!;
  assert.ok(height > 380, `the confirmation fills the screen: ${height}`);
  assert.deepEqual(faults, []);
});

test('no notice moves the button or a key of the pad under the finger', async () => {
  const shop = await makeShop({ earning: { money_per_point: 1, max_amount: 10_000 } });
  const member = await shop.member();
  const cashier = await makeStaff(shop, 'cashier');
  for (const width of [768, 1024]) {
    const { page } = await openConsole(`/${shop.slug}/till`, cashier, {
      width,
      height: 1024,
      hasTouch: true,
    });
    const hands = handsOn(page);
    await page.waitForFunction(() => document.activeElement?.getAttribute('role') === 'combobox');
    const answers = Promise.withResolvers<void>();
    await page.route(/\/till\/members\/\d+$/, async (route) => {
      await answers.promise;
      await route.continue();
    });
    await hands.scan(member.code);
    await waitForAmount(page);
    const places = () =>
      page
        .getByRole('group', { name: 'Numbers' })
        .getByRole('button')
        .or(page.getByRole('button', { name: /^Record the purchase/ }))
        .evaluateAll((all) =>
          all.map((one) =>
            ['top', 'height'].map((side) => Math.round(one.getBoundingClientRect()[side as 'top'])),
          ),
        );
    const before = await places();
    assert.equal(before.length, 13);
    answers.resolve();
    await customerOf(page).waitFor();
    assert.deepEqual(await places(), before, `the customer comes, at ${width}`);
    for (const [amount, notice] of [
      ['0.40', /counts as nothing/],
      ['12.50.', /./],
      ['99999', /at most €10,000/],
    ] as const) {
      await page.getByLabel('Purchase').fill('');
      await hands.type(amount);
      await hands.press('Enter');
      await comesToMatch(() => page.getByRole('alert').first().textContent(), notice);
      assert.deepEqual(await places(), before, `${amount} at ${width}`);
      await picture(page, `notice-${amount}-${width}`);
    }
  }
});
