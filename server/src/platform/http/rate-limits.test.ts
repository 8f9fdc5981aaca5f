import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createCaps } from '#base/caps.ts';
import { ownLedger } from './ledger.ts';
import { createServer } from './server.ts';
import { createBuckets } from './token-bucket.ts';

test('a bucket allows its burst, then its rate, and returns how long to wait', () => {
  let now = 0;
  const buckets = createBuckets(10, 20, () => now);
  const take = (times: number) =>
    Array.from({ length: times }, () => buckets.take('ana')).filter((wait) => wait === 0).length;
  assert.equal(take(50), 20);
  assert.ok(Math.abs(buckets.take('ana') - 0.1) < 1e-6);
  assert.equal(buckets.take('bob'), 0, 'each name has its own bucket');
  now += 1000;
  assert.equal(take(50), 10);
  now += 60_000;
  assert.equal(take(50), 20);
});

test('a charge is paid off at the rate of the bucket before anything else is taken', () => {
  let now = 0;
  const buckets = createBuckets(10, 10, () => now);
  buckets.charge('ana', 15);
  assert.ok(Math.abs(buckets.take('ana') - 0.6) < 1e-6);
  assert.equal(buckets.take('bob'), 0);
  now += 601;
  assert.equal(buckets.take('ana'), 0);
  assert.notEqual(buckets.take('ana'), 0);
});

test('what takes more tokens than a bucket holds takes a full bucket, and is not refused for ever', () => {
  const buckets = createBuckets(2, 4, () => 0);
  assert.equal(buckets.take('large', 10), 0);
  assert.equal(buckets.take('large', 10), 2);
});

const caps = createCaps();
const app = await createServer({
  log: false,
  caps,
  rateLimits: { perKey: 5, perUser: 3, perNetwork: 2 },
  ledger: { ...ownLedger, buckets: (_limit, perSecond, burst) => createBuckets(perSecond, burst, () => 0) },
  trustProxy: ['127.0.0.1'],
  lookups: {
    key: (token) => (token.startsWith('lk_') ? { commerceId: 7, scopes: [] } : null),
    user: (token) => ({ onlyAt: null, userId: Number(token) }),
    commerce: (id) => ({ id }),
    staffSession: () => null,
    staffKey: (token) => ({ commerceId: 7, keyId: token.length, role: 'owner' }),
  },
});
for (const credential of ['key', 'user', 'header', 'none'] as const) {
  app.get(
    `/${credential}`,
    { config: { credential, ...(credential === 'key' && { scope: 'any' }) } },
    () => ({}),
  );
}
app.get('/staff', { config: { credential: 'staff', role: 'cashier' } }, () => ({}));
app.get('/own', { config: { credential: 'header', rateLimit: 'none' } }, () => ({}));
app.get('/file', { config: { credential: 'none' } }, () => Buffer.alloc(200_000));
app.get('/large', { config: { credential: 'user' } }, (_request, reply) =>
  reply.type('application/json').send(JSON.stringify('x'.repeat(100_000))),
);
app.get('/large-catalog', { config: { credential: 'header' } }, (_request, reply) =>
  reply.type('application/json').send(JSON.stringify('x'.repeat(100_000))),
);
app.post(
  '/body',
  { bodyLimit: 1024 * 1024, config: { credential: 'staff', role: 'cashier' } },
  (_request, reply) => reply.send({}),
);
await app.ready();
after(() => app.close());

async function passed(times: number, url: string, headers: Record<string, string>): Promise<number> {
  const answers = await Promise.all(
    Array.from({ length: times }, () => app.inject({ url, headers: { 'x-commerce-id': '7', ...headers } })),
  );
  return answers.filter(({ statusCode }) => statusCode === 200).length;
}

test('a key may burst to twice its rate, however the header is spelled', async () => {
  assert.equal(await passed(12, '/key', { authorization: 'Bearer lk_a' }), 10);
  assert.equal(await passed(1, '/key', { authorization: 'bearer   lk_a ' }), 0);
  assert.equal(await passed(12, '/key', { authorization: 'Bearer lk_b' }), 10);
});

test('a member is limited across addresses, and a network across its addresses', async () => {
  assert.equal(await passed(5, '/user', { authorization: 'Bearer 1', 'x-forwarded-for': '203.0.113.1' }), 3);
  assert.equal(await passed(5, '/user', { authorization: 'Bearer 1', 'x-forwarded-for': '203.0.113.2' }), 0);
  assert.equal(await passed(5, '/user', { authorization: 'Bearer 2' }), 3);
  assert.equal(await passed(5, '/header', { 'x-forwarded-for': '203.0.113.3' }), 2);
  assert.equal(await passed(5, '/header', { 'x-forwarded-for': '2001:db8::1' }), 2);
  assert.equal(await passed(5, '/header', { 'x-forwarded-for': '2001:db8::2' }), 0);
});

