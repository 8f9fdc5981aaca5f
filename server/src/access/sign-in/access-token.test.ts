import assert from 'node:assert/strict';
import { hkdfSync } from 'node:crypto';
import { test } from 'node:test';
import { SignJWT } from 'jose';
import { sql } from '#db/database.ts';
import { SECRET, service } from '#test/harness.ts';
import { makeShop } from '#test/make.ts';
import { signIn, someone } from '#test/sign-in.ts';
import { createAccessTokens } from './access-token.ts';
import { createSessionReader, type SessionRef } from './session-reader.ts';

const { db } = await service();
const sessionOf = createSessionReader(db);
const shop = await makeShop();
const session = await signIn(shop.id, someone());
const bearer = await createAccessTokens(SECRET).userOf(sessionOf, session.access);
assert.ok(bearer);
const owner = { ...bearer, commerceId: shop.id };

function newTokens() {
  return createAccessTokens(SECRET);
}

test('a token identifies its user and session, the second time without a query', async () => {
  const tokens = newTokens();
  assert.equal((await tokens.userOf(sessionOf, session.access))?.userId, session.user_id);
  const again = tokens.userOf(sessionOf, session.access);
  assert.ok(!(again instanceof Promise));
  assert.equal(again?.userId, session.user_id);
});

test('a token must match exactly: other text that decodes to the same bytes is not valid', async () => {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const last = alphabet.indexOf(session.access.at(-1)!);
  const twins = [1, 2, 3].map((bits) => session.access.slice(0, -1) + alphabet[last ^ bits]);
  for (const text of [`${session.access}=`, `${session.access}==`, ...twins])
    assert.equal(await newTokens().userOf(sessionOf, text), null, text);
});

test('a session is trusted for 5 s from the start of its lookup, however long that takes', async (t) => {
  const tokens = newTokens();
  let now = performance.now();
  t.mock.method(performance, 'now', () => now);
  /** The cache checks the time once a millisecond. */
  const pass = async (ms: number) => {
    now += ms;
    await new Promise((resolve) => setTimeout(resolve, 5));
  };
  const slowly = async (ref: SessionRef) => {
    const session = await sessionOf(ref);
    await pass(4_000);
    return session;
  };
  await tokens.userOf(slowly, session.access);
  await pass(990);
  assert.ok(!(tokens.userOf(slowly, session.access) instanceof Promise));
  await pass(20);
  assert.ok(tokens.userOf(slowly, session.access) instanceof Promise);
});

test('a token is valid for 900 s by the database’s clock, whatever this process’s clock says', async (t) => {
  const tokens = newTokens();
  const ago = (seconds: number) => tokens.issue(owner, new Date(Date.now() - seconds * 1000));
  const [good, over] = [await ago(890), await ago(901)];
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 86_400_000 });
  assert.equal((await tokens.userOf(sessionOf, good))?.userId, bearer.userId);
  assert.equal(await tokens.userOf(sessionOf, over), null);
  t.mock.timers.setTime(0);
  assert.equal(await newTokens().userOf(sessionOf, over), null);
});

test('a session that another process ends is refused after 5 s', async (t) => {
  const other = await signIn(shop.id, someone());
  const tokens = newTokens();
  assert.ok(await tokens.userOf(sessionOf, other.access));
  await sql`update sessions set ended_at = now(), end_reason = 'logout' where user_id = ${other.user_id}`.execute(
    db,
  );
  t.mock.method(performance, 'now', () => 1e9);
  assert.equal(await tokens.userOf(sessionOf, other.access), null);
});

test('a session that ends during its lookup is not remembered as alive', async () => {
  const other = await signIn(shop.id, someone());
  const tokens = newTokens();
  const { sessionId } = (await newTokens().userOf(sessionOf, other.access))!;
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  const slow = tokens.userOf(async (ref) => {
    const seen = await sessionOf(ref);
    await held;
    return seen;
  }, other.access);
  await sql`update sessions set ended_at = now(), end_reason = 'logout' where id = ${sessionId}`.execute(db);
  tokens.forgetSession(sessionId);
  release();
  await slow;
  assert.equal(await tokens.userOf(sessionOf, other.access), null);
});

test('sessions that are looked up at once are not mixed up', async () => {
  const others = await Promise.all(Array.from({ length: 30 }, () => signIn(shop.id, someone())));
  const tokens = newTokens();
  const bearers = await Promise.all(others.map(async ({ access }) => tokens.userOf(sessionOf, access)));
  assert.deepEqual(
    bearers.map((one) => one?.userId),
    others.map(({ user_id }) => user_id),
  );
});

test('two tokens of one session are never the same, in the same second neither', async () => {
  const tokens = newTokens();
  const at = new Date();
  const issued = await Promise.all(Array.from({ length: 100 }, () => tokens.issue(owner, at)));
  assert.equal(new Set(issued).size, 100);
});

const key = new Uint8Array(hkdfSync('sha256', SECRET[0], '', 'access token', 32));

interface Forged {
  readonly key?: Uint8Array;
  readonly alg?: string;
  readonly typ?: string;
  readonly issuer?: string;
  readonly audience?: string;
  readonly sid?: string;
}

async function forge(forged: Forged): Promise<string> {
  return new SignJWT({ sid: forged.sid ?? String(bearer!.sessionId) })
    .setProtectedHeader({ alg: forged.alg ?? 'HS256', typ: forged.typ ?? 'at+jwt' })
    .setIssuer(forged.issuer ?? 'loyalty')
    .setAudience(forged.audience ?? 'loyalty/members')
    .setSubject(String(bearer!.userId))
    .setExpirationTime('15 minutes')
    .sign(forged.key ?? key);
}

test('only tokens with our signature, type, issuer and audience are accepted', async () => {
  const tokens = newTokens();
  assert.ok(await tokens.userOf(sessionOf, await forge({})), 'a token of ours');
  const long = new Uint8Array(64).fill(7);
  const [header = '', payload = '', signature = ''] = session.access.split('.');
  const none = Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url');
  const forged = [
    await forge({ key: new Uint8Array(32) }),
    await forge({ key: long, alg: 'HS512' }),
    await forge({ typ: 'JWT' }),
    await forge({ issuer: 'somebody' }),
    await forge({ audience: 'loyalty/staff' }),
    await forge({ sid: '0' }),
    `${none}.${payload}.`,
    `${none}.${payload}.${signature}`,
    `${header}.${payload}.`,
    session.refresh,
    shop.key,
    'x',
    'a.b.c',
    'x'.repeat(100_000),
  ];
  for (const token of forged) assert.equal(await tokens.userOf(sessionOf, token), null, token.slice(0, 100));
});
