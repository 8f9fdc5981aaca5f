/** A manager who finds a person, understands and corrects. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { makeShop, type MadeMember, type Shop } from '#test/make.ts';
import { makeStaff, type MadeStaff } from '#test/staff.ts';
import { club } from '../portal/club.ts';
import { codeFromMailbox, comesToMatch } from '../portal/browser.ts';
import { assertUsable, openConsole } from './console.ts';
import { handOn } from './hand.ts';

/** The address of a member's page. */
async function pageOf(manager: MadeStaff, shop: Pick<Shop, 'slug'>, member: Pick<MadeMember, 'code'>) {
  const found = await manager.post('find', { text: String(member.code) });
  const { members } = found.body as { members: { member_id: number }[] };
  return `/${shop.slug}/members/${members[0]!.member_id}`;
}

const menu = (page: Page) => page.getByRole('button', { name: 'More that can be done' });
const dialogOf = (page: Page) => page.getByRole('dialog');
/** The newest one: an earlier one with the same words may still be on the screen. */
const said = (page: Page, text: string | RegExp) => page.getByRole('status').getByText(text).last().waitFor();
const unfolded = (page: Page) =>
  page.getByRole('group', { name: /^(?:How it came about|Cómo se llegó a esto)$/ });
const lineOf = (page: Page, name: string | RegExp) => page.getByRole('row').filter({ hasText: name }).first();

test('“why 40 points?” is answered on the screen: found by name, and each line opens into its arithmetic', async (t) => {
  const shop = await makeShop({
    earning: { money_per_point: 10 },
    levels: { ladder: [{ name: 'Gold', threshold: 0, points_multiplier: 2 }] },
  });
  const manager = await makeStaff(shop, 'manager');
  const member = await shop.member('ana');
  await shop.sell(member, 209);
  const { page, faults } = await openConsole(`/${shop.slug}/members`, manager);
  await page.getByRole('table', { name: 'Members' }).waitFor();
  await assertUsable(page, 'the list');
  const hand = handOn(page, t);
  await hand.type('ana@');
  await hand.click(page.getByRole('link', { name: 'ana', exact: true }));
  await page.getByText('209 ÷ 10').waitFor();
  hand.done('why 40 points?');
  const opened = unfolded(page);
  await comesToMatch(() => opened.textContent(), /209 ÷ 10 = 20.*then.*× 2 Gold = 40.*40 points/);
  await comesToMatch(() => opened.textContent(), /Program version 1/);
  await comesToMatch(() => opened.textContent(), /By another system of the shop/);
  await page.getByRole('heading', { level: 1, name: 'ana' }).waitFor();
  await page.getByRole('region', { name: 'Balance' }).getByText('40', { exact: true }).first().waitFor();
  await assertUsable(page, 'a member');
  assert.deepEqual(faults, []);
});

test('a manager returns a part of a purchase, and knows beforehand what it takes', async (t) => {
  const shop = await makeShop({ earning: { money_per_point: 1 } });
  const manager = await makeStaff(shop, 'manager');
  const member = await shop.member();
  await shop.sell(member, 50);
  const { page, faults } = await openConsole(await pageOf(manager, shop, member), manager);
  await unfolded(page).waitFor();
  const hand = handOn(page, t);
  await hand.click(page.getByRole('button', { name: 'Return a part' }));
  await hand.type('20');
  await dialogOf(page).getByText('Takes back 20 points.').waitFor();
  await comesToMatch(() => dialogOf(page).getByRole('status').textContent(), /Balance 50 → 30/);
  await assertUsable(page, 'returning a part');
  await hand.press('Enter');
  await said(page, '€20 returned, 20 points taken back. The balance is 30.');
  hand.done('return a part');
  await lineOf(page, 'Return').waitFor();
  await page.getByText('€20 of €50 returned').waitFor();
  await page.getByRole('region', { name: 'Balance' }).getByText('30', { exact: true }).first().waitFor();

  await page.getByRole('button', { name: /of €50 returned/ }).click();
  await page.getByRole('button', { name: 'Return all' }).click();
  await dialogOf(page).getByText('Takes back 30 points.').waitFor();
  await page.keyboard.press('Enter');
  await dialogOf(page)
    .getByRole('button', { name: 'Return €30' })
    .click({ timeout: 2_000 })
    .catch(() => {});
  await page.getByText('All returned').waitFor();
  assert.deepEqual(faults, []);
});