test('a large answer counts as many calls, so that a limit of calls limits bytes too', async () => {
  const large = await app.inject({
    url: '/large',
    headers: { 'x-commerce-id': '7', authorization: 'Bearer 5' },
  });
  assert.equal(large.statusCode, 200);
  const next = await app.inject({
    url: '/user',
    headers: { 'x-commerce-id': '7', authorization: 'Bearer 5' },
  });
  // 100 KB are 6 calls more, of which 3 a second are allowed: the burst has 2 left, so 5 are owed.
  assert.deepEqual([next.statusCode, next.headers['retry-after']], [429, '2']);
  assert.equal(await passed(1, '/user', { authorization: 'Bearer 6' }), 1);
});

test('a large answer to one caller of a network keeps out the others for a second at most', async () => {
  const headers = { 'x-commerce-id': '7', 'x-forwarded-for': '203.0.113.20' };
  assert.equal((await app.inject({ url: '/large-catalog', headers })).statusCode, 200);
  const next = await app.inject({ url: '/header', headers });
  // 100 KB are 6 calls more, of which 2 a second are allowed. A member would wait for three seconds.
  assert.deepEqual([next.statusCode, next.headers['retry-after']], [429, '2']);
});

test('a large file counts as several calls as soon as its size is known', async () => {
  const headers = { 'x-forwarded-for': '203.0.113.41' };
  assert.equal(await passed(1, '/file', { 'x-forwarded-for': '203.0.113.42' }), 1);
  // 200 KB are 4 calls, and pages have a burst of 40.
  assert.equal(await passed(30, '/file', headers), 10);
});

test('a HEAD costs as much as its GET', async () => {
  const headers = { 'x-commerce-id': '7', authorization: 'Bearer 11' };
  assert.equal((await app.inject({ method: 'HEAD', url: '/large', headers })).statusCode, 200);
  assert.equal((await app.inject({ url: '/user', headers })).statusCode, 429);
});

test('routes that opt out are not limited, and pages may be loaded ten times as often as calls are made', async () => {
  assert.equal(await passed(20, '/own', { 'x-forwarded-for': '203.0.113.9' }), 20);
  assert.equal(await passed(50, '/none', { 'x-forwarded-for': '203.0.113.9' }), 40);
  assert.equal(
    (await app.inject({ url: '/nothing', headers: { 'x-forwarded-for': '203.0.113.9' } })).statusCode,
    429,
  );
  assert.equal(
    (await app.inject({ url: '/nothing', headers: { 'x-forwarded-for': '203.0.113.8' } })).statusCode,
    404,
  );
});

test('every refusal is counted under the name of its cap', async () => {
  const before = new Map(caps.counts());
  const headers = { authorization: 'Bearer lk_c', 'x-forwarded-for': '203.0.113.10' };
  const refused = {
    'calls-of-a-key': 12 - (await passed(12, '/key', headers)),
    'calls-of-a-member': 5 - (await passed(5, '/user', { ...headers, authorization: 'Bearer 3' })),
    'calls-of-the-staff':
      30 - (await passed(30, '/staff', { ...headers, authorization: 'Bearer lk_admin_a' })),
    'calls-of-a-network': 5 - (await passed(5, '/header', headers)),
    'files-of-a-network': 50 - (await passed(50, '/none', headers)),
  };
  assert.deepEqual(Object.values(refused), [2, 2, 12, 3, 10]);
  for (const [cap, count] of Object.entries(refused) as [keyof typeof refused, number][])
    assert.equal(caps.counts().get(cap)! - before.get(cap)!, count, cap);
});

test('a 429 says when to retry', async () => {
  const headers = { 'x-commerce-id': '7', 'x-forwarded-for': '203.0.113.77' };
  await passed(5, '/header', headers);
  const answer = await app.inject({ url: '/header', headers });
  assert.equal(answer.statusCode, 429);
  assert.deepEqual(answer.json(), { message: 'too many requests: wait 1 s and try again' });
  assert.equal(answer.headers['retry-after'], '1');
  assert.equal(answer.headers['ratelimit-limit'], '2');
  assert.equal(answer.headers['ratelimit-remaining'], '0');
  assert.equal(answer.headers['ratelimit-reset'], '1');
  assert.equal(answer.headers['ratelimit'], '"default";r=0;t=1');
  assert.equal(answer.headers['access-control-allow-origin'], '*');
});

test('a large body of the staff counts by its size, for all keys of a commerce together; small ones go on', async () => {
  const send = (key: string, characters: number, headers: Record<string, string> = {}) =>
    app
      .inject({
        method: 'POST',
        url: '/body',
        headers: { authorization: `Bearer lk_admin_${key}`, 'content-type': 'application/json', ...headers },
        payload: JSON.stringify('x'.repeat(characters)),
      })
      .then(({ statusCode }) => statusCode);
  // Nine calls a second and a burst of 18: a body of 1 MiB costs no more than a second of them, or it could never be sent.
  assert.equal(await send('AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA', 1_000_000), 200);
  assert.equal(
    await send('AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA', 100_000),
    200,
    '6 more',
  );
  assert.equal(await send('AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA', 100_000), 429);
  assert.equal(await send('AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA', 10_000), 200);
  assert.equal(await send('AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA', 20_000), 200);
});
