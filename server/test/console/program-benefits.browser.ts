/** Benefits, rewards and uploaded pictures in the draft of the program, in a real browser. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import type { Program } from '#program/program.ts';
import { benefit, makeShop } from '#test/make.ts';
import { photoWithPosition, plainPicture, randomPicture } from '#test/pictures.ts';
import { makeStaff } from '#test/staff.ts';
import { intercept } from '../portal/intercept.ts';
import { assertUsable, openConsole, stopTime } from './console.ts';
import { becomes, picture } from '../portal/browser.ts';

const cards = (page: Page) => page.getByRole('main').locator('ol > li');
const titles = (page: Page) => cards(page).getByRole('link').allTextContents();

/** The program with the changes that this browser keeps. */
const draftOf = (page: Page) =>
  page.evaluate(() => {
    const key = Object.keys(localStorage).find((name) => name.startsWith('loyalty/console/program/'));
    const { program } = JSON.parse(localStorage.getItem(key!)!) as { program: Program };
    return program;
  });

const THREE = [
  benefit('coffee', { title: 'Coffee' }),
  benefit('cake', { title: 'Cake' }),
  benefit('tea', { title: 'Tea' }),
];

test('benefits are moved by keyboard and by mouse, duplicated, withdrawn and brought back, and published in that order', async () => {
  const shop = await makeShop({ benefits: THREE });
  const owner = await makeStaff(shop, 'owner');
  const { page, faults } = await openConsole(`/${shop.slug}/program/benefits`, owner);
  await page.getByRole('link', { name: 'Coffee' }).waitFor();
  await assertUsable(page, 'the benefits');
  await page.getByRole('button', { name: 'Move Coffee' }).press('ArrowDown');
  await page.getByText('Coffee is now number 2 of 3.').waitFor();
  await becomes(() => titles(page), ['Cake', 'Coffee', 'Tea']);
  await becomes(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label')), 'Move Coffee');

  await page.getByRole('button', { name: 'Move Tea' }).dragTo(cards(page).filter({ hasText: 'Cake' }));
  await cards(page).nth(0).filter({ hasText: 'Tea' }).waitFor();
  await becomes(() => titles(page), ['Tea', 'Cake', 'Coffee']);

  await page.getByRole('button', { name: 'Cake: more' }).click();
  await page.getByRole('menuitem', { name: 'Duplicate' }).click();
  await page.getByRole('link', { name: 'Cake (copy)' }).waitFor();
  await page.getByRole('button', { name: 'Coffee: more' }).click();
  await page.getByRole('menuitem', { name: 'Withdraw' }).click();
  await page.getByText('Coffee is withdrawn once you publish.').waitFor();
  await becomes(() => titles(page), ['Tea', 'Cake', 'Cake (copy)']);
  await page.getByRole('button', { name: 'Undo' }).last().click();
  await page.getByRole('link', { name: 'Coffee' }).waitFor();

  await page.getByRole('button', { name: 'Add a benefit' }).click();
  await page.getByLabel('Name').fill('Ten per cent off');
  await page.getByRole('button', { name: 'Add it' }).click();
  await page.waitForURL(/benefits\/ten-per-cent-off$/);
  await page.getByLabel('At the till').selectOption({ index: 1 });
  await page.getByLabel('Percent').fill('10');
  await page.getByLabel('Cost in points').fill('80');
  await assertUsable(page, 'a benefit');
  await page
    .getByText('Your changes can be published')
    .or(page.getByRole('link', { name: 'Review' }))
    .first()
    .waitFor();
  const { body } = await owner.get('program/model');
  const { version } = body as { version: number };
  const draft = await draftOf(page);
  assert.equal((await owner.post('program/publish', { program: draft, base_version: version })).status, 200);
  const catalog = await owner.get('program/model');
  const { program } = catalog.body as {
    program: { benefits: { id: string; value: number | null; cost: number }[] };
  };
  assert.deepEqual(
    program.benefits.map(({ id, value, cost }) => [id, value, cost]),
    [
      ['tea', 10, 10],
      ['cake', 10, 10],
      ['cake-2', 10, 10],
      ['coffee', 10, 10],
      ['ten-per-cent-off', 10, 80],
    ],
  );
  assert.deepEqual(faults, []);
});

test('a benefit opens at its top from a list that was scrolled, the way back leads to the place in the list, and changes are named', async () => {
  const shop = await makeShop({
    benefits: Array.from({ length: 12 }, (_, i) => benefit(`b-${i}`, { title: `Benefit ${i}`, cost: 20 })),
  });
  const owner = await makeStaff(shop, 'owner');
  const { page, faults } = await openConsole(`/${shop.slug}/program/benefits`, owner, { height: 500 });
  const last = page.getByRole('link', { name: 'Benefit 11' });
  await last.waitFor();
  await last.scrollIntoViewIfNeeded();
  await page.waitForTimeout(300);
  const y = await page.evaluate(() => scrollY);
  assert.ok(y > 200);
  for (const isBack of [false, true]) {
    if (isBack) {
      await page.goBack();
      await last.waitFor();
      await becomes(() => page.evaluate(() => scrollY), y, 'the way back');
    }
    await last.click();
    await page.getByRole('heading', { level: 1, name: 'Benefit 11' }).waitFor();
    await becomes(() => page.evaluate(() => scrollY), 0, 'a page begins at its top');
  }
  await page.getByLabel('Cost in points').fill('30');
  await page.getByRole('link', { name: 'Review' }).click();
  await page.getByRole('button', { name: 'Put back: Cost in points · Benefit 11' }).waitFor();
  await page.getByRole('heading', { name: 'Price of Benefit 11' }).waitFor();
  await page.getByText('Nobody bought it in this time.').waitFor();
  await page.getByText('0 members can afford it, as before.').waitFor();
  await assertUsable(page, 'the review of a price');
  await picture(page, 'review-of-a-price');
  await page.getByRole('button', { name: 'Publish' }).click();
  await page.getByRole('button', { name: 'Publish now' }).click();
  await page.getByText('Members see the new catalog at once.').waitFor();
  assert.equal(await page.getByText('The next purchase earns').count(), 0);

  await page.goto(page.url().replace('/review', '/benefits'));
  await page.getByRole('button', { name: 'Add a benefit' }).click();
  await becomes(
    () =>
      page
        .getByRole('dialog')
        .getByRole('button', { name: /^(?:Cancel|Add it)$/ })
        .allTextContents(),
    ['Cancel', 'Add it'],
  );
  assert.deepEqual(faults, []);
});

test('a picture is uploaded, or the page says why not and what to do; the draft takes only what can be used', async (t) => {
  const shop = await makeShop({ benefits: [benefit('coffee', { title: 'Coffee' })] });
  const owner = await makeStaff(shop, 'owner');
  const { page, faults } = await openConsole(`/${shop.slug}/program/benefits/coffee`, owner);
  const upload = (name: string, mimeType: string, buffer: Buffer) =>
    page.getByLabel('Upload a picture: Picture').setInputFiles({ name, mimeType, buffer });
  const shown = page.getByRole('img', { name: 'Picture', exact: true });
  await page.getByRole('heading', { name: 'Coffee', level: 1 }).waitFor();
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>');
  const png = await randomPicture();
  await upload('drawing.svg', 'image/svg+xml', svg);
  await page.getByText('Only PNG, JPEG and WebP can be uploaded.').waitFor();
  await upload('drawing.png', 'image/png', svg);
  await page.getByText('The picture is damaged').waitFor();
  await upload('cut.png', 'image/png', png.subarray(0, png.length / 2));
  await page.getByText('The picture is damaged').waitFor();
  assert.equal(await shown.count(), 0);
  await assertUsable(page, 'a refused picture');

  const files = {
    'hidden.png': Buffer.concat([png, Buffer.from('<script>alert(1)</script>')]),
    'photo.jpg': await photoWithPosition(),
    'large.png': await plainPicture(3200, 2000).png({ compressionLevel: 9 }).toBuffer(),
  };
  let before = '';
  for (const [name, file] of Object.entries(files)) {
    await upload(name, name.endsWith('jpg') ? 'image/jpeg' : 'image/png', file);
    await page.waitForFunction((was) => {
      const image = document.querySelector<HTMLImageElement>('img[alt=Picture]');
      return image !== null && image.getAttribute('src') !== was && image.complete && image.naturalWidth > 0;
    }, before);
    before = (await shown.getAttribute('src'))!;
    assert.match(before, new RegExp(`^/pictures/${shop.slug}/`), name);
  }
  assert.deepEqual(
    await shown.evaluate((image: HTMLImageElement) => [image.naturalWidth, image.naturalHeight]),
    [1200, 750],
  );
  await page.reload();
  await shown.waitFor();
  await becomes(() => shown.getAttribute('src'), before, 'a reload forgets nothing');
  await intercept(t, page, /admin\/v1\/pictures$/, (route) => route.abort());
  await upload('again.png', 'image/png', await randomPicture());
  await page
    .getByRole('alert')
    .filter({ hasText: /service/ })
    .waitFor();
  await becomes(() => shown.getAttribute('src'), before);
  assert.deepEqual(
    faults.filter((fault) => !/400 \(Bad Request\)|net::ERR_FAILED/.test(fault)),
    [],
  );
});

test('a picture whose upload takes long lands on the benefit that it was chosen for, wherever that stands by then, or nowhere', async (t) => {
  const shop = await makeShop({
    benefits: [benefit('coffee', { title: 'Coffee' }), benefit('tea', { title: 'Tea' })],
  });
  const owner = await makeStaff(shop, 'owner');
  const { page, faults } = await openConsole(`/${shop.slug}/program/benefits/coffee`, owner);
  let gate = Promise.withResolvers<void>();
  await intercept(t, page, /admin\/v1\/pictures$/, async (route) => {
    await gate.promise;
    await route.continue();
  });
  t.after(() => gate.resolve());
  const upload = async (title: string) => {
    const asked = page.waitForRequest(/admin\/v1\/pictures$/);
    await page
      .getByLabel('Upload a picture: Picture')
      .setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: await randomPicture() });
    await asked;
    await page.getByRole('link', { name: 'Benefits', exact: true }).first().click();
    await page.getByRole('button', { name: `${title}: more` }).click();
  };
  const images = async () =>
    Object.fromEntries((await draftOf(page)).benefits.map(({ id, image }) => [id, image !== null]));

  await page.getByRole('heading', { name: 'Coffee', level: 1 }).waitFor();
  await stopTime(page);
  await upload('Coffee');
  await page.getByRole('menuitem', { name: 'Move down' }).click();
  await page.getByRole('link', { name: 'Tea', exact: true }).click();
  await page.getByRole('heading', { name: 'Tea', level: 1 }).waitFor();
  gate.resolve();
  await page.getByText('The picture is uploaded.').waitFor();
  assert.deepEqual(await images(), { tea: false, coffee: true });
  assert.equal(await page.getByRole('img', { name: 'Picture', exact: true }).count(), 0);

  gate = Promise.withResolvers();
  await upload('Tea');
  await page.getByRole('menuitem', { name: 'Withdraw' }).click();
  await page.getByRole('link', { name: 'Tea', exact: true }).waitFor({ state: 'detached' });
  const before = await draftOf(page);
  gate.resolve();
  await page.getByText('What the picture was for is gone meanwhile').waitFor();
  assert.deepEqual(await draftOf(page), before);
  assert.deepEqual(faults, []);
});

