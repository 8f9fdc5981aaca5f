import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { buildApp } from '../../app.ts';
import { sql, transaction } from '#db/database.ts';
import { createLog } from '#http/log.ts';
import { service } from '#test/harness.ts';
import { rawCall } from '#test/http/raw-call.ts';
import { makeShop } from '#test/make.ts';
import { atCommerce, someone } from '#test/sign-in.ts';
import { trimMailbox } from './forget-old-mails.ts';
import { mailboxMailer } from './mailer.ts';
import { enqueueMails } from './outbox.ts';
import { startMailSender } from './send-mails.ts';
import type { SecretKeys } from '#settings/secret-key.ts';

const { db } = await service();
const secret: SecretKeys = ['a secret of the tests, 32 characters'];
const app = await buildApp({ db, log: false, secret, devMailbox: true, onMailQueued: () => sender.wake() });
const sender = startMailSender({
  db,
  mailer: mailboxMailer,
  log: createLog({ level: 'silent' }),
  base: 'http://localhost',
  secret,
});
after(async () => {
  await sender.stop();
  await app.close();
});

test(
  'a requested code appears at the top of /dev/mail, and its owner can sign in with it',
  { timeout: 60_000 },
  async () => {
    const shop = await makeShop({ name: 'Luna <b>' });
    const email = someone();
    const headers = atCommerce(shop.id);
    await app.inject({
      method: 'POST',
      url: '/v1/auth/otp/request',
      headers,
      payload: { email: someone('older') },
    });
    await app.inject({ method: 'POST', url: '/v1/auth/otp/request', headers, payload: { email } });

    const mails = (await app.inject({ url: '/dev/mail.json' })).json<
      { to: string; code: string; subject: string }[]
    >();
    assert.equal(mails[0]?.to, email);
    const code = mails[0].code;
    assert.match(code, /^\d{6}$/);
    const page = await app.inject({ url: '/dev/mail' });
    assert.match(String(page.headers['content-type']), /^text\/html/);
    assert.match(String(page.headers['content-security-policy']), /^default-src 'none'; style-src 'sha256-/);
    assert.ok(page.body.includes(`<p class="code">${code}</p>`));
    assert.ok(page.body.includes('Luna &lt;b&gt;') && !page.body.includes('<b>'));

    const answer = await app.inject({
      method: 'POST',
      url: '/v1/auth/otp/verify',
      headers,
      payload: { email, otp: code },
    });
    assert.equal(answer.statusCode, 200);
  },
);

test('the mailbox keeps the last 200 mails', { timeout: 60_000 }, async () => {
  const shop = await makeShop();
  const mails = Array.from({ length: 210 }, () => ({
    commerceId: shop.id,
    kind: 'invitation' as const,
    recipient: someone(),
    content: { points: null },
  }));
  await transaction(db, (tx) => enqueueMails(tx, mails));
  sender.wake();
  const hasUnsent = async () =>
    (await sql`select 1 from outbox where sent_at is null limit 1`.execute(db)).rows.length > 0;
  while (await hasUnsent()) await new Promise((resolve) => void setTimeout(resolve, 10));
  await trimMailbox(db);
  const { rows } = await sql<{ count: number }>`select count(*) from outbox`.execute(db);
  assert.equal(rows[0]?.count, 200);
  assert.equal((await app.inject({ url: '/dev/mail.json' })).json<object[]>().length, 200);
});

test('a service without the devMailbox option has no mailbox', async () => {
  const production = await buildApp({ db, log: false, secret });
  for (const url of ['/dev/mail', '/dev/mail.json'])
    assert.equal((await production.inject({ url })).statusCode, 404);
  await production.close();
});

const ANYWHERE = ['/dev/mail', '/dev/mail.json', '/dev/mail/1.1'];

test('each mail can be opened as its reader sees it, without a script, and its link is a button', async () => {
  const shop = await makeShop({ name: 'Luna', color: '#4b2e83' });
  const email = someone();
  const headers = atCommerce(shop.id);
  await app.inject({ method: 'POST', url: '/v1/auth/otp/request', headers, payload: { email } });
  const mails = (await app.inject({ url: '/dev/mail.json' })).json<
    { id: string; to: string; html: string; text: string }[]
  >();
  const mail = mails.find(({ to }) => to === email)!;
  const shown = await app.inject({ url: `/dev/mail/${mail.id}` });
  assert.deepEqual([shown.statusCode, shown.body], [200, mail.html]);
  assert.match(String(shown.headers['content-security-policy']), /^default-src 'none'; .*; sandbox$/);
  const [link] = /^http:.*#link=.*$/m.exec(mail.text)!;
  assert.ok((await app.inject({ url: '/dev/mail' })).body.includes(`href="${link}">Sign in</a>`));
  assert.equal((await app.inject({ url: '/dev/mail/1.2' })).statusCode, 404);
});

/** Calls that must not see the mailbox, each with the one thing that gives it away. */
test('the mailbox shows no mail that was given up or that nobody would have got', async () => {
  const shop = await makeShop();
  const { email } = await shop.member('left');
  const queue = (recipient: string) =>
    transaction(db, (tx) =>
      enqueueMails(tx, [
        {
          commerceId: shop.id,
          kind: 'welcome',
          recipient,
          content: { points: null, benefit: null, balance: 0 },
        },
      ]),
    );
  const shown = async () =>
    (await app.inject({ url: '/dev/mail.json' }))
      .json<{ to: string; commerce_id: number }[]>()
      .filter(({ commerce_id: id }) => id === shop.id)
      .map(({ to }) => to);
  const late = someone('late');
  await queue(late);
  assert.deepEqual(await shown(), [late]);
  await sql`update outbox set sent_at = null, failed_at = now() where recipient = ${late}`.execute(db);
  assert.deepEqual(await shown(), []);

  await sql`update members set state = 'left', left_at = now() where email = ${email}`.execute(db);
  await queue(email);
  assert.deepEqual(await shown(), []);
});

const STRANGERS: Record<string, { remoteAddress?: string; headers?: Record<string, string> }> = {
  'a peer in the network': { remoteAddress: '192.168.1.7' },
  'a peer of the container network': { remoteAddress: '172.17.0.1' },
  'an IPv6 peer': { remoteAddress: 'fe80::1' },
  'a mapped peer': { remoteAddress: '::ffff:10.0.0.1' },
  'a page whose name resolves to this machine': { headers: { host: 'evil.example:3000' } },
  'a name that begins like ours': { headers: { host: 'localhost.evil.example' } },
  'a name that begins like our address': { headers: { host: '127.0.0.1.evil.example' } },
  'a name that ends like ours': { headers: { host: 'evil.localhost' } },
  'user information before the name': { headers: { host: 'localhost@evil.example' } },
  'the address of all interfaces': { headers: { host: '0.0.0.0:3000' } },
  'a proxy that says X-Forwarded-For': { headers: { 'x-forwarded-for': '127.0.0.1' } },
  'a proxy that says Forwarded': { headers: { forwarded: 'for=127.0.0.1' } },
  'a proxy that says X-Forwarded-Host': { headers: { 'x-forwarded-host': 'localhost' } },
  'a proxy that says X-Real-IP': { headers: { 'x-real-ip': '127.0.0.1' } },
  'a proxy that says Via': { headers: { via: '1.1 proxy' } },
  'a proxy that says X-Forwarded-Proto': { headers: { 'x-forwarded-proto': 'https' } },
};
for (const [name, call] of Object.entries(STRANGERS)) {
  test(`the mailbox does not exist for ${name}`, async () => {
    for (const url of ANYWHERE) {
      const answer = await app.inject({ url, ...call });
      const nothing = await app.inject({ url: '/dev/nothing', ...call });
      assert.equal(answer.statusCode, 404);
      assert.equal(answer.body, nothing.body);
    }
  });
}

test('the mailbox exists for this machine, by each of its names', async () => {
  for (const host of [
    'localhost',
    'localhost:3000',
    'LOCALHOST',
    '127.0.0.1:3000',
    '127.9.9.9',
    '[::1]:3000',
  ])
    for (const remoteAddress of ['127.0.0.1', '127.0.0.5', '::1', '::ffff:127.0.0.1'])
      assert.equal(
        (await app.inject({ url: '/dev/mail', remoteAddress, headers: { host } })).statusCode,
        200,
      );
});

test('the mailbox does not exist for a proxy that says nothing about itself', async () => {
  const served = await buildApp({ db, log: false, secret, devMailbox: true });
  await served.listen({ port: 0, host: '127.0.0.1' });
  const { port } = served.server.address() as AddressInfo;
  // The request that nginx sends with `proxy_pass` and nothing else.
  const head = `GET /dev/mail.json HTTP/1.0\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`;
  assert.match(await rawCall(served, head), /^HTTP\/1.1 404 /);
  await served.close();
});

test('a service that trusts a proxy judges the peer, not the address that the proxy names', async () => {
  const trusting = await buildApp({ db, log: false, secret, devMailbox: true, trustProxy: ['10.0.0.1'] });
  const headers = { 'x-forwarded-for': '127.0.0.1', 'x-forwarded-host': 'localhost' };
  const answer = await trusting.inject({ url: '/dev/mail.json', remoteAddress: '10.0.0.1', headers });
  assert.equal(answer.statusCode, 404);
  await trusting.close();
});
