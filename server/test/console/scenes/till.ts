/** The scenes of the till. */
import type { Page } from 'playwright-core';
import { never, refused, type Scene } from './scene.ts';
import type { World } from './world.ts';

const here = ({ till }: World) => `/${till.shop.slug}/till`;
const ready = (page: Page) => page.locator('.finder input').waitFor();

/** As on a device whose register was chosen. */
const atRegister = (page: Page, { till, empty }: World) =>
  page.addInitScript(
    (ids) => {
      for (const id of ids)
        localStorage.setItem(`loyalty/console/register/${id}`, '{"registerId":3,"branchId":null}');
    },
    [till.shop.id, empty.id],
  );

async function enter(page: Page, text: string | number): Promise<void> {
  await ready(page);
  await page.locator('.day .row, .day .day-empty, .day .state, .day .bone').first().waitFor();
  await page.locator('.finder input').fill(String(text));
  await page.keyboard.press('Enter');
}

async function serve(page: Page, customer: string | number, amount = ''): Promise<void> {
  await enter(page, customer);
  await page.locator('.purchase').waitFor();
  await page.locator('.person').waitFor();
  // As a hand types: nine figures in a moment are a card.
  await page.keyboard.type(amount, { delay: 60 });
  if (amount !== '') await page.locator('.purchase b.gain, .purchase .wrong').waitFor();
}

type Reach = (page: Page, world: World) => Promise<unknown>;
const scene = (name: string, reach: Reach, more: Partial<Scene> = {}): Scene => ({
  name: `till-${name}`,
  role: 'cashier',
  path: here,
  before: atRegister,
  reach,
  ...more,
});
/** Calls that fail or never end, at a chosen register. */
const failing = (route: (page: Page) => Promise<unknown>) => ({
  before: async (page: Page, world: World) => {
    await atRegister(page, world);
    await route(page);
  },
});

export const TILL_SCENES: readonly Scene[] = [
  scene('ready', (page) => page.locator('.day .row').first().waitFor()),
  scene('first-day', (page) => page.locator('.day-empty').waitFor(), {
    path: ({ empty }) => `/${empty.slug}/till`,
    before: async () => undefined,
  }),
  scene('loading', ready, failing(never('till/day*'))),
  scene('day-failed', (page) => page.locator('.day .state').waitFor(), failing(refused('till/day*'))),
  scene('purchase', (page, { till }) => serve(page, till.customers.regular.code, '1750')),
  scene('purchase-by-manager', (page, { till }) => serve(page, till.customers.regular.code, '1750'), {
    role: 'manager',
  }),
  scene('names', async (page, { till }) => {
    await ready(page);
    await page.locator('.finder input').fill(till.customers.regular.email.slice(0, 3));
    await page
      .locator('.finder-list')
      .waitFor({ timeout: 3_000 })
      .catch(() => undefined);
  }),
  scene('nothing-found', async (page) => {
    await enter(page, 123456789);
    await page.locator('p.finder-note').waitFor();
  }),
  scene(
    'find-failed',
    async (page) => {
      await enter(page, 123456789);
      await page.locator('.finder-note.wrong').waitFor({ timeout: 20_000 });
    },
    failing(refused('find')),
  ),
  scene(
    'member-failed',
    async (page, { till }) => {
      await enter(page, till.customers.regular.code);
      await page.locator('.card .state').waitFor({ timeout: 20_000 });
    },
    failing(refused('till/members/*')),
  ),
  scene('large', (page, { till }) => serve(page, till.customers.rich.code, '98765432')),
  scene('too-large', async (page, { till }) => {
    await serve(page, till.customers.rich.code);
    await page.keyboard.type('999999999999999', { delay: 60 });
    await page.locator('.amount-problem:not(:empty)').waitFor();
  }),
  scene('fraction', async (page, { till }) => {
    await serve(page, till.customers.regular.code);
    await page.keyboard.type('17.505');
    await page.locator('.amount-problem:not(:empty)').waitFor();
  }),
  scene('negative', (page, { till }) => serve(page, till.customers.negative.code, '900')),
  scene('blocked', async (page, { till }) => {
    await enter(page, till.customers.blocked.code);
    await page.locator('.strip.wrong').waitFor();
  }),
  scene('left', async (page, { till }) => {
    await enter(page, till.customers.left.code);
    await page.locator('.person ~ .strip').waitFor();
  }),
  scene('invited', (page, { till }) => serve(page, till.invited, '2400')),
  scene('stranger', (page) => serve(page, 'lucia.martinez@example.com', '2400')),
  scene(
    'preview-failed',
    async (page, { till }) => {
      await serve(page, till.customers.regular.code);
      await page.keyboard.type('1750');
      await page.waitForTimeout(800);
    },
    failing(refused('till/preview')),
  ),
  scene('recorded', async (page, { till }) => {
    await serve(page, till.customers.holder.code, String(200 + Math.floor(Math.random() * 800)));
    await page.keyboard.press('Enter');
    await page.locator('.outcome').waitFor();
    await page.waitForTimeout(400);
  }),
  scene('twice', async (page, { till }) => {
    for (const _ of [1, 2]) {
      await serve(page, till.customers.holder.code, '777');
      await page.keyboard.press('Enter');
      await page
        .locator('.outcome, .strip, .button.main:has-text("second"), .strip.ending')
        .first()
        .waitFor();
    }
  }),
  scene('offline', async (page, { till }) => {
    await serve(page, till.customers.regular.code, '1750');
    await page.context().setOffline(true);
    await page.keyboard.press('Enter');
    await page.locator('form .strip').waitFor();
  }),
  scene(
    'unknown',
    async (page, { till }) => {
      await serve(page, till.customers.regular.code, '1750');
      await page.keyboard.press('Enter');
      await page.locator('form .strip.wrong').waitFor({ timeout: 20_000 });
    },
    failing(refused('purchases')),
  ),
  scene(
    'put-aside',
    async (page, { till }) => {
      await serve(page, till.customers.regular.code, '1750');
      await page.keyboard.press('Enter');
      await page.locator('form .strip.wrong').waitFor({ timeout: 20_000 });
      await serve(page, till.customers.holder.code, '300');
    },
    failing(refused('purchases')),
  ),
  scene('use', async (page, { till }) => {
    await serve(page, till.customers.regular.code);
    await page.locator('.rows .button').first().click();
    await page.locator('dialog').waitFor();
  }),
  scene('voucher', async (page, { till }) => {
    await enter(page, till.codes.usable);
    await page.locator('.voucher').waitFor();
  }),
  scene('voucher-used', async (page, { till }) => {
    await enter(page, till.codes.used);
    await page.locator('.voucher').waitFor();
  }),
  scene('voucher-expired', async (page, { till }) => {
    await enter(page, till.codes.expired);
    await page.locator('.voucher').waitFor();
  }),
  scene('register', async (page) => {
    await page.locator('.day-head .text-button').click();
    await page.locator('dialog').waitFor();
  }),
  scene('no-camera', async (page) => {
    await ready(page);
    await page.locator('.finder .round').last().click();
    await page.locator('dialog .state').waitFor();
  }),
];
