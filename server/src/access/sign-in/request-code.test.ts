import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '#db/database.ts';
import { call, service, type Answer } from '#test/harness.ts';
import { makeShop } from '#test/make.ts';
import {
  age,
  askForCode,
  atCommerce,
  freshCode,
  showCode,
  signIn,
  someone,
  type SessionBody,
  storedUserId,
} from '#test/sign-in.ts';

const INVALID_CODE = { status: 400, body: { message: 'the code is not valid or has expired' } };

function seen({ status, body }: Answer) {
  return { status, body };
}

test('a code hash copied to another row of the database is useless', async () => {
  const { db } = await service();
  const shop = await makeShop();
  const [thief, victim] = [someone('thief'), someone('victim')];
  const code = await freshCode(shop.id, thief);
  await freshCode(shop.id, victim);
  await sql`
    update sign_in_codes
       set hash = (select hash from sign_in_codes where commerce_id = ${shop.id} and email = ${thief})
     where commerce_id = ${shop.id} and email = ${victim}`.execute(db);
  assert.deepEqual(seen(await showCode(shop.id, victim, code)), INVALID_CODE);
});

test('a new code invalidates the old one of the same commerce and address only', async () => {
  const [shop, other] = [await makeShop(), await makeShop()];
  const email = someone();
  const elsewhere = await freshCode(other.id, email);
  const old = await freshCode(shop.id, email);
  await age(email, '61 seconds');
  const code = await freshCode(shop.id, email);
  if (old !== code) assert.deepEqual(seen(await showCode(shop.id, email, old)), INVALID_CODE);
  assert.equal((await showCode(shop.id, email, code)).status, 200);
  assert.equal((await showCode(other.id, email, elsewhere)).status, 200);
});

test('otp/request returns the same for every well-formed request, and sends mail only to an address at a known commerce', async () => {
  const { db } = await service();
  const shop = await makeShop();
  const [known, unknown] = [someone('known'), someone('unknown')];
  await signIn(shop.id, known);
  await age(known, '2 minutes');
  const first = await askForCode(shop.id, known);
  const answers = [
    await askForCode(shop.id, unknown),
    await askForCode(shop.id, known),
    await askForCode(shop.id, 'no address'),
    await askForCode(999_999_999, known),
  ];
  assert.equal(first.status, 200);
  for (const answer of answers) assert.deepEqual(seen(answer), seen(first));
  const { rows } = await sql<{
    count: number;
  }>`select count(*) from outbox where recipient in (${known}, ${unknown})`.execute(db);
  assert.equal(rows[0]?.count, 3);
});

test('the header and the fields are validated, and only otp/request accepts an unknown commerce', async () => {
  const shop = await makeShop();
  for (const path of ['/v1/auth/otp/request', '/v1/auth/otp/verify', '/v1/auth/refresh', '/v1/auth/logout']) {
    const body = { email: 'a@example.com', otp: '123456', refresh: 'x' };
    assert.equal((await call('POST', path, { body })).status, 422);
    assert.equal((await call('POST', path, { headers: atCommerce(shop.id), body: {} })).status, 422);
    const elsewhere = await call('POST', path, { headers: atCommerce(999_999_999), body });
    assert.equal(elsewhere.status, path === '/v1/auth/otp/request' ? 200 : 404);
  }
});

test('the database stores neither codes nor tokens as plain text', async () => {
  const { db } = await service();
  const shop = await makeShop();
  const email = someone();
  const code = await freshCode(shop.id, email);
  const { rows: codes } = await sql<{
    row: string;
  }>`select c::text as row from sign_in_codes c where email = ${email}`.execute(db);
  assert.ok(!codes[0]?.row.includes(`\\x${Buffer.from(code).toString('hex')}`));
  const session = (await showCode(shop.id, email, code)).body as SessionBody;
  const secret = Buffer.from(session.refresh.slice(3), 'base64url').subarray(16).toString('hex');
  const { rows: tokens } = await sql<{ row: string }>`
    select concat(s::text, t::text) as row from sessions s join refresh_tokens t on t.session_id = s.id
     where s.user_id = ${await storedUserId(session)}`.execute(db);
  assert.equal(tokens.length, 1);
  assert.ok(!tokens[0]?.row.includes(secret));
});
