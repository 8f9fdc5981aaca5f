/** The member's card and profile, and the commerce's time, which every response to a member has. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call } from '#test/harness.ts';
import { makeShop, newUser } from '#test/make.ts';

test('the card has the code that the till scans, also after the member has left', async () => {
  const shop = await makeShop();
  const member = await shop.member('eva');
  const browser = await shop.browser(member);
  const { status, body } = await browser.get('/v1/me/card');
  assert.deepEqual([status, body], [200, { client_code: member.code, username: 'eva' }]);
  const { client_code: code } = body as { client_code: number };
  assert.equal(
    (await shop.post('/v1/consumptions/client-code', { client_code: code, amount: 5 })).status,
    201,
  );
  await browser.delete('/v1/me/subscription');
  assert.deepEqual((await browser.get('/v1/me/card')).body, body);
});

test('anyone who has never joined has no card', async () => {
  const [shop, other] = [await makeShop(), await makeShop()];
  const stranger = await shop.browser(await newUser());
  assert.equal((await stranger.get('/v1/me/card')).status, 404);
  // Points that wait for an address give it no card before the person joins.
  const member = await other.member();
  await shop.post('/v1/consumptions/email', { client_email: member.email, amount: 10 });
  const elsewhere = await shop.browser(member);
  assert.equal((await elsewhere.get('/v1/me/card')).status, 404);
  await elsewhere.post('/v1/me/subscription');
  assert.equal((await elsewhere.get('/v1/me/card')).status, 200);
});

test('the profile shows what was stored, all null for anyone who has never joined', async () => {
  const [shop, other] = [await makeShop(), await makeShop()];
  const browser = await shop.browser(await shop.member('eva'));
  assert.deepEqual((await browser.get('/v1/me/profile')).body, {
    username: 'eva',
    phone: null,
    birth_date: null,
  });
  const profile = { username: 'Éva', phone: '+5491122334455', birth_date: '1990-02-28' };
  await browser.patch('/v1/me', profile);
  assert.deepEqual((await browser.get('/v1/me/profile')).body, profile);
  await browser.patch('/v1/me', { birth_date: null });
  assert.deepEqual((await browser.get('/v1/me/profile')).body, { ...profile, birth_date: null });
  const { status, body } = await call('GET', '/v1/me/profile', {
    headers: { authorization: `Bearer ${browser.token}`, 'x-commerce-id': String(other.id) },
  });
  assert.deepEqual([status, body], [200, { username: null, phone: null, birth_date: null }]);
});

test('every valid call under /v1/me is told the commerce’s time, refused or not, which pages of any origin can read', async () => {
  const shop = await makeShop({ sandbox: true });
  const browser = await shop.browser(await newUser());
  await shop.moveClock('400 days');
  const due = Date.now() + 400 * 86_400_000;
  const calls = [
    browser.get('/v1/me'),
    browser.patch('/v1/me', { username: 'eva' }),
    browser.get('/v1/me/card'),
    browser.get('/v1/me/profile'),
    browser.get('/v1/me/points/expirations'),
    browser.get('/v1/me/level'),
    browser.get('/v1/me/rewards'),
    browser.get('/v1/me/benefits'),
    browser.get('/v1/me/benefits/past'),
    browser.get('/v1/me/activity'),
    browser.get('/v1/me/history'),
  ];
  for (const { status, headers } of await Promise.all(calls)) {
    const told = headers.get('x-commerce-time');
    assert.match(told ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, `status ${status}`);
    assert.ok(Math.abs(Date.parse(told!) - due) < 3_600_000, `${told} is not 400 days ahead`);
    assert.match(headers.get('access-control-expose-headers')!, /\bX-Commerce-Time\b/);
  }
  await shop.moveClock('1 day');
  const moved = (await browser.get('/v1/me/rewards')).headers.get('x-commerce-time')!;
  assert.ok(Date.parse(moved) > due + 82_000_000, 'a moved clock counts at once');
});

test('a response that was refused before its commerce was known has no time, and public responses have none', async () => {
  const shop = await makeShop();
  const unknown = await call('GET', '/v1/me', { headers: { 'x-commerce-id': String(shop.id) } });
  assert.deepEqual([unknown.status, unknown.headers.get('x-commerce-time')], [401, null]);
  const open = await call('GET', '/v1/public/commerce', { headers: { 'x-commerce-id': String(shop.id) } });
  assert.deepEqual([open.status, open.headers.get('x-commerce-time')], [200, null]);
});
