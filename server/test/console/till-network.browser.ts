/** A till whose answers are lost: nothing counts twice, and nothing is claimed that is not known. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { sql } from '#db/database.ts';
import { service } from '#test/harness.ts';
import { benefit, makeShop, type MadeMember, type Shop } from '#test/make.ts';
import { makeStaff, type MadeStaff } from '#test/staff.ts';
import { becomes, codeFromMailbox } from '../portal/browser.ts';
import { assertUsable, openConsole } from './console.ts';
import {
  amountOf,
  chooseRegister,
  customerOf,
  doneOf,
  finderOf,
  handsOn,
  waitForAmount,
  waitForDone,
  waitForVoucher,
} from './till.ts';

/** Lines that Chromium writes into its log about a network that is gone and a session that has ended. */
const isExpected = (fault: string) =>
  /ERR_INTERNET_DISCONNECTED|ERR_FAILED|ERR_CONNECTION|status of 401/.test(fault);
const unexpected = (faults: readonly string[]) => faults.filter((fault) => !isExpected(fault));

async function openTill(shop: Shop, staff: MadeStaff) {
  const seat = await openConsole(`/${shop.slug}/nowhere`, staff);
  await chooseRegister(seat.page, shop.id, 3);
  await seat.page.goto(`${seat.base}/console/${shop.slug}/till`);
  await finderOf(seat.page).waitFor();
  return { ...seat, hands: handsOn(seat.page) };
}

/** The purchases of a commerce in the ledger: their amounts. */
async function ledgerOf(shop: Shop): Promise<number[]> {
  const { db } = await service();
  const { rows } = await sql<{ amount: number }>`
    select amount from movements where commerce_id = ${shop.id} and type = 'purchase' order by id`.execute(
    db,
  );
  return rows.map(({ amount }) => amount);
}

const PURCHASES = '**/admin/v1/purchases';

/** The service records, and the answer gets lost on the way. Returns what switches the loss off. */
async function loseAnswers(page: Page): Promise<() => Promise<void>> {
  await page.route(PURCHASES, async (route) => {
    await route.fetch().catch(() => undefined);
    await route.abort('connectionfailed').catch(() => undefined);
  });
  return () => page.unroute(PURCHASES);
}

async function startPurchase(page: Page, member: MadeMember, amount: number): Promise<void> {
  const hands = handsOn(page);
  await finderOf(page).focus();
  await hands.scan(member.code);
  await waitForAmount(page);
  await hands.type(amount);
}

test('without a network nothing is recorded and that is said at once; it is sent once when the network is back', async () => {
  const shop = await makeShop();
  const cashier = await makeStaff(shop, 'cashier');
  const member = await shop.member();
  const { page, context, faults, hands } = await openTill(shop, cashier);
  await startPurchase(page, member, 140);
  await page.getByText('earns 140 points').waitFor();
  await context.setOffline(true);
  await page.getByText('No connection. What you have typed stays here.').waitFor();
  await hands.press('Enter');
  await page.getByText('No connection. Nothing has been recorded.').waitFor();
  await becomes(() => amountOf(page).inputValue(), '140');
  await assertUsable(page, 'offline');
  assert.deepEqual(await ledgerOf(shop), []);
  await context.setOffline(false);
  assert.match(await waitForDone(page), /\+140 points/);
  assert.deepEqual(await ledgerOf(shop), [140]);
  assert.deepEqual(unexpected(faults), []);
});

test('the network goes in the middle of a purchase: the till does not know, says so, and it counts once', async () => {
  const shop = await makeShop();
  const cashier = await makeStaff(shop, 'cashier');
  const member = await shop.member();
  const { page, faults, hands } = await openTill(shop, cashier);
  const mend = await loseAnswers(page);
  await startPurchase(page, member, 250);
  await hands.press('Enter');
  await page.getByText('We do not know yet whether it counted.').waitFor();
  await assertUsable(page, 'not known');
  assert.equal(await doneOf(page).count(), 0, 'nothing is claimed');
  await hands.press('Enter', 'Enter');
  await page.waitForTimeout(1_500);
  await becomes(() => amountOf(page).inputValue(), '250');
  await hands.type('99');
  await becomes(() => amountOf(page).inputValue(), '250', 'what was sent stays as it was sent');
  // Pressed before the mend: after it, the till asks again by itself at any moment.
  await page.getByRole('button', { name: 'Press again: it counts once' }).waitFor();
  const isSentAgain = page.waitForRequest(PURCHASES);
  await hands.press('Enter');
  await isSentAgain;
  await mend();
  const said = await waitForDone(page);
  assert.match(said, /\+250 points/);
  assert.match(said, /now 250 points/);
  assert.match(said, /It had been recorded already, and counted once\./);
  assert.deepEqual(await ledgerOf(shop), [250]);
  await page.getByText('1 purchase · €250 · 250 points').waitFor();
  assert.deepEqual(unexpected(faults), []);
});

