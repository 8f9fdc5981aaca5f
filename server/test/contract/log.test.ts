import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, test } from 'node:test';
import { buildApp } from '../../src/app.ts';
import { openDatabase, sql, type Database } from '#db/database.ts';
import { createLog } from '#http/log.ts';
import type { App } from '#http/server.ts';
import { createSmtpMailer } from '#mail/mailer.ts';
import { startMailSender } from '#mail/send-mails.ts';
import { SECRET, service } from '#test/harness.ts';
import { openSink, readLatestMail, waitUntil } from '#test/mail-sender.ts';
import { benefit, makeShop } from '#test/make.ts';
import { askForCode, freshCode, mailedCodes, signIn, someone } from '#test/sign-in.ts';

/** Everything that is logged in this file, at the most detailed level. */
const lines: string[] = [];
const log = createLog({ level: 'trace', to: { write: (line) => void lines.push(line) } });

/** Values that must not appear in any line, with a name for each. */
const canaries = new Map<string, string>();

function canary(name: string, text: string): string {
  canaries.set(text, name);
  return text;
}

const { db } = await service();
const app = await buildApp({ db, log, secret: SECRET, devMailbox: true });
after(() => app.close());

const shop = await makeShop({
  benefits: [benefit('coffee', { cost: 1 })],
  rewards: { welcome: { points: 50 } },
});
canary('key', shop.key);

const email = canary('address of a member', someone('canary'));
const session = await signIn(shop.id, email);
canary('access token', session.access);
canary('refresh token', session.refresh);
const other = canary('address that is asked for', someone('canary2'));
const code = canary('code', await freshCode(shop.id, other));
const stranger = canary('address of a stranger', someone('canary3'));
const wrongKey = canary('wrong key', `lk_${randomBytes(24).toString('base64url')}`);
const wrongToken = canary('wrong token', `${session.access}${randomBytes(6).toString('hex')}`);
const wrongRefresh = canary('wrong refresh token', `lr_${randomBytes(48).toString('base64url')}`);
const wrongCode = canary('wrong code', code.startsWith('9') ? '198273' : '987612');
const phone = canary('telephone', '+5491198765432');
const repeatKey = canary('idempotency key', randomBytes(16).toString('hex'));

/** Fields for all bodies, valid and invalid. Each route uses the ones that it declares. */
const BODIES: readonly (object | string | undefined)[] = [
  {
    email: other,
    otp: wrongCode,
    refresh: wrongRefresh,
    client_email: stranger,
    client_code: 123_456_789,
    amount: 5,
    benefit_id: 'coffee',
    client_benefit_code: 12_345_678_901_234,
    phone,
    username: email,
  },
  {
    email: [other],
    otp: { [wrongCode]: wrongCode },
    refresh: 5,
    client_email: `${stranger} ${phone}`,
    amount: wrongKey,
  },
  {
    email: `${other}\0`,
    otp: `${code}\ud800`,
    refresh: `${session.refresh}\0`,
    benefit_id: `${repeatKey}\0`,
    phone: email,
  },
  `{"email":"${other}","otp":"${code}`,
  `"${session.refresh}"`,
  undefined,
];

const CREDENTIALS = [
  undefined,
  `Bearer ${shop.key}`,
  `Bearer ${session.access}`,
  `Bearer ${wrongKey}`,
  `Bearer ${wrongToken}`,
  `Basic ${Buffer.from(`${email}:${code}`).toString('base64')}`,
];
canary('basic credential', CREDENTIALS.at(-1)!.slice('Basic '.length));

/** Calls every route with every credential and body, and returns how often each status was sent. */
async function driveEveryRoute(app: App): Promise<Map<number, number>> {
  const statuses = new Map<number, number>();
  for (const route of app.routeTable)
    for (const method of [route.method].flat())
      for (const authorization of CREDENTIALS)
        for (const payload of method === 'GET' || method === 'HEAD' ? [undefined] : BODIES) {
          const { statusCode } = await app.inject({
            method: method as 'GET',
            url: `${route.url.replaceAll(/:\w+/g, wrongCode)}?cursor=${session.access}&limit=${email}&key=${shop.key}`,
            headers: {
              'x-commerce-id': String(shop.id),
              // Not a generated ID: its random digits could match a code by chance.
              'x-request-id': 'drive',
              'idempotency-key': repeatKey,
              'content-type': 'application/json',
              cookie: `session=${session.refresh}`,
              referer: `https://luna.example/?token=${session.access}`,
              ...(authorization !== undefined && { authorization }),
            },
            ...(payload !== undefined && { payload }),
          });
          statuses.set(statusCode, (statuses.get(statusCode) ?? 0) + 1);
        }
  return statuses;
}

