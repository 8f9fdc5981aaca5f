/** A customer in a real browser, at the storefront of the example, and a person of the shop in its admin. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type Axe from 'axe-core';
import { chromium, type Page } from 'playwright-core';
import { capture } from './checkout.ts';
import { hasAdmin } from './install.ts';
import { ADMIN } from './seed.ts';
import { serveStorefront } from './storefront.ts';
import { until } from './stories.ts';
import type { World } from './world.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** The folder for pictures. Without it, none are taken. */
const PICTURES = process.env['SCREENSHOTS'];
const WIDTHS = [390, 768, 1280];

/** @throws AssertionError, or an error of the browser that says what was not there */
export async function shopInBrowser(world: World, email: string): Promise<void> {
  const { base, server } = await serveStorefront(world.seeded, world.shop.base, 0);
  const browser = await chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    args: ['--no-sandbox'],
  });
  const faults: string[] = [];
  const context = await browser.newContext();
  const page = await context.newPage();
  try {
    page.setDefaultTimeout(60_000);
    page.on('console', (message) => {
      if (message.type() === 'error') faults.push(message.text());
    });
    await page.goto(base);
    await page.getByText('Green tea, €12.50, earns 12 points').waitFor();

    await page.getByLabel('E-mail address').nth(1).fill(email);
    await page.getByLabel('Password').fill('a-password-of-eva');
    await page.getByRole('button', { name: 'Register' }).click();
    await page.getByRole('button', { name: 'Mail me a code' }).click();
    await page.getByText('A code is on its way.').waitFor();
    await page.getByLabel('Code from the mail').fill(await world.mailedCode(email));
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('You have 0 points.').waitFor();

    await buy(page, email, 3);
    const { orders } = await world.admin.get<{ orders: { id: string }[] }>(
      '/admin/orders?order=-created_at&limit=1',
    );
    await capture(world.admin, orders[0]!.id);
    await until(
      async () => {
        await page.reload();
        return page.getByText(/You have \d+ points/).textContent();
      },
      (said) => said === 'You have 42 points.',
    );
    await page.getByText('Tea card: 3 of 5').waitFor();
    await page.getByRole('button', { name: 'Buy for 10 points: We pay for the shipping.' }).click();
    await page.getByText('You have 32 points.').waitFor();

    await page.getByRole('button', { name: 'Add Green tea' }).click();
    await page.getByText('1 × Green tea').waitFor();
    await page.getByRole('button', { name: /^Use \d{14} in the cart$/ }).click();
    await page.getByRole('button', { name: 'Take Free shipping out' }).waitFor();
    await page.getByText(/You will earn \d+ points/).waitFor();
    await look(page, 'storefront');
    if (hasAdmin()) await lookAtAdmin(world, await context.newPage(), { email, orderId: orders[0]!.id });
  } catch (error) {
    for (const [index, one] of context.pages().entries()) await takePicture(one, `failed-${index}`);
    const shown = await page.locator('body').innerText();
    throw new Error(`the page showed ${shown}, and said ${faults.join('; ')}`, { cause: error });
  } finally {
    await browser.close();
    server.close();
  }
}

/** The pages of the plugin in the shop's admin. What else is on them is Medusa's. */
async function lookAtAdmin(
  { shop, admin }: World,
  page: Page,
  { email, orderId }: { email: string; orderId: string },
): Promise<void> {
  page.setDefaultTimeout(60_000);
  await page.goto(`${shop.base}/app/login`);
  await page.getByPlaceholder('Email').fill(ADMIN.email);
  await page.getByPlaceholder('Password').fill(ADMIN.password);
  await page.getByRole('button', { name: /Continue|Sign in/ }).click();
  await page.waitForURL((url) => !url.pathname.endsWith('/login'));
  await page.goto(`${shop.base}/app/loyalty`);
  await page.getByText('The service answers.').waitFor();
  await takePicture(page, 'admin-connection');
  await page.goto(`${shop.base}/app/orders/${orderId}`);
  await page.getByRole('heading', { name: 'Points' }).scrollIntoViewIfNeeded();
  await takePicture(page, 'admin-order');
  const { customers } = await admin.get<{ customers: { id: string }[] }>(
    `/admin/customers?email=${encodeURIComponent(email)}&has_account=true`,
  );
  await page.goto(`${shop.base}/app/customers/${customers[0]!.id}`);
  await page.getByRole('link', { name: 'Add or take points in the console' }).scrollIntoViewIfNeeded();
  await page.getByText(/points for 42/).waitFor();
  await takePicture(page, 'admin-customer');
}

async function buy(page: Page, email: string, quantity: number): Promise<void> {
  for (let i = 1; i <= quantity; i += 1) {
    await page.getByRole('button', { name: 'Add Green tea' }).click();
    await page.getByText(`${i} × Green tea`).waitFor();
  }
  await page.getByLabel('E-mail address').first().fill(email);
  await page.getByRole('button', { name: 'Place the order' }).click();
  await page.getByText(/^Order \d+ is placed/).waitFor();
}

/** Checks what can be checked of accessibility, at each width, and takes a picture. */
async function look(page: Page, name: string): Promise<void> {
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    await page.evaluate(AXE);
    const violations = await page.evaluate(async () => {
      const { axe } = globalThis as unknown as { axe: typeof Axe };
      const { violations } = await axe.run();
      return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
    });
    assert.deepEqual(violations, [], `axe at ${width}`);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    assert.ok(overflow <= 0, `the page is ${overflow} pixels too wide at ${width}`);
    await takePicture(page, `${name}-${width}`);
  }
}

async function takePicture(page: Page, name: string): Promise<void> {
  if (PICTURES === undefined) return;
  await mkdir(PICTURES, { recursive: true });
  await page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage: true });
}
