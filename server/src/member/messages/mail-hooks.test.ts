import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { buildApp } from '../../app.ts';
import { transaction } from '#db/database.ts';
import { enqueueMails } from '#mail/outbox.ts';
import { readSuppression } from '#mail/suppressions.ts';
import { SECRET, service } from '#test/harness.ts';
import { createTestMailer, openSink, readLatestMail, startTestSender, waitUntil } from '#test/mail-sender.ts';
import { makeShop } from '#test/make.ts';
import { read } from '#test/repository.ts';
import { askForCode, someone } from '#test/sign-in.ts';
import { smtpError } from '#test/smtp-sink.ts';
import { subscriptionToConfirm } from './hook-routes.ts';
import { readEvents } from './providers/read-events.ts';

const { db, app: withoutHooks } = await service();
const password = 'a password of the tests, with 24 characters'.replaceAll(' ', '-');
const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const sendgridKey = keys.publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
const mailgunKey = 'a signing key of the tests';

const app = await open({ secret: password, sendgridKey: null, mailgunKey: null });
const signed = await open({ secret: password, sendgridKey, mailgunKey });
const run = promisify(execFile);

test('each command of docs/messages.md stops the mails to its address', { timeout: 60_000 }, async () => {
  await app.listen({ port: 0, host: '127.0.0.1' });
  const base = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  const commands = [...read('docs/messages.md').matchAll(/```sh\n(curl [^]*?)```/g)].map(
    ([, command]) => command!,
  );
  assert.equal(commands.length, 5);
  const run1 = someone('doc').split('@')[0]!;
  for (const command of commands) {
    const [, shown = ''] = /([a-z]+@example\.com)/.exec(command)!;
    const email = `${run1}-${shown}`;
    const mine = command.replace('https://loyalty.example', base).replace(shown, email);
    const { stdout } = await run('bash', ['-c', mine], {
      env: { ...process.env, MAIL_HOOK_SECRET: password },
    });
    assert.match(stdout, /^HTTP\/1\.1 200 /, command);
    const reason = shown.startsWith('generic') ? 'complaint' : 'bounce';
    assert.equal((await readSuppression(db, email))?.reason, reason, command);
  }
});

test('a suppressed address gets its sign-in code and nothing else', { timeout: 60_000 }, async () => {
  const server = await openSink();
  const shop = await makeShop();
  const { email } = await shop.member();
  await report('generic', { events: [{ email: email.toUpperCase(), reason: 'bounce' }] });
  const content = { points: 5, expiresOn: '2027-06-17', daysLeft: 7 };
  const mail = { commerceId: shop.id, kind: 'expiry-reminder' as const, recipient: email, content };
  await transaction(db, (tx) => enqueueMails(tx, [mail]));
  const sending = startTestSender(createTestMailer(server.url));
  await waitUntil(async () => (await readLatestMail(email)).failed);
  await askForCode(shop.id, email);
  sending.wake();
  await server.waitForMails(1);
  await sending.stop();
  assert.deepEqual(server.received.map(({ to }) => to).filter(([to]) => to === email).length, 1);
  assert.match(server.received.find(({ to }) => to[0] === email)!.raw, /^Subject: .*\d{6} is your code/m);
});

test(
  'an address that the mail server does not know is suppressed, and one that it refuses for another reason is not',
  { timeout: 60_000 },
  async () => {
    const [gone, refused] = [someone('gone'), someone('refused')];
    const server = await openSink({
      refuse: (address) => {
        if (address === gone) return smtpError(550, '5.1.1 no such user');
        return address === refused ? smtpError(550, '5.7.1 not from you') : null;
      },
    });
    const shop = await makeShop();
    const mails = [gone, refused].map((recipient) => ({
      commerceId: shop.id,
      kind: 'invitation' as const,
      recipient,
      content: { points: 5 },
    }));
    await transaction(db, (tx) => enqueueMails(tx, mails));
    const sending = startTestSender(createTestMailer(server.url));
    for (const email of [gone, refused]) await waitUntil(async () => (await readLatestMail(email)).failed);
    await sending.stop();
    assert.equal((await readSuppression(db, gone))?.reason, 'bounce');
    assert.equal(await readSuppression(db, refused), null);
  },
);

