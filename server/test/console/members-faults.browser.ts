/** A manager whom the world gets in the way of: sessions end, networks go, and others are faster. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { Locator, Page, Request } from 'playwright-core';
import { sql, transaction } from '#db/database.ts';
import { openStaffSession } from '#staff/staff-session.ts';
import { service } from '#test/harness.ts';
import { benefit, makeShop, type MadeMember, type Shop } from '#test/make.ts';
import { makeStaff, type MadeStaff } from '#test/staff.ts';
import { becomes, codeFromMailbox } from '../portal/browser.ts';
import { intercept } from '../portal/intercept.ts';
import { assertUsable, giveSession, openConsole } from './console.ts';

const isExpected = (fault: string) => /status of (400|401|403|429)|ERR_/.test(fault);

async function idOf(manager: MadeStaff, member: MadeMember): Promise<number> {
  const found = await manager.post('find', { text: String(member.code) });
  return (found.body as { members: { member_id: number }[] }).members[0]!.member_id;
}

const dialogOf = (page: Page) => page.getByRole('dialog');
const pointsOf = (page: Page) => dialogOf(page).getByLabel('Points', { exact: true });
const reasonOf = (page: Page) => dialogOf(page).getByLabel('Reason');
const againOf = (page: Page) => dialogOf(page).getByRole('button', { name: 'Try again: it counts once' });

async function openAdjust(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Adjust points' }).click();
  await pointsOf(page).waitFor();
}

async function adjust(page: Page, points: string, reason: string): Promise<void> {
  await openAdjust(page);
  await pointsOf(page).fill(points);
  await reasonOf(page).fill(reason);
}

/** Chooses an act from the menu of the member. */
async function openAct(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'More that can be done' }).click();
  await page.getByRole('menuitem', { name, exact: true }).click();
  await dialogOf(page).waitFor();
}

/** The service does what it is asked, and each answer gets lost on the way. Returns what ends that. */
function loseAnswers(t: TestContext, page: Page, url: RegExp): Promise<() => Promise<void>> {
  return intercept(t, page, url, async (route) => {
    await route.fetch();
    await route.abort('connectionreset');
  });
}

/** Holds calls until they are let go. `isThere` resolves with the first that has come. */
async function hold(t: TestContext, page: Page, url: RegExp) {
  const isThere = page.waitForRequest(url);
  const { promise: isFree, resolve: letGo } = Promise.withResolvers<void>();
  // A test that fails meanwhile must not leave a call behind.
  t.after(() => letGo());
  await intercept(t, page, url, async (route) => {
    await isFree;
    await route.continue();
  });
  return { isThere, letGo };
}

/** The points of a shop's movements of a kind, in the ledger. */
async function ledgerOf(shop: Shop, type: string): Promise<number[]> {
  const { db } = await service();
  const { rows } = await sql<{ points: number }>`
    select points from movements where commerce_id = ${shop.id} and type = ${type} order by id`.execute(db);
  return rows.map(({ points }) => points);
}

const isReadOnly = (field: Locator) => field.evaluate((input: HTMLInputElement) => input.readOnly);
const keyOf = (request: Request) => request.headers()['idempotency-key'];

/** The act is done: its dialog has gone. What is said of it goes soon, too. */
const isDone = (page: Page) => dialogOf(page).waitFor({ state: 'detached' });

/** The dialog says that it is not known, with what was sent, and lets nobody change it. */
async function assertLocked(page: Page, field: Locator, value: string): Promise<void> {
  await againOf(page).waitFor();
  await dialogOf(page).getByText('not known yet whether this counted').waitFor();
  await becomes(() => field.inputValue(), value);
  assert.equal(await isReadOnly(field), true);
  assert.equal(await isReadOnly(reasonOf(page)), true);
  assert.equal(await dialogOf(page).getByRole('button', { name: 'Cancel' }).count(), 0);
}

test('a session that ends in the middle of a reason: sign in again in a dialog, nothing is lost, and it counts once', async () => {
  const { db } = await service();
  const shop = await makeShop();
  const manager = await makeStaff(shop, 'manager');
  const id = await idOf(manager, await shop.member());
  const { page, faults } = await openConsole(`/${shop.slug}/members/${id}`, manager);
  await adjust(page, '25', 'the queue was long');
  await sql`update staff_sessions set ended_at = now() where person_id = ${manager.personId}`.execute(db);
  await page.keyboard.press('Enter');
  const again = page.getByRole('dialog', { name: 'Sign in again' });
  await again.waitFor();
  await again.getByText(manager.email).waitFor();
  await again.getByLabel('Six-digit code').fill(await codeFromMailbox(manager.email));
  await page.locator('#changes', { hasText: 'the queue was long' }).waitFor();
  assert.deepEqual(await ledgerOf(shop, 'adjustment'), [25]);
  assert.deepEqual(
    faults.filter((fault) => !isExpected(fault)),
    [],
  );
});

