import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { rawCall } from '#test/http/raw-call.ts';
import { createServer } from './server.ts';
import { identity, toyServer } from '#test/http/toy-server.ts';

const app = await toyServer();
await app.listen({ port: 0, host: '127.0.0.1' });
after(() => app.close());

const KEY = 'Bearer lk_good';
const USER = 'Bearer good-access';

const WRONG = [
  undefined,
  '',
  'Bearer',
  'Bearer ',
  'lk_good',
  'Basic lk_good',
  'Bearer bad',
  'Bearer lk_good=',
  'Bearer good-access==',
  'Bearer lk_good x',
  'Bearer a\u00e9',
];
for (const authorization of WRONG) {
  test(`Authorization ${JSON.stringify(authorization)} is a 401 before the body is read`, async () => {
    for (const url of ['/v1/toys', '/v1/swaps']) {
      const headers = authorization === undefined ? {} : { authorization };
      const response = await app.inject({ method: 'POST', url, headers, payload: '{broken' });
      assert.equal(response.statusCode, 401);
      assert.equal(response.headers['www-authenticate'], 'Bearer');
      assert.deepEqual(Object.keys(response.json<object>()), ['message']);
    }
  });
}

test('the wrong type of credential is a 401', async () => {
  const asKey = await app.inject({ url: '/v1/toys/5', headers: { authorization: USER } });
  const headers = { authorization: KEY, 'x-commerce-id': '7' };
  const asUser = await app.inject({ method: 'POST', url: '/v1/swaps', headers, payload: { toy_id: 'a' } });
  assert.deepEqual([asKey.statusCode, asUser.statusCode], [401, 401]);
  assert.equal((await app.inject({ url: '/staff', headers: { authorization: USER } })).statusCode, 401);
});

test('a valid credential sets the identity on the request', async () => {
  const headers = { authorization: 'bearer good-access', 'x-commerce-id': '7' };
  const swap = await app.inject({
    method: 'POST',
    url: '/v1/swaps?limit=2',
    headers,
    payload: { toy_id: 'a' },
  });
  assert.deepEqual(swap.json(), { user: 3, limit: 2 });
  const list = await app.inject({
    url: '/v1/list',
    headers: { 'x-commerce-id': '7', authorization: 'Bearer nonsense' },
  });
  assert.deepEqual(list.json(), { commerce: 7, limit: 20, cursor: null });
});

test('an unknown commerce is a 404, after the request is validated', async () => {
  const headers = { authorization: USER, 'x-commerce-id': '8' };
  const unknown = await app.inject({ method: 'POST', url: '/v1/swaps', headers, payload: { toy_id: 'a' } });
  assert.deepEqual([unknown.statusCode, unknown.json()], [404, { message: 'the commerce does not exist' }]);
  const wrong = await app.inject({ method: 'POST', url: '/v1/swaps', headers, payload: {} });
  assert.equal(wrong.statusCode, 422);
});

test('a route can choose to serve calls for an unknown commerce', async () => {
  const response = await app.inject({ method: 'POST', url: '/v1/wishes', headers: { 'x-commerce-id': '8' } });
  assert.deepEqual([response.statusCode, response.json()], [200, { known: false }]);
});

test('two Authorization headers are a 401, and two of any validated header are a 422', async () => {
  const call = (path: string, headers: string[]) =>
    rawCall(
      app,
      `POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n` +
        `Content-Length: 14\r\n${headers.map((header) => `${header}\r\n`).join('')}\r\n{"toy_id":"ab"}`.slice(
          0,
          -1,
        ),
    );
  const body = `Authorization: ${USER}`;
  assert.match(await call('/v1/swaps', [body, body, 'X-Commerce-Id: 7']), /^HTTP\/1.1 401 /);
  const twoCommerces = await call('/v1/swaps', [body, 'X-Commerce-Id: 7', 'x-commerce-id: 7']);
  assert.match(twoCommerces, /^HTTP\/1.1 422 [^]*"loc":\["header","x-commerce-id"\]/);
  const twoKeys = await call('/v1/swaps', [
    body,
    'X-Commerce-Id: 7',
    'Idempotency-Key: a',
    'Idempotency-Key: a',
  ]);
  assert.match(twoKeys, /^HTTP\/1.1 422 [^]*"loc":\["header","idempotency-key"\]/);
});

test('a HEAD needs the same credential as its GET and looks it up once', async () => {
  let lookups = 0;
  const counting = await toyServer({
    lookups: {
      key: (token) => {
        lookups += 1;
        return token === 'lk_good' ? identity({ commerceId: 7, scopes: [] }) : null;
      },
      user: () => null,
      commerce: () => null,
      staffSession: () => null,
      staffKey: () => null,
    },
  });
  assert.equal((await counting.inject({ method: 'HEAD', url: '/v1/toys/5' })).statusCode, 401);
  const response = await counting.inject({
    method: 'HEAD',
    url: '/v1/toys/5',
    headers: { authorization: KEY },
  });
  assert.deepEqual([response.statusCode, response.body, lookups], [200, '', 1]);
  await counting.close();
});

test('the server does not start if a route declares no credential', async () => {
  const none = () => null;
  const silent = await createServer({
    log: false,
    lookups: { key: none, user: none, commerce: none, staffSession: none, staffKey: none },
  });
  silent.get('/open', () => ({}));
  await assert.rejects(Promise.resolve(silent.ready()), /declare no credential: GET \/open/);
});

test('the server does not start if a route of keys declares no scope', async () => {
  const none = () => null;
  const silent = await createServer({
    log: false,
    lookups: { key: none, user: none, commerce: none, staffSession: none, staffKey: none },
  });
  silent.get('/any', { config: { credential: 'key', scope: 'any' } }, () => ({}));
  silent.get('/forgotten', { config: { credential: 'key' } }, () => ({}));
  await assert.rejects(Promise.resolve(silent.ready()), /keys declare no scope: GET \/forgotten, HEAD/);
});

test('a failed lookup is a 503, not a hanging request', async () => {
  const away = () => Promise.reject(new Error('Connection terminated unexpectedly'));
  const broken = await toyServer({
    lookups: { key: away, user: away, commerce: away, staffSession: away, staffKey: away },
  });
  const response = await broken.inject({ url: '/v1/toys/5', headers: { authorization: KEY } });
  assert.deepEqual([response.statusCode, response.headers['retry-after']], [503, '1']);
  await broken.close();
});
