/** Home and the reports, in a real browser in front of the real figures. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { benefit, makeShop } from '#test/make.ts';
import { makeStaff } from '#test/staff.ts';
import { intercept } from '../portal/intercept.ts';
import { assertUsable, openConsole } from './console.ts';
import { makeReportedShop, type ReportedShop } from './reports.ts';
import { becomes, comesToMatch } from '../portal/browser.ts';

let made: Promise<ReportedShop> | undefined;
const reported = () => (made ??= makeReportedShop());

const drawn = (page: Page) => page.locator('canvas').first().waitFor();
const followed = (page: Page, name: string) =>
  page.getByRole('link', { name: new RegExp(`^${name}: `) }).first();
/** The tab of a report: its address is the same in every language. */
const tabOf = (page: Page, report: string) =>
  page.getByRole('navigation', { name: /^(?:Reports|Informes)$/ }).locator(`a[href*="/reports/${report}"]`);
const range = (page: Page) => page.getByRole('button', { name: /^Range/ });

/** The numbers in a text: `€1,240` is 1240. */
const numberIn = (text: string) => Number(text.replaceAll(/[^\d-]/g, ''));

/** The cells below a head of the list that is shown. */
async function cellsOf(page: Page, head: string): Promise<string[]> {
  const heads = await page.getByRole('table').getByRole('columnheader').allTextContents();
  return page
    .getByRole('table')
    .locator(`tbody tr > :nth-child(${heads.indexOf(head) + 1})`)
    .allTextContents();
}

/** Adds up the points, or the lines, of the list that is shown. */
async function sumOf(page: Page, what: 'points' | 'amount' | 'lines'): Promise<number> {
  const rows = page.getByRole('table').locator('tbody').getByRole('row');
  await rows.first().waitFor();
  if (what === 'lines') return rows.count();
  const cells = await cellsOf(page, what === 'points' ? 'Points' : 'Amount');
  return cells.reduce((sum, text) => sum + Math.abs(numberIn(text)), 0);
}

