/** The mails of the program in the console, in a real browser. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeShop } from '#test/make.ts';
import { makeStaff } from '#test/staff.ts';
import { assertUsable, openConsole } from './console.ts';
import { becomes, comesToMatch } from '../portal/browser.ts';

test('an owner switches a mail on, reads it in both languages with the shop’s own words, and gets one', async () => {
  const shop = await makeShop({ rewards: { welcome: { points: 50 } } });
  const owner = await makeStaff(shop, 'owner');
  const { page, faults } = await openConsole(`/${shop.slug}/program/messages`, owner);
  const welcome = page.getByRole('checkbox', { name: /^Welcome/ });
  await welcome.waitFor();
  assert.equal(await welcome.isChecked(), false);
  await assertUsable(page, 'the messages');
  await welcome.check();
  await page.getByText('1 change, not in force yet').waitFor();

  await page.getByRole('button', { name: 'Your words, and a look: Welcome' }).click();
  const dialog = page.getByRole('dialog', { name: 'Welcome' });
  await dialog
    .getByLabel('The shop’s own words')
    .fill('Ask for <b>Ana</b> <script>parent.hacked = 1</script> at the bar');
  const mail = page.frameLocator('iframe[title="The mail: Welcome"]');
  await mail.getByRole('article').getByText('Ask for <b>Ana</b>').waitFor();
  // Mails are made of styles in attributes, which the console itself forbids.
  assert.equal(
    await mail
      .locator('[style*="font-size"]')
      .first()
      .evaluate((one) => getComputedStyle(one).fontSize !== '16px'),
    true,
  );
  await assertUsable(page, 'a mail');
  await dialog.getByLabel('Language').selectOption('Spanish');
  await becomes(() => dialog.getByLabel('The shop’s own words').inputValue(), '');
  await mail.locator('html[lang=es]').waitFor();
  await dialog.getByRole('combobox', { name: 'Show it' }).selectOption('As plain text');
  await dialog.getByLabel('The mail: Welcome').waitFor();
  await dialog.getByRole('button', { name: 'Send me one' }).click();
  await page.getByText(`It is on its way to ${owner.email}.`).waitFor();
  await dialog.getByRole('button', { name: 'Done' }).click();
  await page.getByText('“Ask for <b>Ana</b>').waitFor();
  await page.getByRole('link', { name: 'Review' }).click();
  const changed = page.getByRole('region', { name: 'What changes' });
  await comesToMatch(() => changed.textContent(), /The mail “Welcome”.*is not sent.*is sent/);
  await comesToMatch(() => changed.textContent(), /Your words in mails.*“Ask for <b>Ana<\/b>/);
  assert.deepEqual(faults, []);
});

test('a mail in the console runs nothing and reaches nothing', async () => {
  const shop = await makeShop();
  const owner = await makeStaff(shop, 'owner');
  const { page, base } = await openConsole(`/${shop.slug}/program/messages`, owner);
  await page.getByRole('button', { name: 'Your words, and a look: Welcome' }).click();
  const frame = page.frameLocator('iframe');
  await frame.locator('[style]').first().waitFor();
  const isReached = await page.evaluate(async () => {
    const { contentWindow } = document.querySelector('iframe')!;
    const hostile =
      '<html><body>hostile<script>parent.postMessage("ran", "*")</script><img src="x" onerror="parent.postMessage(\'ran\', \'*\')"></body></html>';
    const ran = new Promise<boolean>((resolve) => {
      addEventListener('message', ({ data }) => data === 'ran' && resolve(true));
      setTimeout(() => resolve(false), 1_000);
    });
    contentWindow!.postMessage(hostile, '*');
    return ran;
  });
  assert.equal(isReached, false);
  await frame.getByText('hostile').waitFor();
  const { headers } = await fetch(`${base}/console/_mail-preview`);
  assert.match(headers.get('content-security-policy')!, /sandbox allow-scripts$/);
});
