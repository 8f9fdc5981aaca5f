/** The example's page in a real browser: a customer joins, pays, buys a code and uses it. At three widths it fits, and axe finds nothing. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import type Axe from 'axe-core';
import { chromium, type Page } from 'playwright-core';
import { PROGRAM, setStage } from './stage.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
/** The folder for pictures. Without it, none are taken. */
const SCREENSHOTS = process.env['SCREENSHOTS'];
const WIDTHS = [390, 820, 1280];

test('a customer joins, pays, buys a code and uses it, on a page that everybody can read', async () => {
  const stage = await setStage({ program: PROGRAM, slug: 'shop-vendure' });
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    page.setDefaultTimeout(60_000);
    await page.goto(`${stage.shop.base}/store`);
    await page.getByText('earns 12 points', { exact: false }).first().waitFor();

    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Send me the code' }).click();
    await page.getByText('Look into your mail.').waitFor();
    await page.getByLabel('Code from the mail').fill(await stage.mailedCode('eva@example.com'));
    await page.getByRole('button', { name: 'Join' }).click();
    await page.getByText('0 points', { exact: true }).waitFor();

    for (let mugs = 1; mugs <= 3; mugs++) {
      await page.getByRole('button', { name: 'Add Blue mug to the cart' }).click();
      await page.getByText(`${mugs} × Blue mug`).waitFor();
    }
    await page.getByText('You will earn 36 points.').waitFor();
    await page.getByRole('button', { name: 'Pay', exact: true }).click();
    await page.getByText('Paid. Thank you!').waitFor();
    await untilPoints(page, 40);

    await page.getByRole('button', { name: 'Buy 10 % off your order for 20 points' }).click();
    await page.getByText('20 points', { exact: true }).first().waitFor();
    await page.getByRole('button', { name: 'Add White mug to the cart' }).click();
    await page.getByText('1 × White mug').waitFor();
    await page.getByRole('button', { name: 'Use 10 % off your order' }).click();
    await page.getByText('Total €8.55').waitFor();
    await page.getByRole('button', { name: 'Take out' }).waitFor();
    for (const width of WIDTHS) await examine(page, width);
    await page.getByRole('button', { name: 'Pay', exact: true }).click();
    await page.getByText('Paid. Thank you!').waitFor();
    // 20 were left, and 13.54 were paid with the shipping.
    await untilPoints(page, 33);
  } finally {
    await browser.close();
    await stage.end();
  }
});

/** The points come within seconds, and the page shows them when it is opened again. */
async function untilPoints(page: Page, points: number): Promise<void> {
  for (let tries = 0; tries < 60; tries++) {
    await page.reload();
    const balance = page.locator('#balance');
    await balance.waitFor();
    if ((await balance.textContent()) === `${points} points`) return;
    await page.waitForTimeout(500);
  }
  assert.fail(`the page never showed ${points} points`);
}

async function examine(page: Page, width: number): Promise<void> {
  await page.setViewportSize({ width, height: 900 });
  const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
  assert.equal(overflow, 0, `at ${width} pixels nothing stands beside the page`);
  await page.evaluate(AXE);
  const { violations } = (await page.evaluate('axe.run()')) as Axe.AxeResults;
  assert.deepEqual(
    violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]),
    [],
    `axe at ${width} pixels`,
  );
  if (SCREENSHOTS !== undefined)
    await page.screenshot({ path: `${SCREENSHOTS}/vendure-${width}.png`, fullPage: true });
}
