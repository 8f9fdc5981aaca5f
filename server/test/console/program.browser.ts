/** An owner who changes the rules of the shop: sees what they would do, publishes, and goes back. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { sql } from '#db/database.ts';
import type { Program } from '#program/program.ts';
import { service } from '#test/harness.ts';
import { benefit, makeShop, type Shop } from '#test/make.ts';
import { makeStaff, type MadeStaff } from '#test/staff.ts';
import { becomes, codeFromMailbox, comesToMatch } from '../portal/browser.ts';
import { intercept } from '../portal/intercept.ts';
import { assertUsable, openConsole } from './console.ts';
import { handOn } from './hand.ts';

/** A shop with a history: three people bought for 20, 120 and 700. */
async function makeRegularShop(): Promise<Shop> {
  const shop = await makeShop({
    points_expiration: { mode: 'rolling', months: 6 },
    levels: {
      ladder: [
        { id: 'first', name: 'First', threshold: 0 },
        { id: 'regular', name: 'Regular', threshold: 1000, points_multiplier: 2 },
      ],
    },
    benefits: [benefit('coffee', { cost: 50 })],
  });
  for (const amount of [20, 120, 700]) await shop.sell(await shop.member(), amount);
  return shop;
}

const pointCost = (page: Page) => page.getByLabel('A point costs');
const bar = (page: Page) => page.getByRole('region', { name: /not in force yet|sin publicar/ });
const dialogOf = (page: Page) => page.getByRole('dialog');
const figure = (page: Page) =>
  page.getByRole('region', { name: /^(?:Points that members would|Puntos que habrían)/ });

async function inForce(owner: MadeStaff): Promise<{ version: number; program: Program }> {
  return (await owner.get('program/model')).body as { version: number; program: Program };
}

/** Publishes as somebody else would. */
async function publishAs(
  owner: MadeStaff,
  change: (program: Program) => Record<string, unknown>,
): Promise<void> {
  const { version, program } = await inForce(owner);
  const { status } = await owner.post('program/publish', {
    program: { ...program, ...change(program) },
    base_version: version,
  });
  assert.equal(status, 200);
}

test('an owner halves what a point costs, sees what it would do, changes her mind twice, publishes, and goes back', async (t) => {
  const shop = await makeRegularShop();
  const owner = await makeStaff(shop, 'owner');
  const { page, faults } = await openConsole(`/${shop.slug}/program`, owner);
  const hand = handOn(page, t);
  await page.getByRole('heading', { level: 1, name: 'Program' }).waitFor();
  await hand.click(page.getByRole('link', { name: 'Earning', exact: true }));
  await hand.click(pointCost(page));
  await hand.press('ControlOrMeta+a');
  await hand.type('0.5');
  await bar(page).getByText('1 change, not in force yet').waitFor();
  await page
    .getByRole('complementary', { name: 'Try a purchase' })
    .getByText('36', { exact: true })
    .first()
    .waitFor();
  await hand.click(bar(page).getByRole('link', { name: 'Review' }));
  await page.getByRole('heading', { name: 'One change, not in force yet' }).waitFor();
  await comesToMatch(() => figure(page).innerText(), /1,680[\s\S]*840[\s\S]*100% more/);
  await page.getByText('1 member moves from First to Regular').waitFor({ state: 'detached' });
  hand.done('halve what a point costs and see what that would do');

  // She changes her mind: rather a lower threshold, too.
  await hand.click(page.getByRole('link', { name: 'Keep editing' }));
  await hand.click(page.getByRole('link', { name: 'Tiers', exact: true }));
  await hand.click(page.getByLabel('Points to reach it').nth(1));
  await hand.press('ControlOrMeta+a');
  await hand.type('600');
  await hand.click(bar(page).getByRole('link', { name: 'Review' }));
  await page.getByRole('heading', { name: 'Two changes, not in force yet' }).waitFor();
  await page.getByText('1 member moves from First to Regular').waitFor();
  await assertUsable(page, 'the review');
  // And again: the points stay as dear as they were.
  await hand.click(page.getByRole('button', { name: 'Put back: A point costs' }));
  await page.getByRole('heading', { name: 'One change, not in force yet' }).waitFor();
  await figure(page).getByText('the same').first().waitFor();
  hand.done('change her mind twice');

  await hand.click(page.getByRole('button', { name: 'Publish', exact: true }));
  await dialogOf(page).getByText('1 member moves from First to Regular').waitFor();
  await dialogOf(page).getByText('Nothing has happened since you looked').waitFor();
  await assertUsable(page, 'publishing');
  await hand.type('Regulars earlier');
  await hand.press('Enter');
  await page.getByRole('heading', { name: 'Version 2 is in force' }).waitFor();
  hand.done('publish');
  await assertUsable(page, 'published');
  assert.equal((await inForce(owner)).program.levels.ladder[1]?.threshold, 600);

  await hand.click(page.getByRole('button', { name: 'Go back to version 1' }));
  await page.getByRole('heading', { name: 'One change, not in force yet' }).waitFor();
  await figure(page).waitFor();
  await hand.click(page.getByRole('button', { name: 'Publish', exact: true }));
  await dialogOf(page).getByText('Nothing has happened since you looked').waitFor();
  await hand.click(dialogOf(page).getByRole('button', { name: 'Publish now' }));
  await page.getByRole('heading', { name: 'Version 3 is in force' }).waitFor();
  hand.done('go back');
  const { version, program } = await inForce(owner);
  assert.deepEqual(
    [version, program.levels.ladder[1]?.threshold, program.earning.money_per_point],
    [3, 1000, 1],
  );
  assert.deepEqual(faults, []);
});

