/** The scenes of the program: its parts, the review, and what comes of it. */
import type { Page } from 'playwright-core';
import { never, refused, type Scene } from './scene.ts';
import type { World } from './world.ts';

const at =
  (part = '') =>
  ({ shop }: World) =>
    `/${shop.slug}/program${part === '' ? '' : `/${part}`}`;
const shown = (page: Page) => page.locator('h1').waitFor();

/** Changes what a point costs. The draft belongs to the browser, so each scene begins without one. */
async function cheapen(page: Page, cost = '0.5'): Promise<void> {
  await page.locator('#at-earning-money_per_point input').fill(cost);
  await page.locator('.draft-bar').waitFor();
}

async function review(page: Page): Promise<void> {
  await cheapen(page);
  await page.locator('.draft-bar .main').click();
}

/** Adds two rules that can meet, and opens the second. */
async function addRules(page: Page): Promise<void> {
  for (const [name, condition] of [
    ['Double on coffee', 2],
    ['Early birds', 2],
  ] as const) {
    await page.locator('.page-head .button, .state .button').first().click();
    await page.locator('dialog input').fill(name);
    await page.locator('dialog .main').click();
    await page.locator('.rule').last().locator('.acts .button').click();
    await page.locator(':popover-open [role=menuitem]').nth(condition).click();
  }
  await page.locator('.tried b').first().waitFor();
}

function scene(name: string, part: string, reach: Scene['reach'], more: Partial<Scene> = {}): Scene {
  return { name: `program-${name}`, role: 'owner', path: at(part), reach: reach!, ...more };
}

export const PROGRAM_SCENES: readonly Scene[] = [
  scene('overview', '', shown),
  scene('overview-waiting', '', (page) => page.locator('.waiting').waitFor(), {
    before: never('program/model'),
  }),
  scene('overview-no-answer', '', (page) => page.getByRole('alert').waitFor({ timeout: 20_000 }), {
    before: refused('program/model'),
  }),
  scene('branding', 'branding', async (page) => {
    await page.locator('input[type=color]').fill('#8e2a4c');
    await page.waitForTimeout(600);
  }),
  scene('earning', 'earning', async (page) => {
    await cheapen(page);
    await page.locator('.tried s').first().waitFor();
  }),
  scene('earning-problem', 'earning', async (page) => {
    await cheapen(page, 'a lot');
    await page.locator('[aria-invalid]').waitFor();
  }),
  scene('rules-none', 'rules', (page) => page.locator('.state').waitFor()),
  scene('rules', 'rules', addRules),
  scene('double-points-none', 'double-points', (page) => page.locator('.state').waitFor()),
  scene('double-points', 'double-points', async (page) => {
    await page.locator('.state .button').click();
    await page.locator('input[type=date]').first().waitFor();
  }),
  scene('expiry', 'expiry', (page) => page.locator('.radio').first().waitFor()),
  scene('tiers', 'tiers', (page) => page.locator('.ladder').waitFor()),
  scene('tiers-none', 'tiers', (page) => page.locator('.state').waitFor(), {
    path: ({ empty }) => `/${empty.slug}/program/tiers`,
  }),
  scene('review', 'earning', async (page) => {
    await review(page);
    await page.locator('.bars').waitFor();
  }),
  scene(
    'review-running',
    'earning',
    async (page) => {
      await review(page);
      await page.locator('.running progress').waitFor();
    },
    { before: never('program/what-if') },
  ),
  scene(
    'review-no-answer',
    'earning',
    async (page) => {
      await review(page);
      await page.locator('.running[role=alert]').waitFor();
    },
    { before: refused('program/what-if') },
  ),
  scene('review-nothing', 'review', (page) => page.locator('.state').waitFor()),
  scene('review-publish', 'earning', async (page) => {
    await review(page);
    await page.locator('.bars').waitFor();
    await page.locator('.page-head .main').click();
    await page.locator('dialog[open] .at-once, dialog[open] .small').first().waitFor();
  }),
  scene('review-meanwhile', 'earning', async (page) => {
    await cheapen(page);
    await page.route('**/program/model', async (route) => {
      const response = await route.fetch();
      const model = (await response.json()) as { version: number; program: { earning: object } };
      await route.fulfill({
        json: {
          ...model,
          version: model.version + 1,
          program: {
            ...model.program,
            tagline: 'Bread and points',
            earning: { ...model.program.earning, money_per_point: 2 },
          },
        },
      });
    });
    await page.reload();
    await page.locator('.meanwhile .button').click();
    await page.locator('.conflicts').waitFor();
  }),
];
