/** The owner's pages for webhooks. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { makeShop } from '#test/make.ts';
import { makeStaff } from '#test/staff.ts';
import { openReceiver } from '#test/webhooks/receiver.ts';
import { makeWebhook, startTestSender, until } from '#test/webhooks/sending.ts';
import { intercept } from '../portal/intercept.ts';
import { assertUsable, openConsole } from './console.ts';

startTestSender();

const dialogOf = (page: Page) => page.getByRole('dialog');
const said = (page: Page, text: string | RegExp) => page.getByRole('status').getByText(text).waitFor();
const rowOf = (page: Page, text: string) => page.locator('tbody tr', { hasText: text });

async function pick(page: Page, item: string): Promise<void> {
  await page.getByRole('button', { name: /^Actions/ }).click();
  await page.getByRole('menuitem', { name: item }).click();
}

test('an owner makes a webhook, keeps its secret, sends a test, reads what was sent, and sends it again', async () => {
  const shop = await makeShop();
  const owner = await makeStaff(shop, 'owner');
  const receiver = await openReceiver();
  const { page, faults } = await openConsole(`/${shop.slug}/developers/webhooks`, owner);
  await page.getByText('Nothing is sent to other systems').waitFor();
  await assertUsable(page, 'no webhooks');

  await page.getByRole('button', { name: 'Create a webhook' }).click();
  const dialog = dialogOf(page);
  await dialog.getByRole('button', { name: 'Create a webhook' }).click();
  await dialog.getByText('Enter a whole address').waitFor();
  await dialog.getByLabel('What is it for?').fill('Newsletter');
  await dialog.getByLabel('Address', { exact: true }).fill('https://10.0.0.1/');
  await dialog.getByRole('button', { name: 'Create a webhook' }).click();
  await dialog.getByText('The service does not send to this address').waitFor();
  await dialog.getByLabel('Address', { exact: true }).fill(receiver.url);
  await dialog.getByText('All events', { exact: true }).click();
  await dialog.getByRole('checkbox', { name: 'member.joined' }).check();
  await assertUsable(page, 'making a webhook');
  await dialog.getByRole('button', { name: 'Create a webhook' }).click();
  const secret = (await page.getByRole('group', { name: 'The secret' }).textContent())!.trim();
  assert.match(secret, /^whsec_/);
  receiver.secrets.push(secret.replace(/Copy$/, ''));
  await assertUsable(page, 'a secret that is shown once');
  await page.getByRole('button', { name: 'I have kept it' }).click();

  await rowOf(page, 'Newsletter').getByText('member.joined').waitFor();
  await assertUsable(page, 'the webhooks');
  await page.getByRole('link', { name: 'Newsletter' }).click();
  await page.getByText('Nothing was sent yet').waitFor();
  await page.getByRole('button', { name: 'Send a test' }).click();
  await said(page, 'A test is on its way');
  await rowOf(page, 'webhook.test')
    .getByText(/^204 after/)
    .waitFor();
  await shop.member();
  await rowOf(page, 'member.joined').getByText('Taken').waitFor();
  await assertUsable(page, 'the deliveries');
  await rowOf(page, 'member.joined').getByRole('button').click();
  await dialogOf(page).getByText('"member.joined"').first().waitFor();
  await assertUsable(page, 'a delivery');
  await dialogOf(page).getByRole('button', { name: 'Send again' }).click();
  await until(
    () => receiver.received.filter(({ body }) => body.type === 'member.joined').length === 2,
    'again',
  );
  assert.deepEqual(receiver.wrong, []);

  await pick(page, 'Replace the secret');
  await dialogOf(page).getByRole('button', { name: 'Replace the secret' }).click();
  await page.getByText('within 24 hours').waitFor();
  await page.getByRole('button', { name: 'I have kept it' }).click();
  await pick(page, 'Send a stretch of time again');
  await dialogOf(page).getByRole('button', { name: 'Send again' }).click();
  await dialogOf(page).getByText('Say from when on.').waitFor();
  await assertUsable(page, 'sending a stretch again');
  await dialogOf(page).getByRole('button', { name: 'Cancel' }).click();
  await pick(page, 'Switch off');
  await page.getByRole('region', { name: 'State' }).getByText('Switched off').waitFor();
  await page.getByRole('button', { name: 'Switch on' }).click();
  await page.getByRole('region', { name: 'State' }).getByText('Works').waitFor();
  await pick(page, 'Delete');
  await dialogOf(page).getByRole('button', { name: 'Delete' }).click();
  await page.getByText('Nothing is sent to other systems').waitFor();
  // The browser notes the address that was refused.
  assert.deepEqual(
    faults.filter((fault) => !fault.includes('422')),
    [],
  );
});

test('a secret whose answer is lost is shown by the next try, and the receiver still has a day', async (t) => {
  const shop = await makeShop();
  const owner = await makeStaff(shop, 'owner');
  const receiver = await openReceiver();
  const id = await makeWebhook(shop, receiver);
  const [old] = receiver.secrets;
  const { page } = await openConsole(`/${shop.slug}/developers/webhooks/${id}`, owner);
  await pick(page, 'Replace the secret');
  const stop = await intercept(t, page, /rotation$/, async (route) => {
    await route.fetch();
    await route.abort('connectionreset');
  });
  await dialogOf(page).getByRole('button', { name: 'Replace the secret' }).click();
  await dialogOf(page).getByText('you get the one that replaced it').waitFor();
  await assertUsable(page, 'a secret that nobody has seen');
  await stop();
  // By then the page knows that the secret was replaced.
  await page.waitForResponse((response) => response.url().endsWith(`/webhooks/${id}`));
  await dialogOf(page).getByRole('button', { name: 'Try again' }).click();
  const shown = (await page.getByRole('group', { name: 'The secret' }).textContent())!.trim();
  for (const secret of [old!, shown.replace(/Copy$/, '')]) {
    receiver.secrets = [secret];
    const before = receiver.received.length;
    await shop.member();
    await until(() => receiver.received.length >= before + 2, 'the signature is accepted');
  }
  assert.deepEqual(receiver.wrong, []);
});

test('a webhook whose answer is lost cannot be made a second time by the same dialog', async (t) => {
  const shop = await makeShop();
  const owner = await makeStaff(shop, 'owner');
  const receiver = await openReceiver();
  const { page } = await openConsole(`/${shop.slug}/developers/webhooks`, owner);
  await intercept(t, page, /admin\/v1\/webhooks$/, async (route) => {
    if (route.request().method() === 'GET') return route.continue();
    await route.fetch();
    await route.abort('connectionreset');
  });
  await page.getByRole('button', { name: 'Create a webhook' }).click();
  const dialog = dialogOf(page);
  await dialog.getByLabel('What is it for?').fill('Newsletter');
  await dialog.getByLabel('Address', { exact: true }).fill(receiver.url);
  await dialog.getByRole('button', { name: 'Create a webhook' }).click();
  await dialog.getByText('replace its secret if it is in the list').waitFor();
  assert.equal(await dialog.getByRole('button', { name: /Create a webhook|Try again/ }).count(), 0);
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await rowOf(page, 'Newsletter').waitFor();
});

test('a stretch of time to send again is read by the clock of the shop, as the list shows it', async () => {
  const shop = await makeShop({ time_zone: 'America/Bogota' });
  const owner = await makeStaff(shop, 'owner');
  const id = await makeWebhook(shop, await openReceiver());
  const { page } = await openConsole(`/${shop.slug}/developers/webhooks/${id}`, owner);
  await pick(page, 'Send a stretch of time again');
  await dialogOf(page).getByText('in the time zone of the shop, America/Bogota').waitFor();
  await dialogOf(page).getByLabel('From').fill('2026-11-01T10:00');
  await dialogOf(page).getByLabel('To').fill('2026-11-01T11:30');
  const sent = page.waitForRequest(/replay$/);
  await dialogOf(page).getByRole('button', { name: 'Send again' }).click();
  assert.deepEqual((await sent).postDataJSON(), {
    since: '2026-11-01T15:00:00Z',
    until: '2026-11-01T16:30:00Z',
  });
});

test('an act that fails says why in the words of the page', async (t) => {
  const shop = await makeShop();
  const owner = await makeStaff(shop, 'owner');
  const id = await makeWebhook(shop, await openReceiver());
  const { page } = await openConsole(`/${shop.slug}/developers/webhooks/${id}`, owner);
  await intercept(t, page, /\/test$/, (route) =>
    route.fulfill({
      status: 409,
      headers: { 'x-error-code': 'webhook_disabled' },
      json: { message: 'switched off' },
    }),
  );
  await page.getByRole('button', { name: 'Send a test' }).click();
  await said(page, 'The webhook is switched off. Switch it on first.');
});

test('a list that cannot be read further says so', async (t) => {
  const shop = await makeShop();
  const owner = await makeStaff(shop, 'owner');
  const id = await makeWebhook(shop, await openReceiver());
  await shop.member();
  const { page, base } = await openConsole(`/${shop.slug}/developers/events`, owner);
  for (const [path, calls, more] of [
    ['developers/events', /\/admin\/v1\/events/, 'Show more'],
    [`developers/webhooks/${id}`, /\/deliveries/, 'Show more'],
    ['program/versions', /\/v1\/program\/versions/, 'Show older versions'],
  ] as const) {
    const stop = await intercept(t, page, calls, async (route) => {
      if (route.request().url().includes('cursor=')) return route.fulfill({ status: 500, json: {} });
      const response = await route.fetch();
      const answer = (await response.json()) as object;
      await route.fulfill({ response, json: { ...answer, next_cursor: 'further' } });
    });
    await page.goto(`${base}/console/${shop.slug}/${path}`);
    if (path !== 'program/versions') await page.getByRole('table').waitFor();
    await page.getByRole('button', { name: more }).click();
    await page.getByText('Something went wrong on our side').waitFor();
    await stop();
  }
});

for (const width of [390, 768, 1280])
  test(`the webhooks and a failing one fit on a screen of ${width} px`, async () => {
    const shop = await makeShop();
    const owner = await makeStaff(shop, 'owner');
    const receiver = await openReceiver();
    receiver.answer = (response) =>
      void response.writeHead(500, { 'content-type': 'text/plain' }).end('no room');
    const url = `${receiver.url}?${'a-long-address-'.repeat(12)}`;
    const created = await owner.post('webhooks', { name: 'Data warehouse', url });
    const { secret, webhook_id: id } = created.body as { secret: string; webhook_id: string };
    receiver.secrets.push(secret);
    await shop.member();
    await until(() => receiver.received.length > 0, 'a request');
    const { page, faults } = await openConsole(`/${shop.slug}/developers/webhooks`, owner, { width });
    await page.getByText('Fails').waitFor();
    await assertUsable(page, `the webhooks at ${width}`);
    await page.goto(page.url().replace(/\/webhooks$/, `/webhooks/${id}`));
    await page
      .getByText(/^500 after/)
      .first()
      .waitFor();
    await assertUsable(page, `a webhook at ${width}`);
    assert.deepEqual(faults, []);
  });

test('an owner finds an event among the latest and reads what systems read', async () => {
  const shop = await makeShop();
  const owner = await makeStaff(shop, 'owner');
  const { page, faults } = await openConsole(`/${shop.slug}/developers/events`, owner);
  const member = await shop.member('eva');
  await shop.post('/v1/consumptions/client-code', { client_code: member.code, amount: 12 });
  await page.reload();
  await rowOf(page, 'purchase.recorded').getByText(member.email).waitFor();
  await assertUsable(page, 'the events');
  await page.getByLabel('Type').selectOption('member.joined');
  await rowOf(page, 'member.joined').getByRole('button').click();
  await dialogOf(page).getByText('"member.joined"').first().waitFor();
  await assertUsable(page, 'an event');
  await dialogOf(page).getByRole('button', { name: 'Close' }).last().click();
  await page.getByLabel('Type').selectOption('member.erased');
  await page.getByText('None of this type').waitFor();
  assert.deepEqual(faults, []);
});