test('a purchase whose answer is lost and whose second attempt is refused is not known, and counts once', async () => {
  const shop = await makeShop();
  const cashier = await makeStaff(shop, 'cashier');
  const member = await shop.member();
  const { page, faults } = await openTill(shop, cashier);
  let attempts = 0;
  await page.route(PURCHASES, async (route) => {
    attempts += 1;
    if (attempts === 1) {
      await route.fetch();
      return route.abort('connectionfailed');
    }
    return route.fulfill({ status: 403, json: { message: 'a proxy is in the way' } });
  });
  await startPurchase(page, member, 250);
  await page.keyboard.press('Enter');
  await page.getByText('We do not know yet whether it counted.').waitFor();
  assert.ok(attempts >= 2);
  await page.unroute(PURCHASES);
  assert.match(await waitForDone(page), /It had been recorded already, and counted once\./);
  assert.deepEqual(await ledgerOf(shop), [250]);
  assert.deepEqual(
    unexpected(faults).filter((fault) => !fault.includes('status of 403')),
    [],
  );
});

test('a reload in the middle of typing, and one after a lost answer, keep the purchase and its key', async () => {
  const shop = await makeShop();
  const cashier = await makeStaff(shop, 'cashier');
  const member = await shop.member();
  const { page, faults, hands } = await openTill(shop, cashier);
  await startPurchase(page, member, 80);
  await page.reload();
  await page.getByRole('button', { name: 'Go on' }).click();
  await waitForAmount(page);
  await becomes(() => amountOf(page).inputValue(), '80');
  const mend = await loseAnswers(page);
  await hands.press('Enter');
  await page.getByText('We do not know yet whether it counted.').waitFor();
  await page.reload();
  const unknown = page.getByRole('list', { name: 'Not known yet' });
  await unknown.getByText('€80').waitFor();
  await mend();
  await unknown.waitFor({ state: 'detached' });
  assert.deepEqual(await ledgerOf(shop), [80]);
  await page.reload();
  await finderOf(page).waitFor();
  assert.equal(await amountOf(page).count(), 0, 'a purchase that is settled is forgotten');
  assert.deepEqual(unexpected(faults), []);
});

test('the queue goes on: a purchase that is not known yet is put aside, and settles by itself', async () => {
  const shop = await makeShop();
  const cashier = await makeStaff(shop, 'cashier');
  const [first, second] = [await shop.member(), await shop.member()];
  const { page, faults, hands } = await openTill(shop, cashier);
  const mend = await loseAnswers(page);
  await startPurchase(page, first, 310);
  await hands.press('Enter');
  await page.getByText('We do not know yet whether it counted. Press again').waitFor();
  await hands.scan(second.code);
  await page.getByRole('list', { name: 'Not known yet' }).getByText('€310').waitFor();
  await assertUsable(page, 'put aside');
  await waitForAmount(page);
  await hands.type('45');
  await mend();
  await page.getByRole('list', { name: 'Not known yet' }).waitFor({ state: 'detached' });
  await becomes(() => amountOf(page).inputValue(), '45', 'the next customer is not disturbed');
  await hands.press('Enter');
  await waitForDone(page);
  assert.deepEqual(await ledgerOf(shop), [310, 45]);
  assert.deepEqual(unexpected(faults), []);
});

test('a session that ends in the middle of typing: sign in again in a dialog, and the purchase goes on', async () => {
  const shop = await makeShop();
  const cashier = await makeStaff(shop, 'cashier');
  const member = await shop.member();
  const { page, faults, hands } = await openTill(shop, cashier);
  await startPurchase(page, member, 60);
  const { db } = await service();
  await sql`update staff_sessions set ended_at = now() where person_id = ${cashier.personId}`.execute(db);
  await hands.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Sign in again' });
  await dialog.getByLabel('Six-digit code').waitFor();
  await dialog.getByLabel('Six-digit code').fill(await codeFromMailbox(cashier.email));
  await dialog.waitFor({ state: 'detached' });
  assert.match(await waitForDone(page), /\+60 points/);
  assert.deepEqual(await ledgerOf(shop), [60]);
  assert.deepEqual(unexpected(faults), []);
});

test('a code whose answer gets lost is used once, and an undo whose answer gets lost takes back once', async () => {
  const shop = await makeShop({ benefits: [benefit('coffee', { title: 'A coffee on us' })] });
  const cashier = await makeStaff(shop, 'cashier');
  const member = await shop.member();
  await shop.sell(member, 100);
  const code = await shop.voucher(member, 'coffee');
  const { page, faults, hands } = await openTill(shop, cashier);
  await page.route('**/redemption', async (route) => {
    await route.fetch();
    await route.abort('connectionfailed');
  });
  await hands.scan(code);
  await waitForVoucher(page);
  await hands.press('Enter');
  await page.waitForTimeout(400);
  await hands.press('Enter');
  await page.getByText('We do not know yet whether it was used.').waitFor();
  await assertUsable(page, 'not known whether it was used');
  await page.unroute('**/redemption');
  await page.getByRole('button', { name: 'Use it now' }).click();
  await page.getByText('Used: A coffee on us').waitFor();

  await startPurchase(page, member, 70);
  await hands.press('Enter');
  await waitForDone(page);
  await page.route('**/reversal', async (route) => {
    await route.fetch();
    await route.abort('connectionfailed');
  });
  await doneOf(page).getByRole('button', { name: 'Undo' }).click();
  await page.getByText('We do not know yet whether it was taken back.').waitFor();
  await page.unroute('**/reversal');
  await doneOf(page).getByRole('button', { name: 'Undo' }).click();
  await page.getByText('€70 taken back: 70 points gone.').waitFor();
  const { db } = await service();
  const { rows } = await sql<{ type: string; n: number }>`
    select type, count(*)::int as n from movements where commerce_id = ${shop.id} and type in ('usage', 'reversal')
     group by type order by type`.execute(db);
  assert.deepEqual(rows, [
    { type: 'reversal', n: 1 },
    { type: 'usage', n: 1 },
  ]);
  assert.deepEqual(unexpected(faults), []);
});

