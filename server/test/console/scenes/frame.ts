/** The scenes of the frame, of signing in and of what every page shares. */
import type { Page } from 'playwright-core';
import { never, refused, type Scene } from './scene.ts';

const here = ({ shop }: { shop: { slug: string } }) => `/${shop.slug}/nowhere`;
const ready = (page: Page) => page.locator('.state h1').waitFor();

async function search(page: Page, text: string): Promise<void> {
  await ready(page);
  await page.keyboard.press('/');
  await page.getByRole('combobox').fill(text);
}

export const FRAME_SCENES: readonly Scene[] = [
  { name: 'sign-in', role: null, path: () => '', reach: (page) => page.locator('h1').waitFor() },
  {
    name: 'sign-in-problem',
    role: null,
    path: () => '',
    async reach(page) {
      await page.locator('input').fill('marta');
      await page.keyboard.press('Enter');
      await page.locator('[aria-invalid]').waitFor();
    },
  },
  {
    name: 'sign-in-code',
    role: null,
    path: () => '',
    async reach(page, { staff }) {
      await page.locator('input').fill(staff.manager.email);
      await page.keyboard.press('Enter');
      await page.locator('.input.code').waitFor();
    },
  },
  {
    name: 'sign-in-link',
    role: null,
    path: () => '#link=abc',
    reach: (page) => page.locator('h1').waitFor(),
  },
  {
    name: 'no-answer',
    role: 'manager',
    path: here,
    before: refused('session'),
    reach: (page) => page.getByRole('alert').waitFor(),
  },
  { name: 'no-page', role: 'manager', path: here, reach: ready },
  { name: 'not-your-role', role: 'cashier', path: ({ shop }) => `/${shop.slug}/members`, reach: ready },
  { name: 'not-your-shop', role: 'owner', path: () => '/somebody-elses/till', reach: ready },
  {
    name: 'shops',
    role: 'owner',
    path: here,
    async reach(page) {
      await ready(page);
      await page.locator('button.shop').click();
    },
  },
  {
    name: 'account',
    role: 'manager',
    path: here,
    async reach(page) {
      await ready(page);
      await page.locator('.top .round').click();
    },
  },
  {
    name: 'keyboard',
    role: 'manager',
    path: here,
    async reach(page) {
      await ready(page);
      await page.keyboard.press('?');
      await page.getByRole('dialog').waitFor();
    },
  },
  { name: 'search', role: 'owner', path: here, reach: (page) => search(page, '') },
  {
    name: 'search-found',
    role: 'manager',
    path: here,
    async reach(page) {
      await search(page, 'ana luc');
      await page.locator('.palette-line .avatar').first().waitFor();
    },
  },
  {
    name: 'search-waiting',
    role: 'manager',
    path: here,
    before: never('find'),
    async reach(page) {
      await search(page, 'ana');
      await page.locator('.palette-note').waitFor();
    },
  },
  {
    name: 'search-nothing',
    role: 'manager',
    path: here,
    async reach(page) {
      await search(page, 'nobody at all');
      await page.locator('.palette-note').waitFor();
    },
  },
  {
    name: 'search-no-answer',
    role: 'manager',
    path: here,
    before: refused('find'),
    async reach(page) {
      await search(page, 'ana');
      await page.locator('.palette-note.wrong').waitFor({ timeout: 20_000 });
    },
  },
  {
    name: 'offline',
    role: 'manager',
    path: here,
    async reach(page) {
      await ready(page);
      await page.context().setOffline(true);
      await page.locator('.strip').waitFor();
    },
  },
  {
    name: 'signed-out',
    role: 'manager',
    path: here,
    async before(page) {
      await page.route('**/admin/v1/find', (route) => route.fulfill({ status: 401, json: {} }));
      await page.route('**/auth/otp/request', (route) => route.fulfill({ json: { message: '' } }));
    },
    async reach(page) {
      await search(page, 'ana');
      await page.locator('.input.code').waitFor();
    },
  },
  {
    name: 'fresh-code',
    role: 'manager',
    path: here,
    async before(page) {
      await page.route('**/admin/v1/find', (route) =>
        route.fulfill({ status: 403, headers: { 'x-error-code': 'fresh_code_needed' }, json: {} }),
      );
      await page.route('**/auth/step-up/request', (route) => route.fulfill({ json: { message: '' } }));
    },
    async reach(page) {
      await search(page, 'ana');
      await page.locator('.input.code').waitFor();
    },
  },
];
