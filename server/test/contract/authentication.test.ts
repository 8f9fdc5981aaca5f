import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call, service } from '#test/harness.ts';
import { makeShop } from '#test/make.ts';
import {
  askForCode,
  atCommerce,
  freshCode,
  refresh,
  showCode,
  signIn,
  someone,
  wrongCode,
} from '#test/sign-in.ts';

const PATHS = ['/v1/auth/otp/request', '/v1/auth/otp/verify', '/v1/auth/refresh', '/v1/auth/logout'];

test('a page gets a code, signs in, makes a call, refreshes and makes a call again', async () => {
  const shop = await makeShop();
  const email = someone('eva');
  const asked = await askForCode(shop.id, email);
  assert.deepEqual([asked.status, Object.keys(asked.body as object)], [200, ['message']]);
  const member = { authorization: '', ...atCommerce(shop.id) };

  const session = await signIn((await makeShop()).id, someone());
  assert.deepEqual(Object.keys(session), [
    'access',
    'refresh',
    'expires_in',
    'user_id',
    'username',
    'email',
    'phone',
  ]);

  const other = someone('eva');
  const opened = await signIn(shop.id, other);
  const { access, refresh: kept, ...rest } = opened;
  assert.deepEqual(rest, {
    expires_in: 900,
    user_id: opened.user_id,
    username: other.split('@')[0],
    email: other,
    phone: null,
  });
  const me = await call('GET', '/v1/me', { headers: { ...member, authorization: `Bearer ${access}` } });
  assert.deepEqual([me.status, (me.body as { subscribed: boolean }).subscribed], [200, true]);
  const refreshed = await refresh(shop.id, kept);
  assert.equal(refreshed.status, 200);
  const next = refreshed.body as { access: string; refresh: string; expires_in: number };
  assert.deepEqual([Object.keys(next), next.expires_in], [['access', 'refresh', 'expires_in'], 900]);
  const again = await call('GET', '/v1/me', {
    headers: { ...member, authorization: `Bearer ${next.access}` },
  });
  assert.equal(again.text, me.text);
});

test('asking for a code is the same 200 with an account, without one, for an invalid address and for an unknown commerce', async () => {
  const shop = await makeShop();
  const { email } = await shop.member();
  const closed = await makeShop();
  await closed.close();
  const answers = [
    await askForCode(shop.id, email),
    await askForCode(shop.id, email),
    await askForCode(shop.id, someone()),
    await askForCode(shop.id, 'no address'),
    await askForCode(shop.id, ''),
    await askForCode(9_007_199_254_740_991, email),
    await askForCode(-1, email),
    await askForCode(closed.id, email),
  ];
  for (const answer of answers) assert.deepEqual([answer.status, answer.text], [200, answers[0]!.text]);
});

test('every invalid code is the same 400, whatever is wrong with it', async () => {
  const shop = await makeShop();
  const email = someone();
  const code = await freshCode(shop.id, email);
  const answers = [];
  for (const [address, otp] of [
    [email, wrongCode(code)],
    [email, ''],
    [email, 'abcdef'],
    [email, `${code}0`],
    [email, ` ${code}`],
    [someone(), code],
    ['no address', code],
    [email, '\u0661\u0662\u0663\u0664\u0665\u0666'],
  ] as const)
    answers.push(await showCode(shop.id, address, otp));
  for (const answer of answers)
    assert.deepEqual(
      [answer.status, answer.body],
      [400, { message: 'the code is not valid or has expired' }],
    );
});

test('text that is not a refresh token is a 401 that names the scheme', async () => {
  const shop = await makeShop();
  const { access } = await signIn(shop.id, someone());
  for (const token of ['', 'x', access, shop.key, `lr_${'A'.repeat(64)}`, 'x'.repeat(10_000)]) {
    const answer = await refresh(shop.id, token);
    assert.deepEqual([answer.status, Object.keys(answer.body as object)], [401, ['message']]);
    assert.equal(answer.headers.get('www-authenticate'), 'Bearer');
  }
});

