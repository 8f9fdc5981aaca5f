import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { buildApp } from '../../app.ts';
import { sql, transaction } from '#db/database.ts';
import { earlier } from '#test/earlier.ts';
import { SECRET, service } from '#test/harness.ts';
import { makeShop } from '#test/make.ts';
import { age, atCommerce, freshCode, someone, wrongCode } from '#test/sign-in.ts';

const { db } = await service();
const limits = { perKey: 1000, perUser: 10, perNetwork: 20 };
const app = await buildApp({
  db,
  log: false,
  secret: SECRET,
  rateLimits: limits,
  trustProxy: ['127.0.0.1'],
});
after(() => app.close());

let lastNetwork = 0;

/** Returns an IPv4 address that no other test uses. */
function anAddress(): string {
  lastNetwork += 1;
  return `10.${process.pid % 250}.${lastNetwork >> 8}.${lastNetwork & 255}`;
}

/** Makes a call that comes from `address` through the trusted proxy. */
async function from(address: string, path: 'request' | 'verify', commerceId: number, payload: object) {
  const headers = { ...atCommerce(commerceId), 'x-forwarded-for': address };
  return app.inject({ method: 'POST', url: `/v1/auth/otp/${path}`, headers, payload });
}

test('after 20 failures a network cannot sign in with an address for 24 hours, and new codes do not reset that', async () => {
  const shop = await makeShop();
  const [email, here, there] = [someone(), anAddress(), anAddress()];
  for (let round = 0; round < 4; round++) {
    const code = await freshCode(shop.id, email);
    for (let i = 0; i < 5; i++) await from(here, 'verify', shop.id, { email, otp: wrongCode(code) });
    await age(email, '61 seconds');
  }
  await age(email, '1 hour');
  const otp = await freshCode(shop.id, email);
  const refused = await from(here, 'verify', shop.id, { email, otp });
  assert.deepEqual(
    [refused.statusCode, refused.json()],
    [400, { message: 'the code is not valid or has expired' }],
  );
  await sql`update sign_in_failures set failed_at = ${earlier('failed_at', '22 hours')} where email = ${email}`.execute(
    db,
  );
  assert.equal((await from(here, 'verify', shop.id, { email, otp })).statusCode, 400);
  assert.equal(
    (await from(there, 'verify', shop.id, { email, otp })).statusCode,
    200,
    'the owner can sign in from elsewhere',
  );
  await sql`delete from sign_in_sends where email = ${email}`.execute(db);
  const later = await freshCode(shop.id, email);
  await sql`update sign_in_failures set failed_at = ${earlier('failed_at', '2 hours')} where email = ${email}`.execute(
    db,
  );
  assert.equal((await from(here, 'verify', shop.id, { email, otp: later })).statusCode, 200);
});

test('the 101st call of a client network in ten minutes is a 429 with the time to wait', async (t) => {
  const shop = await makeShop();
  const here = anAddress();
  const statuses = new Map<number, number>();
  const answers = await Promise.all(
    Array.from({ length: 120 }, (_, i) =>
      i % 2 === 0
        ? from(here, 'request', shop.id, { email: someone() })
        : from(here, 'verify', shop.id, { email: someone(), otp: '123456' }),
    ),
  );
  for (const { statusCode } of answers) statuses.set(statusCode, (statuses.get(statusCode) ?? 0) + 1);
  assert.equal(statuses.get(429), 20);
  const refused = answers.find(({ statusCode }) => statusCode === 429);
  const wait = Number(refused?.headers['retry-after']);
  assert.deepEqual(refused?.json(), { message: `too many requests: wait ${wait} s and try again` });
  assert.ok(wait > 500 && wait <= 600, `${wait} s`);
  assert.equal(refused?.headers['ratelimit-limit'], '100');
  assert.equal(refused?.headers['ratelimit-remaining'], '0');

  const elsewhere = await from(anAddress(), 'request', shop.id, { email: someone() });
  assert.equal(elsewhere.statusCode, 200);
  await sql`
    update sign_in_networks
       set calls = array(select c - interval '10 minutes' from unnest(calls) c)
     where network = ${here}`.execute(db);
  const now = performance.now();
  t.mock.method(performance, 'now', () => now + 600_000);
  assert.equal((await from(here, 'request', shop.id, { email: someone() })).statusCode, 200);
});

test('an IPv6 network is its /64, and X-Forwarded-For from an untrusted peer is ignored', async () => {
  const shop = await makeShop();
  const prefix = `2001:db8:${process.pid.toString(16)}:1`;
  await Promise.all(
    Array.from({ length: 100 }, (_, i) =>
      from(`${prefix}::${i.toString(16)}`, 'request', shop.id, { email: someone() }),
    ),
  );
  assert.equal((await from(`${prefix}:ffff::1`, 'request', shop.id, { email: someone() })).statusCode, 429);
  const peer = anAddress();
  const spoof = (i: number) =>
    app.inject({
      method: 'POST',
      url: '/v1/auth/otp/request',
      remoteAddress: peer,
      headers: { ...atCommerce(shop.id), 'x-forwarded-for': `198.51.100.${i}` },
      payload: { email: someone() },
    });
  const answers = await Promise.all(Array.from({ length: 101 }, (_, i) => spoof(i)));
  assert.equal(answers.filter(({ statusCode }) => statusCode === 429).length, 1);
});

test('a network over its limit is refused from memory: nobody waits, even while its row is locked', async () => {
  const shop = await makeShop();
  const here = anAddress();
  await sql`
    insert into sign_in_networks
    select ${here}, array_agg(clock_timestamp()) from generate_series(1, 100)`.execute(db);
  assert.equal((await from(here, 'request', shop.id, { email: someone() })).statusCode, 429);
  // A call that reaches the row would wait for this lock until it times out.
  await transaction(db, async (tx) => {
    await sql`select from sign_in_networks where network = ${here} for update`.execute(tx);
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, i) =>
        from(here, i % 2 === 0 ? 'request' : 'verify', shop.id, { email: someone(), otp: '123456' }),
      ),
    );
    assert.deepEqual(new Set(answers.map(({ statusCode }) => statusCode)), new Set([429]));
    assert.ok(Number(answers[0]!.headers['retry-after']) > 500);
  });
});
