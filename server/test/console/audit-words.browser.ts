/** The audit speaks to the owner of a shop, not to whoever made the database. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readInstallationIds } from '#batching/wire-ids.ts';
import { readCommerce } from '#commerces/commerce.ts';
import { service } from '#test/harness.ts';
import { benefit, makeShop } from '#test/make.ts';
import { randomPicture } from '#test/pictures.ts';
import { makeStaff } from '#test/staff.ts';
import { assertFits, comesToMatch, picture } from '../portal/browser.ts';
import { assertUsable, openConsole } from './console.ts';

async function shopWithPast() {
  const { db } = await service();
  const shop = await makeShop({ benefits: [benefit('cherry-cake', { title: 'Cherry cake', cost: 2 })] });
  const owner = await makeStaff(shop, 'owner');
  const member = await shop.member();
  const memberId = (await readInstallationIds(db, 'member')).toWire(member.memberId);
  const done = async (answer: Promise<{ status: number; text: string }>) => {
    const { status, text } = await answer;
    assert.ok(status < 300, text);
  };
  await done(owner.patch(`members/${memberId}/profile`, { username: 'Nora' }));
  const sale = await owner.post(
    'purchases',
    { member_id: memberId, amount: 3, cents: 40 },
    { 'idempotency-key': 'sale' },
  );
  assert.equal(sale.status, 201, sale.text);
  const { consumption_id: saleId } = sale.body as { consumption_id: number };
  await done(
    owner.post(`purchases/${saleId}/reversal`, { amount: 1, cents: 70 }, { 'idempotency-key': 'back' }),
  );
  await shop.sell(member, 50);
  const code = await shop.voucher(member, 'cherry-cake');
  await done(owner.post(`vouchers/${code}/redemption`, {}, { 'idempotency-key': 'used' }));
  const { program } = (await readCommerce(db, shop.id))!;
  const changed = {
    ...program,
    benefits: program.benefits.map((one) => ({ ...one, cost: 140 })),
    mail: {
      ...program.mail,
      messages: { ...program.mail.messages, welcome: !program.mail.messages.welcome },
      words: { welcome: { en: 'Come in and say hello.' } },
    },
  };
  await done(owner.post('program/publish', { program: changed, base_version: 1 }));
  await done(owner.post('pictures', { data: (await randomPicture()).toString('base64') }));
  await done(owner.post('messages/test', { kind: 'welcome' }));
  return { shop, owner, memberId };
}

test('the audit and the page of a member say sums, names and changes in words, and no field of a database', async () => {
  const { shop, owner, memberId } = await shopWithPast();
  const { page, faults } = await openConsole(`/${shop.slug}/team/audit`, owner);
  const audit = page.getByRole('region', { name: 'Audit' });
  const line = (text: string) => audit.getByRole('listitem').filter({ hasText: text });
  await comesToMatch(() => line('Recorded a purchase').textContent(), /Nora.*Amount: €3\.40/);
  await comesToMatch(() => line('Returned a purchase').textContent(), /Returned: €1\.70/);
  await comesToMatch(() => line('Redeemed a code').textContent(), /State: ready to use → used/);
  await comesToMatch(
    () => line('Published the program').textContent(),
    /Cost in points · Cherry cake: 2 points → 140 points/,
  );
  const published = (await line('Published the program').textContent())!;
  assert.match(published, /The mail “Welcome”: (?:is sent → is not sent|is not sent → is sent)/);
  assert.match(published, /Your words in mails: changed/);
  assert.match((await line('Sent a test mail').textContent())!, /Mail: Welcome.*Language: English/s);
  await line('Uploaded a picture').locator('img').waitFor();
  const all = (await audit.getByRole('list').textContent())!;
  assert.doesNotMatch(all, /cents|mail\.|benefits\.|usable|\.webp|kind:|true|false/i);
  assert.equal(await page.getByRole('link', { name: 'Member', exact: true }).count(), 0);
  await page.getByRole('link', { name: 'Nora' }).first().waitFor();
  await assertUsable(page, 'the audit');
  await picture(page, 'audit-1280');
  for (const [width, scheme] of [
    [390, 'dark'],
    [768, 'light'],
  ] as const) {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme: scheme });
    await assertFits(page, `the audit at ${width}`);
    await picture(page, `audit-${width}`);
  }

  await page.goto(page.url().replace('team/audit', `members/${memberId}`));
  const changes = page.locator('#changes');
  await comesToMatch(() => changes.textContent(), /Returned a purchaseBalance: 3 → 1Returned: €1\.70/);
  assert.match((await changes.textContent())!, /Amount: €3\.40.*/);
  assert.doesNotMatch((await changes.textContent())!, /cents|usable/i);
  assert.deepEqual(faults, []);
});
