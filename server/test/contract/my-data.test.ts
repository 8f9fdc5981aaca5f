/** Members see and decide about their own data: which mails they get, and everything that is stored about them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeShop, newUser } from '#test/make.ts';
import { testDatabase } from '#test/database.ts';
import { writePersonData } from '#member-care/person-data.ts';
import { createSettingsLinks } from '#mail/settings-links.ts';
import { call, SECRET } from '#test/harness.ts';
import { sql } from '#db/database.ts';

const ALL = { invitation: true, expiring: true, birthday: true, level: true, reward: true };

test('a member stops mails one by one, and the page behind the link of every mail shows the same choice', async () => {
  const [shop, other] = [await makeShop(), await makeShop()];
  const member = await shop.member('eva');
  const browser = await shop.browser(member);
  assert.deepEqual((await browser.get('/v1/me/mails')).body, ALL);
  const changed = await browser.patch('/v1/me/mails', { birthday: false });
  assert.deepEqual([changed.status, changed.body], [200, { ...ALL, birthday: false }]);
  await browser.patch('/v1/me/mails', { level: false });
  assert.deepEqual((await browser.get('/v1/me/mails')).body, { ...ALL, birthday: false, level: false });
  await browser.patch('/v1/me/mails', { birthday: true });
  assert.deepEqual((await browser.get('/v1/me/mails')).body, { ...ALL, level: false });

  const db = await testDatabase();
  const { rows } = await sql<{ id: number }>`
    select id from members where commerce_id = ${shop.id} and code = ${member.code}`.execute(db);
  const page = createSettingsLinks(SECRET).link('', { commerceId: shop.id, memberId: rows[0]!.id });
  const { body } = await call('GET', page);
  assert.match(String(body), /value="birthday" checked/);
  assert.match(String(body), /value="level">/);

  // The choice is of one shop.
  const elsewhere = await other.browser(member);
  await elsewhere.post('/v1/me/subscription');
  assert.deepEqual((await elsewhere.get('/v1/me/mails')).body, ALL);
});

test('two devices that stop another mail each at the same moment both have their way', async () => {
  const shop = await makeShop();
  const browser = await shop.browser(await shop.member());
  for (let round = 0; round < 5; round++) {
    await browser.patch('/v1/me/mails', { birthday: true, level: true });
    await Promise.all([
      browser.patch('/v1/me/mails', { birthday: false }),
      browser.patch('/v1/me/mails', { level: false }),
    ]);
    assert.deepEqual((await browser.get('/v1/me/mails')).body, { ...ALL, birthday: false, level: false });
  }
});

test('a member gets everything that is stored here about them, in the words of the shop’s own export, and nothing of others', async () => {
  const [shop, other] = [await makeShop(), await makeShop()];
  const member = await shop.member('eva');
  const [stranger, elsewhere] = [await shop.member('mallory'), await other.browser(member)];
  const browser = await shop.browser(member);
  await elsewhere.post('/v1/me/subscription');
  await elsewhere.patch('/v1/me', { username: 'Somebody else' });
  await shop.sell(member, 37);
  await shop.sell(stranger, 91);

  const { status, body, headers } = await browser.get('/v1/me/data');
  assert.equal(status, 200);
  assert.equal(headers.get('cache-control'), 'no-store');
  const db = await testDatabase();
  const { rows } = await sql<{ id: number }>`
    select id from members where commerce_id = ${shop.id} and code = ${member.code}`.execute(db);
  let exported = '';
  for await (const piece of writePersonData(db, shop.id, rows[0]!.id)) exported += piece;
  const { written_at: _, ...mine } = body as Record<string, unknown>;
  const { written_at: __, ...theirs } = JSON.parse(exported) as Record<string, unknown>;
  assert.deepEqual(mine, theirs);
  assert.deepEqual(
    (mine['movements'] as { amount: number }[]).map(({ amount }) => amount),
    [37],
  );
  assert.doesNotMatch(exported, new RegExp(`Somebody else|mallory|${stranger.code}`));
});

test('anyone who has never joined has neither mails to choose nor data', async () => {
  const shop = await makeShop();
  const nobody = await shop.browser(await newUser());
  assert.equal((await nobody.get('/v1/me/mails')).status, 404);
  assert.equal((await nobody.get('/v1/me/data')).status, 404);
  assert.equal((await nobody.patch('/v1/me/mails', { level: false })).status, 400);
});