test('what was typed for somebody else is fetched back beside a purchase that is not known yet', async () => {
  const shop = await makeShop();
  const cashier = await makeStaff(shop, 'cashier');
  const [first, second] = [await shop.member(), await shop.member()];
  const { page, faults, hands } = await openTill(shop, cashier);
  const mend = await loseAnswers(page);
  await startPurchase(page, first, 80);
  await hands.scan(second.code);
  const goBack = page.getByRole('button', { name: 'Go back to it' });
  await goBack.waitFor();
  await waitForAmount(page);
  await becomes(() => amountOf(page).inputValue(), '');
  await amountOf(page).fill('45');
  await hands.press('Enter');
  await page.getByText('We do not know yet whether it counted. Press again').waitFor();
  await goBack.click();
  await becomes(() => amountOf(page).inputValue(), '80');
  const unknown = page.getByRole('list', { name: 'Not known yet' });
  await unknown.getByText('€45').waitFor();
  await mend();
  await unknown.waitFor({ state: 'detached' });
  await amountOf(page).press('Enter');
  await waitForDone(page);
  assert.deepEqual(await ledgerOf(shop), [45, 80]);
  assert.deepEqual(unexpected(faults), []);
});

test('while a purchase that could not be sent is sent at last, its amount cannot become another', async () => {
  const shop = await makeShop();
  const cashier = await makeStaff(shop, 'cashier');
  const member = await shop.member();
  const { page, context, faults, hands } = await openTill(shop, cashier);
  await startPurchase(page, member, 140);
  await context.setOffline(true);
  await hands.press('Enter');
  await page.getByText('No connection. Nothing has been recorded.').waitFor();
  const [sent, goesOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await page.route(PURCHASES, async (route) => {
    sent.resolve();
    await goesOn.promise;
    await route.continue();
  });
  await context.setOffline(false);
  await sent.promise;
  await amountOf(page).press('5');
  await becomes(() => amountOf(page).inputValue(), '140');
  goesOn.resolve();
  assert.match(await waitForDone(page), /\+140 points/);
  assert.deepEqual(await ledgerOf(shop), [140]);
  assert.equal(await amountOf(page).count(), 0);
  assert.deepEqual(unexpected(faults), []);
});

test('a card that is looked up from the amount is looked up again when somebody has typed on and come back to it', async () => {
  const shop = await makeShop();
  const cashier = await makeStaff(shop, 'cashier');
  const [first, second] = [await shop.member('ana'), await shop.member('tom')];
  const { page, faults, hands } = await openTill(shop, cashier);
  await startPurchase(page, first, second.code);
  const [asked, answers] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await page.route('**/admin/v1/find', async (route) => {
    asked.resolve();
    await answers.promise;
    await route.continue();
  });
  await hands.press('Enter');
  await asked.promise;
  await hands.type('0');
  const found = page.waitForResponse('**/admin/v1/find');
  answers.resolve();
  await (await found).finished();
  await page.unroute('**/admin/v1/find');
  await hands.press('Backspace', 'Enter');
  await customerOf(page).getByText('tom').first().waitFor();
  assert.deepEqual(await ledgerOf(shop), []);
  assert.deepEqual(unexpected(faults), []);
});

test('a search that fails twice gives the keys back', async () => {
  const shop = await makeShop();
  const cashier = await makeStaff(shop, 'cashier');
  await shop.member('ana');
  const { page, faults, hands } = await openTill(shop, cashier);
  await finderOf(page).fill('nobody');
  await page.getByText('Nobody’s name begins with “nobody”').waitFor();
  await finderOf(page).fill('');
  await page.route('**/admin/v1/find', (route) => route.abort('connectionfailed'));
  // The answer is old by then, and is asked for again.
  await page.waitForTimeout(2_500);
  await finderOf(page).fill('nobody');
  const retry = page.getByRole('alert').getByRole('button', { name: 'Try again' });
  await retry.waitFor();
  const again = page.waitForEvent('requestfailed');
  await hands.press('Enter');
  await again;
  await retry.waitFor();
  await hands.type('7');
  await becomes(() => finderOf(page).inputValue(), 'nobody7');
  assert.deepEqual(unexpected(faults), []);
});
