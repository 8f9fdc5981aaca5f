import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { buildApp } from '../app.ts';
import { sql, transaction } from '#db/database.ts';
import { createLog } from '#http/log.ts';
import { service } from '#test/harness.ts';
import { makeShop } from '#test/make.ts';
import { atCommerce, someone } from '#test/sign-in.ts';
import { forgetOldMails } from './forget-old-mails.ts';
import { mailboxMailer } from './mailer.ts';
import { enqueueMails } from './outbox.ts';
import { startMailSender } from './send-mails.ts';

const { db } = await service();
const secret = 'a secret of the tests, 32 characters';
const app = await buildApp({ db, log: false, secret, devMailbox: true, onMailQueued: () => sender.wake() });
const sender = startMailSender({
  db,
  mailer: mailboxMailer,
  log: createLog({ level: 'silent' }),
  base: 'http://localhost',
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
    content: {},
  }));
  await transaction(db, (tx) => enqueueMails(tx, mails));
  sender.wake();
  const hasUnsent = async () =>
    (await sql`select 1 from outbox where sent_at is null limit 1`.execute(db)).rows.length > 0;
  while (await hasUnsent()) await new Promise((resolve) => void setTimeout(resolve, 10));
  await forgetOldMails(db, mailboxMailer);
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
