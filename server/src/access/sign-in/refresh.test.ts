import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '#db/database.ts';
import { earlier } from '#test/earlier.ts';
import { call, service } from '#test/harness.ts';
import { makeShop, type Shop } from '#test/make.ts';
import { atCommerce, refresh, signIn, someone, type SessionBody } from '#test/sign-in.ts';

const { db } = await service();
const shop = await makeShop();

/** Opens a session and returns ways to use it. */
async function aSession(at: Shop = shop) {
  const session = await signIn(at.id, someone());
  return {
    ...session,
    /** Refreshes with `token` and returns the next one. */
    use: async (token: string): Promise<string> => {
      const answer = await refresh(at.id, token);
      assert.equal(answer.status, 200);
      return (answer.body as SessionBody).refresh;
    },
    refused: async (token: string): Promise<void> => {
      assert.equal((await refresh(at.id, token)).status, 401);
    },
    /** Moves the session and its tokens into the past. */
    age: async (interval: string): Promise<void> => {
      await sql`
        with s as (
          update sessions
             set refreshed_at = ${earlier('refreshed_at', interval)}, ends_at = ${earlier('ends_at', interval)}
           where user_id = ${session.user_id} returning id
        )
        update refresh_tokens t
           set issued_at = ${earlier('issued_at', interval)}, replaced_at = ${earlier('replaced_at', interval)}
          from s where t.session_id = s.id`.execute(db);
    },
  };
}

async function me(access: string): Promise<number> {
  const headers = { ...atCommerce(shop.id), authorization: `Bearer ${access}` };
  return (await call('GET', '/v1/me', { headers })).status;
}

test('a refresh gives a new access token that works, and a new refresh token', async () => {
  const session = await aSession();
  const answer = await refresh(shop.id, session.refresh);
  const { access, refresh: next, ...rest } = answer.body as SessionBody;
  assert.deepEqual(rest, { expires_in: 900 });
  assert.notEqual(next, session.refresh);
  assert.equal(await me(access), 200);
  await session.use(next);
});

test('every refreshed access token is new, even within the same second', async () => {
  const session = await aSession();
  const answers = await Promise.all(Array.from({ length: 10 }, () => refresh(shop.id, session.refresh)));
  const given = [session.access, ...answers.map(({ body }) => (body as SessionBody).access)];
  assert.equal(new Set(given).size, given.length);
});

test('text that is not a known token is a 401 and ends no session', async () => {
  const session = await aSession();
  for (const token of ['', 'x', session.access, `lr_${'A'.repeat(64)}`, `${session.refresh}A`])
    await session.refused(token);
  await session.use(session.refresh);
});

test('a lost response signs nobody out: the old token stays valid until its successor is used', async () => {
  const session = await aSession();
  await session.use(session.refresh);
  await session.age('1 hour');
  const next = await session.use(session.refresh);
  await session.use(next);
});

test('a client that keeps its first token stays signed in', async () => {
  const session = await aSession();
  for (let i = 0; i < 40; i++) {
    await session.use(session.refresh);
    await session.age('15 minutes');
  }
  const { rows } = await sql<{ count: number }>`
    select count(*) from refresh_tokens t join sessions s on s.id = t.session_id
     where s.user_id = ${session.user_id}`.execute(db);
  assert.equal(rows[0]?.count, 2, 'the first token and one unused successor');
});

test('a replaced token is valid for 10 s, even if its successor was used', async () => {
  const session = await aSession();
  const second = await session.use(session.refresh);
  await session.use(second);
  await session.use(session.refresh);
});

test('a thief who uses the token after the owner ends the session and its access tokens', async () => {
  const session = await aSession();
  const second = await session.use(session.refresh);
  const third = await session.use(second);
  assert.equal(await me(session.access), 200);
  await session.age('11 seconds');
  await session.refused(session.refresh);
  for (const token of [third, second, session.refresh]) await session.refused(token);
  assert.equal(await me(session.access), 401);
});

test('a thief who uses the token before the owner is detected when the owner uses it', async () => {
  const session = await aSession();
  const owners = await session.use(session.refresh);
  await session.age('1 hour');
  const thiefs = await session.use(session.refresh);
  await session.refused(owners);
  await session.refused(thiefs);
  assert.equal(await me(session.access), 401);
});

test('a thief who refreshed several times is detected when the owner refreshes', async () => {
  const session = await aSession();
  const thiefs = await session.use(session.refresh);
  await session.use(await session.use(thiefs));
  await session.age('11 seconds');
  await session.refused(session.refresh);
});

test('ten refreshes at once all succeed, and the client can continue with any of the new tokens', async () => {
  for (let kept = 0; kept < 10; kept++) {
    const session = await aSession();
    const answers = await Promise.all(Array.from({ length: 10 }, () => refresh(shop.id, session.refresh)));
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    await session.age('15 minutes');
    await session.use((answers[kept]!.body as SessionBody).refresh);
  }
});

test('a session ends after 30 idle days, and after 180 days even if it is used', async () => {
  const idle = await aSession();
  await idle.age('29 days 23 hours');
  const next = await idle.use(idle.refresh);
  await idle.age('30 days');
  await idle.refused(next);

  const old = await aSession();
  let token = old.refresh;
  for (let month = 0; month < 6; month++) {
    await old.age('29 days');
    token = await old.use(token);
  }
  await old.age('6 days');
  await old.refused(token);
});
