/** The developer's page at `/` in a real browser. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createKey } from '#commerces/api-keys.ts';
import { onEnd } from '#test/database.ts';
import { SECRET, service } from '#test/harness.ts';
import { makeShop } from '#test/make.ts';
import { buildApp } from '../../src/app.ts';
import { assertAccessible, open } from './browser.ts';

test('the page copies what it offers, breaks no rule of accessibility and fits a small phone', async () => {
  const { db } = await service();
  const shop = await makeShop({ name: 'Harbour Bakery' });
  const { code: clientCode } = await shop.member();
  const { key } = await createKey(db, shop.id, 'demo');
  const demo = { commerceId: shop.id, name: 'Harbour Bakery', slug: shop.slug, key, clientCode };
  const app = await buildApp({ db, log: false, secret: SECRET, devMailbox: true, demo });
  onEnd(() => app.close());
  const base = await app.listen({ port: 0, host: '127.0.0.1' });

  for (const colorScheme of ['light', 'dark'] as const) {
    const { page, context } = await open({ colorScheme });
    const said: string[] = [];
    page.on('console', (message) => said.push(message.text()));
    page.on('pageerror', (error) => said.push(error.message));
    await page.goto(base);
    const button = page.locator('pre', { hasText: 'client_code' }).locator('+ button');
    await button.click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    await assertAccessible(page, colorScheme);
    assert.equal(await page.getByRole('link', { name: 'Open the console' }).getAttribute('href'), 'console');
    const loaded = await page
      .locator('img')
      .evaluateAll((all) => all.every((one) => (one as HTMLImageElement).naturalWidth > 0));
    assert.ok(loaded, 'the picture loads');
    for (const width of [320, 390, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
    }
    assert.deepEqual(said, []);
    await context.close();
  }
});