test('purchases since the what-if are shown before publishing', async () => {
  const shop = await makeRegularShop();
  const owner = await makeStaff(shop, 'owner');
  const { page } = await openConsole(`/${shop.slug}/program/earning`, owner);
  await pointCost(page).fill('2');
  await bar(page).getByRole('link', { name: 'Review' }).click();
  await figure(page).getByText('420', { exact: true }).first().waitFor();
  await shop.sell(await shop.member(), 40);
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await dialogOf(page).getByText('Since you looked: 1 more purchase; points earned 440, not 420').waitFor();
  await dialogOf(page).getByRole('button', { name: 'Publish now' }).click();
  await page.getByRole('heading', { name: 'Version 2 is in force' }).waitFor();
});

test('two owners at once: the second sees the first’s change, decides, and overwrites nothing', async () => {
  const shop = await makeRegularShop();
  const [owner, other] = [await makeStaff(shop, 'owner'), await makeStaff(shop, 'owner')];
  const { page, faults } = await openConsole(`/${shop.slug}/program/earning`, owner);
  await pointCost(page).fill('2');
  await page.getByRole('link', { name: 'Branding', exact: true }).click();
  await page.getByLabel('Headline').fill('Bread and points');
  // Without an effect, nothing tells before publishing that there is another version.
  await page.route('**/program/what-if', (route) => route.abort());
  // The review reads the program in force when it opens: a version published before that answer would be seen by itself.
  const isRead = page.waitForResponse('**/program/model');
  await bar(page).getByRole('link', { name: 'Review' }).click();
  await page.getByText('The effect could not be computed').waitFor();
  await isRead;
  await publishAs(other, ({ earning }) => ({
    earning: { ...earning, money_per_point: 4 },
    category_name: 'Bakery',
  }));
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await dialogOf(page).getByText('The effect of these changes has not been computed.').waitFor();
  await dialogOf(page).getByRole('button', { name: 'Publish now' }).click();
  await page.getByRole('heading', { name: /A new version was published meanwhile/ }).waitFor();
  assert.equal((await inForce(owner)).program.earning.money_per_point, 4, 'nothing is overwritten');
  const theirs = page.getByRole('region', { name: 'Changed in version 2' });
  await comesToMatch(
    () => theirs.innerText(),
    /Kind of shop[\s\S]*Bakery[\s\S]*A point costs[\s\S]*€1[\s\S]*€4/,
  );
  await page.getByRole('heading', { name: 'One value was changed by both' }).waitFor();
  await assertUsable(page, 'somebody else published');
  await page.getByRole('radio', { name: /€4.*In force now/ }).check();
  await page.getByRole('button', { name: 'Put my changes on version 2' }).click();
  await page.getByRole('heading', { name: 'One change, not in force yet' }).waitFor();
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await dialogOf(page).getByRole('button', { name: 'Publish now' }).click();
  await page.getByRole('heading', { name: 'Version 3 is in force' }).waitFor();
  const { program } = await inForce(owner);
  assert.deepEqual(
    [program.earning.money_per_point, program.category_name, program.tagline],
    [4, 'Bakery', 'Bread and points'],
  );
  assert.deepEqual(
    faults.filter((fault) => !/status of 409|ERR_FAILED/.test(fault)),
    [],
  );
});

