/** How the SDK handles temporary failures of the network and the service. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  ConnectionError,
  createMemberClient,
  createShopClient,
  memoryTokens,
  type Fetch,
} from '../../../sdk/src/index.ts';

type Reply = { status: number; body?: unknown; headers?: Record<string, string> } | Error | 'never';

/** Plays a service that gives these replies one after the other and records the requests. */
function playService(...replies: Reply[]) {
  const asked: { method: string; path: string; headers: Headers; body: unknown }[] = [];
  const answer: Fetch = async (url, init) => {
    asked.push({
      method: init.method,
      path: new URL(url).pathname,
      headers: new Headers(init.headers),
      body: init.body === undefined ? undefined : (JSON.parse(init.body) as unknown),
    });
    const reply = replies.shift() ?? { status: 200, body: {} };
    if (reply === 'never')
      return new Promise((_, reject) => {
        init.signal.addEventListener('abort', () => reject(init.signal.reason as Error));
      });
    if (reply instanceof Error) throw reply;
    return Response.json(reply.body ?? {}, { status: reply.status, headers: reply.headers ?? {} });
  };
  return { asked, fetch: answer };
}

const lost = new TypeError('fetch failed');
const unavailable: Reply = { status: 503, body: { message: 'away' }, headers: { 'retry-after': '0' } };

function shopOn(played: { fetch: Fetch }) {
  return createShopClient({ baseUrl: 'https://loyalty.example', apiKey: 'lk_test', fetch: played.fetch });
}
function memberOn(played: { fetch: Fetch }, tokens = signedIn(), onSignedOut?: () => void) {
  return createMemberClient({
    baseUrl: 'https://loyalty.example',
    commerceId: 7,
    tokens,
    fetch: played.fetch,
    ...(onSignedOut && { onSignedOut }),
  });
}
function signedIn() {
  return memoryTokens({ access: 'a1', refresh: 'r1', expires_at: Date.now() + 900_000 });
}

test('a read is retried after a lost response and while the service is unavailable', async () => {
  const service = playService(lost, unavailable, { status: 200, body: [{ id: 'x' }] });
  assert.equal((await shopOn(service).listBenefits())[0]?.id, 'x');
  assert.equal(service.asked.length, 3);
});

test('a 409 is retried while the same call is running, and not if another purchase has the external_id', async () => {
  const running: Reply = {
    status: 409,
    body: {},
    headers: { 'x-error-code': 'in_progress', 'retry-after': '0' },
  };
  const taken: Reply = { status: 409, body: {}, headers: { 'x-error-code': 'duplicate_external_id' } };
  const service = playService(running, taken);
  const shop = shopOn(service);
  await assert.rejects(shop.recordConsumptionByClientCode({ client_code: 1, amount: 2, external_id: 'A' }), {
    status: 409,
    code: 'duplicate_external_id',
  });
  assert.equal(service.asked.length, 2);
});

test('a call that takes effect once is retried with the same key, and each call has its own key', async () => {
  const service = playService(lost, unavailable, { status: 201, headers: { 'x-consumption-id': '9' } });
  const shop = shopOn(service);
  const recorded = await shop.recordConsumptionByClientCode({ client_code: 1, amount: 2 });
  assert.equal(recorded.consumption_id, 9);
  await shop.recordConsumptionByClientCode({ client_code: 1, amount: 2 });
  await shop.recordConsumptionByClientCode({ client_code: 1, amount: 2 }, { idempotencyKey: 'order-77' });
  const keys = service.asked.map(({ headers }) => headers.get('idempotency-key'));
  assert.equal(new Set(keys.slice(0, 3)).size, 1);
  assert.equal(new Set(keys).size, 3);
  assert.equal(keys.at(-1), 'order-77');
});

test('a call that is not a read and has no key is sent only once', async () => {
  for (const failure of [lost, unavailable]) {
    const service = playService(failure);
    await assert.rejects(memberOn(service).verifyOneTimeCode('ana@example.com', '123456'));
    await assert.rejects(memberOn(playService(failure)).joinProgram());
    assert.equal(service.asked.length, 1);
  }
});

