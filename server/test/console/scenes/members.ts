/** The scenes of the members: the list, a member's page, and what a manager does there. */
import type { Page } from 'playwright-core';
import type { MadeMember } from '#test/make.ts';
import { never, refused, type Scene } from './scene.ts';
import type { World } from './world.ts';

const list = ({ shop }: World) => `/${shop.slug}/members`;
const listed = (page: Page) => page.locator('.members .row-link').first().waitFor();
const shown = (page: Page) => page.locator('.unfolded, .history .opener').first().waitFor();

/** Opens a member from the list, found by the code. */
function open(
  who: (world: World) => MadeMember,
  then: (page: Page, world: World) => Promise<unknown> = shown,
) {
  return async (page: Page, world: World) => {
    await page.locator('.list-finder input').fill(String(who(world).code));
    await page.waitForURL(/#find=/);
    await page.locator('.members[aria-busy=false] tbody tr:only-child .row-link').click();
    await shown(page);
    await then(page, world);
  };
}

const regular = (world: World) => world.member;

/** Opens a dialog of the menu by its place there, in any language. */
const fromMenu = (place: number) => async (page: Page) => {
  await page.locator('.member-head .icon-only').click();
  await page.locator('.menu:popover-open [role=menuitem]').nth(place).click();
  await page.locator('dialog[open]').waitFor();
};

function scene(name: string, reach: Scene['reach'], more: Partial<Scene> = {}): Scene {
  return { name: `members-${name}`, role: 'manager', path: list, reach: reach!, ...more };
}

export const MEMBER_SCENES: readonly Scene[] = [
  scene('list', listed),
  scene('list-waiting', (page) => page.locator('.waiting').waitFor(), { before: never('members/search') }),
  scene('list-no-answer', (page) => page.getByRole('alert').waitFor({ timeout: 20_000 }), {
    before: refused('members/search'),
  }),
  scene('list-filtered', listed, {
    path: ({ shop }) => `/${shop.slug}/members?tier=captain&min=100&sort=name`,
  }),
  scene('list-nobody-found', (page) => page.locator('.state').waitFor(), {
    path: ({ shop }) => `/${shop.slug}/members#find=zzz`,
  }),
  scene('list-empty', (page) => page.locator('.state').waitFor(), {
    role: 'owner',
    path: ({ empty }) => `/${empty.slug}/members`,
  }),
  scene('list-points', async (page) => {
    await listed(page);
    await page.locator('.filters [aria-haspopup=dialog]').first().click();
  }),
  scene('member', open(regular)),
  scene(
    'member-huge',
    open(({ rich }) => rich),
  ),
  scene(
    'member-blocked',
    open(({ blocked }) => blocked),
  ),
  scene(
    'member-negative',
    open(({ negative }) => negative),
  ),
  scene('member-invited', (page) => shown(page), {
    path: ({ shop, ids }) => `/${shop.slug}/members/${ids.invited}`,
  }),
  scene('member-erased', (page) => shown(page), {
    path: ({ shop, ids }) => `/${shop.slug}/members/${ids.erased}`,
  }),
  scene('member-unknown', (page) => page.locator('.state').waitFor(), {
    path: ({ shop }) => `/${shop.slug}/members/1`,
  }),
  scene('member-waiting', (page) => page.locator('.waiting').waitFor(), {
    path: ({ shop, ids }) => `/${shop.slug}/members/${ids.erased}`,
    before: never('members/*'),
  }),
  scene(
    'menu',
    open(regular, (page) => page.locator('.member-head .icon-only').click()),
  ),
  scene(
    'adjust',
    open(regular, async (page) => {
      await page.locator('.member-head .acts > button').first().click();
      await page.keyboard.type('50');
    }),
  ),
  scene(
    'adjust-problems',
    open(regular, async (page) => {
      await page.locator('.member-head .acts > button').first().click();
      await page.keyboard.press('Enter');
    }),
  ),
  scene('edit', open(regular, fromMenu(0))),
  scene('pin', open(regular, fromMenu(1))),
  scene('block', open(regular, fromMenu(3))),
  scene('erase', open(regular, fromMenu(4))),
  scene(
    'return-a-part',
    open(regular, async (page) => {
      const purchase = page.locator('tr.movement', { hasText: '÷' }).first();
      if ((await page.locator('.unfolded').count()) === 0) await purchase.locator('.opener').click();
      await page.locator('.unfolded .text-button').first().click();
      await page.keyboard.type('20');
      await page.locator('.effect b').first().waitFor();
    }),
  ),
];
