/** A card that was once recorded as money: the owner sees it named, and still sees the other days. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { makeShop, type MadeMember, type Shop } from '#test/make.ts';
import { makeStaff } from '#test/staff.ts';
import { assertUsable, openConsole } from './console.ts';

const CARD = 453_914_897;
const DAYS = 24;
const SLIP = 20;

async function makeShopWithSlip(): Promise<{ shop: Shop; member: MadeMember }> {
  const shop = await makeShop({
    name: 'Harbour Bakery',
    sandbox: true,
    earning: { money_per_point: 1, max_amount: 1_000_000_000 },
  });
  const member = await shop.member();
  for (let day = 1; day <= DAYS; day++) {
    await shop.sell(member, day === SLIP ? CARD : 40 + ((day * 7) % 30));
    if (day < DAYS) await shop.moveClock('1 day');
  }
  return { shop, member };
}

/** Returns how much of the height of a chart the bar of each column covers, as it is drawn. */
function heightsOf(page: Page, columns: number): Promise<number[]> {
  return page
    .locator('.chart-box')
    .first()
    .evaluate((box, columns) => {
      const over = box.querySelector<HTMLElement>('.u-over')!;
      const canvas = box.querySelector('canvas')!;
      const scale = canvas.width / canvas.clientWidth;
      const [left, top] = [over.offsetLeft * scale, over.offsetTop * scale];
      const [width, height] = [over.clientWidth * scale, over.clientHeight * scale];
      // One copy of the picture: each further one would be slow, and Chromium complains.
      const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height);
      return Array.from({ length: columns }, (_, column) => {
        const x = Math.round(left + (width * (column + 0.5)) / columns);
        let drawn = 0;
        for (let y = 0; y < Math.round(height); y++)
          if (data[((Math.round(top) + y) * canvas.width + x) * 4 + 3]! > 0) drawn++;
        return drawn / height;
      });
    }, columns);
}

test('a figure out of proportion is named and broken, and the other days keep their height, light and dark', async () => {
  const { shop, member } = await makeShopWithSlip();
  const manager = await makeStaff(shop, 'manager');
  for (const scheme of ['light', 'dark'] as const) {
    const { page, faults } = await openConsole(`/${shop.slug}/home`, manager, { scheme });
    await page.getByText(/^€453,914,897 on .* is far above your usual purchases$/).waitFor();
    const words = page.getByText(/^The axis ends earlier, .* Beyond it: .*: €453,914,897, 1 purchase\.$/);
    await words.waitFor();
    // Home shows 30 days; the shop has the last 24 of them.
    const heights = (await heightsOf(page, 30)).slice(-DAYS);
    const ordinary = heights.filter((_, day) => day !== SLIP - 1);
    assert.ok(Math.min(...ordinary) > 0.3, heights.join(' '));
    assert.ok(heights[SLIP - 1]! > 0.8, heights.join(' '));
    assert.ok(heights[SLIP - 1]! < 0.99, 'the bar is broken');
    assert.equal(await page.locator('.month-bars path').count(), 2, 'amount and points have a broken bar');
    await assertUsable(page, `home with a slip, ${scheme}`);

    await page.goto(new URL(`reports/purchases`, page.url()).href);
    await words.or(page.getByText(/^The axis ends earlier, .*: €453,914,897\.$/)).waitFor();
    await assertUsable(page, `the report with a slip, ${scheme}`);
    for (const width of [768, 390, 320]) {
      await page.setViewportSize({ width, height: 900 });
      await page.setViewportSize({ width, height: 900 });
      await assertUsable(page, `the report with a slip, ${width} pixels, ${scheme}`);
    }
    assert.deepEqual(faults, []);
  }

  const { page } = await openConsole(`/${shop.slug}/home`, manager);
  await page.getByRole('link', { name: /far above your usual/ }).click();
  await page.getByRole('heading', { level: 1, name: member.email.split('@')[0]! }).waitFor();
  await page.getByRole('button', { name: 'Return all' }).waitFor();
});