test('a part of 3.40 comes back with its cents: the dialog says what counts, and two halves take back all', async () => {
  const shop = await makeShop({ earning: { money_per_point: 1 } });
  const manager = await makeStaff(shop, 'manager');
  const member = await shop.member();
  const sale = { client_email: member.email, amount: 3, cents: 40 };
  assert.equal(
    (await manager.post('purchases', sale, { 'idempotency-key': 'a sale of three forty' })).status,
    201,
  );
  const { page, faults } = await openConsole(await pageOf(manager, shop, member), manager);
  await page.getByRole('button', { name: 'Return a part' }).click();
  const amount = dialogOf(page).getByLabel('Amount to return, at most €3.40');
  await amount.pressSequentially('0.40');
  await dialogOf(page).getByText('Takes nothing back yet: what is kept still counts as €3.').waitFor();
  await amount.fill('');
  await amount.pressSequentially('3.41');
  await page.keyboard.press('Enter');
  await dialogOf(page).getByText('Enter an amount above zero, at most €3.40.').waitFor();
  await amount.fill('');
  await amount.pressSequentially('1.70');
  await dialogOf(page).getByText('Takes back 2 points.').waitFor();
  await dialogOf(page)
    .getByText('What is kept, €1.70, counts as €1 and earns by the rules of that day.')
    .waitFor();
  await assertUsable(page, 'returning cents');
  await page.keyboard.press('Enter');
  await said(page, '€1.70 returned, 2 points taken back. The balance is 1.');
  await page.getByRole('button', { name: /€1\.70 of €3\.40 returned/ }).click();
  await page.getByRole('button', { name: 'Return all' }).click();
  await dialogOf(page).getByText('Takes back 1 point.').waitFor();
  await dialogOf(page).getByRole('button', { name: 'Return €1.70' }).click();
  await said(page, '€1.70 returned, 1 point taken back. The balance is 0.');
  await page.getByText('All returned').waitFor();
  assert.deepEqual(faults, []);
});

test('a manager gives points with a reason that the member reads, and takes some', async (t) => {
  const shop = await makeShop({ points_expiration: { mode: 'rolling', months: 12 } });
  const manager = await makeStaff(shop, 'manager');
  const member = await shop.member();
  const { page, faults } = await openConsole(await pageOf(manager, shop, member), manager);
  const hand = handOn(page, t);
  await hand.click(page.getByRole('button', { name: 'Adjust points' }));
  await hand.press('Enter');
  await dialogOf(page).getByText('Enter how many points.').waitFor();
  await dialogOf(page).getByText('Say why, in a few words.').waitFor();
  await assertUsable(page, 'adjusting, with problems');
  await hand.type('50');
  await dialogOf(page).getByRole('status').filter({ hasText: '0 → 50' }).waitFor();
  await hand.press('Tab');
  await hand.type('a coffee was spilled');
  await hand.press('Enter');
  await said(page, '+50 points. The balance is 50.');
  hand.done('give points');
  await page.getByRole('region', { name: 'Balance' }).getByText('50', { exact: true }).first().waitFor();
  await page.getByText('“a coffee was spilled”').waitFor();
  await lineOf(page, 'Adjustment').getByText('a coffee was spilled').waitFor();

  await hand.click(page.getByRole('button', { name: 'Adjust points' }));
  await hand.click(dialogOf(page).getByText('Take', { exact: true }));
  await hand.click(dialogOf(page).getByLabel('Points'));
  await hand.type('80');
  await hand.press('Enter');
  await dialogOf(page).getByText('Only 50 can be taken.').waitFor();
  await dialogOf(page).getByLabel('Points').fill('');
  await hand.type('20');
  await hand.press('Tab');
  await hand.type('counted twice');
  await hand.press('Enter');
  await said(page, '−20 points. The balance is 30.');
  hand.done('take points');

  await page.getByRole('button', { name: 'Adjust points' }).click();
  await page.keyboard.type('7');
  await dialogOf(page).getByLabel('Set their last day by hand').check();
  await dialogOf(page).getByLabel('Last day', { exact: true }).fill('2099-12-31');
  await dialogOf(page).getByLabel('Reason').fill('a gift until then');
  await assertUsable(page, 'adjusting, with a day');
  await dialogOf(page).getByRole('button', { name: 'Give 7 points' }).click();
  await said(page, '+7 points. The balance is 37.');
  assert.deepEqual(faults, []);
});

