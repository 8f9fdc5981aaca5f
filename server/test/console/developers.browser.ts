/** The owner's pages for developers, the team and the audit. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { sql } from '#db/database.ts';
import { service } from '#test/harness.ts';
import { makeShop } from '#test/make.ts';
import { someone } from '#test/sign-in.ts';
import { makeStaff } from '#test/staff.ts';
import { moveClocks } from '../../src/operations/jobs/move-clocks.ts';
import { intercept } from '../portal/intercept.ts';
import { assertUsable, openConsole } from './console.ts';
import { becomes, comesToMatch } from '../portal/browser.ts';

const dialogOf = (page: Page) => page.getByRole('dialog');
const said = (page: Page, text: string | RegExp) => page.getByRole('status').getByText(text).waitFor();
const rowOf = (page: Page, text: string) => page.locator('tbody tr', { hasText: text });
const auditOf = (page: Page) => page.getByRole('region', { name: 'Audit' }).getByRole('listitem');
const lineOf = (page: Page, text: string) => auditOf(page).filter({ hasText: text });

async function pick(page: Page, row: string, item: string): Promise<void> {
  await rowOf(page, row)
    .first()
    .getByRole('button', { name: /^Actions/ })
    .click();
  await page.getByRole('menuitem', { name: item }).click();
}

test('a key is made by keyboard and replaced; the old one dies when the overlap ends on the database’s clock, and its call is listed', async () => {
  const shop = await makeShop();
  const owner = await makeStaff(shop, 'owner');
  const { page, faults, base } = await openConsole(`/${shop.slug}/developers`, owner);
  const program = async (key: string) => {
    const headers = { authorization: `Bearer ${key}` };
    return (await fetch(`${base}/admin/v1/program`, { headers })).status;
  };
  const shownKey = async () => (await page.getByRole('group', { name: 'The key' }).textContent())!.trim();
  await rowOf(page, 'test').waitFor();
  await assertUsable(page, 'the keys');

  await page.getByRole('button', { name: 'Create a key' }).focus();
  await page.keyboard.press('Enter');
  await dialogOf(page).waitFor();
  await page.keyboard.press('Enter');
  await dialogOf(page).getByText('Give it a name').waitFor();
  await page.keyboard.type('Nightly export');
  await page.keyboard.press('Tab');
  await page.keyboard.type('Back office: Manager');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  const old = await shownKey();
  await assertUsable(page, 'a key that is shown once');
  // Chromium would close it at the second one, whatever the page says.
  for (let i = 0; i < 2; i++) await page.keyboard.press('Escape');
  assert.equal(await shownKey(), old, 'a stray key does not close what cannot be shown again');
  await page.getByRole('button', { name: 'I have kept it' }).press('Enter');
  await dialogOf(page).waitFor({ state: 'detached' });
  assert.equal(await program(old), 200);

  await pick(page, 'Nightly export', 'Replace');
  await dialogOf(page).getByLabel('The old key is accepted').selectOption('For 1 hour more');
  await assertUsable(page, 'replacing a key');
  await dialogOf(page).getByRole('button', { name: 'Replace' }).click();
  const next = await shownKey();
  await page.getByRole('button', { name: 'I have kept it' }).click();
  await page.getByText(/^Ends \d/).waitFor();
  assert.deepEqual([await program(old), await program(next)], [200, 200]);

  const { db } = await service();
  await sql`update api_keys set ends_at = now() where commerce_id = ${shop.id} and ends_at is not null`.execute(
    db,
  );
  assert.deepEqual([await program(old), await program(next)], [401, 200]);
  await page.reload();
  await page.locator('summary', { hasText: '1 key has ended' }).click();
  await pick(page, old.slice(0, 12), 'Failed calls');
  await page.waitForURL(/problems\?key=/);
  const call = rowOf(page, '/admin/v1/program');
  await call.getByText('wrong_credential').waitFor();
  await becomes(() => call.count(), 1);
  await comesToMatch(() => call.textContent(), /GET.*401.*Nightly export/s);
  await page.getByRole('link', { name: 'Commands' }).click();
  await page.locator('summary', { hasText: '/v1/benefits/list' }).click();
  await page.getByText(`curl "${base}/v1/benefits/list"`).waitFor();
  assert.deepEqual(faults, []);
});

test('a key whose answer is lost cannot be made a second time by the same dialog, which says where to look', async (t) => {
  const shop = await makeShop();
  const owner = await makeStaff(shop, 'owner');
  const { page } = await openConsole(`/${shop.slug}/developers`, owner);
  await intercept(t, page, /admin\/v1\/keys$/, async (route) => {
    if (route.request().method() === 'GET') return route.continue();
    await route.fetch();
    await route.abort('connectionreset');
  });
  await page.getByRole('button', { name: 'Create a key' }).click();
  const dialog = dialogOf(page);
  await dialog.getByLabel('What is it for?').fill('Kiosk');
  await dialog.getByRole('button', { name: 'Create a key' }).click();
  await dialog.getByText('revoke it if it is in the list').waitFor();
  await assertUsable(page, 'a key that nobody has seen');
  assert.equal(await dialog.getByRole('button', { name: /Create a key|Try again/ }).count(), 0);
  await dialog.getByLabel('What is it for?').press('Enter');
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await rowOf(page, 'Kiosk').waitFor();
  await becomes(() => rowOf(page, 'Kiosk').count(), 1);
});

test('an owner chooses what a key may do, is told what reading opens, and the list says it', async () => {
  const shop = await makeShop();
  const owner = await makeStaff(shop, 'owner');
  const { page, faults } = await openConsole(`/${shop.slug}/developers`, owner);
  await rowOf(page, 'test').getByText('The usual calls').waitFor();
  await page.getByRole('button', { name: 'Create a key' }).click();
  const dialog = dialogOf(page);
  const boxOf = (name: string) => dialog.getByRole('checkbox', { name: new RegExp(`^${name}`) });
  await dialog.getByLabel('What is it for?').fill('Kiosk');
  await dialog.getByText(/Whoever has the key can read all addresses/).waitFor();
  for (const name of [
    'Look up',
    'Purchases',
    'Redeem',
    'Orders',
    'Members in exports',
    'Movements',
    'Events',
  ])
    await boxOf(name).uncheck();
  await dialog.getByRole('button', { name: 'Create a key' }).click();
  await dialog.getByText('Choose at least one.').waitFor();
  await boxOf('Redeem').check();
  await boxOf('Undo uses').check();
  await assertUsable(page, 'choosing what a key may do');
  await dialog.getByRole('button', { name: 'Create a key' }).click();
  await page.getByRole('button', { name: 'I have kept it' }).click();
  await rowOf(page, 'Kiosk').getByText('Redeem · Undo uses').waitFor();
  assert.deepEqual(faults, []);
  const { rows } = await sql`
    select scopes from api_keys where commerce_id = ${shop.id} and name = 'Kiosk'`.execute(
    (await service()).db,
  );
  assert.deepEqual(rows, [{ scopes: ['redeem', 'undo'] }]);
});

test('the clock of a sandbox is moved from the head of any page, which shows what fell due', async () => {
  const { db } = await service();
  const shop = await makeShop({ sandbox: true, points_expiration: { mode: 'rolling', months: 1 } });
  const owner = await makeStaff(shop, 'owner');
  await shop.sell(await shop.member(), 25);
  const { page, faults } = await openConsole(`/${shop.slug}/team`, owner);
  const mark = page.getByRole('button', { name: /^Sandbox ·/ });
  await mark.waitFor();
  const before = await mark.textContent();
  await mark.click();
  await dialogOf(page).getByLabel('Number').fill('0');
  await dialogOf(page).getByRole('button', { name: 'Move' }).click();
  await dialogOf(page).getByText('Enter a whole number').waitFor();
  await dialogOf(page).getByLabel('Number').fill('2');
  await dialogOf(page).getByRole('button', { name: 'Move' }).click();
  await dialogOf(page).getByText('On its way to').waitFor();
  await moveClocks(db, { warn: () => {} });
  await dialogOf(page).getByText('Points expired once').waitFor();
  await assertUsable(page, 'the clock');
  await page.keyboard.press('Escape');
  await becomes(async () => (await mark.textContent()) !== before, true);
  assert.deepEqual(faults, []);

  const real = await makeShop();
  await makeStaff(real, 'owner', { email: owner.email });
  await page.goto(page.url().replace(`${shop.slug}/team`, `${real.slug}/developers/clock`));
  await page.getByText('The members of this shop are real').waitFor();
  assert.equal(await mark.count(), 0);
});

test('a clock is followed on any page, also while its dialog is closed, and what is said by the time is said anew', async () => {
  const { db } = await service();
  const shop = await makeShop({ sandbox: true });
  const owner = await makeStaff(shop, 'owner');
  await shop.sell(await shop.member(), 25);
  const { page, faults } = await openConsole(`/${shop.slug}/members`, owner);
  const mark = page.getByRole('button', { name: /^Sandbox ·/ });
  const bought = page.getByRole('main').locator('time').first();
  await comesToMatch(() => bought.innerText(), /^Today/);
  const before = await mark.textContent();
  await mark.click();
  await dialogOf(page).getByRole('button', { name: 'Move' }).click();
  await dialogOf(page).getByText('On its way to').waitFor();
  await dialogOf(page).getByRole('button', { name: 'Close' }).click();
  await dialogOf(page).waitFor({ state: 'detached' });
  await moveClocks(db, { warn: () => {} });
  await becomes(async () => (await mark.textContent()) !== before, true);
  await becomes(async () => (await bought.innerText()).startsWith('Today'), false);

  // A new rule ends a month later by the clock of the shop.
  await page.goto(page.url().replace('/members', '/program/rules'));
  await page.getByRole('button', { name: 'Add a rule' }).first().click();
  await page.getByLabel('Name').fill('Later');
  await dialogOf(page).getByRole('button', { name: 'Add it' }).click();
  await page.getByRole('button', { name: 'Add a condition' }).click();
  await page.getByRole('menuitem', { name: 'From and until' }).click();
  await page.getByLabel('Last day').waitFor();
  assert.equal(await page.getByText('over', { exact: true }).count(), 0);
  assert.deepEqual(faults, []);
});

test('an answer about the clock that was on its way before a move does not stand for the one after', async (t) => {
  const { db } = await service();
  const shop = await makeShop({ sandbox: true });
  const owner = await makeStaff(shop, 'owner');
  const { page } = await openConsole(`/${shop.slug}/team`, owner);
  await page.clock.install();
  const mark = page.getByRole('button', { name: /^Sandbox ·/ });
  await mark.click();
  await dialogOf(page).getByText('For the program it is').waitFor();
  await dialogOf(page).getByRole('button', { name: 'Close' }).click();
  await dialogOf(page).waitFor({ state: 'detached' });

  const [asked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  t.after(() => released.resolve());
  let held = 0;
  await intercept(t, page, /admin\/v1\/clock$/, async (route) => {
    if (route.request().method() !== 'GET' || held++ > 0) return route.continue();
    const response = await route.fetch();
    asked.resolve();
    await released.promise;
    // The page has given it up.
    await route.fulfill({ response }).catch(() => undefined);
  });
  // By then it is asked again.
  await page.clock.fastForward('00:10');
  await mark.click();
  await asked.promise;
  await dialogOf(page).getByRole('button', { name: '+ 1 week' }).click();
  await dialogOf(page).getByText('On its way to').waitFor();
  released.resolve();
  await moveClocks(db, { warn: () => {} });
  await dialogOf(page).getByText('Nothing fell due.').waitFor();
});

test('cashiers and managers neither see nor open these pages, and do not move the clock', async () => {
  const shop = await makeShop({ sandbox: true });
  for (const role of ['cashier', 'manager'] as const) {
    const staff = await makeStaff(shop, role);
    const { page, base, context } = await openConsole(`/${shop.slug}/developers`, staff);
    for (const path of ['developers', 'developers/problems', 'team', 'team/audit']) {
      await page.goto(`${base}/console/${shop.slug}/${path}`);
      await page.getByRole('heading', { name: 'This page is not for your role' }).waitFor();
    }
    assert.equal(await page.getByRole('link', { name: /^(?:Developers|Team)$/ }).count(), 0);
    assert.equal(await page.getByRole('button', { name: /^Sandbox/ }).count(), 0);
    await context.close();
  }
});

test('an owner invites, changes a role, signs out everywhere and removes; the audit is searched and exported', async () => {
  const shop = await makeShop();
  const owner = await makeStaff(shop, 'owner');
  const eva = await makeStaff(shop, 'cashier');
  const { page, faults } = await openConsole(`/${shop.slug}/team`, owner);
  await rowOf(page, eva.email).waitFor();
  const email = someone('marta');
  await page.getByRole('button', { name: 'Invite somebody' }).click();
  await dialogOf(page).getByLabel('E-mail address').fill(eva.email);
  await page.keyboard.press('Enter');
  await dialogOf(page).getByText('This person works here already').waitFor();
  await dialogOf(page).getByLabel('E-mail address').fill(email);
  await dialogOf(page).getByLabel('Role').selectOption('Manager');
  await page.keyboard.press('Enter');
  await said(page, `on its way to ${email}`);
  await rowOf(page, email).getByText('not signed in yet').waitFor();

  await pick(page, email, 'Change the role');
  await dialogOf(page).getByLabel('Role').selectOption('Cashier');
  await dialogOf(page).getByRole('button', { name: 'Change the role' }).click();
  await rowOf(page, email).getByText('Cashier', { exact: true }).waitFor();

  assert.equal((await eva.get('program')).status, 200);
  await pick(page, eva.email, 'Devices');
  await dialogOf(page).getByText('Signed in on').waitFor();
  await assertUsable(page, 'the devices of a person');
  await dialogOf(page).getByRole('button', { name: 'Sign out everywhere' }).click();
  await said(page, 'is signed out everywhere');
  assert.equal((await eva.get('program')).status, 401);

  await pick(page, email, 'Remove');
  await dialogOf(page).getByRole('button', { name: 'Remove' }).click();
  await rowOf(page, email).waitFor({ state: 'detached' });
  const own = rowOf(page, owner.email);
  await own.getByRole('button', { name: /^Actions/ }).click();
  await becomes(() => page.getByRole('menuitem').allTextContents(), ['Devices', 'What was done']);
  await page.keyboard.press('Escape');

  await page.getByRole('link', { name: 'Audit' }).click();
  await lineOf(page, 'Removed somebody from the team').waitFor();
  await assertUsable(page, 'the audit');
  await page.getByLabel('What', { exact: true }).selectOption('Changed a role');
  await page.waitForURL(/action=staff\.change_role/);
  await page.getByText('1 shown').waitFor();
  await comesToMatch(() => auditOf(page).textContent(), /Role: Manager → Cashier/);
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export as CSV' }).click();
  const file = (await (await (await download).createReadStream()).toArray()).join('').trim().split('\n');
  assert.equal(file.length, 2);
  assert.match(file[1]!, new RegExp(`staff.change_role,staff,.*${email}`));
  await page.getByLabel('To', { exact: true }).fill('2020-01-01');
  await page.getByText('Nothing was found').waitFor();
  await page.reload();
  await page.getByText('Nothing was found').waitFor();
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await lineOf(page, 'Exported the audit').waitFor();
  // The browser writes down each refusal, here of the person who works here already.
  assert.deepEqual(
    faults.filter((fault) => !fault.includes('409')),
    [],
  );
});

test('what a key sends in vain is listed with its calls, without values, and fits a phone', async () => {
  const shop = await makeShop();
  const owner = await makeStaff(shop, 'owner');
  const member = await shop.member();
  for (let i = 0; i < 2; i++)
    await shop.post('/v1/consumptions/client-code', {
      client_code: member.code,
      amount: 5,
      externalId: 'order-77-of-somebody',
    });
  // Reading them writes what this process has noted.
  await owner.get('ignored-fields');
  const { page, faults } = await openConsole(`/${shop.slug}/developers/problems`, owner);
  const table = page.getByRole('table', { name: 'Sent in vain' });
  const row = table.getByRole('row', { name: /body\.externalId/ });
  await comesToMatch(() => row.textContent(), /body\.externalIdPOST \/v1\/consumptions\/client-code2 calls/);
  assert.doesNotMatch((await page.textContent('body'))!, /order-77/);
  await assertUsable(page, 'sent in vain');
  await page.setViewportSize({ width: 390, height: 800 });
  await assertUsable(page, 'sent in vain on a phone');
  assert.deepEqual(faults, []);
});

test('in Spanish, in the dark and on a phone, each of these pages can be used', async () => {
  const shop = await makeShop({ sandbox: true });
  const owner = await makeStaff(shop, 'owner');
  const screen = { width: 390, scheme: 'dark', locale: 'es-AR' } as const;
  const { page, faults, base } = await openConsole('/', owner, screen);
  for (const [path, heading] of [
    ['developers', 'Claves de API'],
    ['developers/problems', 'Llamadas fallidas'],
    ['developers/commands', 'Comandos'],
    ['developers/clock', 'Reloj de pruebas'],
    ['team', 'Equipo'],
    ['team/audit', 'Auditoría'],
  ] as const) {
    await page.goto(`${base}/console/${shop.slug}/${path}`);
    await page.getByRole('heading', { level: 1, name: heading }).waitFor();
    await page.getByText('Cargando').first().waitFor({ state: 'detached' });
    await assertUsable(page, path);
  }
  assert.deepEqual(faults, []);
});
