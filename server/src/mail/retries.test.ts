import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql, transaction } from '#db/database.ts';
import { service } from '#test/harness.ts';
import { due, row, sender, sink, to, until } from '#test/mail-sender.ts';
import { makeShop } from '#test/make.ts';
import { askForCode, someone } from '#test/sign-in.ts';
import { refusal, smtpSink } from '#test/smtp-sink.ts';
import type { Mailer } from './mailer.ts';
import { enqueueMails } from './outbox.ts';
import { ofItsCommerce, queuedMailColumns, type QueuedMail } from './queued-mail.ts';
import { putOff } from './settle-mail.ts';

const { db } = await service();

test('a code waits 1, 2, 4, 8 … s between attempts within its ten minutes, an invitation minutes', async () => {
  const shop = await makeShop();
  const [email, invited] = [someone(), someone('invited')];
  await askForCode(shop.id, email);
  await transaction(db, (tx) =>
    enqueueMails(tx, [{ commerceId: shop.id, kind: 'invitation', recipient: invited, content: {} }]),
  );
  /** What becomes of a mail after so many attempts, where it is put off by so many seconds or given up. */
  const fate = async (recipient: string, attempts: number, seconds: number) => {
    const { rows: mails } = await sql<QueuedMail & { before: string }>`
      select ${queuedMailColumns}, date_trunc('milliseconds', now())::text as before
        from outbox o ${ofItsCommerce} where o.recipient = ${recipient}`.execute(db);
    const [{ before, ...mail }] = mails as [(typeof mails)[0]];
    await putOff(db, { ...mail, attempts }, new Error('down'), mailer);
    const { rows } = await sql<{ fate: string }>`
      select case when failed_at is not null then 'given up'
                  when due_at - make_interval(secs => ${seconds})
                       between ${before}::timestamptz and now() + interval '1 millisecond' then 'put off'
                  else 'due at ' || due_at end as fate
        from outbox where recipient = ${recipient}`.execute(db);
    return rows[0]!.fate;
  };
  const mailer = to('smtp://127.0.0.1:1');
  const codes = { 1: 1, 2: 2, 3: 4, 4: 8, 5: 16, 9: 256, 10: 512 };
  for (const [attempts, seconds] of Object.entries(codes))
    assert.equal(await fate(email, Number(attempts), seconds), 'put off', `after attempt ${attempts}`);
  await sql`update outbox set expires_at = now() + interval '8 minutes' where recipient = ${email}`.execute(
    db,
  );
  assert.equal(await fate(email, 10, 512), 'given up');
  const invitations = { 1: 60, 2: 120, 3: 240, 4: 480, 30: 6 * 3600 };
  for (const [attempts, seconds] of Object.entries(invitations))
    assert.equal(await fate(invited, Number(attempts), seconds), 'put off', `after attempt ${attempts}`);
  await sql`update outbox set failed_at = now() where recipient = ${invited}`.execute(db);
});

test('what is queued while the mail server is down arrives once it is up', { timeout: 60_000 }, async () => {
  const gone = await smtpSink();
  const port = Number(new URL(gone.url).port);
  await gone.close();
  const shop = await makeShop();
  const email = someone();
  await askForCode(shop.id, email);
  const sending = sender(to(gone.url));
  const again = async () => {
    await due(email);
    sending.wake();
  };
  await until(async () => (await row(email)).wasPutOff);
  assert.deepEqual((await row(email)).failed, false);
  await again();
  await until(async () => (await row(email)).attempts > 1);
  const server = await sink({ port });
  await until(async () => {
    await again();
    return (await row(email)).sent;
  });
  assert.deepEqual(server.received.at(-1)?.to, [email]);
  await sending.stop();
});

test('a code that would come too late is given up and wiped', { timeout: 60_000 }, async () => {
  const server = await sink();
  const shop = await makeShop();
  const [late, tooLate] = [someone('late'), someone('toolate')];
  const failing: Mailer = {
    keepsMails: false,
    close: () => {},
    send: () => Promise.reject(new Error('down')),
  };
  await askForCode(shop.id, late);
  await sql`update outbox set expires_at = now() + interval '900 milliseconds' where recipient = ${late}`.execute(
    db,
  );
  const first = sender(failing);
  await until(async () => (await row(late)).failed);
  await first.stop();

  await askForCode(shop.id, tooLate);
  await sql`update outbox set expires_at = now() where recipient = ${tooLate}`.execute(db);
  const second = sender(to(server.url));
  await until(async () => (await row(tooLate)).failed);
  await second.stop();
  assert.deepEqual([(await row(late)).content, (await row(tooLate)).content], [{}, {}]);
  assert.equal(server.received.length, 0);
});

test('a recipient who is refused for good is not tried again', { timeout: 60_000 }, async () => {
  const shop = await makeShop();
  const [refused, busy] = [someone('refused'), someone('busy')];
  const server = await sink({
    refuse: (recipient) => (recipient === refused ? refusal(550) : recipient === busy ? refusal(451) : null),
  });
  await askForCode(shop.id, refused);
  await askForCode(shop.id, busy);
  const sending = sender(to(server.url));
  await until(async () => (await row(refused)).failed && (await row(busy)).wasPutOff);
  await sending.stop();
  assert.equal((await row(busy)).failed, false);
  await sql`update outbox set failed_at = now() where recipient = ${busy}`.execute(db);
});

test(
  'a process that dies between sending and noting it repeats the mail with the same Message-ID',
  { timeout: 60_000 },
  async () => {
    const server = await sink();
    const shop = await makeShop();
    const email = someone();
    await askForCode(shop.id, email);
    const real = to(server.url);
    let end = (): void => {};
    const dying: Mailer = {
      ...real,
      send: (mail) => real.send(mail).then(() => new Promise((resolve) => (end = resolve))),
    };
    const first = sender(dying);
    await server.count(1);
    const stopped = first.stop();
    assert.equal((await row(email)).sent, false);
    await sql`update outbox set leased_until = now() - interval '1 second' where recipient = ${email}`.execute(
      db,
    );
    const second = sender(to(server.url));
    await server.count(2);
    await until(async () => (await row(email)).sent);
    end();
    await Promise.all([stopped, second.stop()]);
    const ids = server.received.map(({ raw }) => /^Message-ID: (.*)\r$/im.exec(raw)?.[1]);
    assert.equal(ids.length, 2);
    assert.equal(ids[0], ids[1]);
    assert.match(ids[0] ?? '', /^<[\w.]+@shop\.example>$/);
  },
);