test('a refused call is not retried', async () => {
  for (const status of [400, 403, 404, 422, 500]) {
    const service = playService({ status, body: { message: 'no' }, headers: { 'x-error-code': 'a_code' } });
    await assert.rejects(shopOn(service).redeemBenefit(1), { name: 'ApiError', status });
    assert.equal(service.asked.length, 1);
  }
});

test('a call is tried at most four times, and a long wait is left to the caller', async () => {
  const dead = playService(lost, lost, lost, lost, lost);
  await assert.rejects(shopOn(dead).listBenefits(), ConnectionError);
  assert.equal(dead.asked.length, 4);

  const busy = playService({ status: 429, body: { message: 'slow' }, headers: { 'retry-after': '60' } });
  await assert.rejects(shopOn(busy).listBenefits(), { status: 429, retryAfterSeconds: 60 });
  assert.equal(busy.asked.length, 1);
});

test('a call without a response ends at the timeout, and a signal aborts it at once', async () => {
  const silent = playService('never', 'never', 'never', 'never');
  await assert.rejects(shopOn(silent).listBenefits({ timeoutMs: 5 }), ConnectionError);
  assert.equal(silent.asked.length, 4);

  const reason = new Error('closed the page');
  const giveUp = new AbortController();
  const waiting = shopOn(playService('never')).listBenefits({ signal: giveUp.signal });
  giveUp.abort(reason);
  await assert.rejects(waiting, reason);
});

test('a rejected access token is renewed, and the call takes effect once', async () => {
  const service = playService(
    { status: 401, body: { message: 'expired' } },
    { status: 200, body: { access: 'a2', refresh: 'r2', expires_in: 900 } },
    { status: 200, body: { client_benefit_code: 5 } },
  );
  const tokens = signedIn();
  assert.equal((await memberOn(service, tokens).exchangeBenefit('coffee')).client_benefit_code, 5);
  assert.deepEqual(
    service.asked.map(({ path, headers }) => [path, headers.get('authorization')]),
    [
      ['/v1/me/benefits/exchange', 'Bearer a1'],
      ['/v1/auth/refresh', null],
      ['/v1/me/benefits/exchange', 'Bearer a2'],
    ],
  );
  const [first, , second] = service.asked;
  assert.equal(first?.headers.get('idempotency-key'), second?.headers.get('idempotency-key'));
  assert.equal((await tokens.get())?.refresh, 'r2');
});

test('a renewal is retried if its response is lost, and ends the session if it is refused', async () => {
  const ended = memoryTokens({ access: 'a1', refresh: 'r1', expires_at: 0 });
  const next = { status: 200, body: { access: 'a2', refresh: 'r2', expires_in: 900 } };
  await memberOn(playService(lost, next, { status: 200, body: {} }), ended).getMyAccount();
  assert.equal((await ended.get())?.access, 'a2');

  let signedOut = 0;
  const refused = memoryTokens({ access: 'a1', refresh: 'r1', expires_at: 0 });
  const member = memberOn(
    playService({ status: 401, body: { message: 'revoked' } }),
    refused,
    () => signedOut++,
  );
  await assert.rejects(member.getMyAccount(), { status: 401 });
  assert.deepEqual([await refused.get(), signedOut], [null, 1]);
});

test('a member who signs out during a renewal stays signed out', async () => {
  const tokens = memoryTokens({ access: 'a1', refresh: 'r1', expires_at: 0 });
  const answered = Promise.withResolvers<void>();
  const member = createMemberClient({
    baseUrl: 'https://loyalty.example',
    commerceId: 7,
    tokens,
    fetch: async (url) => {
      if (url.endsWith('/refresh')) await answered.promise;
      return Response.json({ access: 'a2', refresh: 'r2', expires_in: 900 });
    },
  });
  const asking = member.getMyAccount();
  await member.logOut();
  answered.resolve();
  await asking.catch(() => undefined);
  assert.equal(await tokens.get(), null);
});

test('the sign-in page of a public network does not count as a response of the service', async () => {
  const captive: Fetch = async () => new Response('<html>Sign in to the Wi-Fi</html>');
  const member = memberOn({ fetch: captive });
  await assert.rejects(member.joinProgram(), ConnectionError);
});