test('Home is where a manager begins: the day, what needs somebody, and numbers that lead to what they are made of', async () => {
  const { shop, manager } = await reported();
  const { page, faults } = await openConsole('', manager);
  await page.waitForURL(new RegExp(`/${shop.slug}/home$`));
  await drawn(page);
  await page.getByText('Country loaf is sold out').waitFor();
  await page.getByText(/points end within 30 days$/).waitFor();
  await assertUsable(page, 'Home');
  await becomes(() => followed(page, 'Amount').textContent(), '€42');
  await followed(page, 'Amount').click();
  await page.getByRole('heading', { level: 1, name: 'Purchases' }).waitFor();
  await becomes(() => sumOf(page, 'amount'), 42);
  await assertUsable(page, 'what today is made of');
  await page
    .getByRole('link', { name: `ana-${shop.slug}` })
    .or(page.getByRole('table').getByRole('link').first())
    .first()
    .click();
  await page.waitForURL(/\/members\/\d+(?:\?movement=|#movement-)\d+$/);
  await page.getByRole('group', { name: 'How it came about' }).waitFor();
  await page.goBack();
  await page.goBack();
  await drawn(page);
  await page.getByRole('link', { name: /^See who/ }).click();
  await page.getByRole('button', { name: /Points ending within 30 days/ }).waitFor();
  assert.deepEqual(faults, []);
});

test('every number of a report equals the list behind it', async () => {
  const { shop, manager } = await reported();
  const { page, faults } = await openConsole(`/${shop.slug}/reports/points?range=90-days`, manager);
  await drawn(page);
  for (const [report, figure, what] of [
    ['points', 'Earned', 'points'],
    ['points', 'Spent', 'points'],
    ['points', 'Returned', 'points'],
    ['purchases', 'Amount', 'amount'],
    ['members', 'Joined', 'lines'],
    ['benefits', 'A coffee on us, Bought', 'lines'],
    ['levels', 'Captain, Reached in the range', 'lines'],
  ] as const) {
    await tabOf(page, report).click();
    await drawn(page);
    const link = followed(page, figure);
    const said = numberIn((await link.textContent())!);
    assert.ok(said > 0, `${report}: ${figure}`);
    await link.click();
    await becomes(() => sumOf(page, what), said, `${report}: ${figure}`);
    await page.goBack();
    await link.and(page.locator(':focus')).waitFor();
  }
  await tabOf(page, 'benefits').click();
  await page.getByRole('rowheader', { name: 'A coffee on us' }).waitFor();
  assert.equal(await followed(page, 'A coffee on us, Used').count(), 0, 'nothing leads to nothing');
  await tabOf(page, 'liability').click();
  const ending = page.getByRole('group', { name: 'When they end' }).getByRole('link').first();
  const said = numberIn((await ending.textContent())!);
  await ending.click();
  await page.getByRole('heading', { level: 1, name: 'Whose points end' }).waitFor();
  await page.getByRole('table').locator('tbody').getByRole('row').first().waitFor();
  const points = await cellsOf(page, 'Points');
  assert.equal(
    points.reduce((sum, text) => sum + numberIn(text), 0),
    said,
  );
  assert.deepEqual(faults, []);
});

test('days and grouping live in the address: the back button and a reload bring them back, other reports keep them', async () => {
  const { shop, manager } = await reported();
  const { page, faults, base } = await openConsole(`/${shop.slug}/reports`, manager);
  await page.waitForURL(/reports\/points$/);
  await drawn(page);
  await range(page).click();
  await assertUsable(page, 'the menu of ranges');
  await page.getByRole('menuitemradio', { name: /^Last 90 days/ }).click();
  await page.waitForURL(/\?range=90-days$/);
  await becomes(() => page.getByRole('radio', { name: 'Week' }).isChecked(), true);
  await page.getByRole('radio', { name: 'Month' }).check();
  await page.waitForURL(/range=90-days&by=month$/);
  await page.getByRole('heading', { name: 'By month' }).waitFor();
  await page.getByRole('link', { name: 'Purchases', exact: true }).click();
  await page.waitForURL(/reports\/purchases\?range=90-days&by=month$/);
  await page.getByRole('button', { name: 'Show Per purchase in the chart' }).click();
  await page.waitForURL(/show=average_amount$/);
  await page.reload();
  await drawn(page);
  assert.equal(
    await page.getByRole('button', { name: 'Show Per purchase in the chart' }).getAttribute('aria-pressed'),
    'true',
  );
  await becomes(() => page.getByRole('radio', { name: 'Month' }).isChecked(), true);
  for (let i = 0; i < 3; i++) await page.goBack();
  await page.waitForURL(/reports\/points\?range=90-days$/);
  await page.getByRole('heading', { name: 'By week' }).waitFor();

  await page.getByRole('button', { name: 'The days before' }).click();
  await page.waitForURL(/from=\d{4}-\d\d-\d\d&to=\d{4}-\d\d-\d\d$/);
  await page.getByRole('button', { name: 'The days after' }).click();
  await page.getByRole('button', { name: 'The days after', disabled: true }).waitFor();
  await range(page).click();
  await page.getByRole('menuitemradio', { name: 'Other days…' }).click();
  await page.getByLabel('From', { exact: true }).fill('2026-03-10');
  await page.getByLabel('To', { exact: true }).fill('2026-03-01');
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  await page.getByText('The last day must not be before the first.').waitFor();
  await assertUsable(page, 'a problem with the days');
  await page.getByLabel('To', { exact: true }).fill('2026-03-19');
  await page.keyboard.press('Enter');
  await page.waitForURL(/from=2026-03-10&to=2026-03-19$/);
  await page.getByText('Compared with 28 Feb – 9 Mar 2026').waitFor();
  await page.goto(`${base}/console/${shop.slug}/reports/points?from=2026-13-45&to=x&by=year`);
  await page.getByRole('button', { name: 'Range: Last 30 days' }).waitFor();
  assert.deepEqual(faults, []);
});

test('a chart is read and followed by keyboard alone, and a mouse reads the same', async () => {
  const { shop, manager } = await reported();
  const { page, faults } = await openConsole(`/${shop.slug}/reports/points`, manager);
  await drawn(page);
  const chart = page.getByRole('slider', { name: /^Earned, Spent, Expired, Returned, / });
  await page.getByRole('radio', { name: 'Day' }).focus();
  for (let i = 0; i < 8; i++) {
    await page.keyboard.press('Tab');
    if (await chart.evaluate((element) => element === document.activeElement)) break;
  }
  const said = () => chart.getAttribute('aria-valuetext');
  await page.locator('.chart-reading').waitFor();
  await comesToMatch(() => said(), /, so far\. Earned: 51, Spent: 0, Expired: 0, Returned: 14, /);
  await assertUsable(page, 'a chart that is read');
  await page.keyboard.press('ArrowLeft');
  await comesToMatch(() => said(), /Earned: 0, /);
  for (let i = 0; i < 6; i++) await page.keyboard.press('ArrowLeft');
  await comesToMatch(() => said(), /Earned: 84, /);
  const day = await page.locator('.chart-reading b').textContent();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Points earned' }).waitFor();
  await becomes(() => sumOf(page, 'points'), 84);
  await page.goBack();
  await drawn(page);
  await chart.and(page.locator(':focus')).waitFor();
  const box = (await chart.boundingBox())!;
  for (let x = box.width - 30; x > 0; x -= 8) {
    await page.mouse.move(box.x + x, box.y + 60);
    if ((await page.locator('.chart-reading b').textContent()) === day) break;
  }
  await comesToMatch(() => page.locator('.chart-reading').textContent(), /Earned84/);
  await page.mouse.down();
  await page.mouse.up();
  await page.getByRole('heading', { level: 1, name: 'Points earned' }).waitFor();
  assert.deepEqual(faults, []);
});

test('a report is saved as CSV, which the service writes', async () => {
  const { shop, manager } = await reported();
  const { page, faults } = await openConsole(`/${shop.slug}/reports/purchases`, manager);
  await drawn(page);
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'By day: save as CSV' }).click();
  const file = await (await download).createReadStream();
  const lines = (await file.toArray()).join('').trim().split('\n');
  assert.equal(lines.length, 31);
  await page.getByText(/^In your downloads: /).waitFor();
  assert.deepEqual(faults, []);
});