test('a version that the review learns of while the owner is about to publish closes the dialog and is shown', async () => {
  const shop = await makeRegularShop();
  const [owner, other] = [await makeStaff(shop, 'owner'), await makeStaff(shop, 'owner')];
  const { page } = await openConsole(`/${shop.slug}/program/earning`, owner);
  await pointCost(page).fill('2');
  await bar(page).getByText('1 change, not in force yet').waitFor();
  await bar(page).getByRole('link', { name: 'Review' }).click();
  await figure(page).waitFor();
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await dialogOf(page).getByText('Nothing has happened since you looked').waitFor();
  await publishAs(other, () => ({ category_name: 'Bakery' }));
  const published = page.getByRole('heading', { name: /A new version was published meanwhile/ });
  // A window that comes to the front asks again what it has known for five seconds.
  await becomes(async () => {
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })));
    return published.count();
  }, 1);
  await dialogOf(page).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Put my changes on version 2' }).click();
  await page.getByRole('heading', { name: 'One change, not in force yet' }).waitFor();
});

test('what another tab changes while the draft is published stays, on top of the new version', async (t) => {
  const shop = await makeRegularShop();
  const owner = await makeStaff(shop, 'owner');
  const { page, context, base } = await openConsole(`/${shop.slug}/program/earning`, owner);
  await pointCost(page).fill('2');
  await bar(page).getByRole('link', { name: 'Review' }).click();
  await figure(page).waitFor();
  const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  t.after(() => answered.resolve());
  await intercept(t, page, /program\/publish$/, async (route) => {
    asked.resolve();
    await answered.promise;
    await route.continue();
  });
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await dialogOf(page).getByText('Nothing has happened since you looked').waitFor();
  await dialogOf(page).getByRole('button', { name: 'Publish now' }).click();
  await asked.promise;
  const other = await context.newPage();
  await other.addInitScript(() => localStorage.setItem('loyalty/console/signed-in', 'yes'));
  await other.goto(`${base}/console/${shop.slug}/program/branding`);
  await other.getByLabel('Headline').fill('Bread and points');
  await page.getByText('Two changes, not in force yet').waitFor();
  answered.resolve();
  await page.getByRole('button', { name: 'Put my changes on version 2' }).click();
  await page.getByRole('button', { name: /^Put back: Headline/ }).waitFor();
  await page.getByRole('heading', { name: 'One change, not in force yet' }).waitFor();
  const { program } = await inForce(owner);
  assert.deepEqual([program.earning.money_per_point, program.tagline], [2, null]);
});

test('what could not be checked says why and is tried again: the changes, a purchase and the last look before publishing', async (t) => {
  const shop = await makeRegularShop();
  const owner = await makeStaff(shop, 'owner');
  const { page } = await openConsole(`/${shop.slug}/program/earning`, owner);
  const tried = page.getByRole('complementary', { name: 'Try a purchase' }).getByRole('status');
  await tried.getByText('18', { exact: true }).first().waitFor();
  const fail = (url: RegExp) =>
    intercept(t, page, url, (route) => route.fulfill({ status: 400, body: 'not today' }));
  let mend = await fail(/program\/(check|try)$/);
  await pointCost(page).fill('2');
  await bar(page).getByText('Your changes could not be checked.').waitFor();
  await bar(page).getByRole('link', { name: 'Review' }).click();
  await page.getByRole('heading', { name: 'The changes could not be checked' }).waitFor();
  assert.equal(await page.getByText('Replaying your purchases').count(), 0);
  await assertUsable(page, 'changes that could not be checked');
  await page.getByRole('link', { name: 'Keep editing' }).click();
  await page.getByRole('link', { name: 'Earning', exact: true }).click();
  await mend();
  mend = await fail(/program\/try$/);
  await bar(page).getByRole('button', { name: 'Try again' }).click();
  await tried.getByText('The purchase could not be tried.').waitFor();
  await mend();
  await tried.getByRole('button', { name: 'Try again' }).click();
  await tried.getByText('9', { exact: true }).first().waitFor();

  await bar(page).getByRole('link', { name: 'Review' }).click();
  await figure(page).getByText('420', { exact: true }).first().waitFor();
  mend = await fail(/program\/what-if$/);
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await dialogOf(page).getByText('What has happened since you looked could not be checked.').waitFor();
  await mend();
  await dialogOf(page).getByRole('button', { name: 'Try again' }).click();
  await dialogOf(page).getByText('Nothing has happened since you looked').waitFor();
});

