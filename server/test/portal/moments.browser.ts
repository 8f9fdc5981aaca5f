/** The member's view at the moment when something happens: at the till, at a goal, and on narrow screens. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { benefit } from '#test/make.ts';
import {
  assertAccessible,
  assertFits,
  balanceOf,
  becomes,
  comesToMatch,
  passOf,
  picture,
  visit,
  visitSignedIn,
} from './browser.ts';
import { club } from './club.ts';

test('a purchase while the card is open says “+54 points” in large type, and to screen readers', async () => {
  const shop = await club();
  const member = await shop.member();
  const { page, faults } = await visitSignedIn(shop, member, { width: 320 });
  await page.getByRole('link', { name: 'Card', exact: true }).click();
  const pass = passOf(page);
  await pass.getByText('50', { exact: true }).waitFor();
  const status = pass.getByRole('status');
  await becomes(() => status.innerText(), '');
  for (const [amount, points] of [
    [54, 104],
    [20, 124],
  ] as const) {
    await shop.sell(member, amount);
    await status.getByText(`+${amount} points`).waitFor();
    await status.getByText(`You have ${points} points now.`).waitFor();
    const size = await status.getByText(`+${amount} points`).evaluate((e) => getComputedStyle(e).fontSize);
    assert.ok(Number.parseFloat(size) >= 30, size);
  }
  await assertAccessible(page, 'card after a purchase');
  await assertFits(page, 'card after a purchase');
  await picture(page, 'card-moment');
  assert.deepEqual(faults, []);
});

test('a goal that was reached comes first among what can be had, and a new tier names its gift', async () => {
  const shop = await club({
    levels: {
      ladder: [
        { name: 'Bronze', threshold: 0, points_multiplier: 1 },
        { name: 'Silver', threshold: 900, points_multiplier: 1.25, benefit: 'jam' },
      ],
    },
    benefits: [
      ...[100, 200, 300, 400, 500, 600, 700].map((cost) =>
        benefit(`b${cost}`, { title: `For ${cost}`, cost, buy_limit: 9 }),
      ),
      benefit('goal', { title: 'The goal', cost: 960, buy_limit: 9 }),
      benefit('jam', {
        benefit_type: 'level',
        type: 'free_product',
        title: 'A jar of jam',
        value: null,
        cost: 0,
      }),
    ],
    rewards: {},
  });
  const member = await shop.member();
  await shop.sell(member, 800);
  const { page, faults } = await visitSignedIn(shop, member);
  await page.getByText('160 points to The goal').waitFor();
  await shop.sell(member, 161);
  const reel = page.getByRole('region', { name: 'You can have now' });
  await reel.getByRole('heading', { name: 'The goal' }).waitFor();
  await becomes(() => reel.getByRole('heading', { level: 3 }).first().innerText(), 'The goal');
  const banner = page.getByRole('status').filter({ has: page.getByRole('heading') });
  await banner.getByText('You have reached Silver!').waitFor();
  await comesToMatch(() => banner.innerText(), /A jar of jam/);
  assert.deepEqual(faults, []);
});

test('a filter of the history finds movements that were not loaded yet', async () => {
  const shop = await club();
  const member = await shop.member();
  await shop.sell(member, 300);
  await shop.voucher(member, 'coffee');
  for (let i = 1; i <= 44; i++) await shop.sell(member, i);
  const { page, faults } = await visitSignedIn(shop, member);
  await page.getByRole('link', { name: 'History', exact: true }).click();
  await page.getByRole('button', { name: 'Codes', exact: true }).click();
  await page.getByRole('main').getByText('A coffee on us').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Show more' }).count(), 0);
  await page.getByRole('button', { name: 'Gifts', exact: true }).click();
  await page.getByRole('main').getByText('Welcome gift').waitFor();
  assert.deepEqual(faults, []);
});

test('at twice the size, no word or figure breaks in the middle', async () => {
  const shop = await club();
  const member = await shop.member();
  const { page } = await visitSignedIn(shop, member, { width: 195 });
  await page
    .getByRole('status')
    .filter({ has: page.getByRole('heading') })
    .waitFor();
  await shop.sell(member, 1230);
  await page.getByText('You have reached Silver!').waitFor();
  for (const view of ['home', 'card']) {
    await page.goto(`${page.url().replace(/#.*/, '')}#${view}`);
    await (view === 'home' ? balanceOf(page) : passOf(page)).waitFor();
    assert.deepEqual(await brokenWords(page), [], `${view} at 195 pixels`);
    await assertFits(page, `${view} at 195 pixels`);
    await picture(page, `narrow-${view}`);
  }
  await page.setViewportSize({ width: 390, height: 800 });
  await page.goto(`${page.url().replace(/#.*/, '')}#home`);
  await page.evaluate(() => document.documentElement.style.setProperty('font-size', '30px'));
  assert.deepEqual(await brokenWords(page), [], 'home with text of twice the size');
  await picture(page, 'large-text');
});