test('logging out is a 200 for any token, and ends the session', async () => {
  const shop = await makeShop();
  const session = await signIn(shop.id, someone());
  for (const token of [session.refresh, session.refresh, 'nonsense', '']) {
    const headers = atCommerce(shop.id);
    const answer = await call('POST', '/v1/auth/logout', { headers, body: { refresh: token } });
    assert.deepEqual([answer.status, answer.body], [200, { message: 'logged out' }]);
  }
  assert.equal((await refresh(shop.id, session.refresh)).status, 401);
  const headers = { authorization: `Bearer ${session.access}`, ...atCommerce(shop.id) };
  assert.equal((await call('GET', '/v1/me', { headers })).status, 401);
});

test('without X-Commerce-Id each call is a 422 that lists everything that is missing', async () => {
  const missing = (...loc: string[]) => ({ loc, msg: 'Field required', type: 'missing' });
  const fields = [['email'], ['email', 'otp'], ['refresh'], ['refresh']];
  for (const [i, path] of PATHS.entries()) {
    const { status, body } = await call('POST', path, { body: {} });
    assert.equal(status, 422);
    assert.deepEqual(body, {
      detail: [missing('header', 'x-commerce-id'), ...fields[i]!.map((field) => missing('body', field))],
    });
  }
});

test('a field of the wrong type is a 422', async () => {
  const shop = await makeShop();
  const headers = atCommerce(shop.id);
  const whole = { email: 'eva@example.com', otp: '123456', refresh: 'x' };
  for (const path of PATHS)
    for (const field of ['email', 'otp', 'refresh'] as const)
      for (const [value, type] of [
        [5, 'string_type'],
        [null, 'string_type'],
        [['x'], 'string_type'],
        ['a\0', 'string_unicode'],
        ['\udc00', 'string_unicode'],
      ] as const) {
        const { status, body } = await call('POST', path, { headers, body: { ...whole, [field]: value } });
        const taken = path.endsWith('request')
          ? ['email']
          : path.endsWith('verify')
            ? ['email', 'otp']
            : ['refresh'];
        if (!taken.includes(field)) continue;
        assert.equal(status, 422, `${path} ${field}`);
        const { detail } = body as { detail: { loc: unknown; type: string }[] };
        assert.deepEqual(
          detail.map((fault) => [fault.loc, fault.type]),
          [[['body', field], type]],
        );
      }
});

test('an X-Commerce-Id of an unknown or closed commerce is a 404, except when asking for a code', async () => {
  const closed = await makeShop();
  await closed.close();
  for (const id of ['9007199254740991', '0', String(closed.id)])
    for (const path of PATHS.slice(1)) {
      const body = { email: 'eva@example.com', otp: '123456', refresh: 'x' };
      const answer = await call('POST', path, { headers: { 'x-commerce-id': id }, body });
      assert.deepEqual([answer.status, answer.body], [404, { message: 'the commerce does not exist' }]);
    }
});

test('Authorization is ignored, good or bad', async () => {
  const shop = await makeShop();
  for (const authorization of ['Bearer nonsense', `Bearer ${shop.key}`, '']) {
    const headers = { ...atCommerce(shop.id), authorization };
    const answer = await call('POST', PATHS[0]!, { headers, body: { email: someone() } });
    assert.equal(answer.status, 200);
  }
});

test('a page of any origin may sign in, and its preflight requests succeed', async () => {
  const { url } = await service();
  for (const path of PATHS) {
    const headers = { origin: 'https://luna.example', 'access-control-request-method': 'POST' };
    const asked = await fetch(url + path, { method: 'OPTIONS', headers });
    assert.deepEqual([asked.status, asked.headers.get('access-control-allow-origin')], [204, '*']);
    assert.match(String(asked.headers.get('access-control-allow-headers')), /X-Commerce-Id/);
  }
});
