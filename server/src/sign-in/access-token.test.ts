import assert from 'node:assert/strict';
import { hkdfSync } from 'node:crypto';
import { test } from 'node:test';
import { SignJWT } from 'jose';
import { sql } from '#db/database.ts';
import { service } from '#test/harness.ts';
import { makeShop } from '#test/make.ts';
import { signIn, someone } from '#test/sign-in.ts';
import { createAccessTokens } from './access-token.ts';

const SECRET = 'a secret of the tests, 32 characters';
const { db } = await service();
const shop = await makeShop();
const session = await signIn(shop.id, someone());
const bearer = await createAccessTokens(SECRET).userOf(db, session.access);
assert.ok(bearer);

function newTokens() {
  return createAccessTokens(SECRET);
}

test('a token stands for its user and session, the second time without a look-up', async () => {
  const tokens = newTokens();
  assert.equal((await tokens.userOf(db, session.access))?.userId, session.user_id);
  const again = tokens.userOf(db, session.access);
  assert.ok(!(again instanceof Promise));
  assert.equal(again?.userId, session.user_id);
});

test('a token is good for 900 s of the database, whatever the clock of this process says', async (t) => {
  const tokens = newTokens();
  const ago = (seconds: number) => tokens.issue(bearer, new Date(Date.now() - seconds * 1000));
  const [good, over] = [await ago(890), await ago(901)];
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 86_400_000 });
  assert.equal((await tokens.userOf(db, good))?.userId, bearer.userId);
  assert.equal(await tokens.userOf(db, over), null);
  t.mock.timers.setTime(0);
  assert.equal(await newTokens().userOf(db, over), null);
});

test('the end of a session by another process is seen, as soon as what is known of it is 5 s old', async (t) => {
  const other = await signIn(shop.id, someone());
  const tokens = newTokens();
  assert.ok(await tokens.userOf(db, other.access));
  await sql`update sessions set ended_at = now(), end_reason = 'logout' where user_id = ${other.user_id}`.execute(
    db,
  );
  t.mock.method(performance, 'now', () => 1e9);
  assert.equal(await tokens.userOf(db, other.access), null);
});

const key = new Uint8Array(hkdfSync('sha256', SECRET, '', 'access token', 32));

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

test('only a token signed by us, of our kind, for us is one', async () => {
  const tokens = newTokens();
  assert.ok(await tokens.userOf(db, await forge({})), 'as we make it');
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
  for (const token of forged) assert.equal(await tokens.userOf(db, token), null, token.slice(0, 100));
});