test('Home and every report fit any screen, light and dark, in both languages', async () => {
  const { shop, manager } = await reported();
  for (const [scheme, locale, wide] of [
    ['light', 'en-GB', [1280, 768, 320]],
    ['dark', 'es-AR', [1920, 390]],
  ] as const) {
    const { page, faults } = await openConsole(`/${shop.slug}/home`, manager, { scheme, locale });
    await drawn(page);
    const fits = async (where: string, widths: readonly number[]) => {
      for (const width of widths) {
        await page.setViewportSize({ width, height: 800 });
        await assertUsable(page, `${where}, ${width} pixels, ${scheme}`);
      }
    };
    await fits('home', wide);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page
      .getByRole('navigation', { name: /^(?:Pages|Páginas)$/ })
      .getByRole('link', { name: /^(?:Reports|Informes)$/ })
      .click();
    for (const report of ['points', 'purchases', 'members', 'levels', 'benefits', 'liability']) {
      await tabOf(page, report).click();
      await tabOf(page, report).and(page.locator('[aria-current]')).waitFor();
      await drawn(page);
      await fits(report, report === 'points' ? wide : [scheme === 'light' ? 320 : 1280]);
    }
    assert.deepEqual(faults, []);
  }
});

test('a new shop says what to do first; no answer is said and tried again; a cashier has no reports', async (t) => {
  const shop = await makeShop();
  const owner = await makeStaff(shop, 'owner');
  const cashier = await makeStaff(shop, 'cashier');
  const { page, base, faults } = await openConsole(`/${shop.slug}/home`, owner);
  await page.getByRole('heading', { name: 'Your shop is ready' }).waitFor();
  await page.getByRole('link', { name: 'Record the first purchase' }).waitFor();
  await assertUsable(page, 'a new shop');
  // Somebody who joins has bought nothing: there are no figures to show yet.
  await shop.member();
  await page.reload();
  await page.getByRole('heading', { name: 'Your shop is ready' }).waitFor();
  await page.getByRole('link', { name: 'Print the poster' }).waitFor();
  await page.goto(`${base}/console/${shop.slug}/reports/points`);
  await page.getByRole('heading', { name: 'Nothing to report yet' }).waitFor();
  await assertUsable(page, 'nothing to report');
  assert.deepEqual(faults, []);
  const stop = await intercept(t, page, /reports\/purchases/, (route) => route.abort('connectionrefused'));
  await page.getByRole('link', { name: 'Purchases', exact: true }).click();
  await page.getByRole('heading', { name: 'No connection' }).waitFor();
  await assertUsable(page, 'a report without an answer');
  await stop();
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('heading', { name: 'Nothing to report yet' }).waitFor();
  const till = await openConsole(`/${shop.slug}/reports/points`, cashier);
  await till.page.getByRole('heading', { name: 'This page is not for your role' }).waitFor();
});

