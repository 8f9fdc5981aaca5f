import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildApp } from '../../src/app.ts';
import { onEnd } from '#test/database.ts';
import { call, SECRET, service } from '#test/harness.ts';
import { makeShop } from '#test/make.ts';
import { someone } from '#test/sign-in.ts';
import { makeStaff, makeStaffKey } from '#test/staff.ts';

/** Requests that pages of other sites can make a browser send, if it sent the cookie. */
const foreign: Readonly<Record<string, { readonly headers: Record<string, string>; readonly raw?: string }>> =
  {
    'a form': {
      headers: { origin: 'https://evil.example', 'content-type': 'application/x-www-form-urlencoded' },
      raw: 'everywhere=true',
    },
    'a form with text/plain that looks like JSON': {
      headers: { origin: 'https://evil.example', 'content-type': 'text/plain' },
      raw: '{"everywhere": true, "x": "="}',
    },
    'a fetch with JSON': {
      headers: { origin: 'https://evil.example', 'content-type': 'application/json' },
      raw: '{"everywhere": true}',
    },
    'no Origin': { headers: { 'content-type': 'application/json' }, raw: '{"everywhere": true}' },
    'a null Origin, as of a sandboxed frame': {
      headers: { origin: 'null', 'content-type': 'application/json' },
      raw: '{"everywhere": true}',
    },
    'an empty body': { headers: { origin: 'https://evil.example' } },
    'another port of this host': {
      headers: { origin: 'http://127.0.0.1:1', 'content-type': 'application/json' },
      raw: '{}',
    },
    'the same host over https': {
      headers: { origin: 'https://127.0.0.1', 'content-type': 'application/json' },
      raw: '{}',
    },
  };

for (const [name, sent] of Object.entries(foreign)) {
  test(`a write of another page is refused and does nothing: ${name}`, async () => {
    const shop = await makeShop();
    const staff = await makeStaff(shop, 'owner');
    const { cookie } = staff.headers;
    const headers = { cookie: cookie!, 'x-commerce-id': String(shop.id), ...sent.headers };
    for (const path of [
      'auth/logout',
      'staff',
      'auth/step-up/request',
      'auth/otp/verify',
      'auth/link/verify',
    ]) {
      const refused = await call('POST', `/admin/v1/${path}`, {
        headers,
        ...(sent.raw && { raw: sent.raw }),
      });
      assert.deepEqual([refused.status, refused.headers.get('x-error-code')], [403, 'wrong_origin'], path);
    }
    assert.equal((await staff.get('session')).status, 200);
  });
}

test('a body of our own page that is not declared as JSON is refused, also where no body is needed', async () => {
  const shop = await makeShop();
  const staff = await makeStaff(shop, 'owner');
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
    const headers = { ...staff.headers, 'content-type': type };
    for (const path of ['auth/logout', 'staff', 'auth/step-up/request']) {
      const refused = await call('POST', `/admin/v1/${path}`, { headers, raw: '{"everywhere":true}' });
      assert.deepEqual([refused.status, refused.headers.get('x-error-code')], [422, 'wrong_content_type']);
    }
  }
  assert.equal((await staff.get('session')).status, 200);
});

test('no page of another site may read an answer, and a preflight allows nothing', async () => {
  const staff = await makeStaff(await makeShop(), 'owner');
  const read = await staff.get('staff', { origin: 'https://evil.example' });
  assert.equal(read.headers.get('access-control-allow-origin'), null);
  const asked = await call('OPTIONS', '/admin/v1/staff', {
    headers: {
      origin: 'https://evil.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type,x-commerce-id',
    },
  });
  assert.equal(asked.headers.get('access-control-allow-origin'), null);
  assert.equal(asked.headers.get('access-control-allow-credentials'), null);
});

test('a key needs no Origin, because no browser sends it by itself', async () => {
  const key = await makeStaffKey(await makeShop(), 'owner');
  assert.equal((await key.get('staff')).status, 200);
  const refused = await key.post('staff', { email: someone(), role: 'cashier' });
  assert.equal(refused.headers.get('x-error-code'), 'fresh_code_needed');
});

test('X-Forwarded-Host that a caller wrote leads nobody from one host to the pages of the other', async () => {
  const { db } = await service();
  const app = await buildApp({
    db,
    log: false,
    secret: SECRET,
    publicUrl: 'https://club.example',
    consoleUrl: 'https://console.example',
    trustProxy: ['127.0.0.1'],
  });
  onEnd(() => app.close());
  const shop = await makeShop();
  const at = async (host: string, forwarded: string, url: string) =>
    (await app.inject({ url, headers: { host, 'x-forwarded-host': forwarded } })).statusCode;
  assert.equal(await at('club.example', 'console.example', '/admin/v1/session'), 404);
  assert.equal(await at('console.example', 'club.example', `/club/${shop.slug}`), 404);
  assert.equal(await at('console.example', 'club.example', '/admin/v1/session'), 401);
  assert.equal(await at('club.example', 'console.example', '/v1/public/commerce'), 422);
});

test('with CONSOLE_URL, the console is at its host and nowhere else, and only its pages may write', async () => {
  const { db } = await service();
  const app = await buildApp({
    db,
    log: false,
    secret: SECRET,
    publicUrl: 'https://club.example',
    consoleUrl: 'https://console.example',
  });
  onEnd(() => app.close());
  const shop = await makeShop();
  const { token } = await makeStaff(shop, 'owner');
  const cookie = `__Host-session=${token}`;
  const at = async (host: string, url: string, origin?: string) =>
    (
      await app.inject({
        method: origin === undefined ? 'GET' : 'POST',
        url,
        headers: { host, cookie, ...(origin && { origin }) },
        ...(origin !== undefined && { payload: {} }),
      })
    ).statusCode;
  assert.equal(await at('console.example', '/admin/v1/session'), 200);
  for (const path of [
    '/admin/v1/session',
    '/console',
    '/console/',
    '/console/assets/x.js',
    '/ADMIN/v1/session',
    '/%61dmin/v1/session',
    '/admi%6E/v1/session',
    '/%63onsole',
  ])
    assert.equal(await at('club.example', path), 404, path);
  for (const path of [
    '/',
    `/club/${shop.slug}`,
    `/%63lub/${shop.slug}`,
    '/docs',
    '/d%6Fcs',
    '/v1/public/commerce',
    '/v1/auth/logout',
    '/dev/mail',
    '/wallet/x',
  ])
    assert.equal(await at('console.example', path), 404, path);
  assert.equal((await at('club.example', `/club/${shop.slug}`)) === 404, false);
  for (const host of ['console.example', 'club.example']) assert.equal(await at(host, '/healthz'), 200);
  assert.equal(await at('console.example', '/admin/v1/auth/logout', 'https://club.example'), 403);
  assert.equal(await at('console.example', '/admin/v1/auth/logout', 'https://console.example'), 200);
});
