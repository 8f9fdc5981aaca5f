import assert from 'node:assert/strict';
import { test } from 'node:test';
import PostalMime from 'postal-mime';
import { sql, transaction } from '#db/database.ts';
import { enqueueMails } from '#mail/outbox.ts';
import { createSettingsLinks } from '#mail/settings-links.ts';
import { SECRET, service } from '#test/harness.ts';
import { createTestMailer, openSink, startTestSender, waitUntil } from '#test/mail-sender.ts';
import { makeShop, type MadeMember, type Shop } from '#test/make.ts';
import { askForCode } from '#test/sign-in.ts';

const { db, app } = await service();
const links = createSettingsLinks(SECRET);

test(
  'a mail that nobody asked for carries the headers of one click, and a POST to them stops such mails',
  { timeout: 60_000 },
  async () => {
    const server = await openSink();
    const shop = await makeShop({ locale: 'es' });
    const member = await shop.member();
    await remind(shop, member);
    await askForCode(shop.id, member.email);
    const sending = startTestSender(createTestMailer(server.url));
    await server.waitForMails(2);
    const mails = await Promise.all(server.received.map(({ raw }) => PostalMime.parse(raw)));
    const code = mails.find(({ subject }) => subject?.includes('código'))!;
    const reminder = mails.find((mail) => mail !== code)!;
    assert.equal(headerOf(code, 'list-unsubscribe'), undefined);
    assert.equal(headerOf(reminder, 'list-unsubscribe-post'), 'List-Unsubscribe=One-Click');
    const [, address = ''] =
      /^<(https:\/\/club\.example\/mail\/[\w-]+)>$/.exec(headerOf(reminder, 'list-unsubscribe')!) ?? [];
    assert.ok(reminder.text?.includes(address) && reminder.html?.includes(`href="${address}"`));

    const path = new URL(address).pathname;
    for (const [type, body] of oneClicks) {
      await sql`delete from mail_stops where commerce_id = ${shop.id}`.execute(db);
      assert.equal((await send(path, body, type)).statusCode, 200, type);
      assert.deepEqual(await stopsOf(shop), ['all'], type);
    }
    await remind(shop, member);
    const other = await shop.member();
    await remind(shop, other);
    sending.wake();
    await server.waitForMails(3);
    await waitUntil(async () => (await unsentOf(shop)) === 0);
    await sending.stop();
    assert.deepEqual(
      server.received
        .slice(2)
        .flatMap(({ to }) => to)
        .filter((to) => to === member.email),
      [],
    );
  },
);

test('opening the page changes nothing, and its form stops and starts single kinds without a script', async () => {
  const shop = await makeShop({ name: 'Luna <b>', color: '#7a3e9d' });
  const member = await shop.member();
  const path = pathOf(shop, member);
  const page = await app.inject({ url: path });
  assert.match(
    String(page.headers['content-security-policy']),
    /^default-src 'none'; style-src 'sha256-[^;]*; form-action 'self'/,
  );
  assert.ok(page.body.includes('Luna &lt;b&gt;') && !page.body.includes('<script'));
  assert.equal(page.body.split(' checked').length - 1, 5);
  assert.deepEqual(await stopsOf(shop), []);

  await send(path, 'kind=expiring&kind=level&kind=invitation&kind=reward&act=save');
  assert.deepEqual(await stopsOf(shop), ['birthday']);
  const kept = await app.inject({ url: path });
  assert.equal(kept.body.split(' checked').length - 1, 4);
  assert.ok((await send(path, 'act=save')).body.includes('none of these'));
  assert.deepEqual(await stopsOf(shop), ['all']);
  await send(path, 'kind=expiring&act=save');
  assert.deepEqual(await stopsOf(shop), ['birthday', 'invitation', 'level', 'reward']);
});