test('the effect that is shown is always that of the newest changes and days', async (t) => {
  const shop = await makeRegularShop();
  const owner = await makeStaff(shop, 'owner');
  const { page, faults } = await openConsole(`/${shop.slug}/program/earning`, owner);
  await pointCost(page).fill('2');
  await page.getByRole('link', { name: 'Branding', exact: true }).click();
  await page.getByLabel('Headline').fill('Bread and points');
  await bar(page).getByRole('link', { name: 'Review' }).click();
  await figure(page).getByText('420', { exact: true }).first().waitFor();

  // Until the new draft is checked, the effect of the one before is not shown.
  const checked = Promise.withResolvers<void>();
  t.after(() => checked.resolve());
  await intercept(t, page, /program\/check$/, async (route) => {
    await checked.promise;
    await route.continue();
  });
  await page.getByRole('button', { name: 'Put back: A point costs' }).click();
  await figure(page).waitFor({ state: 'detached' });
  checked.resolve();
  await figure(page).getByText('the same').first().waitFor();

  // A run that is stopped or overtaken says nothing any more, and another begins without a reload.
  const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  t.after(() => answered.resolve());
  let held = 0;
  await intercept(t, page, /program\/what-if$/, async (route) => {
    if (held++ > 0) return route.continue();
    asked.resolve();
    await answered.promise;
    await route.continue().catch(() => undefined);
  });
  await page.getByRole('button', { name: '3 months' }).click();
  await asked.promise;
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByText('You can publish without knowing the effect').waitFor();
  answered.resolve();
  await page.getByRole('button', { name: 'Compute again' }).click();
  await figure(page).getByText('the same').first().waitFor();
  await page.getByRole('button', { name: '12 months' }).click();
  await figure(page).waitFor();
  await becomes(() => page.getByRole('button', { name: '12 months' }).getAttribute('aria-pressed'), 'true');
  assert.equal(held, 2, 'the effect over twelve months is known already');
  assert.deepEqual(
    faults.filter((fault) => !/ERR_FAILED/.test(fault)),
    [],
  );
});

test('a reload, another page and an ended session lose nothing of a draft', async () => {
  const shop = await makeRegularShop();
  const owner = await makeStaff(shop, 'owner');
  const { page, context, base } = await openConsole(`/${shop.slug}/program/earning`, owner);
  await pointCost(page).fill('a lot');
  await page.getByText('Enter a number, such as 0.5 or 12.').waitFor();
  await page.reload();
  await becomes(() => pointCost(page).inputValue(), 'a lot');
  await page.getByText('Enter a number, such as 0.5 or 12.').waitFor();
  await bar(page).getByText('1 value needs a correction').waitFor();
  await page.getByRole('link', { name: 'Expiry', exact: true }).click();
  await bar(page).getByRole('button', { name: 'Show it' }).click();
  await page.waitForFunction(() => document.activeElement?.closest('#at-earning-money_per_point') !== null);

  const { db } = await service();
  await sql`update staff_sessions set ended_at = now() where person_id = ${owner.personId}`.execute(db);
  await pointCost(page).fill('4');
  const again = page.getByRole('dialog', { name: 'Sign in again' });
  await again.getByText(`We have sent a code to ${owner.email}`).waitFor();
  await again.getByLabel('Six-digit code').fill(await codeFromMailbox(owner.email));
  await again.waitFor({ state: 'detached' });
  await bar(page).getByText('1 change, not in force yet').waitFor();
  await becomes(() => pointCost(page).inputValue(), '4');

  const second = await context.newPage();
  await second.goto(`${base}/console/${shop.slug}/program/earning`);
  await becomes(() => pointCost(second).inputValue(), '4', 'another tab has the same draft');
  await bar(second).getByRole('button', { name: 'Discard' }).click();
  await bar(page).waitFor({ state: 'detached' });
  await second.getByRole('button', { name: 'Bring them back' }).click();
  await bar(page).getByText('1 change, not in force yet').waitFor();
});