test('whoever does without a fresh code after the time limit of a call is told that nothing was done, and can send it again', async () => {
  const shop = await makeShop({ step_up_points: 10 });
  const manager = await makeStaff(shop, 'manager');
  const id = await idOf(manager, await shop.member());
  const { page } = await openConsole(`/${shop.slug}/members/${id}`, manager);
  await page.clock.install();
  // So that the test can let the time pass.
  await page.addInitScript(() => {
    AbortSignal.timeout = (ms) => {
      const limit = new AbortController();
      setTimeout(() => limit.abort(new DOMException('too late', 'TimeoutError')), ms);
      return limit.signal;
    };
  });
  await page.reload();
  await manager.goStale();
  await adjust(page, '25', 'sorry');
  const give = page.getByRole('button', { name: 'Give 25 points' });
  await give.click();
  const fresh = page.getByRole('dialog', { name: 'Is it still you?' });
  await fresh.getByText(`We have sent one to ${manager.email}`).waitFor();
  await page.clock.fastForward('00:11');
  await fresh.getByRole('button', { name: 'Cancel' }).click();
  await dialogOf(page).getByText('Nothing has been done').waitFor();
  assert.equal(await fresh.count(), 0);
  assert.equal(await isReadOnly(reasonOf(page)), false);
  await assertUsable(page, 'an act without a fresh code');
  assert.deepEqual(await ledgerOf(shop, 'adjustment'), []);

  await give.click();
  await fresh.getByText(`We have sent one to ${manager.email}`).waitFor();
  await page.clock.fastForward('00:11');
  await fresh.getByLabel('Six-digit code').fill(await codeFromMailbox(manager.email));
  await fresh.waitFor({ state: 'detached' });
  await isDone(page);
  assert.deepEqual(await ledgerOf(shop, 'adjustment'), [25]);
});

for (const [who, made] of [
  ['the same person', [25]],
  ['another person', []],
] as const)
  test(`an act that waits for a sign-in when ${who} signs in in another tab`, async () => {
    const { db } = await service();
    const shop = await makeShop();
    const ann = await makeStaff(shop, 'manager');
    const bob = await makeStaff(shop, 'manager');
    const id = await idOf(ann, await shop.member());
    const seat = await openConsole(`/${shop.slug}/members/${id}`, ann);
    const { page, context, base } = seat;
    await adjust(page, '25', 'by Ann');
    await sql`update staff_sessions set ended_at = now() where person_id = ${ann.personId}`.execute(db);
    await page.keyboard.press('Enter');
    const again = page.getByRole('dialog', { name: 'Sign in again' });
    await again.getByText(`We have sent a code to ${ann.email}`).waitFor();

    const { personId } = who === 'another person' ? bob : ann;
    const token = await transaction(db, (tx) => openStaffSession(tx, personId));
    await giveSession(seat, { token }, base);
    const tab = await context.newPage();
    await tab.goto(`${base}/console`);
    await tab.evaluate(() => localStorage.setItem('loyalty/console/signed-in', 'anew'));
    await again.waitFor({ state: 'detached' });
    await isDone(page);
    await page.getByRole('button', { name: 'Your account' }).click();
    await page.getByText(who === 'another person' ? bob.email : ann.email).waitFor();
    assert.deepEqual(await ledgerOf(shop, 'adjustment'), made);
  });

