import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call } from '#test/harness.ts';
import { makeShop, newUser } from '#test/make.ts';

const EXCHANGE = '/v1/me/benefits/exchange';

const NO_EXPIRATION = { points: 0, expiration_date: null, days_left: null, months_left: null, mode: 'none' };

test('my account has every field, null if empty', async () => {
  const shop = await makeShop({ name: 'Luna' });
  const member = await shop.member('eva');
  await shop.sell(member, 30);
  const browser = await shop.browser(member);
  const { status, body } = await browser.get('/v1/me');
  assert.equal(status, 200);
  assert.deepEqual(body, {
    username: 'eva',
    email: 'eva@example.com',
    phone: null,
    points: 30,
    subscribed: true,
    commerce: { id: shop.id, name: 'Luna', logo: null, color: null, category_name: null, currency: 'EUR' },
    points_expiration: NO_EXPIRATION,
  });
});

for (const mode of ['rolling', 'accumulated'] as const) {
  test(`points that expire (${mode}) are shown with their next date`, async () => {
    const shop = await makeShop({ sandbox: true, time_zone: 'UTC', points_expiration: { mode, months: 2 } });
    const member = await shop.member();
    await shop.sell(member, 30);
    const browser = await shop.browser(member);
    const { body } = await browser.get('/v1/me');
    const { points_expiration: told } = body as { points_expiration: Record<string, unknown> };
    const due = Temporal.Now.plainDateISO('UTC').add({ months: 2 });
    assert.deepEqual(told, {
      points: 30,
      expiration_date: `${due.toString()}T23:59:59.999Z`,
      days_left: due.since(Temporal.Now.plainDateISO('UTC')).days,
      months_left: 2,
      mode,
    });
    const all = await browser.get('/v1/me/points/expirations');
    const { mode: _, ...one } = told;
    assert.deepEqual([all.status, all.body], [200, [one]]);
    await shop.moveClock('100 days');
    assert.deepEqual(((await browser.get('/v1/me')).body as { points: number }).points, 0);
    assert.deepEqual((await browser.get('/v1/me/points/expirations')).body, []);
  });
}

test('an account without points shows only the mode of expiration', async () => {
  const shop = await makeShop({ points_expiration: { mode: 'rolling', months: 2 } });
  const browser = await shop.browser(await shop.member());
  const { points_expiration: told } = (await browser.get('/v1/me')).body as { points_expiration: object };
  assert.deepEqual(told, { ...NO_EXPIRATION, mode: 'rolling' });
});

test('the profile belongs to one membership: other shops do not show it', async () => {
  const [shop, other] = [await makeShop(), await makeShop()];
  const member = await shop.member();
  const there = await other.member(member.email.split('@')[0]);
  assert.equal(there.userId, member.userId);
  const browser = await shop.browser(member);
  const edited = await browser.patch('/v1/me', {
    username: 'Éva 🌙',
    phone: '+5491122334455',
    birth_date: '1990-02-28',
  });
  assert.equal(edited.status, 200);
  const { username, phone } = edited.body as Record<string, unknown>;
  assert.deepEqual([username, phone], ['Éva 🌙', '+5491122334455']);
  assert.equal((await browser.get('/v1/me')).text, edited.text);
  const elsewhere = (await (await other.browser(member)).get('/v1/me')).body as Record<string, unknown>;
  assert.deepEqual([elsewhere['username'], elsewhere['phone']], [member.email.split('@')[0], null]);
  const cleared = await browser.patch('/v1/me', { phone: null });
  assert.equal((cleared.body as { phone: unknown }).phone, null);
  assert.equal((cleared.body as { username: unknown }).username, 'Éva 🌙');
});

