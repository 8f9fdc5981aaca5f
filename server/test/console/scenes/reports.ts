/** The scenes of Home and the reports. */
import type { Page } from 'playwright-core';
import { never, refused, type Scene } from './scene.ts';
import type { World } from './world.ts';

const drawn = (page: Page) => page.locator('.chart-box canvas').first().waitFor();
const failed = (page: Page) => page.getByRole('alert').waitFor({ timeout: 20_000 });
const waiting = (page: Page) => page.locator('.bone').first().waitFor();
const at =
  (path: string) =>
  ({ shop }: World) =>
    `/${shop.slug}/${path}`;

/** All days of the world's program, whose clock has been moved by some months. */
const DAYS = 'from=2020-01-01&to=2029-12-31';

function scene(name: string, path: string, more: Partial<Scene> = {}): Scene {
  return { name, role: 'owner', path: at(path), reach: drawn, ...more };
}

export const REPORT_SCENES: readonly Scene[] = [
  scene('home', 'home'),
  scene('home-waiting', 'home', { before: never('reports/overview'), reach: waiting }),
  scene('home-no-answer', 'home', { before: refused('reports/overview'), reach: failed }),
  scene('home-new-shop', '', {
    path: ({ empty }) => `/${empty.slug}/home`,
    reach: (page) => page.locator('.step-link').first().waitFor(),
  }),
  scene('home-more-pages', 'home', {
    async reach(page) {
      await drawn(page);
      const more = page.locator('.side .rest > button');
      if (await more.isVisible()) await more.click();
    },
  }),
  ...['points', 'purchases', 'members', 'levels', 'benefits', 'liability'].map((name) =>
    scene(`reports-${name}`, `reports/${name}`),
  ),
  scene('reports-year', 'reports/points?range=12-months'),
  scene('reports-reading', 'reports/points', {
    async reach(page) {
      await drawn(page);
      await page.locator('.chart').focus();
      await page.keyboard.press('ArrowLeft');
      await page.keyboard.press('ArrowLeft');
    },
  }),
  scene('reports-ranges', 'reports/points', {
    async reach(page) {
      await drawn(page);
      await page.locator('.range-days [aria-haspopup=menu]').click();
    },
  }),
  scene('reports-days', 'reports/points', {
    async reach(page) {
      await drawn(page);
      await page.locator('.range-days [aria-haspopup=menu]').click();
      await page.locator('.menu:popover-open [role^=menuitem]').last().click();
      await page.locator('dialog[open]').waitFor();
    },
  }),
  scene('reports-waiting', 'reports/points', { before: never('reports/points**'), reach: waiting }),
  scene('reports-no-answer', 'reports/points', { before: refused('reports/points**'), reach: failed }),
  scene('reports-nothing', '', {
    path: ({ empty }) => `/${empty.slug}/reports/points`,
    reach: (page) => page.locator('.state').waitFor(),
  }),
  scene('reports-movements', `reports/movements?kind=from_purchases&${DAYS}`, {
    reach: (page) => page.locator('.trail').waitFor(),
  }),
  scene('reports-people', `reports/people?kind=reached&${DAYS}`, {
    reach: (page) => page.locator('.trail, .state').waitFor(),
  }),
];