test('an adjustment whose answer is lost stays as it was sent, also after the dialog is closed and the page is reloaded, and counts once', async (t) => {
  const shop = await makeShop();
  const manager = await makeStaff(shop, 'manager');
  const id = await idOf(manager, await shop.member());
  const { page, faults } = await openConsole(`/${shop.slug}/members/${id}`, manager);
  const keys: (string | undefined)[] = [];
  page.on('request', (request) => request.url().endsWith('/adjustments') && keys.push(keyOf(request)));
  await adjust(page, '25', 'sorry');
  const stop = await loseAnswers(t, page, /adjustments$/);
  await dialogOf(page).getByRole('button', { name: 'Give 25 points' }).click();
  await assertLocked(page, pointsOf(page), '25');
  assert.equal(await dialogOf(page).getByRole('radio', { name: 'Take' }).isDisabled(), true);
  await assertUsable(page, 'no answer to an adjustment');
  await page.keyboard.press('Escape');
  await openAdjust(page);
  await assertLocked(page, pointsOf(page), '25');
  await page.reload();
  await openAdjust(page);
  await assertLocked(page, pointsOf(page), '25');
  await becomes(() => reasonOf(page).inputValue(), 'sorry');
  await stop();
  await againOf(page).click();
  await isDone(page);
  assert.equal(new Set(keys).size, 1, 'one key');
  assert.deepEqual(await ledgerOf(shop, 'adjustment'), [25]);

  await adjust(page, '5', 'another one');
  await dialogOf(page).getByRole('button', { name: 'Give 5 points' }).click();
  await isDone(page);
  assert.equal(new Set(keys).size, 2, 'another adjustment has another key');
  assert.deepEqual(await ledgerOf(shop, 'adjustment'), [25, 5]);
  assert.deepEqual(
    faults.filter((fault) => !isExpected(fault)),
    [],
  );
});

test('a refusal that says nothing about the lost answer leaves an adjustment as it was sent', async (t) => {
  const shop = await makeShop();
  const manager = await makeStaff(shop, 'manager');
  const id = await idOf(manager, await shop.member());
  const { page } = await openConsole(`/${shop.slug}/members/${id}`, manager);
  await adjust(page, '25', 'sorry');
  const stop = await loseAnswers(t, page, /adjustments$/);
  await dialogOf(page).getByRole('button', { name: 'Give 25 points' }).click();
  await assertLocked(page, pointsOf(page), '25');
  await stop();
  for (const [status, code, said] of [
    [429, 'rate_limited', 'Too many tries from here'],
    [403, 'role_needed', 'Your role'],
  ] as const) {
    const allow = await intercept(t, page, /adjustments$/, (route) =>
      route.fulfill({
        status,
        headers: { 'x-error-code': code, 'retry-after': '1' },
        json: { message: code },
      }),
    );
    await againOf(page).click();
    await dialogOf(page).getByText(said).waitFor();
    await assertLocked(page, pointsOf(page), '25');
    await allow();
  }
  await againOf(page).click();
  await isDone(page);
  assert.deepEqual(await ledgerOf(shop, 'adjustment'), [25]);
});

test('an adjustment that was lost and is then refused can be changed, and the changed one has a key of its own', async (t) => {
  const shop = await makeShop();
  const manager = await makeStaff(shop, 'manager');
  const second = await makeStaff(shop, 'manager');
  const member = await shop.member();
  await shop.sell(member, 30);
  const id = await idOf(manager, member);
  const { page } = await openConsole(`/${shop.slug}/members/${id}`, manager);
  await page.getByRole('region', { name: 'Balance' }).getByText('30', { exact: true }).first().waitFor();
  const keys: (string | undefined)[] = [];
  page.on('request', (request) => request.url().endsWith('/adjustments') && keys.push(keyOf(request)));
  await adjust(page, '30', 'counted twice');
  await dialogOf(page).getByText('Take', { exact: true }).click();
  const stop = await intercept(t, page, /adjustments$/, (route) => route.abort('connectionreset'));
  await dialogOf(page).getByRole('button', { name: 'Take 30 points' }).click();
  await assertLocked(page, pointsOf(page), '30');
  await stop();
  const key = { 'idempotency-key': crypto.randomUUID() };
  const taken = await second.post(`members/${id}/adjustments`, { points: -20, reason: 'first' }, key);
  assert.equal(taken.status, 201);
  await againOf(page).click();
  await dialogOf(page).getByText('Meanwhile there are fewer points than that.').waitFor();
  await becomes(() => isReadOnly(pointsOf(page)), false);
  await becomes(() => reasonOf(page).inputValue(), 'counted twice');
  await pointsOf(page).fill('10');
  await dialogOf(page).getByRole('button', { name: 'Take 10 points' }).click();
  await isDone(page);
  assert.equal(new Set(keys).size, 2);
  assert.equal(keys.lastIndexOf(keys[0]), keys.length - 2, 'only the changed one has another key');
  assert.deepEqual(await ledgerOf(shop, 'adjustment'), [-20, -10]);
});

