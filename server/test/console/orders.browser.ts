/** A manager who looks at the orders of the online shop. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { benefit, makeShop } from '#test/make.ts';
import { makeStaff } from '#test/staff.ts';
import { assertUsable, openConsole } from './console.ts';
import { makeOrders } from './scenes/shop-orders.ts';

test('a manager finds an order by state and day, reads what each state wrote, and gets to the purchase, at 390, 768 and 1280 px', async () => {
  const shop = await makeShop({ sandbox: true, benefits: [benefit('coffee', { cost: 0 })] });
  const manager = await makeStaff(shop, 'manager');
  const member = await shop.member('ana');
  await makeOrders(shop, member);
  for (const width of [390, 768, 1280]) {
    const { page, context, faults } = await openConsole(`/${shop.slug}/members`, manager, { width });
    const row = (text: string | RegExp) => page.getByRole('row').filter({ hasText: text });
    await page.getByRole('link', { name: 'Orders' }).click();
    await row('WEB-2026-1042').getByText('Paid').waitFor();
    assert.equal(await row(/WEB-2026/).count(), 16);
    await assertUsable(page, `orders at ${width}`);

    await page.getByRole('button', { name: 'Open', exact: true }).click();
    await row('WEB-2026-1044').getByText('A buyer who is not known').waitFor();
    await row('WEB-2026-1042').waitFor({ state: 'detached' });
    await page.getByLabel('From').fill('2020-01-01');
    await page.getByLabel('To', { exact: true }).fill('2020-01-02');
    await page.getByText('No order meets these conditions').waitFor();
    await assertUsable(page, `no orders at ${width}`);
    await page.getByRole('button', { name: 'Show all orders' }).click();

    await page.getByRole('link', { name: 'WEB-2026-1042' }).click();
    await page.getByRole('heading', { level: 1, name: 'WEB-2026-1042' }).waitFor();
    const writes = page.getByRole('table', { name: 'What was written' }).getByRole('row');
    const words = (await writes.allTextContents())
      .slice(1)
      .map(
        (text) =>
          /The shop said: (?:open|paid)|Purchase|More was paid|Return|Code held|Code used/.exec(text)?.[0],
      );
    assert.deepEqual(words, [
      'The shop said: paid',
      'Return',
      'The shop said: paid',
      'More was paid',
      'The shop said: paid',
      'Code used',
      'Purchase',
      'The shop said: open',
      'Code held',
    ]);
    await page.getByText('2 × mug-blue').waitFor();
    await assertUsable(page, `an order at ${width}`);
    await page.getByRole('link', { name: 'Purchase' }).click();
    await page.getByRole('heading', { level: 1, name: 'ana' }).waitFor();
    await page.getByRole('group', { name: 'How it came about' }).getByText('Your id WEB-2026-1042').waitFor();
    if (width >= 1280) await page.getByRole('link', { name: 'WEB-2026-1045' }).waitFor();
    await assertUsable(page, `the member at ${width}`);
    assert.deepEqual(faults, []);
    await context.close();
  }
});