test('a large adjustment asks for a fresh code, and goes on with what was typed', async () => {
  const shop = await makeShop({ step_up_points: 100 });
  const manager = await makeStaff(shop, 'manager');
  await manager.goStale();
  const member = await shop.member();
  const { page, faults } = await openConsole(await pageOf(manager, shop, member), manager);
  await page.getByRole('button', { name: 'Adjust points' }).click();
  await page.keyboard.type('5000');
  await dialogOf(page).getByText('More than 100 points ask for a fresh code').waitFor();
  await dialogOf(page).getByLabel('Reason').fill('a prize');
  await page.keyboard.press('Enter');
  const fresh = page.getByRole('dialog', { name: 'Is it still you?' });
  await fresh.waitFor();
  await fresh.getByText(manager.email).waitFor();
  await fresh.getByLabel('Six-digit code').fill(await codeFromMailbox(manager.email));
  await said(page, '+5,000 points. The balance is 5,000.');
  assert.deepEqual(
    faults.filter((fault) => !/status of 403/.test(fault)),
    [],
  );
});

test('a manager blocks with a reason, undoes it at once, blocks again and unblocks', async (t) => {
  const shop = await makeShop();
  const manager = await makeStaff(shop, 'manager');
  const member = await shop.member();
  const { page, faults } = await openConsole(await pageOf(manager, shop, member), manager);
  const hand = handOn(page, t);
  await hand.click(menu(page));
  await assertUsable(page, 'the menu of acts');
  await hand.click(page.getByRole('menuitem', { name: 'Block' }));
  await assertUsable(page, 'blocking');
  await hand.type('the card was stolen');
  await hand.press('Enter');
  await page.getByText(/^Blocked since .*: the card was stolen$/).waitFor();
  hand.done('block');
  await page.getByRole('status').getByRole('button', { name: 'Undo' }).click();
  await page.getByText(/^Blocked since/).waitFor({ state: 'detached' });
  await menu(page).click();
  await page.getByRole('menuitem', { name: 'Block' }).click();
  await page.keyboard.type('once more');
  await page.keyboard.press('Enter');
  await page
    .getByText(/: once more$/)
    .first()
    .waitFor();
  await assertUsable(page, 'a blocked member');
  await hand.click(menu(page));
  await hand.click(page.getByRole('menuitem', { name: 'Unblock' }));
  await hand.press('Enter');
  await page.getByText(/^Blocked since/).waitFor({ state: 'detached' });
  await said(page, 'is no longer blocked');
  hand.done('unblock');
  assert.deepEqual(faults, []);
});

test('what was said about a member ends with the page of the member', async () => {
  const shop = await makeShop();
  const manager = await makeStaff(shop, 'manager');
  const { page } = await openConsole(await pageOf(manager, shop, await shop.member()), manager);
  await page.getByRole('button', { name: 'Adjust points' }).click();
  await dialogOf(page).getByLabel('Points', { exact: true }).fill('5');
  await dialogOf(page).getByLabel('Reason').fill('a gift');
  await page.keyboard.press('Enter');
  await said(page, '+5 points. The balance is 5.');
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Home' }).click();
  await page.getByRole('link', { name: 'Find a member' }).waitFor();
  assert.equal(await page.getByText('+5 points. The balance is 5.').count(), 0);
});