test('undo brings a withdrawn benefit back to its place, and what was changed since stays', async () => {
  const shop = await makeShop({ benefits: THREE });
  const owner = await makeStaff(shop, 'owner');
  const { page, faults } = await openConsole(`/${shop.slug}/program/benefits`, owner);
  await page.getByRole('link', { name: 'Cake', exact: true }).waitFor();
  await stopTime(page);
  await page.getByRole('button', { name: 'Cake: more' }).click();
  await page.getByRole('menuitem', { name: 'Withdraw' }).click();
  await page.getByText('Cake is withdrawn once you publish.').waitFor();
  await page.getByRole('link', { name: 'Tea', exact: true }).click();
  await page.getByLabel('Cost in points').fill('77');
  await page.getByRole('button', { name: 'Undo' }).click();
  await becomes(
    async () => (await draftOf(page)).benefits.map(({ id, cost }) => [id, cost]),
    [
      ['coffee', 10],
      ['cake', 10],
      ['tea', 77],
    ],
  );
  assert.deepEqual(faults, []);
});

test('a reward is nothing, points or a benefit, and says what is missing', async () => {
  const shop = await makeShop({
    benefits: [benefit('cake', { title: 'Cake', benefit_type: 'birthday', cost: 0 })],
  });
  const owner = await makeStaff(shop, 'owner');
  const { page, faults } = await openConsole(`/${shop.slug}/program/rewards`, owner);
  const reward = (name: string) => page.getByRole('region', { name });
  await reward('For joining').getByLabel('What it gives').selectOption('Points');
  await reward('For joining').getByLabel('Points', { exact: true }).fill('50');
  await reward('On a birthday').getByLabel('What it gives').selectOption('A benefit');
  await becomes(() => reward('On a birthday').getByLabel('Which one').inputValue(), 'cake');
  await reward('For the best buyer').getByLabel('What it gives').selectOption('A benefit');
  await reward('For the best buyer').getByText('There is no benefit for this yet.').waitFor();
  await reward('For the best buyer').getByLabel('What it gives').selectOption('Nothing');
  await page.getByText('2 changes, not in force yet').waitFor();
  await assertUsable(page, 'the rewards');
  assert.deepEqual(faults, []);
});
