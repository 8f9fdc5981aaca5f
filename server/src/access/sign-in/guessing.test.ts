import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { buildApp } from '../../app.ts';
import { sql } from '#db/database.ts';
import { SECRET, service } from '#test/harness.ts';
import { makeShop } from '#test/make.ts';
import { atCommerce, freshCode, signIn, someone } from '#test/sign-in.ts';

/** Guesses per test, at least 40. For a long run: `GUESSES=10000 node --test server/src/access/sign-in/guessing.test.ts`. */
const GUESSES = Number(process.env['GUESSES'] ?? 200);
const AT_ONCE = 100;

const { db } = await service();
// As with RATE_LIMITS=off, so that only the limits by address apply.
const app = await buildApp({
  db,
  log: false,
  secret: SECRET,
  rateLimits: null,
  trustProxy: ['127.0.0.1'],
});
after(() => app.close());

test(`${GUESSES} guesses in a row from one network: 5 per code, 20 in all, and the owner can sign in from elsewhere`, async (t) => {
  const { commerceId, email } = await aMember();
  let code = await anotherCode(commerceId, email);
  for (let i = 0; i < GUESSES; i++) {
    if (i % 10 === 9) {
      await assertAtMostFiveTries(email);
      code = await anotherCode(commerceId, email);
    }
    assert.equal(await guess(commerceId, email, guessOtherThan(code, i), 'here'), 400);
  }
  assert.equal(await failuresOf(email), 20);
  t.diagnostic(`${GUESSES} guesses, 20 compared`);

  code = await anotherCode(commerceId, email);
  assert.equal(
    await guess(commerceId, email, code, 'here'),
    400,
    'this network cannot sign in even with the right code',
  );
  assert.equal(await guess(commerceId, email, code, 'elsewhere'), 200);
});

test(`${GUESSES} guesses, ${AT_ONCE} at once, each from its own network: 5 per code, 100 in all`, async (t) => {
  const { commerceId, email } = await aMember();
  let right = '';
  let compared = 0;
  for (let done = 0; done < GUESSES; done += AT_ONCE) {
    right = await anotherCode(commerceId, email);
    const statuses = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, i) =>
        guess(commerceId, email, guessOtherThan(right, done + i), `network ${i}`),
      ),
    );
    // There are more guesses than connections, so a busy machine refuses some with a 503. None may succeed.
    assert.ok(
      statuses.every((status) => status === 400 || status === 503),
      statuses.join(' '),
    );
    await assertAtMostFiveTries(email);
    const failures = await failuresOf(email);
    assert.ok(failures <= Math.min(100, compared + 5), `${failures} failures after ${compared}`);
    compared = failures;
  }
  t.diagnostic(`${Math.ceil(GUESSES / AT_ONCE) * AT_ONCE} guesses, ${compared} compared`);
  assert.equal(compared, Math.min(100, 5 * Math.ceil(GUESSES / AT_ONCE)));
  if (compared === 100) assert.equal(await guess(commerceId, email, right, 'elsewhere'), 400);
});

test('the owner can sign in while another network keeps guessing', async () => {
  const { commerceId, email } = await aMember();
  const stopping = new AbortController();
  let guesses = 0;
  const guesser = async () => {
    for (; !stopping.signal.aborted; guesses++) await guess(commerceId, email, 'not it', 'here');
  };
  const guessers = Array.from({ length: 5 }, guesser);
  try {
    while ((await failuresOf(email)) < 20) await anotherCode(commerceId, email);
    const code = await anotherCode(commerceId, email);
    assert.equal(await guess(commerceId, email, code, 'elsewhere'), 200);
  } finally {
    stopping.abort();
    await Promise.all(guessers);
  }
  assert.ok(guesses > 20);
});

async function aMember(): Promise<{ commerceId: number; email: string }> {
  const { id: commerceId } = await makeShop();
  const email = someone();
  await signIn(commerceId, email);
  return { commerceId, email };
}

/** Gets a new code with the send limits reset. The failures of the last 24 hours stay. */
async function anotherCode(commerceId: number, email: string): Promise<string> {
  await sql`delete from sign_in_sends where email = ${email}`.execute(db);
  return freshCode(commerceId, email);
}

/** Maps the name of a network to its IP address behind the trusted proxy. */
const networks = new Map<string, string>();

async function guess(commerceId: number, email: string, otp: string, network: string): Promise<number> {
  if (!networks.has(network)) networks.set(network, `10.0.${networks.size >> 8}.${networks.size & 255}`);
  const headers = { ...atCommerce(commerceId), 'x-forwarded-for': networks.get(network)! };
  const payload = { email, otp };
  return (await app.inject({ method: 'POST', url: '/v1/auth/otp/verify', headers, payload })).statusCode;
}

/** Returns the next guess but skips the right code, so that no guess succeeds by luck. */
function guessOtherThan(code: string, i: number): string {
  const guessed = String((i * 7_919) % 1_000_000).padStart(6, '0');
  return guessed === code ? 'xxxxxx' : guessed;
}

async function failuresOf(email: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) from sign_in_failures where email = ${email}`.execute(db);
  return rows[0]!.count;
}

async function assertAtMostFiveTries(email: string): Promise<void> {
  const { rows } = await sql<{ tries: number }>`
    select tries from sign_in_codes where email = ${email}`.execute(db);
  assert.ok(rows.every(({ tries }) => tries <= 5));
}
