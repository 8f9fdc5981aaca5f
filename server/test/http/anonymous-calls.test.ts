import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { buildApp } from '#app.ts';
import { newKeyToken } from '#commerces/key-token.ts';
import { countingDatabase } from '#test/count-statements.ts';
import { SECRET } from '#test/harness.ts';
import { makeShop } from '#test/make.ts';

const { db, count } = await countingDatabase();
// One call per second is so little that a slow machine cannot refill what the tests have used up.
const app = await buildApp({
  db,
  log: false,
  secret: SECRET,
  trustProxy: ['127.0.0.1'],
  rateLimits: { perKey: 1000, perUser: 1000, perNetwork: 1 },
});
after(() => app.close());

let networks = 0;
/** Returns the header of a caller from a network that has not called before. */
function fromNewNetwork(): Record<string, string> {
  networks += 1;
  return { 'x-forwarded-for': `198.51.100.${networks}` };
}

interface Call {
  method?: 'GET' | 'POST';
  url: string;
  headers?: Record<string, string>;
  payload?: object;
}

/** Makes the call this often at once, and returns how often it was refused with a 429. */
async function refusals(times: number, make: () => Call): Promise<number> {
  const answers = await Promise.all(Array.from({ length: times }, () => app.inject(make())));
  return answers.filter(({ statusCode }) => statusCode === 429).length;
}

for (const action of ['refresh', 'logout']) {
  test(`a network that keeps sending made-up refresh tokens to ${action} gets a 429`, async () => {
    const shop = await makeShop();
    const headers = { ...fromNewNetwork(), 'x-commerce-id': String(shop.id) };
    const refused = await refusals(200, () => ({
      method: 'POST',
      url: `/v1/auth/${action}`,
      headers,
      payload: { refresh: `lr_${'A'.repeat(64)}` },
    }));
    assert.ok(refused >= 150, `${refused} of 200`);
  });
}

test('a network that keeps sending made-up sessions to the console’s sign-out gets a 429', async () => {
  const headers = {
    ...fromNewNetwork(),
    origin: 'http://localhost',
    cookie: `session=${'A'.repeat(43)}`,
  };
  const refused = await refusals(200, () => ({
    method: 'POST',
    url: '/admin/v1/auth/logout',
    headers,
    payload: {},
  }));
  assert.ok(refused >= 150, `${refused} of 200`);
});

for (const url of [
  '/openapi.json',
  '/docs/static/index.html',
  '/club/nowhere',
  '/club/_assets/x.js',
  '/nothing',
]) {
  test(`a network that keeps asking for ${url} gets a 429, and may load a page with its files`, async () => {
    const headers = fromNewNetwork();
    assert.equal(await refusals(10, () => ({ url, headers })), 0);
    const refused = await refusals(900, () => ({ url, headers }));
    assert.ok(refused >= 400, `${refused} of 900`);
  });
}

test('a file that does not exist is a 404, also outside its folder', async () => {
  for (const url of ['/docs/static/nope', '/docs/static/%2e%2e/x'])
    assert.equal((await app.inject({ url, headers: fromNewNetwork() })).statusCode, 404, url);
});

test('health checks are never limited', async () => {
  const headers = fromNewNetwork();
  await refusals(1_000, () => ({ url: '/nothing', headers }));
  for (const url of ['/healthz', '/readyz']) assert.equal(await refusals(500, () => ({ url, headers })), 0);
});

test('keys that were made up are refused from memory once a network has sent many, and real keys are not', async () => {
  const shop = await makeShop();
  const headers = fromNewNetwork();
  const list = (key: string): Call => ({
    url: '/v1/clients/list',
    headers: { ...headers, authorization: `Bearer ${key}` },
  });
  assert.equal((await app.inject(list(shop.key))).statusCode, 200);
  const { statements } = await count(async () => {
    const refused = await refusals(1_000, () => list(newKeyToken('live')));
    assert.ok(refused >= 700, `${refused} of 1,000`);
  });
  assert.ok(statements <= 100, `${statements} statements`);
  assert.equal((await app.inject(list(shop.key))).statusCode, 200, 'the shop on the same network goes on');
  assert.equal(
    (await app.inject({ ...list(newKeyToken('live')), headers: { ...fromNewNetwork() } })).statusCode,
    401,
  );
});

test('the documents of the interface are kept as bytes, and sent only to a caller that does not have them', async () => {
  for (const url of ['/openapi.json', '/openapi-extensions.json', '/admin/openapi.json']) {
    const first = await app.inject({ url, headers: fromNewNetwork() });
    const etag = String(first.headers['etag']);
    const again = await app.inject({ url, headers: { ...fromNewNetwork(), 'if-none-match': etag } });
    assert.deepEqual([first.statusCode, again.statusCode, again.body], [200, 304, '']);
  }
});

test('commerces that were made up are refused from memory once a network has sent many, and real ones are not', async () => {
  const shop = await makeShop();
  const headers = fromNewNetwork();
  const verify = (commerceId: number): Call => ({
    method: 'POST',
    url: '/v1/auth/otp/verify',
    headers: { ...headers, 'x-commerce-id': String(commerceId) },
    payload: { email: 'ana@example.com', otp: '204816' },
  });
  assert.equal((await app.inject(verify(shop.id))).statusCode, 400);
  let madeUp = 1_000_000;
  const { names } = await count(() => refusals(200, () => verify((madeUp += 1))));
  assert.ok(names.length < 20, `${names.length} statements`);
  assert.equal((await app.inject(verify(shop.id))).statusCode, 400);
});