test('a report without the password is refused, and without a password there is no such address', async () => {
  const email = someone();
  const payload = { events: [{ email, reason: 'complaint' }] };
  for (const authorization of [
    undefined,
    'Bearer wrong',
    `Basic ${Buffer.from('mail:wrong').toString('base64')}`,
    `Basic ${Buffer.from(password).toString('base64')}`,
    `Bearer ${password}x`,
    `Token ${password}`,
  ]) {
    const answer = await app.inject({
      method: 'POST',
      url: '/hooks/mail/generic',
      headers: authorization === undefined ? {} : { authorization },
      payload,
    });
    assert.equal(answer.statusCode, 401, String(authorization));
    assert.equal(answer.headers['www-authenticate'], 'Basic realm="mail hooks"');
  }
  const headers = { authorization: `Bearer ${password}` };
  for (const [service, url] of [
    [withoutHooks, '/hooks/mail/generic'],
    [app, '/hooks/mail/another'],
  ] as const)
    assert.equal((await service.inject({ method: 'POST', url, headers, payload })).statusCode, 404, url);
  assert.equal(await readSuppression(db, email), null);
});

test('with a key, SendGrid and Mailgun prove themselves by their signature, and the password is not enough', async () => {
  const email = someone();
  const events = JSON.stringify([{ email, event: 'spamreport' }]);
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const signature = sign('sha256', Buffer.from(timestamp + events), keys.privateKey).toString('base64');
  const post = (provider: string, payload: string, headers: Record<string, string> = {}) =>
    signed.inject({
      method: 'POST',
      url: `/hooks/mail/${provider}`,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${password}`, ...headers },
      payload,
    });
  const by = (value: string) => ({
    'x-twilio-email-event-webhook-signature': value,
    'x-twilio-email-event-webhook-timestamp': timestamp,
  });
  for (const headers of [
    {},
    by('x'),
    by(signature.replace(/^.{9}/, 'AAAAAAAAA')),
    { ...by(signature), 'x-twilio-email-event-webhook-timestamp': '1' },
  ])
    assert.equal((await post('sendgrid', events, headers)).statusCode, 401);
  assert.equal((await post('sendgrid', `${events} `, by(signature))).statusCode, 401);
  assert.equal(await readSuppression(db, email), null);
  assert.equal((await post('sendgrid', events, by(signature))).statusCode, 200);
  assert.equal((await readSuppression(db, email))?.reason, 'complaint');

  const mine = someone();
  const mailgun = (text: unknown) => ({
    signature: { timestamp, token: 'a token', signature: text },
    'event-data': { event: 'complained', recipient: mine },
  });
  const right = createHmac('sha256', mailgunKey).update(`${timestamp}a token`).digest('hex');
  for (const wrong of [undefined, null, 5, '', `${right}0`, right.toUpperCase()])
    assert.equal((await post('mailgun', JSON.stringify(mailgun(wrong)))).statusCode, 401);
  assert.equal((await post('mailgun', 'null')).statusCode, 401);
  assert.equal((await post('mailgun', JSON.stringify(mailgun(right)))).statusCode, 200);
  assert.equal((await readSuppression(db, mine))?.reason, 'complaint');
});

test('an old signature proves nothing, so one that got out cannot stop the mails to others', async () => {
  const email = someone();
  const hours = (ago: number) => String(Math.floor(Date.now() / 1_000) - ago * 3_600);
  const post = (provider: string, timestamp: string, payload: string) =>
    signed.inject({
      method: 'POST',
      url: `/hooks/mail/${provider}`,
      headers: {
        'content-type': 'application/json',
        'x-twilio-email-event-webhook-timestamp': timestamp,
        'x-twilio-email-event-webhook-signature': sign(
          'sha256',
          Buffer.from(timestamp + payload),
          keys.privateKey,
        ).toString('base64'),
      },
      payload,
    });
  const reports = (timestamp: string) => ({
    sendgrid: JSON.stringify([{ email, event: 'spamreport' }]),
    mailgun: JSON.stringify({
      signature: {
        timestamp,
        token: 'a token',
        signature: createHmac('sha256', mailgunKey).update(`${timestamp}a token`).digest('hex'),
      },
      'event-data': { event: 'complained', recipient: email },
    }),
  });
  for (const timestamp of [hours(73), hours(-2), '', 'soon', '1e3'])
    for (const [provider, payload] of Object.entries(reports(timestamp)))
      assert.equal((await post(provider, timestamp, payload)).statusCode, 401, `${provider} ${timestamp}`);
  assert.equal(await readSuppression(db, email), null);
  // A provider sends a report again for a day or longer, signed as it was.
  const timestamp = hours(25);
  for (const [provider, payload] of Object.entries(reports(timestamp)))
    assert.equal((await post(provider, timestamp, payload)).statusCode, 200, provider);
});

test('only permanent bounces and complaints count, and a report of any other form is taken and changes nothing', async () => {
  const email = 'a@example.com';
  const soft: [Parameters<typeof readEvents>[0], unknown][] = [
    [
      'ses',
      {
        notificationType: 'Bounce',
        bounce: { bounceType: 'Transient', bouncedRecipients: [{ emailAddress: email }] },
      },
    ],
    ['ses', { notificationType: 'Delivery', delivery: {} }],
    ['ses', { Type: 'Notification', Message: 'not JSON' }],
    ['postmark', { RecordType: 'Bounce', Type: 'SoftBounce', Email: email }],
    ['postmark', { RecordType: 'Open', Email: email }],
    ['sendgrid', [{ event: 'bounce', type: 'blocked', email }, { event: 'deferred', email }, null, 5]],
    [
      'mailgun',
      { 'event-data': { event: 'failed', severity: 'temporary', reason: 'bounce', recipient: email } },
    ],
    [
      'mailgun',
      { 'event-data': { event: 'failed', severity: 'permanent', reason: 'old', recipient: email } },
    ],
    [
      'generic',
      {
        events: [
          { email, reason: 'open' },
          { email: 'nobody', reason: 'bounce' },
          { email: 5, reason: 'bounce' },
        ],
      },
    ],
    ['generic', { events: 'all' }],
    ['generic', null],
  ];
  for (const [provider, body] of soft) assert.deepEqual(readEvents(provider, body), [], JSON.stringify(body));
  assert.deepEqual(
    readEvents('ses', {
      eventType: 'Complaint',
      complaint: { complainedRecipients: [{ emailAddress: 'A@Example.com' }] },
    }),
    [{ email, reason: 'complaint' }],
  );
  for (const payload of ['', '{', '[]', '"x"', '\0'])
    assert.equal((await report('ses', payload)).statusCode, 200);
});

test('a subscription is confirmed only at an address of Amazon SNS', () => {
  const confirm = (SubscribeURL: unknown) =>
    subscriptionToConfirm({ Type: 'SubscriptionConfirmation', SubscribeURL });
  const right = 'https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription&Token=x';
  assert.equal(confirm(right), right);
  for (const wrong of [
    'http://sns.eu-west-1.amazonaws.com/',
    'https://sns.eu-west-1.amazonaws.com.evil.example/',
    'https://evil.example/sns.eu-west-1.amazonaws.com',
    'https://sns.eu-west-1.amazonaws.com@evil.example/',
    'https://sns.eu-west-1.amazonaws.com:8443/',
    'https://127.0.0.1/',
    'nonsense',
    5,
  ])
    assert.equal(confirm(wrong), null, String(wrong));
  assert.equal(subscriptionToConfirm({ Type: 'Notification', SubscribeURL: right }), null);
});

test('a subscription that cannot be confirmed now gets a 503, so that Amazon SNS tries again', async (t) => {
  const answers = [
    () => Promise.reject(new TypeError('fetch failed')),
    () => new Response('', { status: 403 }),
  ];
  t.mock.method(globalThis, 'fetch', async () => answers.shift()!());
  const SubscribeURL = 'https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription&Token=x';
  for (let i = 0; i < 2; i++)
    assert.equal((await report('ses', { Type: 'SubscriptionConfirmation', SubscribeURL })).statusCode, 503);
});

async function open(mailHooks: {
  secret: string | null;
  sendgridKey: string | null;
  mailgunKey: string | null;
}) {
  const opened = await buildApp({ db, log: false, secret: SECRET, mailHooks });
  after(() => opened.close());
  return opened;
}

function report(provider: string, payload: object | string) {
  return app.inject({
    method: 'POST',
    url: `/hooks/mail/${provider}`,
    headers: { authorization: `Bearer ${password}`, 'content-type': 'application/json' },
    payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
  });
}