test('after the first purchase Home lists the steps that are left, and each goes once it was followed', async () => {
  const shop = await makeShop();
  await shop.sell(await shop.member(), 30);
  const owner = await makeStaff(shop, 'owner');
  const { page, faults } = await openConsole(`/${shop.slug}/home`, owner);
  const left = page.getByRole('region', { name: 'What is left to do' });
  await becomes(
    () => left.getByRole('link').allTextContents(),
    ['Look at your program', 'Print the poster', 'Invite your team'],
  );
  await assertUsable(page, 'Home after the first purchase');
  await left.getByRole('link', { name: 'Invite your team' }).click();
  await page.getByRole('heading', { level: 1, name: 'Team' }).waitFor();
  await page.goBack();
  await becomes(() => left.getByRole('link').count(), 2);
  await page.reload();
  await becomes(() => left.getByRole('link').count(), 2, 'a reload proposes nothing again');
  await left.getByRole('link', { name: 'Look at your program' }).click();
  await page.goBack();
  await left.getByRole('link', { name: 'Print the poster' }).click();
  await page.goBack();
  await page.getByRole('heading', { name: 'Last 30 days' }).waitFor();
  await left.waitFor({ state: 'detached' });
  assert.deepEqual(faults, []);
});

test('growth of something good is green, a fall amber, and of what is neither the color of all figures', async () => {
  const shop = await makeShop({ sandbox: true, benefits: [benefit('coffee', { cost: 10 })] });
  const member = await shop.member();
  await shop.sell(member, 100);
  await shop.voucher(member, 'coffee');
  await shop.moveClock('31 days');
  await shop.sell(member, 150);
  await shop.voucher(member, 'coffee');
  await shop.voucher(member, 'coffee');
  const { page } = await openConsole(`/${shop.slug}/home`, await makeStaff(shop, 'owner'));
  const growth = async (name: string, says: string) => {
    const line = page.getByRole('region', { name, exact: true }).getByText(says, { exact: true });
    return line.evaluate(
      (element, names) => {
        const probe = document.createElement('i');
        document.body.append(probe);
        const colors = names.map((one) => {
          probe.style.color = `var(--${one})`;
          return getComputedStyle(probe).color;
        });
        probe.remove();
        return names[colors.indexOf(getComputedStyle(element).color)];
      },
      ['gain', 'ending', 'text', 'quiet'] as const,
    );
  };
  await becomes(() => growth('Amount', '+50%'), 'gain');
  await becomes(() => growth('Points spent', '+100%'), 'text');
  await becomes(() => growth('New members', '−100%'), 'ending');
});
