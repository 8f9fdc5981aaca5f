/** The console in one hand: figures stay whole, one line above the page, rows that lead somewhere wherever they are pressed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeSetUpLink } from '#set-up/set-up-link.ts';
import { service } from '#test/harness.ts';
import { benefit, makeShop } from '#test/make.ts';
import { someone } from '#test/sign-in.ts';
import { makeStaff } from '#test/staff.ts';
import { assertFits, codeFromMailbox } from '../portal/browser.ts';
import { assertUsable, openConsole } from './console.ts';

test('a figure of Home is never broken within its number and never leaves its card', async () => {
  const shop = await makeShop({ earning: { money_per_point: 0.25 } });
  const member = await shop.member();
  await shop.sell(member, 453_914_897);
  const owner = await makeStaff(shop, 'owner');
  for (const width of [320, 390]) {
    const { page } = await openConsole(`/${shop.slug}/home`, owner, { width });
    await page.getByRole('region', { name: 'Amount' }).waitFor();
    const wrong = await page.evaluate(() =>
      [...document.querySelectorAll('.figure, .small-figures dd')].flatMap((figure) => {
        // The number alone: its link is higher than its letters.
        const range = document.createRange();
        const texts = document.createTreeWalker(figure, NodeFilter.SHOW_TEXT);
        range.selectNode(texts.nextNode()!);
        const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
        const card = figure.closest('.card')!.getBoundingClientRect();
        const isOut = range.getBoundingClientRect().right > card.right;
        return lines > 1 || isOut ? [`${figure.textContent} ${lines} ${isOut}`] : [];
      }),
    );
    assert.deepEqual(wrong, [], `${width}`);
    await assertUsable(page, `home with large figures, ${width}`);
  }
});

test('on a phone a row that is worth a look leads where its link leads, wherever it is pressed', async () => {
  const shop = await makeShop({ sandbox: true, points_expiration: { mode: 'rolling', months: 1 } });
  await shop.sell(await shop.member(), 40);
  await shop.moveClock('5 days');
  const { page } = await openConsole(`/${shop.slug}/home`, await makeStaff(shop, 'owner'), { width: 390 });
  const row = page.getByRole('region', { name: 'Worth a look' }).getByRole('listitem').first();
  await row.getByText('points end within 30 days').waitFor();
  const box = (await row.boundingBox())!;
  await page.mouse.click(box.x + 12, box.y + box.height / 2);
  await page.waitForURL('**/members?**');
});

test('on a phone every row of a list leads where its link leads, wherever it is pressed', async () => {
  const shop = await makeShop({
    sandbox: true,
    benefits: [benefit('coffee', { cost: 10 })],
    levels: { ladder: [{ id: 'gold', name: 'Gold', threshold: 10 }] },
  });
  await shop.sell(await shop.member(), 40);
  await shop.moveClock('1 day');
  const { page, base } = await openConsole('/', await makeStaff(shop, 'owner'), { width: 390 });
  for (const list of ['members', 'program', 'program/benefits', 'program/versions']) {
    await page.goto(`${base}/console/${shop.slug}/${list}`);
    const link = page.locator('a.row-link').first();
    await link.waitFor();
    const to = await link.evaluate((element) => (element as HTMLAnchorElement).href);
    const row = (await page
      .locator('tr, li, .row')
      .filter({ has: page.locator('a.row-link') })
      .first()
      .boundingBox())!;
    // Far from the words of the link, but not on the menu that some rows have at their right end.
    await page.mouse.click(row.x + row.width * 0.75, row.y + row.height - 6);
    await page.waitForURL(to);
  }
});

test('on a phone one line stands above the pages of a demo, and the way to a shop of one’s own is in the menu', async () => {
  const shop = await makeShop({ sandbox: true });
  const { page } = await openConsole(`/${shop.slug}/home`, await makeStaff(shop, 'owner'), { width: 390 });
  await page.getByRole('button', { name: /^Sandbox/ }).waitFor();
  assert.equal(await page.getByRole('link', { name: 'Make your own shop' }).isVisible(), false);
  const top = (await page.getByRole('banner').boundingBox())!;
  assert.ok(top.height <= 110, String(top.height));
  await page.getByRole('button', { name: 'Your account' }).click();
  await page.getByRole('menuitem', { name: 'Make your own shop' }).click();
  await page.getByRole('heading', { name: 'Set up your shop' }).waitFor();
});

test('setting up on a phone, what members will see stands above the question, with the whole name of the shop', async () => {
  const { db } = await service();
  const email = someone('owner');
  const { page } = await openConsole(`/set-up#${await makeSetUpLink(db)}`, null, { width: 390 });
  await page.getByLabel('E-mail').fill(email);
  await page.getByRole('button', { name: 'Send me a code' }).click();
  await page.getByLabel('Six-digit code').fill(await codeFromMailbox(email));
  await page.waitForURL('**/set-up/shop');
  const name = 'The Old Harbour Bakery and Coffee House of Puerto Madryn since 1886';
  await page.getByLabel('Name').fill(name);
  const shown = page.getByText(name);
  await shown.getByText(name).waitFor();
  const { isCut, bottom } = await shown.evaluate((element) => ({
    isCut: element.scrollHeight > element.clientHeight + 1 || element.scrollWidth > element.clientWidth + 1,
    bottom: element.getBoundingClientRect().bottom,
  }));
  assert.equal(isCut, false);
  const question = (await page.getByRole('heading', { level: 1 }).boundingBox())!;
  assert.ok(bottom < question.y);
  assert.ok(question.y < 420, String(question.y));
  await assertFits(page, 'set-up with a long name');

  // On to the last step, which shows the address: it breaks between its parts, and never within a word.
  for (const step of ['place', 'points', 'benefit', 'open']) {
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.waitForURL(`**/set-up/${step}`);
  }
  const address = page.getByText(/\/club\//);
  await address.waitFor();
  await page.setViewportSize({ width: 320, height: 700 });
  const broken = await address.evaluate((element) => {
    const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    const wrong: string[] = [];
    for (let node = texts.nextNode(); node !== null; node = texts.nextNode())
      for (const { index, 0: word } of node.textContent!.matchAll(/[\p{L}\d]+/gu)) {
        const range = document.createRange();
        range.setStart(node, index);
        range.setEnd(node, index + word.length);
        if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) wrong.push(word);
      }
    return wrong;
  });
  assert.deepEqual(broken, []);
  await assertFits(page, 'the address on the narrowest phone');
});
