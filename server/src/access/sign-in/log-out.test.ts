import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call } from '#test/harness.ts';
import { makeShop } from '#test/make.ts';
import { atCommerce, refresh, signIn, someone, type SessionBody } from '#test/sign-in.ts';

const shop = await makeShop();

async function me(access: string): Promise<number> {
  const headers = { ...atCommerce(shop.id), authorization: `Bearer ${access}` };
  return (await call('GET', '/v1/me', { headers })).status;
}

test('logging out with any token of a session ends it, can be repeated and reveals nothing', async () => {
  const session = await signIn(shop.id, someone());
  const next = ((await refresh(shop.id, session.refresh)).body as SessionBody).refresh;
  assert.equal(await me(session.access), 200);
  const headers = atCommerce(shop.id);
  for (const token of [session.refresh, session.refresh, 'nonsense', '']) {
    const answer = await call('POST', '/v1/auth/logout', { headers, body: { refresh: token } });
    assert.deepEqual([answer.status, answer.body], [200, { message: 'logged out' }]);
  }
  assert.equal((await refresh(shop.id, next)).status, 401);
  assert.equal(await me(session.access), 401);
});

test('logging out ends one session and keeps the person’s other sessions', async () => {
  const other = await makeShop();
  const email = someone();
  const session = await signIn(shop.id, email);
  const elsewhere = await signIn(other.id, email);
  await call('POST', '/v1/auth/logout', { headers: atCommerce(shop.id), body: { refresh: session.refresh } });
  assert.equal((await refresh(other.id, elsewhere.refresh)).status, 200);
  assert.equal(await me(elsewhere.access), 200, 'the same person at another commerce');
});
