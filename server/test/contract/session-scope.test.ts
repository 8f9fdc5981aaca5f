/**
 * SESSION_SCOPE. With `commerce`, a member's tokens are good only at the commerce they were issued for. With
 * `installation`, the default, they are good at every commerce.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { buildApp } from '../../src/app.ts';
import { sql } from '#db/database.ts';
import type { App } from '#http/server.ts';
import { earlier } from '#test/earlier.ts';
import { SECRET, service } from '#test/harness.ts';
import { makeShop } from '#test/make.ts';
import { atCommerce, freshCode, someone, type SessionBody, storedUserId } from '#test/sign-in.ts';

const { db, app: shared } = await service();
const scoped = await buildApp({ db, log: false, secret: SECRET, sessionScope: 'commerce' });
after(() => scoped.close());

const UNKNOWN = 999_999_999;
const [luna, sol, closed] = await Promise.all([makeShop(), makeShop(), makeShop()]);
await closed.close();

async function signIn(app: App, commerceId: number, email = someone()): Promise<SessionBody> {
  const otp = await freshCode(commerceId, email);
  const answer = await post(app, '/v1/auth/otp/verify', commerceId, { email, otp });
  assert.equal(answer.statusCode, 200);
  return answer.json<SessionBody>();
}

function post(app: App, url: string, commerceId: number, payload: object) {
  return app.inject({ method: 'POST', url, headers: atCommerce(commerceId), payload });
}

async function refresh(app: App, commerceId: number, token: string) {
  const answer = await post(app, '/v1/auth/refresh', commerceId, { refresh: token });
  return { status: answer.statusCode, ...answer.json<{ access: string; refresh: string }>() };
}

async function readMe(app: App, commerceId: number, access: string): Promise<number> {
  const headers = { ...atCommerce(commerceId), authorization: `Bearer ${access}` };
  return (await app.inject({ url: '/v1/me', headers })).statusCode;
}

/** Everything that the database knows about a person's sessions and refresh tokens. */
async function storedSessions(userId: number): Promise<unknown> {
  const { rows } = await sql`
    select s.*, (select jsonb_agg(t order by t.hash) from refresh_tokens t where t.session_id = s.id) as tokens
      from sessions s where s.user_id = ${userId} order by s.id`.execute(db);
  return rows;
}

test('with SESSION_SCOPE=commerce an access token is a 401 at every other commerce, on every route', async () => {
  const { access } = await signIn(scoped, luna.id);
  const routes = scoped.routeTable.filter(
    ({ config, method }) => config?.credential === 'user' && method !== 'HEAD',
  );
  assert.ok(routes.length > 8);
  for (const { method, url } of routes) {
    for (const payload of [undefined, {}, '{broken']) {
      const answer = await scoped.inject({
        method: method as 'GET',
        url,
        headers: {
          ...atCommerce(sol.id),
          authorization: `Bearer ${access}`,
          ...(payload !== undefined && { 'content-type': 'application/json' }),
        },
        ...(payload !== undefined && { payload }),
      });
      assert.equal(answer.statusCode, 401, `${String(method)} ${url} ${JSON.stringify(payload)}`);
      assert.equal(answer.headers['www-authenticate'], 'Bearer');
    }
  }
  assert.equal(await readMe(scoped, luna.id, access), 200);
});

/** The status of an exchange by the header that names the commerce: with a right body, and with a wrong one. */
const MATRIX: Readonly<Record<string, { named: string | undefined; right: number; wrong: number }>> = {
  'its own commerce': { named: String(luna.id), right: 400, wrong: 422 },
  'another commerce': { named: String(sol.id), right: 401, wrong: 401 },
  'a commerce that does not exist': { named: String(UNKNOWN), right: 404, wrong: 422 },
  'a closed commerce': { named: String(closed.id), right: 404, wrong: 422 },
  'a negative number': { named: '-1', right: 404, wrong: 422 },
  'a word': { named: 'luna', right: 422, wrong: 422 },
  'another commerce in another notation': { named: `0${sol.id}`, right: 422, wrong: 422 },
  'a number that is too large': { named: '9'.repeat(30), right: 422, wrong: 422 },
  'two commerces': { named: `${luna.id}, ${sol.id}`, right: 422, wrong: 422 },
  nothing: { named: undefined, right: 422, wrong: 422 },
};