test('a link that was changed leads nowhere, and that of an erased person too', async () => {
  const shop = await makeShop();
  const member = await shop.member();
  const path = pathOf(shop, member);
  const token = path.slice('/mail/'.length);
  for (const wrong of [
    'x',
    `${token}x`,
    `${token.slice(0, 9)}${token[9] === 'A' ? 'B' : 'A'}${token.slice(10)}`,
    token.slice(0, -1),
    `${token.slice(0, -2)}AA`,
    'example',
  ]) {
    assert.equal((await app.inject({ url: `/mail/${wrong}` })).statusCode, 404, wrong);
    assert.equal((await send(`/mail/${wrong}`, 'List-Unsubscribe=One-Click')).statusCode, 404, wrong);
  }
  await send(path, 'act=stop');
  await shop.erase(member);
  assert.deepEqual(await stopsOf(shop), []);
  assert.equal((await app.inject({ url: path })).statusCode, 404);
  assert.equal((await send(path, 'List-Unsubscribe=One-Click')).statusCode, 404);
  assert.deepEqual(await stopsOf(shop), []);
});

test('a body that is no form stops nothing', async () => {
  const shop = await makeShop();
  const member = await shop.member();
  for (const [type, body] of [
    ['application/json', '{"List-Unsubscribe":"One-Click"}'],
    ['text/plain', 'hello'],
    ['application/x-www-form-urlencoded', ''],
    ['multipart/form-data; boundary=x', '--x'],
    ['multipart/form-data; boundary=x', '\0\0\0'],
  ] as const) {
    assert.equal((await send(pathOf(shop, member), body, type)).statusCode, 200, body);
  }
  assert.deepEqual(await stopsOf(shop), []);
});

test(
  'a mail that waits is not sent to who has left or was blocked meanwhile',
  { timeout: 60_000 },
  async () => {
    const server = await openSink();
    const shop = await makeShop();
    const [left, blocked, stays] = [await shop.member(), await shop.member(), await shop.member()];
    for (const member of [left, blocked, stays]) await remind(shop, member);
    await shop.leave(left);
    await shop.block(blocked);
    const sending = startTestSender(createTestMailer(server.url));
    await waitUntil(async () => (await unsentOf(shop)) === 0);
    await sending.stop();
    const mine = [left, blocked, stays].map(({ email }) => email);
    assert.deepEqual(
      server.received.flatMap(({ to }) => to).filter((to) => mine.includes(to)),
      [stays.email],
    );
  },
);

const oneClicks = [
  ['application/x-www-form-urlencoded', 'List-Unsubscribe=One-Click'],
  [
    'multipart/form-data; boundary=---------------------------7162',
    '-----------------------------7162\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n-----------------------------7162--\r\n',
  ],
  [
    'multipart/form-data; boundary=b',
    '--b\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\nContent-Type: text/plain\r\n\r\nOne-Click\r\n--b--',
  ],
] as const;

function send(path: string, body: string, type = 'application/x-www-form-urlencoded') {
  return app.inject({ method: 'POST', url: path, headers: { 'content-type': type }, payload: body });
}

function pathOf({ id: commerceId }: Shop, { memberId }: MadeMember): string {
  return links.link('', { commerceId, memberId });
}

async function remind({ id: commerceId }: Shop, { email: recipient }: MadeMember): Promise<void> {
  const content = { points: 86, expiresOn: '2027-06-17', daysLeft: 7 };
  await transaction(db, (tx) =>
    enqueueMails(tx, [{ commerceId, kind: 'expiry-reminder', recipient, content }]),
  );
}

async function stopsOf({ id }: Shop): Promise<string[]> {
  const { rows } = await sql<{ kind: string }>`
    select kind from mail_stops where commerce_id = ${id} order by kind`.execute(db);
  return rows.map(({ kind }) => kind);
}

async function unsentOf({ id }: Shop): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from outbox
     where commerce_id = ${id} and sent_at is null and failed_at is null`.execute(db);
  return rows[0]!.count;
}

function headerOf(
  { headers }: { headers: { key: string; value: string }[] },
  key: string,
): string | undefined {
  return headers.find((header) => header.key === key)?.value;
}