test('a part of a purchase whose return was not answered stays as it was sent, whichever button opens it again, and counts once', async (t) => {
  const shop = await makeShop();
  const manager = await makeStaff(shop, 'manager');
  const member = await shop.member();
  await shop.sell(member, 50);
  const id = await idOf(manager, member);
  const { page, faults } = await openConsole(`/${shop.slug}/members/${id}`, manager);
  await page.getByRole('button', { name: 'Return a part' }).click();
  const amount = dialogOf(page).getByLabel('Amount to return');
  await amount.fill('30');
  await reasonOf(page).fill('broken');
  await dialogOf(page).getByText('Takes back 30 points.').waitFor();
  const stop = await loseAnswers(t, page, /reversal$/);
  await dialogOf(page).getByRole('button', { name: 'Return €30' }).click();
  await assertLocked(page, amount, '30');
  await assertUsable(page, 'no answer to a return');
  await page.getByText('€30 of €50 returned').waitFor();
  await assertLocked(page, amount, '30');
  await page.keyboard.press('Escape');
  for (const name of ['Return all', 'Return a part']) {
    await page.reload();
    await page.getByRole('button', { name: /€30 of €50 returned/ }).click();
    await page.getByRole('button', { name }).click();
    await assertLocked(page, amount, '30');
  }
  await stop();
  await againOf(page).click();
  await isDone(page);
  assert.deepEqual(await ledgerOf(shop, 'reversal'), [-30]);
  assert.deepEqual(
    faults.filter((fault) => !isExpected(fault)),
    [],
  );
});

test('the dialog of a return stays when the answer is lost, though its purchase has nothing left to return, and counts once', async (t) => {
  const shop = await makeShop();
  const manager = await makeStaff(shop, 'manager');
  const member = await shop.member();
  await shop.sell(member, 50);
  const id = await idOf(manager, member);
  const { page } = await openConsole(`/${shop.slug}/members/${id}`, manager);
  await page.getByRole('button', { name: 'Return all' }).click();
  await dialogOf(page).getByText('Takes back 50 points.').waitFor();
  const stop = await loseAnswers(t, page, /reversal$/);
  await dialogOf(page).getByRole('button', { name: 'Return €50' }).click();
  await againOf(page).waitFor();
  await page.getByText('All returned').waitFor();
  await dialogOf(page).getByRole('heading', { name: 'Return €50' }).waitFor();
  await stop();
  await againOf(page).click();
  await isDone(page);
  assert.deepEqual(await ledgerOf(shop, 'reversal'), [-50]);
});

test('the dialog that gives a code back stays when the answer is lost, though the code is no longer in the list', async (t) => {
  const shop = await makeShop({ benefits: [benefit('coffee')] });
  const manager = await makeStaff(shop, 'manager');
  const member = await shop.member();
  await shop.sell(member, 50);
  await shop.voucher(member, 'coffee');
  const id = await idOf(manager, member);
  const { page } = await openConsole(`/${shop.slug}/members/${id}`, manager);
  await page.getByRole('button', { name: 'Give back coffee' }).click();
  await reasonOf(page).fill('by mistake');
  await loseAnswers(t, page, /vouchers\/\d+\/return$/);
  await dialogOf(page).getByRole('button', { name: 'Give 10 points back' }).click();
  await page.getByText('0 ready to use').waitFor();
  await dialogOf(page).getByText('No answer came, so it is not known whether it was done.').waitFor();
  await becomes(() => reasonOf(page).inputValue(), 'by mistake');
  assert.deepEqual(await ledgerOf(shop, 'give_back'), [10]);
});

test('what was sent cannot be changed while its answer is under way, and two presses in one go are one call', async (t) => {
  const shop = await makeShop({ levels: { ladder: [{ name: 'Gold', threshold: 100 }] } });
  const manager = await makeStaff(shop, 'manager');
  const id = await idOf(manager, await shop.member());
  const { page } = await openConsole(`/${shop.slug}/members/${id}`, manager);
  const pressTwice = () =>
    dialogOf(page)
      .locator('form')
      .evaluate((form: HTMLFormElement) => {
        form.requestSubmit();
        form.requestSubmit();
      });
  for (const [name, url] of [
    ['Adjust points', /adjustments$/],
    ['Pin a tier', /level$/],
    ['Block', /block$/],
  ] as const) {
    const calls: string[] = [];
    page.on('request', (request) => url.test(request.url()) && calls.push(request.url()));
    if (name === 'Adjust points') await adjust(page, '5', 'why not');
    else await openAct(page, name);
    await reasonOf(page).fill('why not');
    const { isThere, letGo } = await hold(t, page, url);
    await pressTwice();
    await isThere;
    await becomes(() => isReadOnly(reasonOf(page)), true, name);
    if (name === 'Pin a tier')
      assert.equal(await dialogOf(page).getByLabel('Tier').isDisabled(), true, 'the tier');
    await reasonOf(page).pressSequentially(' at all');
    for (let i = 0; i < 4; i++) await page.keyboard.press('Escape');
    await becomes(() => reasonOf(page).inputValue(), 'why not', name);
    assert.equal(await dialogOf(page).isVisible(), true, name);
    letGo();
    await isDone(page);
    assert.equal(calls.length, 1, name);
  }
});

