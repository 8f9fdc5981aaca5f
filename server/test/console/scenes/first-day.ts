/** The scenes of the first day: setting up a shop, the page after it, the poster. */
import type { Page } from 'playwright-core';
import { refused, type Scene } from './scene.ts';
import type { World } from './world.ts';

const heading = (page: Page) => page.locator('h1').waitFor();
const link = ({ setUp }: World) => `/set-up#${setUp.link}`;
const poster = (page: Page) => page.locator('.poster[aria-busy=false]').waitFor();

/** The browser of somebody who has proved an address. */
async function begun(page: Page, { setUp }: World): Promise<void> {
  const [name = '', value = ''] = setUp.cookie.split('=');
  await page.context().addCookies([{ name, value, url: new URL(page.url()).origin }]);
  await page.addInitScript(() => localStorage.setItem('loyalty/console/set-up', 'yes'));
}

const step = (name: string, reach: Scene['reach'] = heading): Scene => ({
  name: `set-up-${name}`,
  role: null,
  path: () => `/set-up/${name}`,
  before: begun,
  reach: async (page, world) => {
    await heading(page);
    await reach?.(page, world);
    // The picture beside the form follows in a moment.
    await page.locator('.phone-gain').waitFor();
  },
});

export const FIRST_DAY_SCENES: readonly Scene[] = [
  { name: 'set-up-link', role: null, path: ({ freshLink }) => `/set-up#${freshLink}`, reach: heading },
  { name: 'set-up-in-use', role: null, path: link, reach: heading },
  {
    name: 'set-up-taken',
    role: null,
    path: link,
    async reach(page) {
      await page.locator('input').fill('somebody@example.com');
      await page.keyboard.press('Enter');
      await page.locator('[aria-invalid]').waitFor();
    },
  },
  {
    name: 'set-up-code',
    role: null,
    path: ({ freshLink }) => `/set-up#${freshLink}`,
    async before(page) {
      await page.route('**/set-up/code', (route) => route.fulfill({ json: { message: '' } }));
    },
    async reach(page) {
      await page.locator('input').fill('marta@corner.example');
      await page.keyboard.press('Enter');
      await page.locator('.input.code').waitFor();
    },
  },
  { name: 'set-up-ended', role: null, path: () => `/set-up#${'A'.repeat(43)}`, reach: heading },
  { name: 'set-up-no-link', role: null, path: () => '/set-up', reach: heading },
  {
    name: 'set-up-no-answer',
    role: null,
    path: link,
    before: refused('set-up/link'),
    reach: (page) => page.getByRole('alert').locator('h2').waitFor({ timeout: 20_000 }),
  },
  step('shop'),
  step('place'),
  step('points'),
  step('benefit'),
  step('open'),
  {
    ...step('shop', async (page) => {
      await page.locator('.input.large').fill('');
      await page.keyboard.press('Enter');
      await page.locator('[aria-invalid]').waitFor();
    }),
    name: 'set-up-shop-problem',
  },
  { name: 'first-day', role: 'owner', path: ({ empty }) => `/${empty.slug}/first-day`, reach: poster },
  {
    name: 'first-day-key',
    role: 'owner',
    path: ({ empty }) => `/${empty.slug}/first-day`,
    async before(page) {
      await page.route('**/admin/v1/keys', (route) =>
        route.fulfill({ status: 201, json: { key: `lk_live_${'A1b2'.repeat(12)}` } }),
      );
    },
    async reach(page) {
      await poster(page);
      await page.locator('.first-day > :last-child button').click();
      await page.locator('pre').nth(2).waitFor();
    },
  },
  { name: 'poster', role: 'manager', path: ({ shop }) => `/${shop.slug}/poster`, reach: poster },
  {
    name: 'poster-plain',
    role: 'manager',
    path: ({ shop }) => `/${shop.slug}/poster`,
    async reach(page) {
      await poster(page);
      await page.getByRole('checkbox').check();
    },
  },
];
