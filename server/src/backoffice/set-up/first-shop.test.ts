/** The first shop of an installation. The tests run in this order, in a database of their own. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { test } from 'node:test';
import { sql } from '#db/database.ts';
import { verifyLedger } from '#books/verify-ledger.ts';
import { clusterSettings, testDatabaseUrl } from '#test/database.ts';
import { call, SECRET, service } from '#test/harness.ts';
import { fromPage, settingUp } from '#test/set-up.ts';
import { backOffice } from '#test/staff.ts';
import { isWithoutShop, makeFirstLink, makeSetUpLink } from './set-up-link.ts';

test('in production the log has no link, but the command that makes one, and shows no mailbox to anybody', async () => {
  const { db } = await service();
  const child = spawn(process.execPath, [new URL('../../start/start.js', import.meta.url).pathname], {
    env: {
      PATH: process.env['PATH'],
      ENV_FILE: 'off',
      NODE_ENV: 'production',
      DATABASE_URL: await testDatabaseUrl(),
      ...clusterSettings(),
      SECRET_KEY: SECRET[0],
      PUBLIC_URL: 'https://club.example',
      CONSOLE_URL: 'https://console.example',
      SMTP_URL: 'smtp://127.0.0.1:1',
      PORT: '0',
      LOG_LEVEL: 'fatal',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  for await (const chunk of child.stdout) {
    printed += String(chunk);
    if (printed.includes('setup-link')) break;
  }
  child.kill('SIGKILL');
  assert.match(printed, /There is no shop yet\. `loyalty setup-link` makes the link/);
  assert.doesNotMatch(printed, /set-up#|[\w-]{43}/);
  assert.deepEqual((await sql`select from set_ups`.execute(db)).rows, []);
  const token = await makeFirstLink(db);
  const { status, body } = await fromPage('POST', '/link', { token });
  assert.deepEqual([status, (body as { mailbox_url: unknown }).mailbox_url], [200, null], printed);
  assert.equal((await call('GET', '/dev/set-up')).status, 404);
});

let winner: { readonly link: string; readonly session: string } | undefined;

test('links that several starts print make one shop, however many people finish at once', async () => {
  const { db } = await service();
  const links = await Promise.all(Array.from({ length: 6 }, () => makeFirstLink(db)));
  const people = [];
  for (const link of links) people.push(await settingUp({ name: 'Corner Bakery' }, { link }));
  const answers = await Promise.all(people.map((person) => person.open()));
  const opened = answers.filter(({ status }) => status === 201);
  assert.equal(opened.length, 1);
  for (const { status, headers } of answers)
    if (status !== 201) assert.deepEqual([status, headers.get('x-error-code')], [404, 'set_up_link_refused']);
  const { rows } = await sql`select from commerces`.execute(db);
  assert.equal(rows.length, 1);
  const at = answers.indexOf(opened[0]!);
  winner = { link: links[at]!, session: opened[0]!.headers.getSetCookie()[0]!.split(';')[0]! };
});

test('the person is the owner, is signed in, and stands in the audit; the first purchase counts', async () => {
  const { db, url } = await service();
  const { rows } = await sql<{ id: number; slug: string; role: string }>`
    select c.id, c.slug, s.role from commerces c join staff s on s.commerce_id = c.id`.execute(db);
  assert.deepEqual(
    rows.map(({ slug, role }) => ({ slug, role })),
    [{ slug: 'corner-bakery', role: 'owner' }],
  );
  const owner = backOffice({ cookie: winner!.session, origin: url, 'x-commerce-id': String(rows[0]!.id) });
  const { body } = await owner.get('audit');
  assert.deepEqual(
    (body as { results: { action: string; by: { kind: string } }[] }).results.map(({ action, by }) => [
      action,
      by.kind,
    ]),
    [
      ['staff.invite', 'staff'],
      ['program.create', 'staff'],
    ],
  );
  const bought = await owner.post(
    'purchases',
    { client_email: 'ana@example.com', amount: 1_750 },
    { 'idempotency-key': 'first' },
  );
  assert.deepEqual([bought.status, (bought.body as { points: number }).points], [201, 1_750]);
  assert.deepEqual((await verifyLedger(db)).differences, []);
});

test('once there is a shop, a start prints no link, and what was printed before is worth nothing', async () => {
  const { db } = await service();
  assert.equal(await isWithoutShop(db), false);
  const old = await makeSetUpLink(db, { forFirst: true });
  for (const token of [old, winner!.link])
    assert.equal((await fromPage('POST', '/link', { token })).status, 404);
  const second = await makeSetUpLink(db);
  assert.equal((await fromPage('POST', '/link', { token: second })).status, 200);
});