test('an edited name leaves the phone as a second manager has made it meanwhile', async () => {
  const shop = await makeShop();
  const first = await makeStaff(shop, 'manager');
  const second = await makeStaff(shop, 'manager');
  const id = await idOf(first, await shop.member());
  const { page } = await openConsole(`/${shop.slug}/members/${id}`, first);
  await openAct(page, 'Edit the profile');
  await dialogOf(page).getByLabel('Name').fill('Ana');
  await page.keyboard.press('Escape');
  assert.equal((await second.patch(`members/${id}/profile`, { phone: '+351912345678' })).status, 200);
  // Another act shows what is true now.
  await adjust(page, '5', 'a gift');
  await dialogOf(page).getByRole('button', { name: 'Give 5 points' }).click();
  await page.getByRole('definition').getByText('+351912345678').waitFor();
  await openAct(page, 'Edit the profile');
  await becomes(() => dialogOf(page).getByLabel('Phone').inputValue(), '+351912345678');
  await becomes(() => dialogOf(page).getByLabel('Name').inputValue(), 'Ana');
  await dialogOf(page).getByRole('button', { name: 'Save' }).click();
  await isDone(page);
  const { username, phone } = (await first.get(`members/${id}`)).body as Record<string, unknown>;
  assert.deepEqual({ username, phone }, { username: 'Ana', phone: '+351912345678' });
});

test('whoever signs out leaves no act behind, and what another release kept harms nobody', async (t) => {
  const shop = await makeShop();
  const first = await makeStaff(shop, 'manager');
  const second = await makeStaff(shop, 'manager');
  const id = await idOf(first, await shop.member());
  const seat = await openConsole(`/${shop.slug}/members/${id}`, first);
  const { page, base } = seat;
  const kept = () => page.evaluate(() => Object.entries(sessionStorage).map((entry) => entry.join(' ')));
  await adjust(page, '25', 'a secret');
  const stop = await loseAnswers(t, page, /adjustments$/);
  await dialogOf(page).getByRole('button', { name: 'Give 25 points' }).click();
  await assertLocked(page, pointsOf(page), '25');
  assert.match((await kept()).join(), /a secret/);
  await stop();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Your account' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).first().click();
  await page.getByRole('textbox', { name: 'E-mail address' }).waitFor();
  await becomes(async () => /a secret/.test((await kept()).join()), false);

  await giveSession(seat, second, base);
  const name = `${second.email} ${shop.id} adjust ${id}`;
  for (const text of [
    '{',
    'null',
    JSON.stringify({ [name]: { typed: null, sent: { key: 'k', body: {} } } }),
  ]) {
    await page.evaluate((text) => sessionStorage.setItem('loyalty/console/acts', text), text);
    await page.goto(`${base}/console/${shop.slug}/members/${id}`);
    await openAdjust(page);
    await becomes(() => pointsOf(page).inputValue(), '');
    assert.equal(await isReadOnly(pointsOf(page)), false);
  }
  assert.deepEqual(await ledgerOf(shop, 'adjustment'), [25]);
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
  await adjust(page, '30', 'counted twice');
  const dialog = dialogOf(page);
  await dialog.getByText('Take', { exact: true }).click();
  const key = { 'idempotency-key': crypto.randomUUID() };
  const taken = await second.post(`members/${id}/adjustments`, { points: -20, reason: 'first' }, key);
  assert.equal(taken.status, 201);
  await dialog.getByRole('button', { name: 'Take 30 points' }).click();
  await dialog.getByText('Meanwhile there are fewer points than that.').waitFor();
  await dialog.getByRole('status').filter({ hasText: '10' }).waitFor();
  await becomes(() => dialog.getByLabel('Reason').inputValue(), 'counted twice');
  await pointsOf(page).fill('10');
  await dialog.getByRole('button', { name: 'Take 10 points' }).click();
  await isDone(page);

  await openAct(page, 'Block');
  await reasonOf(page).fill('me too');
  await second.post(`members/${id}/block`, { reason: 'faster' });
  await dialog.getByRole('button', { name: 'Block' }).click();
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
