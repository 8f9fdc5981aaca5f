import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { limitRequests } from './rate-limits.ts';
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

const app = await createServer({
  log: false,
  trustProxy: ['127.0.0.1'],
  lookups: {
    key: (token) => (token.startsWith('lk_') ? { commerceId: 7 } : null),
    user: (token) => ({ onlyAt: null, userId: Number(token) }),
    commerce: (id) => ({ id }),
    staff: () => null,
  },
});
limitRequests(app, { perKey: 5, perUser: 3, perNetwork: 2 }, () => 0);
for (const credential of ['key', 'user', 'header', 'none'] as const) {
  app.get(`/${credential}`, { config: { credential } }, () => ({}));
}
app.get('/own', { config: { credential: 'header', rateLimit: 'none' } }, () => ({}));
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

test('routes that opt out or need no credential are not limited', async () => {
  assert.equal(await passed(20, '/own', { 'x-forwarded-for': '203.0.113.9' }), 20);
  assert.equal(await passed(20, '/none', {}), 20);
});

test('a 429 says when to retry', async () => {
  const headers = { 'x-commerce-id': '7', 'x-forwarded-for': '203.0.113.77' };
  await passed(5, '/header', headers);
  const answer = await app.inject({ url: '/header', headers });
  assert.equal(answer.statusCode, 429);
  assert.deepEqual(answer.json(), { message: 'too many requests' });
  assert.equal(answer.headers['retry-after'], '1');
  assert.equal(answer.headers['ratelimit-limit'], '2');
  assert.equal(answer.headers['ratelimit-remaining'], '0');
  assert.equal(answer.headers['ratelimit-reset'], '1');
  assert.equal(answer.headers['ratelimit'], '"default";r=0;t=1');
  assert.equal(answer.headers['access-control-allow-origin'], '*');
});
