/**
 * The pages that show every part of the portal and of the console (`npm run parts`): each part of `src/ui` is on its page, in states that
 * axe finds nothing wrong with, light and dark, on a phone and on a desk. With `SCREENSHOTS=FOLDER` each page is photographed, too.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { APPLICATIONS, serveParts } from '@loyalty/ui/build/parts.ts';
import { filesThatEnd, read } from '#test/repository.ts';
import { assertAccessible, assertFits, open, picture, pictureOfScreen } from '../portal/browser.ts';

for (const application of APPLICATIONS)
  test(`every part of the ${application} stands on its page, and can be read there in both modes`, async (t) => {
    const parts = await serveParts(application);
    t.after(() => parts.close());
    for (const colorScheme of ['light', 'dark'] as const)
      for (const width of [390, 1280]) {
        const where = `parts-${application}-${width}-${colorScheme}`;
        const { page } = await open({ viewport: { width, height: 800 }, colorScheme, locale: 'en-GB' });
        await page.goto(parts.url);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await page.evaluate(() => document.fonts.ready);
        await assertShowsAll(page, application);
        await assertAccessible(page, where);
        await assertFits(page, where);
        await picture(page, where);
        for (const button of await page.getByRole('button', { name: /^Open a / }).all())
          await readDialog(page, `${where}-${await openedBy(button)}`);
        await page.close();
      }
  });

/** Each component that a file of `src/ui` exports is a heading of the page, with at least one state that takes room. */
async function assertShowsAll(page: Page, application: string): Promise<void> {
  const components = filesThatEnd('.tsx', `${application}/src/ui`).flatMap((file) =>
    [...read(file).matchAll(/^export function ([A-Z]\w*)/gm)].map(([, name]) => name!),
  );
  assert.ok(components.length > 5);
  const sections = page.locator('#parts > section');
  const shown = await sections.getByRole('heading', { level: 2 }).allTextContents();
  assert.deepEqual(
    components.filter((name) => !shown.includes(name)),
    [],
    'parts that are not on the page',
  );
  const empty = await sections
    .locator('figure > div')
    .evaluateAll((states) =>
      states
        .filter((state) => state.getBoundingClientRect().height < 8)
        .map((state) => state.previousElementSibling!.textContent),
    );
  assert.deepEqual(empty, [], 'states that show nothing');
}

async function openedBy(button: ReturnType<Page['locator']>): Promise<string> {
  const name = (await button.textContent())!;
  await button.click();
  return name.replaceAll(' ', '-').toLowerCase();
}

async function readDialog(page: Page, where: string): Promise<void> {
  const dialog = page.getByRole('dialog');
  await assertAccessible(page, where);
  await pictureOfScreen(page, where);
  await dialog
    .getByRole('button', { name: /^(Close|Cancel)/ })
    .last()
    .click();
  await dialog.waitFor({ state: 'detached' });
}
