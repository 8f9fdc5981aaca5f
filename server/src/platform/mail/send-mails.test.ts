import assert from 'node:assert/strict';
import { test } from 'node:test';
import PostalMime from 'postal-mime';
import { createTestMailer, openSink, readLatestMail, startTestSender, waitUntil } from '#test/mail-sender.ts';
import { transaction } from '#db/database.ts';
import { service } from '#test/harness.ts';
import { makeShop } from '#test/make.ts';
import { askForCode, mailedCodes, someone } from '#test/sign-in.ts';
import { enqueueMails } from './outbox.ts';

test(
  'a code is sent to its address only, in the shop’s name, and is wiped from the outbox',
  { timeout: 60_000 },
  async () => {
    const server = await openSink();
    const shop = await makeShop({
      name: 'Café "Luna", <b>',
      locale: 'es',
      color: '#7a3e9d',
      mail: { sender: 'Luna: la Café', reminders: false },
    });
    const email = someone();
    await askForCode(shop.id, email);
    const [code = ''] = await mailedCodes(shop.id, email);
    const sending = startTestSender(createTestMailer(server.url));
    await server.waitForMails(1);
    await waitUntil(async () => (await readLatestMail(email)).sent);
    await sending.stop();

    const { from, to: recipients, raw } = server.received[0]!;
    const mail = await PostalMime.parse(raw);
    assert.deepEqual([from, recipients], ['loyalty@shop.example', [email]]);
    assert.deepEqual(mail.from, { address: 'loyalty@shop.example', name: 'Luna: la Café' });
    assert.deepEqual(
      mail.to?.map(({ address }) => address),
      [email],
    );
    assert.equal(mail.subject, `${code} es tu código para Café "Luna", <b>`);
    assert.ok(mail.text?.split(/\r?\n/).includes(code), 'the code is alone on a line');
    assert.ok(mail.html?.includes(`>${code}</td>`));
    assert.ok(mail.html?.includes('Café &quot;Luna&quot;, &lt;b&gt;') && !mail.html.includes('<b>'));
    assert.ok(mail.html?.includes('#7a3e9d') && mail.html.includes('lang="es"'));
    assert.match(raw, /^Auto-Submitted: auto-generated\r$/m);
    assert.deepEqual((await readLatestMail(email)).content, {});
  },
);

test(
  'a mail that is queued while the sender sleeps is sent as soon as the sender is woken',
  { timeout: 60_000 },
  async () => {
    const server = await openSink();
    const shop = await makeShop();
    const sending = startTestSender(createTestMailer(server.url));
    sending.wake();
    for (let i = 1; i <= 12; i++) {
      await askForCode(shop.id, someone());
      sending.wake();
      await server.waitForMails(i);
    }
    await sending.stop();
  },
);

test(
  'four senders on one outbox send each mail exactly once, codes before invitations',
  { timeout: 60_000 },
  async () => {
    const server = await openSink();
    const shop = await makeShop();
    const people = Array.from({ length: 60 }, () => someone('many'));
    const mails = people.map((recipient) => ({
      commerceId: shop.id,
      kind: 'invitation' as const,
      recipient,
      content: { points: null },
    }));
    await transaction((await service()).db, (tx) => enqueueMails(tx, mails));
    const email = someone('waits');
    await askForCode(shop.id, email);
    const senders = Array.from({ length: 4 }, () => startTestSender(createTestMailer(server.url)));
    await server.waitForMails(61);
    await Promise.all(senders.map((one) => one.stop()));
    assert.equal(server.received.length, 61);
    assert.deepEqual(
      new Set(server.received.map(({ to: [recipient] }) => recipient)),
      new Set([...people, email]),
    );
    assert.ok(server.received.findIndex(({ to: [recipient] }) => recipient === email) < 20);
    const { raw } = server.received.find(({ to: [recipient] }) => recipient === people[0])!;
    const invitation = await PostalMime.parse(raw);
    assert.equal(invitation.subject, `Your points at Shop ${shop.slug} are waiting for you`);
    assert.ok(invitation.text?.split(/\r?\n/).includes(`https://club.example/club/${shop.slug}`));
  },
);

test(
  'a commerce with many waiting mails delays neither the mails of another nor its own members in known networks',
  { timeout: 60_000 },
  async () => {
    const server = await openSink();
    const [busy, calm] = [await makeShop(), await makeShop()];
    const mailFrom = (commerceId: number, recipient: string, ahead: boolean) => ({
      commerceId,
      kind: 'sign-in-code' as const,
      recipient,
      content: { code: '123456', token: '', purpose: 'member' as const },
      urgent: true,
      ahead,
    });
    const { db } = await service();
    for (let burst = 0; burst < 5; burst += 1) {
      const flood = Array.from({ length: 30 }, () => mailFrom(busy.id, someone('flood'), false));
      await transaction(db, (tx) => enqueueMails(tx, flood));
    }
    const [owner, other] = [someone('owner'), someone('other')];
    await transaction(db, (tx) => enqueueMails(tx, [mailFrom(busy.id, owner, true)]));
    await transaction(db, (tx) => enqueueMails(tx, [mailFrom(calm.id, other, false)]));
    const sender = startTestSender(createTestMailer(server.url));
    await server.waitForMails(152);
    await sender.stop();
    const order = server.received.map(({ to: [recipient] }) => recipient);
    // Five are sent at a time, and a sender looks for more as soon as one of them has left.
    for (const recipient of [owner, other])
      assert.ok(order.indexOf(recipient) < 15, String(order.indexOf(recipient)));
  },
);

test('a recipient that is not one plain address is never passed to the mail server', async () => {
  const mailer = createTestMailer('smtp://127.0.0.1:1');
  const mail = { id: '1', from: 'Shop', subject: 'x', text: 'x', html: 'x', unsubscribe: null };
  for (const recipient of [
    'a@x.com, b@y.com',
    '"a@evil.com" <b@y.com>',
    'A@x.com',
    'a@x.com\r\nBcc: b@y.com',
    'a@evil.com(b@y.com)',
  ]) {
    await assert.rejects(mailer.send({ ...mail, recipient }), /normal form/);
  }
  mailer.close();
});
