import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createLog } from '#http/log.ts';
import { sql } from '#db/database.ts';
import { service } from '#test/harness.ts';
import { makeShop } from '#test/make.ts';
import { askForCode, mailedCodes, someone } from '#test/sign-in.ts';
import { refusal, smtpSink, type SinkOptions, type SmtpSink } from '#test/smtp-sink.ts';
import { smtpMailer, type Mailer } from './mailer.ts';
import { enqueueMails } from './outbox.ts';
import { startMailSender, type MailSender } from './send-mails.ts';

const { db } = await service();
const log = createLog({ level: 'silent' });
const closers: (() => Promise<void>)[] = [];
after(async () => {
  for (const close of closers) await close();
});

async function sink(options?: SinkOptions): Promise<SmtpSink> {
  const opened = await smtpSink(options);
  closers.push(opened.close);
  return opened;
}

function sender(mailer: Mailer): MailSender {
  return startMailSender({ db, mailer, log, base: 'https://club.example' });
}

function to(url: string): Mailer {
  return smtpMailer({ url, from: 'loyalty@shop.example' });
}

interface Row {
  readonly content: object;
  readonly sent: boolean;
  readonly failed: boolean;
  readonly attempts: number;
  readonly waits: number;
}

/** The latest mail to an address as the outbox has it; `waits` in whole seconds. */
async function row(email: string): Promise<Row> {
  const { rows } = await sql<Row>`
    select content, sent_at is not null as sent, failed_at is not null as failed, attempts,
           round(extract(epoch from due_at - now()))::integer as waits
      from outbox where recipient = ${email} order by id desc limit 1`.execute(db);
  return rows[0]!;
}

/** Waits until a condition holds; the test's own time limit is the end of it. */
async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => void setTimeout(resolve, 10));
}

/** Makes a mail due now, whoever holds it. */
async function due(email: string): Promise<void> {
  await sql`
    update outbox set due_at = now(), leased_until = null
     where recipient = ${email} and sent_at is null and failed_at is null`.execute(db);
}

test(
  'a code reaches its address alone, in the shop’s name, and is wiped from the outbox',
  { timeout: 20_000 },
  async () => {
    const server = await sink();
    const shop = await makeShop({
      name: 'Café "Luna", <b>',
      locale: 'es',
      color: '#7a3e9d',
      mail: { sender: 'Luna: la Café', reminders: false },
    });
    const email = someone();
    await askForCode(shop.id, email);
    const [code = ''] = await mailedCodes(shop.id, email);
    const sending = sender(to(server.url));
    await server.count(1);
    await until(async () => (await row(email)).sent);
    await sending.stop();

    const [{ from, to: recipients, mail, raw }] = server.received as [SmtpSink['received'][0]];
    assert.deepEqual([from, recipients], ['loyalty@shop.example', [email]]);
    assert.deepEqual(mail.from, { address: 'loyalty@shop.example', name: 'Luna: la Café' });
    assert.deepEqual(
      mail.to?.map(({ address }) => address),
      [email],
    );
    assert.equal(mail.subject, `${code} es tu código para Café "Luna", <b>`);
    assert.ok(mail.text?.split(/\r?\n/).includes(code), 'alone on a line');
    assert.ok(mail.html?.includes(`>${code}</p>`));
    assert.ok(mail.html?.includes('Café &quot;Luna&quot;, &lt;b&gt;') && !mail.html.includes('<b>'));
    assert.ok(mail.html?.includes('#7a3e9d') && mail.html.includes('lang="es"'));
    assert.match(raw, /^Auto-Submitted: auto-generated\r$/m);
    assert.deepEqual((await row(email)).content, {});
  },
);

test(
  'a mail that is queued while the sender sleeps leaves as soon as it is woken',
  { timeout: 20_000 },
  async () => {
    const server = await sink();
    const shop = await makeShop();
    const sending = sender(to(server.url));
    sending.wake();
    for (let i = 1; i <= 12; i++) {
      await askForCode(shop.id, someone());
      sending.wake();
      await server.count(i);
    }
    await sending.stop();
  },
);

test(
  'while the mail server is down a code is tried after 1, 2, 4, 8 s, and arrives once it is up',
  { timeout: 20_000 },
  async () => {
    const gone = await smtpSink();
    const port = Number(new URL(gone.url).port);
    await gone.close();
    const shop = await makeShop();
    const email = someone();
    await askForCode(shop.id, email);
    const sending = sender(to(gone.url));
    const waits = [];
    for (let attempt = 1; attempt <= 4; attempt++) {
      await until(async () => (await row(email)).waits > 0);
      const { attempts, waits: seconds, failed } = await row(email);
      assert.deepEqual([attempts, failed], [attempt, false]);
      waits.push(seconds);
      await due(email);
      sending.wake();
    }
    assert.deepEqual(waits, [1, 2, 4, 8]);
    const server = await sink({ port });
    await until(async () => {
      await due(email);
      sending.wake();
      return (await row(email)).sent;
    });
    assert.deepEqual(server.received.at(-1)?.to, [email]);
    await sending.stop();
  },
);

test('a code that would come too late is given up and wiped', { timeout: 20_000 }, async () => {
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

test('a recipient who is refused for good is not tried again', { timeout: 20_000 }, async () => {
  const shop = await makeShop();
  const [refused, busy] = [someone('refused'), someone('busy')];
  const server = await sink({
    refuse: (recipient) => (recipient === refused ? refusal(550) : recipient === busy ? refusal(451) : null),
  });
  await askForCode(shop.id, refused);
  await askForCode(shop.id, busy);
  const sending = sender(to(server.url));
  await until(async () => (await row(refused)).failed && (await row(busy)).waits > 0);
  await sending.stop();
  assert.equal((await row(busy)).failed, false);
  await sql`update outbox set failed_at = now() where recipient = ${busy}`.execute(db);
});

test(
  'a process that dies between sending and noting it repeats the mail with the same Message-ID',
  { timeout: 20_000 },
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
    const ids = server.received.map(({ mail }) => mail.messageId);
    assert.equal(ids.length, 2);
    assert.equal(ids[0], ids[1]);
    assert.match(ids[0] ?? '', /^<[\w.]+@shop\.example>$/);
  },
);

test(
  'four senders on one outbox send each mail once, codes before invitations',
  { timeout: 30_000 },
  async () => {
    const server = await sink();
    const shop = await makeShop();
    const people = Array.from({ length: 60 }, () => someone('many'));
    const mails = people.map((recipient) => ({
      commerceId: shop.id,
      kind: 'invitation' as const,
      recipient,
      content: {},
    }));
    await enqueueMails(db, mails);
    const email = someone('waits');
    await askForCode(shop.id, email);
    const senders = Array.from({ length: 4 }, () => sender(to(server.url)));
    await server.count(61);
    await Promise.all(senders.map((one) => one.stop()));
    assert.deepEqual(
      server.received.map(({ to: [recipient] }) => recipient).sort(),
      [...people, email].sort(),
    );
    assert.ok(server.received.findIndex(({ to: [recipient] }) => recipient === email) < 20);
    const invitation = server.received.find(({ to: [recipient] }) => recipient === people[0])?.mail;
    assert.equal(invitation?.subject, `Your points at Shop ${shop.slug} are waiting for you`);
    assert.ok(invitation?.text?.split(/\r?\n/).includes(`https://club.example/club/${shop.slug}`));
  },
);

test('what is not one plain address is never handed to the mail server', async () => {
  const mailer = to('smtp://127.0.0.1:1');
  const mail = { id: '1', senderName: 'Shop', subject: 'x', text: 'x', html: 'x' };
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