test('a manager pins a tier and unpins it', async (t) => {
  const shop = await club();
  const manager = await makeStaff(shop, 'manager');
  const member = await shop.member();
  const { page, faults } = await openConsole(await pageOf(manager, shop, member), manager);
  await page.getByRole('region', { name: 'Tier' }).getByText('Bronze', { exact: true }).waitFor();
  const hand = handOn(page, t);
  await hand.click(menu(page));
  await hand.click(page.getByRole('menuitem', { name: 'Pin a tier' }));
  await dialogOf(page).getByLabel('Tier').selectOption({ label: 'Silver' });
  await dialogOf(page).getByText('The benefits of the tiers on the way are handed out now').waitFor();
  await assertUsable(page, 'pinning');
  await hand.click(dialogOf(page).getByLabel('Reason'));
  await hand.type('the founder’s mother');
  await hand.press('Enter');
  await page.getByRole('region', { name: 'Tier' }).getByText('Silver', { exact: true }).waitFor();
  hand.done('pin a tier');
  await page.getByText('Pinned by staff').waitFor();
  await menu(page).click();
  await page.getByRole('menuitem', { name: 'Unpin the tier' }).click();
  await dialogOf(page).getByRole('button', { name: 'Unpin' }).click();
  await page.getByRole('region', { name: 'Tier' }).getByText('Bronze', { exact: true }).waitFor();
  assert.deepEqual(faults, []);
});

test('a manager gives a code back, from the codes and from the history', async (t) => {
  const shop = await club({ rewards: {} });
  const manager = await makeStaff(shop, 'manager');
  const member = await shop.member();
  await shop.sell(member, 600);
  await shop.voucher(member, 'coffee');
  await shop.voucher(member, 'ten-off');
  const { page, faults } = await openConsole(await pageOf(manager, shop, member), manager);
  const hand = handOn(page, t);
  await hand.click(page.getByRole('button', { name: 'Give back A coffee on us' }));
  await dialogOf(page).getByText('the member gets 150 points back').waitFor();
  await assertUsable(page, 'giving back');
  await hand.type('bought by mistake');
  await hand.press('Enter');
  await said(page, '150 points given back. The balance is 400.');
  hand.done('give a code back');
  await page.getByRole('button', { name: /10 % off · bought/ }).click();
  await unfolded(page).getByRole('button', { name: 'Give back' }).last().click();
  await page.keyboard.type('changed their mind');
  await page.keyboard.press('Enter');
  await said(page, '200 points given back. The balance is 600.');
  assert.deepEqual(faults, []);
});

test('a manager edits a profile and undoes it, sends an invitation again, and hands out what is stored', async (t) => {
  const shop = await makeShop();
  const manager = await makeStaff(shop, 'manager');
  const member = await shop.member();
  const { page, faults } = await openConsole(await pageOf(manager, shop, member), manager);
  const hand = handOn(page, t);
  await hand.click(menu(page));
  await hand.click(page.getByRole('menuitem', { name: 'Edit the profile' }));
  await assertUsable(page, 'editing');
  await hand.press('Control+a');
  await hand.type('Ana Lucía Fernández');
  await hand.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Ana Lucía Fernández' }).waitFor();
  hand.done('edit the name');
  await page.locator('#changes', { hasText: 'Ana Lucía Fernández' }).waitFor();
  await page.getByRole('status').getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('heading', { level: 1, name: member.email.split('@')[0]! }).waitFor();

  const download = page.waitForEvent('download');
  await menu(page).click();
  await page.getByRole('menuitem', { name: 'Export this person’s data' }).click();
  const file = await (await download).createReadStream();
  const text = (await file.toArray()).join('');
  assert.match(text, new RegExp(member.email));

  await shop.post('/v1/consumptions/email', { client_email: 'waits@example.com', amount: 5 });
  const found = await manager.post('find', { text: 'waits@example.com' });
  const { members } = found.body as { members: { member_id: number }[] };
  await page.goto(page.url().replace(/\d+$/, String(members[0]!.member_id)));
  await page.getByText('This person has not joined.').waitFor();
  await assertUsable(page, 'an invited person');
  await menu(page).click();
  await page.getByRole('menuitem', { name: 'Send the invitation again' }).click();
  await assertUsable(page, 'inviting');
  await dialogOf(page).getByRole('button', { name: 'Send the invitation' }).click();
  await Promise.race([
    said(page, 'is on its way'),
    dialogOf(page).getByText('enough mails for today').waitFor(),
  ]);
  assert.deepEqual(
    faults.filter((fault) => !/status of 400/.test(fault)),
    [],
  );
});

