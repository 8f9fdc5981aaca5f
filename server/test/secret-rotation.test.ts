/** Two processes on one database while SECRET_KEY is replaced: what one of them makes, the other accepts. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { createAccessTokens } from '#sign-in/access-token.ts';
import { createSettingsLinks } from '#mail/settings-links.ts';
import { createTickets } from '#wallets/ticket.ts';
import type { App } from '#http/server.ts';
import { buildApp } from '../src/app.ts';
import type { SecretKeys } from '../src/platform/settings/secret-key.ts';
import { onEnd, testDatabase } from './database.ts';
import { benefit, makeShop, type Shop } from './make.ts';
import { age, mailedCodes, mailedLinks, someone, type SessionBody } from './sign-in.ts';

const [OLD, NEW] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')];

/** The keys of two processes, restarted one after the other: before, meanwhile and after. */
const STEPS: readonly { readonly one: SecretKeys; readonly other: SecretKeys }[] = [
  { one: [OLD], other: [OLD, NEW] },
  { one: [OLD, NEW], other: [NEW, OLD] },
  { one: [NEW, OLD], other: [NEW] },
];

for (const { one, other } of STEPS) {
  const words = [one, other].map((keys) => keys.map((key) => (key === OLD ? 'old' : 'new')).join(' and '));

  test(`processes with the ${words[0]} and the ${words[1]} key accept what the other made for callers`, async () => {
    const apps = [await start(one), await start(other)] as const;
    // Tokens made with a key that is gone are not accepted any more; that process makes none of the kind.
    const pairs = [
      [apps[0], apps[1]],
      [apps[1], apps[0]],
    ] as const;
    const shop = await makeShop({ benefits: [benefit('mug')] });
    for (const [maker, taker] of pairs) {
      const email = someone();
      await requestCode(maker, shop, email);
      const [code] = await mailedCodes(shop.id, email);
      const session = await enter(taker, shop, 'otp', { email, otp: code });
      assert.equal((await get(maker, shop, '/v1/me', session.access)).statusCode, 200);

      await age(email, '2 minutes');
      await requestCode(maker, shop, email);
      const [token] = await mailedLinks(shop.id, email);
      const bySession = await enter(taker, shop, 'link', { token });
      assert.equal((await get(maker, shop, '/v1/me', bySession.access)).statusCode, 200);
      const refreshed = await maker.inject({
        method: 'POST',
        url: '/v1/auth/refresh',
        headers: at(shop),
        payload: { refresh: session.refresh },
      });
      assert.equal(refreshed.statusCode, 200, refreshed.body);

      for (let i = 0; i < 21; i += 1)
        await shop.post('/v1/consumptions/email', { client_email: email, amount: 5 });
      const page = (await get(maker, shop, '/v1/me/activity', session.access)).json<{
        next_cursor: string;
      }>();
      const next = await get(taker, shop, `/v1/me/activity?cursor=${page.next_cursor}`, session.access);
      assert.equal(next.statusCode, 200, next.body);
    }
  });

  test(`links in mails and tickets of wallets that the ${words[0]} key made are good with the ${words[1]} key`, async () => {
    const db = await testDatabase();
    const reader = { commerceId: 3, memberId: 5 };
    const ticket = { commerceId: 3, userId: 5, kind: 'apple' } as const;
    for (const [maker, taker] of [
      [one, other],
      [other, one],
    ] as const) {
      const link = createSettingsLinks(maker).link('', reader).slice('/mail/'.length);
      assert.deepEqual(createSettingsLinks(taker).open(link), reader);
      const [issued] = await createTickets(maker).issue(db, [ticket]);
      assert.deepEqual(await createTickets(taker).open(db, issued!, 'apple'), ticket);
    }
  });
}

test('somebody who signed in from a network is known there under the next key', async () => {
  const [before, after] = [await start([OLD]), await start([NEW, OLD])];
  const shop = await makeShop();
  const email = someone();
  await requestCode(before, shop, email);
  await enter(before, shop, 'otp', { email, otp: (await mailedCodes(shop.id, email))[0] });
  await age(email, '2 minutes');
  // A stranger who asked a moment ago keeps another stranger waiting, but not a known network.
  await requestCode(before, shop, email, '198.51.100.7');
  await requestCode(after, shop, email);
  assert.equal((await mailedCodes(shop.id, email)).length, 3);
});

test('a key that was taken away opens nothing any more', async () => {
  const owner = { userId: 1, sessionId: 1, commerceId: 1 };
  const token = await createAccessTokens([OLD]).issue(owner, new Date());
  const nobody = () => Promise.reject(new Error('the session is not even looked up'));
  assert.equal(await createAccessTokens([NEW]).userOf(nobody, token), null);
  const link = createSettingsLinks([OLD]).link('', { commerceId: 3, memberId: 5 });
  assert.equal(createSettingsLinks([NEW]).open(link.slice('/mail/'.length)), null);
});

async function start(secret: SecretKeys): Promise<App> {
  const app = await buildApp({ db: await testDatabase(), log: false, secret, trustProxy: ['127.0.0.1'] });
  onEnd(() => app.close());
  return app;
}

const at = (shop: Shop) => ({ 'x-commerce-id': String(shop.id) });

async function requestCode(app: App, shop: Shop, email: string, network = '192.0.2.1'): Promise<void> {
  const { statusCode, body } = await app.inject({
    method: 'POST',
    url: '/v1/auth/otp/request',
    headers: { ...at(shop), 'x-forwarded-for': network },
    payload: { email },
  });
  assert.equal(statusCode, 200, body);
}

async function enter(app: App, shop: Shop, way: 'otp' | 'link', payload: object): Promise<SessionBody> {
  const { statusCode, body } = await app.inject({
    method: 'POST',
    url: `/v1/auth/${way}/verify`,
    headers: { ...at(shop), 'x-forwarded-for': '192.0.2.1' },
    payload,
  });
  assert.equal(statusCode, 200, body);
  return JSON.parse(body) as SessionBody;
}

async function get(app: App, shop: Shop, url: string, token: string) {
  return app.inject({ url, headers: { ...at(shop), authorization: `Bearer ${token}` } });
}
