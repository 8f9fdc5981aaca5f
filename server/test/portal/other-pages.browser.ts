/** A page on the shop's own website, which is another origin, may make a member's calls but not the shop's. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { onEnd } from '#test/database.ts';
import { someone } from '#test/sign-in.ts';
import { clubs, codeFromMailbox, open } from './browser.ts';
import { club } from './club.ts';

test('a page on another origin can sign a member in and buy with fetch, but cannot use an API key', async () => {
  const base = await clubs();
  const shop = await club();
  const website = createServer((_, response) => {
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>A shop</title>');
  });
  await new Promise<void>((resolve) => void website.listen(0, '127.0.0.1', resolve));
  onEnd(() => new Promise((resolve) => website.close(resolve)));
  const { page, context } = await open({});
  await page.goto(`http://127.0.0.1:${(website.address() as AddressInfo).port}/`);

  const email = someone();
  const call = (method: string, path: string, headers: Record<string, string>, body?: object) =>
    page.evaluate(
      async ([base, method, path, headers, body]) => {
        try {
          const response = await fetch(base + path, {
            method,
            headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
            ...(body && { body: JSON.stringify(body) }),
          });
          return {
            status: response.status,
            replayed: response.headers.get('idempotency-replayed'),
            body: (await response.json()) as Record<string, unknown>,
          };
        } catch (error) {
          return { status: 0, replayed: null, body: { error: String(error) } };
        }
      },
      [base, method, path, headers, body] as const,
    );

  const atShop = { 'x-commerce-id': String(shop.id) };
  assert.equal((await call('GET', '/v1/public/benefits', atShop)).status, 200);
  assert.equal((await call('POST', '/v1/auth/otp/request', atShop, { email })).status, 200);
  const otp = await codeFromMailbox(email);
  const session = await call('POST', '/v1/auth/otp/verify', atShop, { email, otp });
  assert.equal(session.status, 200);
  await shop.post('/v1/consumptions/email', { client_email: email, amount: 200 });

  const asMember = { ...atShop, authorization: `Bearer ${String(session.body['access'])}` };
  assert.equal((await call('GET', '/v1/me', asMember)).body['points'], 250);
  const keyed = { ...asMember, 'idempotency-key': 'one-purchase' };
  const bought = await call('POST', '/v1/me/benefits/exchange', keyed, { benefit_id: 'coffee' });
  assert.equal(bought.status, 200);
  const again = await call('POST', '/v1/me/benefits/exchange', keyed, { benefit_id: 'coffee' });
  assert.deepEqual([again.replayed, again.body], ['true', bought.body]);
  // The page can read refusals too, so it can tell the member.
  assert.equal(
    (await call('POST', '/v1/me/benefits/exchange', asMember, { benefit_id: 'nothing' })).status,
    400,
  );
  assert.equal((await call('GET', '/v1/me', { ...asMember, authorization: 'Bearer ended' })).status, 401);
  assert.equal((await call('DELETE', '/v1/me/subscription', asMember)).status, 200);

  // Even with a valid key, the browser sends no such call and gives the page no answer.
  const withKey = { authorization: `Bearer ${shop.key}` };
  const { points } = (await shop.post('/v1/clients/email', { client_email: email })).body as {
    points: number;
  };
  for (const [method, path, body] of [
    ['GET', '/v1/clients/list', undefined],
    ['GET', '/v1/benefits/list', undefined],
    ['POST', '/v1/consumptions/email', { client_email: email, amount: 10 }],
    ['POST', '/v1/benefits/redeem', { client_benefit_code: bought.body['client_benefit_code'] }],
  ] as const) {
    assert.equal((await call(method, path, withKey, body)).status, 0, path);
  }
  assert.deepEqual(
    ((await shop.post('/v1/clients/email', { client_email: email })).body as { points: number }).points,
    points,
  );
  await context.close();
});