for (const [name, { named, right, wrong }] of Object.entries(MATRIX)) {
  test(`with SESSION_SCOPE=commerce a call at ${name} is a ${right}, and a ${wrong} with a wrong body`, async () => {
    const { access } = await signIn(scoped, luna.id);
    const exchange = async (credential: string, payload: object) => {
      const headers = {
        authorization: credential,
        'idempotency-key': 'one',
        ...(named !== undefined && { 'x-commerce-id': named }),
      };
      const answer = await scoped.inject({
        method: 'POST',
        url: '/v1/me/benefits/exchange',
        headers,
        payload,
      });
      return answer.statusCode;
    };
    assert.equal(await exchange(`Bearer ${access}`, { benefit_id: 'nothing' }), right);
    assert.equal(await exchange(`Bearer ${access}`, { benefit_id: 7 }), wrong);
    assert.equal(await exchange('Bearer ended', { benefit_id: 'nothing' }), 401);
    assert.equal(await exchange('Bearer ended', { benefit_id: 7 }), 401);
  });
}

test('with SESSION_SCOPE=commerce a refresh elsewhere is a 401 that neither rotates nor revokes', async () => {
  const session = await signIn(scoped, luna.id);
  const next = await refresh(scoped, luna.id, session.refresh);
  assert.equal(next.status, 200);
  const stored = await storedSessions(await storedUserId(session));

  // The first token may be used again for 10 s, and any other reuse would end the session. Elsewhere it does neither.
  for (const token of [session.refresh, next.refresh, `${next.refresh.slice(0, -4)}AAAA`]) {
    assert.equal((await refresh(scoped, sol.id, token)).status, 401);
    assert.equal((await refresh(scoped, UNKNOWN, token)).status, 404);
    assert.equal((await refresh(scoped, closed.id, token)).status, 404);
  }
  const atOnce = await Promise.all(
    Array.from({ length: 20 }, () => refresh(scoped, sol.id, session.refresh)),
  );
  assert.deepEqual(new Set(atOnce.map(({ status }) => status)), new Set([401]));
  assert.equal((await post(scoped, '/v1/auth/logout', sol.id, { refresh: next.refresh })).statusCode, 200);
  assert.deepEqual(await storedSessions(await storedUserId(session)), stored);

  const third = await refresh(scoped, luna.id, next.refresh);
  assert.equal(third.status, 200);
  assert.equal(await readMe(scoped, luna.id, third.access), 200);
  assert.equal(await readMe(scoped, sol.id, third.access), 401);
  assert.equal((await post(scoped, '/v1/auth/logout', luna.id, { refresh: third.refresh })).statusCode, 200);
  assert.equal(await readMe(scoped, luna.id, third.access), 401);
});

test('with SESSION_SCOPE=commerce a stolen token still ends the session at its own commerce', async () => {
  const session = await signIn(scoped, luna.id);
  const second = await refresh(scoped, luna.id, session.refresh);
  await refresh(scoped, luna.id, second.refresh);
  await sql`
    update refresh_tokens set replaced_at = ${earlier('replaced_at', '20 seconds')}
     where session_id in (select id from sessions where user_id = ${await storedUserId(session)})`.execute(
    db,
  );
  assert.equal((await refresh(scoped, sol.id, session.refresh)).status, 401);
  assert.equal(await readMe(scoped, luna.id, second.access), 200);
  assert.equal((await refresh(scoped, luna.id, session.refresh)).status, 401);
  assert.equal(await readMe(scoped, luna.id, second.access), 401);
});

test('switching SESSION_SCOPE on refuses all tokens from before, and ends nothing', async () => {
  const before = await signIn(shared, luna.id);
  assert.equal(await readMe(shared, sol.id, before.access), 200);
  const stored = await storedSessions(await storedUserId(before));
  for (const id of [luna.id, sol.id, UNKNOWN]) {
    assert.equal(await readMe(scoped, id, before.access), 401);
    const expected = id === UNKNOWN ? 404 : 401;
    assert.equal((await refresh(scoped, id, before.refresh)).status, expected);
  }
  assert.deepEqual(await storedSessions(await storedUserId(before)), stored);
  assert.equal((await refresh(shared, sol.id, before.refresh)).status, 200);
});

test('switching SESSION_SCOPE off lets the tokens in everywhere, and what they were used for then stays out later', async () => {
  const session = await signIn(scoped, luna.id);
  assert.equal(await readMe(shared, sol.id, session.access), 200);
  const unused = await signIn(scoped, luna.id);
  const elsewhere = await refresh(shared, sol.id, session.refresh);
  assert.equal(elsewhere.status, 200);

  // Switched on again: this session's tokens were given to another commerce meanwhile.
  for (const id of [luna.id, sol.id]) {
    assert.equal((await refresh(scoped, id, elsewhere.refresh)).status, 401);
    assert.equal(await readMe(scoped, id, elsewhere.access), 401);
  }
  assert.equal((await refresh(scoped, luna.id, unused.refresh)).status, 200);
});

test('by default a token is good at every commerce of the installation', async () => {
  const session = await signIn(shared, luna.id);
  assert.equal(await readMe(shared, sol.id, session.access), 200);
  assert.equal(await readMe(shared, UNKNOWN, session.access), 404);
  assert.equal((await refresh(shared, sol.id, session.refresh)).status, 200);
});