test('an invalid profile is a 422 and changes nothing', async () => {
  const shop = await makeShop();
  const browser = await shop.browser(await shop.member());
  const before = (await browser.get('/v1/me')).text;
  for (const [field, value, type] of [
    ['username', '', 'string_too_short'],
    ['username', 'x'.repeat(101), 'string_too_long'],
    ['username', 'a\nb', 'string_pattern_mismatch'],
    ['username', '  ', 'string_pattern_mismatch'],
    ['username', 5, 'string_type'],
    ['phone', '0044', 'string_pattern_mismatch'],
    ['phone', '+1', 'string_pattern_mismatch'],
    ['birth_date', '1990-02-30', 'date_parsing'],
    ['birth_date', '1990-2-3', 'date_parsing'],
    ['birth_date', 19900203, 'string_type'],
    ['birth_date', '1899-12-31', 'value_error'],
    ['birth_date', '0001-01-01', 'value_error'],
    ['birth_date', '2999-01-01', 'value_error'],
  ] as const) {
    const answer = await browser.patch('/v1/me', { [field]: value });
    assert.equal(answer.status, 422, `${field} ${value}`);
    const { detail } = answer.body as { detail: { loc: unknown; type: string }[] };
    assert.deepEqual(
      detail.map(({ loc, type }) => [loc, type]),
      [[['body', field], type]],
    );
  }
  assert.equal((await browser.get('/v1/me')).text, before);
});

test('changing a profile without ever having joined is a 400', async () => {
  const shop = await makeShop();
  const browser = await shop.browser(await newUser());
  const answer = await browser.patch('/v1/me', { username: 'Eva' });
  assert.deepEqual([answer.status, answer.body], [400, { message: 'you have not joined this program' }]);
  const { username } = (await browser.get('/v1/me')).body as { username: unknown };
  assert.equal(username, null);
});

test('the latest birth date is today in the commerce’s time zone', async () => {
  const shop = await makeShop({
    sandbox: true,
    time_zone: 'Pacific/Kiritimati',
    clock: '2001-05-05T10:00:00Z',
  });
  const browser = await shop.browser(await shop.member());
  for (const [day, status] of [
    ['1900-01-01', 200],
    ['2001-05-06', 200],
    ['2001-05-07', 422],
  ] as const)
    assert.equal((await browser.patch('/v1/me', { birth_date: day })).status, status, day);
});

const CALLS = [
  ['GET', '/v1/me'],
  ['GET', '/v1/me/benefits/available'],
  ['POST', EXCHANGE],
  ['GET', '/v1/me/benefits'],
  ['GET', '/v1/me/activity'],
  ['GET', '/v1/me/level'],
  ['GET', '/v1/me/rewards'],
  ['POST', '/v1/me/subscription'],
  ['DELETE', '/v1/me/subscription'],
] as const;

test('without an access token every call is a 401, before anything else is checked', async () => {
  const shop = await makeShop();
  const { token } = await shop.browser(await shop.member());
  for (const [method, path] of CALLS)
    for (const authorization of [
      undefined,
      `Bearer ${shop.key}`,
      'Bearer ',
      token,
      `Basic ${token}`,
      `Bearer ${token}x`,
    ]) {
      const answer = await call(method, path, {
        headers: authorization === undefined ? {} : { authorization },
      });
      assert.equal(answer.status, 401, `${method} ${path} ${authorization}`);
      assert.equal(answer.headers.get('www-authenticate'), 'Bearer');
    }
});

test('with a token but without X-Commerce-Id every call is a 422, and with an unknown commerce a 404', async () => {
  const shop = await makeShop();
  const { token } = await shop.browser(await shop.member());
  const authorization = `Bearer ${token}`;
  for (const [method, path] of CALLS) {
    const body = method === 'POST' ? { benefit_id: 'x' } : undefined;
    const missing = await call(method, path, { headers: { authorization }, body });
    assert.deepEqual(missing.body, {
      detail: [{ loc: ['header', 'x-commerce-id'], msg: 'Field required', type: 'missing' }],
    });
    const unknown = await call(method, path, {
      headers: { authorization, 'x-commerce-id': '9007199254740991' },
      body,
    });
    assert.deepEqual([unknown.status, unknown.body], [404, { message: 'the commerce does not exist' }]);
  }
});