test('a manager erases a person: types the code, and the books stay', async (t) => {
  const shop = await makeShop();
  const manager = await makeStaff(shop, 'manager');
  const member = await shop.member();
  await shop.sell(member, 30);
  const { page, faults } = await openConsole(await pageOf(manager, shop, member), manager);
  const hand = handOn(page, t);
  await hand.click(menu(page));
  await hand.click(page.getByRole('menuitem', { name: 'Erase this person' }));
  await assertUsable(page, 'erasing');
  await hand.type('123456789');
  await hand.press('Enter');
  await dialogOf(page).getByText('This is not it.').waitFor();
  await dialogOf(page).getByLabel(/^Type/).fill('');
  await hand.type(String(member.code));
  await hand.press('Tab');
  await hand.type('asked for by letter');
  await hand.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Erased person' }).waitFor();
  hand.done('erase a person');
  await page.getByText('The books stay: purchases and points without a name.').waitFor();
  await lineOf(page, 'Purchase').waitFor();
  assert.equal(await menu(page).count(), 0);
  assert.doesNotMatch((await page.locator('body').textContent()) ?? '', new RegExp(member.email));
  await assertUsable(page, 'an erased person');
  assert.deepEqual(faults, []);
});

test('the whole page fits and is accessible at any width, light and dark, in both languages', async () => {
  const shop = await club({ name: 'The Old Harbour Bakery', earning: { money_per_point: 1 } });
  const manager = await makeStaff(shop, 'manager');
  const member = await shop.member();
  const path = await pageOf(manager, shop, member);
  const id = path.split('/').at(-1);
  await manager.patch(`members/${id}/profile`, {
    username: 'Maximiliana Alexandra von Hohenstein-Wettersdorf-Lüdinghause',
  });
  await shop.sell(member, 987_654_321);
  for (const [scheme, locale] of [
    ['light', 'en-GB'],
    ['dark', 'es-AR'],
  ] as const) {
    const { page, faults } = await openConsole(path, manager, { scheme, locale });
    await unfolded(page).waitFor();
    // 640 pixels are a screen of 1,280 at 200 %.
    for (const width of [320, 390, 640, 768, 1280, 1920]) {
      await page.setViewportSize({ width, height: 700 });
      await assertUsable(page, `${width} pixels, ${scheme}`);
    }
    assert.deepEqual(faults, []);
  }
});

test('what staff did reads in the words of the shop: no names of fields, no empty lines, tiers by their names', async () => {
  const shop = await club();
  const manager = await makeStaff(shop, 'manager');
  const member = await shop.member();
  const address = await pageOf(manager, shop, member);
  const id = Number(address.split('/').at(-1));
  await manager.post(
    'purchases',
    { member_id: id, amount: 70, register_id: 3 },
    { 'idempotency-key': 'words' },
  );
  const { page, faults } = await openConsole(address, manager);
  await menu(page).click();
  await page.getByRole('menuitem', { name: 'Pin a tier' }).click();
  await dialogOf(page).getByLabel('Tier').selectOption({ label: 'Silver' });
  await dialogOf(page).getByLabel('Reason').fill('the founder’s mother');
  await page.keyboard.press('Enter');
  const changes = page.locator('#changes');
  await changes.getByText('Tier: Bronze → Silver').waitFor();
  await changes.getByText('Amount: €70').waitFor();
  await changes.getByText('Register: 3').waitFor();
  assert.doesNotMatch(await changes.innerText(), /_id|level|balance:|: –$/m);
  assert.deepEqual(faults, []);
});

test('a phone number may be typed in groups, and one without a country is explained beside it', async () => {
  const shop = await makeShop();
  const manager = await makeStaff(shop, 'manager');
  const member = await shop.member();
  const { page, faults } = await openConsole(await pageOf(manager, shop, member), manager);
  await menu(page).click();
  await page.getByRole('menuitem', { name: 'Edit the profile' }).click();
  const phone = dialogOf(page).getByLabel('Phone');
  await phone.fill('912 345 678');
  await phone.press('Enter');
  await dialogOf(page).getByText('Begin with + and the country').waitFor();
  await phone.fill('+351 912 345 678');
  await phone.press('Enter');
  await said(page, 'The profile is saved.');
  await page.getByText('+351912345678').first().waitFor();
  assert.deepEqual(faults, []);
});
