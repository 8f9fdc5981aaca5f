/** A shop vouches for a customer who is signed in at its own site, with a key that has the scope `sign_in`. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createKey, revokeKey } from '#commerces/api-keys.ts';
import { sql } from '#db/database.ts';
import { DEFAULT_SCOPES } from '#http/key-scopes.ts';
import { service } from '#test/harness.ts';
import { makeShop } from '#test/make.ts';
import { atCommerce, freshCode, someone, type SessionBody } from '#test/sign-in.ts';

const { db, app } = await service();
const [luna, sol] = await Promise.all([makeShop(), makeShop()]);
const { id: keyId, key } = await keyOf(luna.id);

async function keyOf(commerceId: number) {
  return createKey(db, commerceId, 'online shop', { scopes: [...DEFAULT_SCOPES, 'sign_in'] });
}

async function signIn(commerceId: number, email: string): Promise<SessionBody> {
  const payload = { email, otp: await freshCode(commerceId, email) };
  const answer = await app.inject({
    method: 'POST',
    url: '/v1/auth/otp/verify',
    headers: atCommerce(commerceId),
    payload,
  });
  assert.equal(answer.statusCode, 200);
  return answer.json<SessionBody>();
}

function vouch(email: string, token = key) {
  return app.inject({
    method: 'POST',
    url: '/v1/sessions',
    headers: { authorization: `Bearer ${token}` },
    payload: { client_email: email },
  });
}

async function vouchedFor(email: string, token = key): Promise<string> {
  const answer = await vouch(email, token);
  assert.equal(answer.statusCode, 200, answer.body);
  const { access, ...rest } = answer.json<{ access: string }>();
  assert.deepEqual(rest, { expires_in: 900 });
  return access;
}

async function callAs(
  access: string,
  method: string,
  url: string,
  payload: object = {},
  commerceId = luna.id,
) {
  const headers = { ...atCommerce(commerceId), authorization: `Bearer ${access}` };
  return app.inject({ method: method as 'GET', url, headers, ...(method !== 'GET' && { payload }) });
}

test('a member who has signed in here before needs no second code, and the token is good at this commerce only', async () => {
  const email = someone();
  const { refresh } = await signIn(luna.id, email);
  await signIn(sol.id, email);
  const access = await vouchedFor(email.toUpperCase());
  const me = await callAs(access, 'GET', '/v1/me');
  assert.equal(me.statusCode, 200);
  assert.equal(me.json<{ email: string }>().email, email);
  assert.equal((await callAs(access, 'GET', '/v1/me', {}, sol.id)).statusCode, 401);

  const { rows: entries } = await sql<{ key: number; user: number }>`
    select a.key_id as key, m.user_id as user
      from audit a
      join members m on m.commerce_id = a.commerce_id and m.id = a.member_id
     where a.commerce_id = ${luna.id} and a.action = 'member.vouch' and m.email = ${email}`.execute(db);
  assert.deepEqual(
    entries.map(({ key }) => key),
    [keyId],
  );
  const { rows: sessions } = await sql<{ tokens: number; minutes: number }>`
    select (select count(*) from refresh_tokens t where t.session_id = s.id)::int as tokens,
           round(extract(epoch from s.ends_at - s.started_at) / 60)::int as minutes
      from sessions s
     where s.vouched_by = ${keyId} and s.user_id = ${entries[0]!.user}`.execute(db);
  assert.deepEqual(sessions, [{ tokens: 0, minutes: 15 }]);
  // The member's own session is another one.
  const renewed = await app.inject({
    method: 'POST',
    url: '/v1/auth/refresh',
    headers: atCommerce(luna.id),
    payload: { refresh },
  });
  assert.equal(renewed.statusCode, 200);
});

test('with it a member cannot change who they are here, join, leave or take their data away', async () => {
  const email = someone();
  await signIn(luna.id, email);
  const access = await vouchedFor(email);
  for (const [method, url, status] of [
    ['PATCH', '/v1/me', 403],
    ['POST', '/v1/me/subscription', 401],
    ['DELETE', '/v1/me/subscription', 401],
    ['GET', '/v1/me/data', 403],
    ['PATCH', '/v1/me/mails', 403],
  ] as const) {
    const route = app.routeTable.find((one) => one.url === url && one.method === method);
    assert.ok(route, `${method} ${url}`);
    const answer = await callAs(access, method, url);
    assert.equal(answer.statusCode, status, `${method} ${url}`);
    assert.equal(answer.headers['x-error-code'], 'wrong_credential');
    assert.match(answer.json<{ message: string }>().message, /sign in with a code/);
  }
  assert.equal((await callAs(access, 'GET', '/v1/me/benefits')).statusCode, 200);
});

test('it joins nobody: strangers, people who only bought, who joined from elsewhere or who left are not signed in', async () => {
  const bought = someone();
  const purchase = await app.inject({
    method: 'POST',
    url: '/v1/consumptions/email',
    headers: { authorization: `Bearer ${luna.key}` },
    payload: { client_email: bought, amount: 10 },
  });
  assert.equal(purchase.statusCode, 201);
  const elsewhere = someone();
  const { access } = await signIn(sol.id, elsewhere);
  assert.equal((await callAs(access, 'POST', '/v1/me/subscription')).statusCode, 200);
  const gone = someone();
  const { access: own } = await signIn(luna.id, gone);
  await vouchedFor(gone);
  assert.equal((await callAs(own, 'DELETE', '/v1/me/subscription')).statusCode, 200);
  for (const email of [someone(), bought, elsewhere, gone, 'no address', 'x'.repeat(300)]) {
    const answer = await vouch(email);
    assert.equal(answer.statusCode, 404, email);
    assert.equal(answer.headers['x-error-code'], 'not_a_member');
  }
  const { rows } = await sql`
    select from members where commerce_id = ${luna.id} and email = ${bought} and state = 'member'`.execute(
    db,
  );
  assert.equal(rows.length, 0);
  // Once they have signed in here, the shop can.
  await signIn(luna.id, elsewhere);
  await vouchedFor(elsewhere);
});

test('who signed in with an earlier release has a session as proof', async () => {
  const email = someone();
  await signIn(luna.id, email);
  await sql`update members set proved_at = null where commerce_id = ${luna.id} and email = ${email}`.execute(
    db,
  );
  await vouchedFor(email);
  await sql`
    update sessions set ended_at = now(), end_reason = 'logout'
     where user_id = (select user_id from members where commerce_id = ${luna.id} and email = ${email})`.execute(
    db,
  );
  await vouchedFor(email);
  // A session that the shop opened proves nothing.
  await sql`
    delete from sessions
     where vouched_by is null
       and user_id = (select user_id from members where commerce_id = ${luna.id} and email = ${email})`.execute(
    db,
  );
  assert.equal((await vouch(email)).statusCode, 404);
});

test('a key needs the scope, and a token ends with its key', async () => {
  const email = someone();
  await signIn(luna.id, email);
  const refused = await vouch(email, luna.key);
  assert.equal(refused.statusCode, 403);
  assert.equal(refused.headers['x-error-code'], 'scope');
  const other = await keyOf(luna.id);
  const access = await vouchedFor(email, other.key);
  const kept = await vouchedFor(email);
  assert.equal((await callAs(access, 'GET', '/v1/me')).statusCode, 200);
  await revokeKey(db, luna.id, other.id);
  // A session that was looked up is remembered for some seconds.
  while ((await callAs(access, 'GET', '/v1/me')).statusCode !== 401) await sleep(200);
  assert.equal((await callAs(kept, 'GET', '/v1/me')).statusCode, 200);
});