/** Fails if a line contains a canary. Clears the lines. */
function assertNoCanary(): void {
  const told = lines.splice(0).filter((line) => [...canaries.keys()].some((text) => line.includes(text)));
  const named = told.map((line) =>
    [...canaries].filter(([text]) => line.includes(text)).map(([, name]) => name),
  );
  assert.deepEqual([told[0] ?? null, named], [null, []]);
}

test('no log line contains a code, a token, a key or an address, whatever is called', async (t) => {
  const statuses = await driveEveryRoute(app);
  for (const status of [200, 201, 400, 401, 404, 422]) assert.ok(statuses.has(status), `${status} came up`);
  t.diagnostic(`${[...statuses.values()].reduce((sum, n) => sum + n)} calls, ${lines.length} lines`);
  assert.ok(lines.length > 0);
  assertNoCanary();
});

test('nor if the database refuses the rows of a call', async (t) => {
  // PostgreSQL's error contains the whole row that a constraint refuses. Such a refusal is a bug, so the response is a
  // 500.
  const tables = [
    'users',
    'members',
    'outbox',
    'sign_in_codes',
    'sign_in_failures',
    'sessions',
    'refresh_tokens',
  ];
  await sql`update sign_in_codes set expires_at = now() - interval '1 minute'`.execute(db);
  await sql`delete from sign_in_sends`.execute(db);
  const codeNow = canary('second code', await freshCode(shop.id, other));
  await sql`delete from sign_in_sends`.execute(db);
  for (const table of tables)
    await sql`alter table ${sql.id(table)} add constraint broken check (false) not valid`.execute(db);
  try {
    const statuses = await driveEveryRoute(app);
    const headers = { 'x-commerce-id': String(shop.id), 'x-request-id': 'verify' };
    const verified = await app.inject({
      method: 'POST',
      url: '/v1/auth/otp/verify',
      headers,
      payload: { email: other, otp: codeNow },
    });
    assert.equal(verified.statusCode, 500);
    assert.deepEqual(verified.json(), { message: 'internal error' });
    assert.ok((statuses.get(500) ?? 0) > 10);
    t.diagnostic(`${statuses.get(500)} of 500, ${lines.length} lines`);
    assert.ok(lines.some((line) => line.includes('unexpected error')));
  } finally {
    for (const table of tables) await sql`alter table ${sql.id(table)} drop constraint broken`.execute(db);
  }
  assertNoCanary();
});

test('nor while the database is unavailable', async (t) => {
  const password = canary('password of the database', randomBytes(12).toString('hex'));
  const url = `postgres://loyalty:${password}@127.0.0.1:1/loyalty`;
  const away: Database = openDatabase({
    url,
    poolSize: 2,
    preparedStatements: true,
    log,
  });
  const alone = await buildApp({ db: away, log, secret: SECRET, devMailbox: true });
  try {
    const statuses = await driveEveryRoute(alone);
    t.diagnostic(`${statuses.get(503)} of 503, ${lines.length} lines`);
    assert.ok((statuses.get(503) ?? 0) > 50);
    assert.equal(statuses.get(500), undefined);
  } finally {
    await alone.close();
    await away.destroy();
  }
  assertNoCanary();
});

test('nor if mails cannot be sent', { timeout: 120_000 }, async (t) => {
  const password = canary('password of the mail server', randomBytes(12).toString('hex'));
  const refusing = await openSink({
    refuse: (recipient) =>
      Object.assign(new Error(`<${recipient}> ${recipient}: no such mailbox (${password.length})`), {
        responseCode: recipient.startsWith('busy') ? 451 : 550,
      }),
  });
  const withPassword = (url: string) => Object.assign(new URL(url), { username: 'loyalty', password }).href;
  for (const [name, url] of [
    ['refused', refusing.url],
    ['busy', refusing.url],
    ['unknown to the server', withPassword(refusing.url)],
    ['away', withPassword('smtp://127.0.0.1:1')],
  ] as const) {
    const recipient = canary(`address of a mail that is ${name}`, someone(name.split(' ')[0]));
    await askForCode(shop.id, recipient);
    canary(`code of a mail that is ${name}`, (await mailedCodes(shop.id, recipient))[0]!);
    const mailer = createSmtpMailer({ url, from: 'loyalty@shop.example' });
    const sending = startMailSender({ db, mailer, log, base: 'https://club.example', secret: SECRET });
    await waitUntil(async () => {
      const { failed, wasPostponed } = await readLatestMail(recipient);
      return failed || wasPostponed;
    });
    await sending.stop();
    await sql`update outbox set failed_at = now() where recipient = ${recipient} and failed_at is null`.execute(
      db,
    );
  }
  const warned = lines.filter((line) => line.includes('a mail was not sent'));
  t.diagnostic(`${warned.length} mails not sent`);
  assert.ok(warned.length >= 4);
  assertNoCanary();
});