/** Returns the program as 0.2.0 knew it. */
function asIn020({ branches: _branches, stamps: _stamps, earning, codes, ...rest }: Program) {
  const { money_per_point, max_amount, returns, double_points } = earning;
  return {
    ...rest,
    earning: { money_per_point, max_amount, returns, double_points },
    codes: { max_unused: codes.max_unused },
  };
}

test('a draft of 0.2.0 goes on with what that release did not know, and one that cannot be read is none', async () => {
  const shop = await makeRegularShop();
  const owner = await makeStaff(shop, 'owner');
  await publishAs(owner, () => ({ branches: [{ id: 1, name: 'Harbour Street', registers: [] }] }));
  const { version, program } = await inForce(owner);
  const { page, base, faults } = await openConsole(`/${shop.slug}/nowhere`, owner);
  await page.getByRole('heading', { name: 'There is no page here' }).waitFor();
  const keep = (draft: unknown) =>
    page.evaluate(
      ([name, text]) => localStorage.setItem(name!, text!),
      [`loyalty/console/program/${shop.id}/${owner.email}`, JSON.stringify(draft)],
    );
  const older = asIn020(program);
  await keep({ version, from: older, program: { ...older, name: 'Another name' } });
  await page.goto(`${base}/console/${shop.slug}/program/branches`);
  await bar(page).getByText('1 change, not in force yet').waitFor();
  await becomes(() => page.getByLabel('Name').first().inputValue(), 'Harbour Street');
  await page.getByRole('link', { name: 'Rules', exact: true }).click();
  await page.getByRole('button', { name: 'Add a rule' }).first().waitFor();
  await bar(page).getByRole('link', { name: 'Review' }).click();
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await dialogOf(page).getByRole('button', { name: 'Publish now' }).click();
  await bar(page).waitFor({ state: 'detached' });
  await becomes(async () => (await inForce(owner)).program.name, 'Another name');
  assert.deepEqual((await inForce(owner)).program, { ...program, name: 'Another name' });

  for (const draft of [{ version }, { version, from: null, program }, { version, from: [], program: 3 }]) {
    await keep(draft);
    await page.goto(`${base}/console/${shop.slug}/program/earning`);
    await becomes(() => pointCost(page).inputValue(), '1');
    assert.equal(await bar(page).count(), 0);
  }
  assert.deepEqual(faults, []);
});

test('with the keyboard alone, and on a narrow screen, in both languages', async () => {
  const shop = await makeRegularShop();
  const owner = await makeStaff(shop, 'owner');
  const { page, faults } = await openConsole(`/${shop.slug}/program`, owner, { width: 320, locale: 'es-ES' });
  await page.getByRole('heading', { level: 1, name: 'Programa' }).waitFor();
  await assertUsable(page, 'the program');
  await page.getByRole('link', { name: 'Cómo se gana', exact: true }).focus();
  await page.keyboard.press('Enter');
  const cost = page.getByLabel('Un punto cuesta');
  await cost.waitFor();
  await tabTo(page, 'Un punto cuesta');
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('0,5');
  await bar(page).getByText('1 cambio, aún sin publicar').waitFor();
  await assertUsable(page, 'earning');
  for (const part of ['Marca', 'Puntos dobles', 'Vencimiento', 'Niveles']) {
    await page.getByRole('link', { name: 'Todas las partes' }).press('Enter');
    await page.getByRole('link', { name: part, exact: true }).press('Enter');
    await page.getByRole('heading', { level: 1, name: part }).waitFor();
    await assertUsable(page, part);
  }
  await bar(page).getByRole('link', { name: 'Revisar' }).press('Enter');
  await figure(page).waitFor();
  for (const closed of await page.getByRole('main').locator('summary').all()) await closed.click();
  await assertUsable(page, 'the review, unfolded');
  await comesToMatch(() => figure(page).innerText(), /1680[\s\S]*100\s?% más/);
  assert.deepEqual(faults, []);
});

/** Presses Tab until the field of this name has the focus. */
async function tabTo(page: Page, label: string): Promise<void> {
  const id = await page.getByLabel(label).getAttribute('id');
  for (let press = 0; press < 40; press++) {
    await page.keyboard.press('Tab');
    if ((await page.evaluate(() => document.activeElement?.id)) === id) return;
  }
  assert.fail(`${label} cannot be reached by Tab`);
}