test('confetti keeps its shape and lies on no text', async () => {
  const shop = await club();
  const member = await shop.member();
  const { page } = await visitSignedIn(shop, member, { width: 320 });
  await page
    .getByRole('status')
    .filter({ has: page.getByRole('heading') })
    .waitFor();
  const { hits, stretched } = await page.evaluate(() => {
    const boxes = [...document.querySelectorAll('.celebration .row-words > *')].map((element) => {
      const range = document.createRange();
      range.selectNodeContents(element);
      return [...range.getClientRects()];
    });
    const pieces = [...document.querySelectorAll('.celebration .piece')].map((piece) =>
      piece.getBoundingClientRect(),
    );
    return {
      hits: pieces.filter((piece) =>
        boxes
          .flat()
          .some(
            (box) =>
              piece.left < box.right &&
              piece.right > box.left &&
              piece.top < box.bottom &&
              piece.bottom > box.top,
          ),
      ).length,
      stretched: pieces.filter(({ width, height }) => Math.abs(width - height) > 0.5).length,
    };
  });
  assert.deepEqual({ hits, stretched }, { hits: 0, stretched: 0 });
});

test('a catalog of nine leaves no card alone in the last row', async () => {
  const shop = await club({
    benefits: Array.from({ length: 9 }, (_, i) =>
      benefit(`b${i}`, { title: `Benefit ${i}`, cost: 100 + i, buy_limit: 9 }),
    ),
    rewards: {},
  });
  const { page } = await visit(shop, { width: 1280 });
  await page
    .getByRole('main')
    .getByRole('listitem')
    .filter({ has: page.getByText(/^Benefit /) })
    .last()
    .waitFor();
  const tops = await page
    .getByRole('main')
    .getByRole('listitem')
    .filter({ has: page.getByText(/^Benefit /) })
    .evaluateAll((all) => all.map((one) => (one as HTMLElement).offsetTop));
  assert.ok(tops.filter((top) => top === tops.at(-1)).length > 1, tops.join(' '));
});

test('a mailbox name with digits is not greeted as a name', async () => {
  const shop = await club();
  const { page } = await visitSignedIn(shop, await shop.member('pat5894'));
  await comesToMatch(() => page.getByText(/^Good /).innerText(), /^Good (morning|afternoon|evening)$/);
});

/** Returns the words of up to twelve letters that are shown on more than one line. */
function brokenWords(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const broken: string[] = [];
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const node = texts.currentNode as Text;
      if (node.parentElement?.closest('.unseen, .skip, script, details:not([open])')) continue;
      for (const { index, 0: word } of node.data.matchAll(/[\p{L}\p{N}][\p{L}\p{N},.]*/gu)) {
        if (word.length > 12) continue;
        const range = document.createRange();
        range.setStart(node, index);
        range.setEnd(node, index + word.length);
        if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1)
          broken.push(word);
      }
    }
    return broken;
  });
}
