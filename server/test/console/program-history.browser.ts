/** Versions of the program and the program as a file, in a real browser. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { benefit, makeShop } from '#test/make.ts';
import { makeStaff } from '#test/staff.ts';
import { assertUsable, openConsole } from './console.ts';
import { becomes, comesToMatch } from '../portal/browser.ts';
import { intercept } from '../portal/intercept.ts';

test('an owner sees what each version changed, and goes back to one as a new version', async () => {
  const shop = await makeShop({
    earning: { money_per_point: 2 },
    benefits: [benefit('coffee', { cost: 50 })],
  });
  await shop.apply({ earning: { money_per_point: 1 }, benefits: [benefit('coffee', { cost: 80 })] });
  const owner = await makeStaff(shop, 'owner');
  const { page, faults } = await openConsole(`/${shop.slug}/program/versions`, owner);
  await page.getByRole('link', { name: 'Version 2' }).waitFor();
  await assertUsable(page, 'the versions');
  await page.getByRole('link', { name: 'Version 1' }).click();
  await page.getByRole('heading', { name: 'Version 1', level: 1 }).waitFor();
  const back = page
    .getByRole('region')
    .or(page.locator('section'))
    .filter({ hasText: 'What going back to it would change now' });
  await back.getByText('A point costs').waitFor();
  await back.getByText('Cost in points').waitFor();
  await assertUsable(page, 'a version');
  await page.getByRole('button', { name: 'Go back to this version' }).click();
  await page.waitForURL(/program\/review$/);
  await page.getByRole('status').getByText('Your draft is version 1 now.').waitFor();
  await page.getByRole('heading', { name: /^Two changes/ }).waitFor();
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Publish now' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.goto(page.url().replace('review', 'versions'));
  await page.getByRole('listitem').filter({ hasText: 'Version 3' }).getByText('in force').waitFor();
  const { body } = await owner.get('program/model');
  const { program } = body as { program: { earning: { money_per_point: number } } };
  assert.equal(program.earning.money_per_point, 2);
  assert.deepEqual(faults, []);
});

test('the program is a file both ways: what is wrong is named by its line, and what is right becomes the draft', async () => {
  const shop = await makeShop({ earning: { money_per_point: 2 } });
  const owner = await makeStaff(shop, 'owner');
  const { page, faults } = await openConsole(`/${shop.slug}/program/file`, owner);
  const shown = page.getByLabel('The program as a file');
  await shown.waitFor();
  await assertUsable(page, 'the file');
  const waiting = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download' }).click();
  const download = await waiting;
  assert.equal(download.suggestedFilename(), `${shop.slug}.yaml`);
  const text = await readFile(await download.path(), 'utf8');
  assert.equal(text, await shown.textContent());

  const wrong = text.replace('money_per_point: 2', 'money_per_point: much');
  const line = wrong.split('\n').findIndex((one) => one.includes('much')) + 1;
  await page
    .getByLabel('Open a file')
    .setInputFiles({ name: 'program.yaml', mimeType: 'application/yaml', buffer: Buffer.from(wrong) });
  await page.getByRole('button', { name: 'Use as my draft' }).click();
  await page.getByRole('button', { name: `Line ${line}, column` }).click();
  await becomes(() => page.evaluate(() => document.activeElement?.id), 'program-file');
  await assertUsable(page, 'a file with a problem');
  await page.getByLabel('Edit the file').fill(text.replace('money_per_point: 2', 'money_per_point: 4'));
  await page.getByRole('button', { name: 'Use as my draft' }).click();
  await page.getByText('With your changes, which are not in force yet.').waitFor();
  await page.getByText('1 change, not in force yet').waitFor();
  await comesToMatch(() => shown.textContent(), /money_per_point: 4/);

  await page
    .getByLabel('Open a file')
    .setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: Buffer.from([0x89, 0x50, 0, 0xff]) });
  await page.getByText('This is no text file.').waitFor();
  assert.deepEqual(faults, []);
});

test('what is typed into the file while it is read stays, and only what was read last becomes the draft', async (t) => {
  const shop = await makeShop({ earning: { money_per_point: 2 } });
  const owner = await makeStaff(shop, 'owner');
  const { page, faults } = await openConsole(`/${shop.slug}/program/file`, owner);
  const text = (await page.getByLabel('The program as a file').textContent())!;
  const costs = (cost: number) => text.replace('money_per_point: 2', `money_per_point: ${cost}`);
  const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  t.after(() => answered.resolve());
  const free = await intercept(t, page, /program\/file\/read$/, async (route) => {
    asked.resolve();
    await answered.promise;
    await route.continue();
  });
  await page.getByRole('button', { name: 'Edit' }).click();
  const area = page.getByLabel('Edit the file');
  await area.fill(costs(3));
  await page.getByRole('button', { name: 'Use as my draft' }).click();
  await asked.promise;
  await area.fill(costs(4));
  const first = page.waitForResponse(/program\/file\/read$/);
  answered.resolve();
  await first;
  await free();
  await page.getByRole('button', { name: 'Use as my draft' }).click();
  await page.getByText('1 change, not in force yet').waitFor();
  await comesToMatch(() => page.getByLabel('The program as a file').textContent(), /money_per_point: 4/);
  assert.deepEqual(faults, []);
});
