import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql, transaction } from '#db/database.ts';
import { service } from '#test/harness.ts';
import {
  createTestMailer,
  makeDue,
  openSink,
  readLatestMail,
  startTestSender,
  waitUntil,
} from '#test/mail-sender.ts';
import { makeShop } from '#test/make.ts';
import { askForCode, someone } from '#test/sign-in.ts';
import { openSmtpSink, smtpError } from '#test/smtp-sink.ts';
import type { Mailer } from './mailer.ts';
import { enqueueMails } from './outbox.ts';
import { joinCommerceOfMail, queuedMailColumns, type QueuedMail } from './queued-mail.ts';
import { postponeMail } from './record-outcome.ts';

const { db } = await service();

test('a code is retried after 1, 2, 4, 8 … s within its ten minutes, an invitation after as many minutes', async () => {
  const shop = await makeShop();
  const [email, invited] = [someone(), someone('invited')];
  await askForCode(shop.id, email);
  await transaction(db, (tx) =>
    enqueueMails(tx, [
      { commerceId: shop.id, kind: 'invitation', recipient: invited, content: { points: null } },
    ]),
  );
  /** Postpones a mail after some attempts and returns whether it waits the expected seconds or was given up. */
  const postpone = async (recipient: string, attempts: number, seconds: number) => {
    const { rows: mails } = await sql<QueuedMail & { before: string }>`
      select ${queuedMailColumns}, date_trunc('milliseconds', now())::text as before
        from outbox o ${joinCommerceOfMail} where o.recipient = ${recipient}`.execute(db);
    const [{ before, ...mail }] = mails as [(typeof mails)[0]];
    await postponeMail(db, { ...mail, attempts }, new Error('down'), mailer);
    const { rows } = await sql<{ outcome: string }>`
      select case when failed_at is not null then 'given up'
                  when due_at - make_interval(secs => ${seconds})
                       between ${before}::timestamptz and now() + interval '1 millisecond' then 'postponed'
                  else 'due at ' || due_at end as outcome
        from outbox where recipient = ${recipient}`.execute(db);
    return rows[0]!.outcome;
  };
  const mailer = createTestMailer('smtp://127.0.0.1:1');
  const codes = { 1: 1, 2: 2, 3: 4, 4: 8, 5: 16, 9: 256, 10: 512 };
  for (const [attempts, seconds] of Object.entries(codes))
    assert.equal(await postpone(email, Number(attempts), seconds), 'postponed', `after attempt ${attempts}`);
  await sql`update outbox set expires_at = now() + interval '8 minutes' where recipient = ${email}`.execute(
    db,
  );
  assert.equal(await postpone(email, 10, 512), 'given up');
  const invitations = { 1: 60, 2: 120, 3: 240, 4: 480, 30: 6 * 3600 };
  for (const [attempts, seconds] of Object.entries(invitations))
    assert.equal(
      await postpone(invited, Number(attempts), seconds),
      'postponed',
      `after attempt ${attempts}`,
    );
  await sql`update outbox set failed_at = now() where recipient = ${invited}`.execute(db);
});

test(
  'a mail that is queued while the mail server is down arrives once it is up',
  { timeout: 60_000 },
  async () => {
    const gone = await openSmtpSink();
    const port = Number(new URL(gone.url).port);
    await gone.close();
    const shop = await makeShop();
    const email = someone();
    await askForCode(shop.id, email);
    const sending = startTestSender(createTestMailer(gone.url));
    const again = async () => {
      await makeDue(email);
      sending.wake();
    };
    await waitUntil(async () => (await readLatestMail(email)).wasPostponed);
    assert.deepEqual((await readLatestMail(email)).failed, false);
    await again();
    await waitUntil(async () => (await readLatestMail(email)).attempts > 1);
    const server = await openSink({ port });
    await waitUntil(async () => {
      await again();
      return (await readLatestMail(email)).sent;
    });
    assert.deepEqual(server.received.at(-1)?.to, [email]);
    await sending.stop();
  },
);

test('a code that would arrive too late is given up and wiped', { timeout: 60_000 }, async () => {
  const server = await openSink();
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
  const first = startTestSender(failing);
  await waitUntil(async () => (await readLatestMail(late)).failed);
  await first.stop();

  await askForCode(shop.id, tooLate);
  await sql`update outbox set expires_at = now() where recipient = ${tooLate}`.execute(db);
  const second = startTestSender(createTestMailer(server.url));
  await waitUntil(async () => (await readLatestMail(tooLate)).failed);
  await second.stop();
  assert.deepEqual([(await readLatestMail(late)).content, (await readLatestMail(tooLate)).content], [{}, {}]);
  assert.equal(server.received.length, 0);
});

test(
  'a mail is not tried again if the server refuses its recipient for good',
  { timeout: 60_000 },
  async () => {
    const shop = await makeShop();
    const [refused, busy] = [someone('refused'), someone('busy')];
    const server = await openSink({
      refuse: (recipient) =>
        recipient === refused ? smtpError(550) : recipient === busy ? smtpError(451) : null,
    });
    await askForCode(shop.id, refused);
    await askForCode(shop.id, busy);
    const sending = startTestSender(createTestMailer(server.url));
    await waitUntil(
      async () => (await readLatestMail(refused)).failed && (await readLatestMail(busy)).wasPostponed,
    );
    await sending.stop();
    assert.equal((await readLatestMail(busy)).failed, false);
    const { rows } = await sql<{ putOff: boolean }>`
      select put_off as "putOff" from outbox where recipient = ${busy}`.execute(db);
    assert.deepEqual(rows, [{ putOff: true }], 'the mail server is there');
    await sql`update outbox set failed_at = now() where recipient = ${busy}`.execute(db);
  },
);

test(
  'a mail whose sender dies before recording it is sent again with the same Message-ID',
  { timeout: 60_000 },
  async () => {
    const server = await openSink();
    const shop = await makeShop();
    const email = someone();
    await askForCode(shop.id, email);
    const real = createTestMailer(server.url);
    let finishSending = (): void => {};
    const dying: Mailer = {
      ...real,
      send: (mail) => real.send(mail).then(() => new Promise((resolve) => (finishSending = resolve))),
    };
    const first = startTestSender(dying);
    await server.waitForMails(1);
    const stopped = first.stop();
    assert.equal((await readLatestMail(email)).sent, false);
    await sql`update outbox set leased_until = now() - interval '1 second' where recipient = ${email}`.execute(
      db,
    );
    const second = startTestSender(createTestMailer(server.url));
    await server.waitForMails(2);
    await waitUntil(async () => (await readLatestMail(email)).sent);
    finishSending();
    await Promise.all([stopped, second.stop()]);
    const ids = server.received.map(({ raw }) => /^Message-ID: (.*)\r$/im.exec(raw)?.[1]);
    assert.equal(ids.length, 2);
    assert.equal(ids[0], ids[1]);
    assert.match(ids[0] ?? '', /^<[\w.]+@shop\.example>$/);
  },
);
