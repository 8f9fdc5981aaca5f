/** How the SDK answers mistakes: at construction, and in the errors of calls. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { test } from 'node:test';
import { inspect } from 'node:util';
import {
  type ApiError,
  type ConnectionError,
  createMemberClient,
  createShopClient,
  memoryTokens,
} from '../../../sdk/src/index.ts';
import { read } from '#test/repository.ts';
import { createAdminClient, createSetUpClient } from '../../../sdk/src/admin.ts';

const baseUrl = 'https://loyalty.example';
const apiKey = 'lk_test_x';

/** Creates a client with options that TypeScript would refuse, as a program in JavaScript can. */
function shopWith(options: object) {
  return () => createShopClient({ baseUrl, apiKey, ...options });
}
function memberWith(options: object) {
  return () => createMemberClient({ baseUrl, commerceId: 1, ...options });
}

test('a missing key is found when the client is created, and the error says where a key comes from', () => {
  for (const apiKey of [undefined, null, '', ' ', 7])
    assert.throws(
      shopWith({ apiKey }),
      /^TypeError: apiKey is missing: .*loyalty key create.*LOYALTY_API_KEY/,
    );
});

test('a key with "Bearer" or a line break is refused, and the error does not quote it', () => {
  assert.throws(shopWith({ apiKey: 'Bearer lk_test_x' }), /leave out "Bearer"/);
  for (const apiKey of ['lk_secret\n', 'lk_secret lk', 'lk_secreté'])
    assert.throws(shopWith({ apiKey }), (error: TypeError) => {
      assert.match(error.message, /trim it/);
      assert.doesNotMatch(error.message, /secret/);
      return true;
    });
});

test('a key in a web page is refused, and the error says what to do instead', () => {
  const page = globalThis as { document?: object };
  page.document = {};
  try {
    assert.throws(shopWith({}), /belongs on the shop's server: .* use createMemberClient in the page/);
  } finally {
    delete page.document;
  }
});

test('an address without a scheme is refused, and the error says what to write', () => {
  for (const make of [shopWith, memberWith]) {
    assert.throws(make({ baseUrl: undefined }), /baseUrl is missing: pass the address of the service/);
    assert.throws(make({ baseUrl: 'loyalty.example' }), /write "https:\/\/loyalty\.example"/);
    assert.throws(make({ baseUrl: '//loyalty.example' }), /write "https:\/\/loyalty\.example"/);
    assert.throws(make({ baseUrl: 'localhost:3000' }), /write "http:\/\/localhost:3000"/);
    assert.throws(make({ baseUrl: 'https://' }), /must be an address/);
    assert.throws(make({ baseUrl: `${baseUrl}?key=1` }), /without a query/);
    assert.doesNotThrow(make({ baseUrl: 'http://[::1]:3000/path/' }));
  }
});

test('a commerce id that is not a positive integer is refused, and the error says where it comes from', () => {
  for (const commerceId of [undefined, null, 'cafe-luna', 0, -1, 1.5, Number.NaN])
    assert.throws(memberWith({ commerceId }), /must be the number of the commerce.*loyalty apply/);
  assert.throws(memberWith({ commerceId: '7' }), /pass Number\("7"\)/);
});

test('the error of a refused call carries method, path, status, request id and code, and prints them', async () => {
  const shop = createShopClient({
    baseUrl,
    apiKey,
    fetch: async () =>
      Response.json(
        { message: 'already used' },
        { status: 400, headers: { 'x-request-id': 'r-1', 'x-error-code': 'benefit_used' } },
      ),
  });
  await assert.rejects(shop.redeemBenefit(1), (error: ApiError) => {
    const { method, path, status, requestId, code, message } = error;
    assert.deepEqual(
      { method, path, status, requestId, code, message },
      {
        method: 'POST',
        path: '/v1/benefits/redeem',
        status: 400,
        requestId: 'r-1',
        code: 'benefit_used',
        message: 'already used',
      },
    );
    for (const part of ["path: '/v1/benefits/redeem'", "requestId: 'r-1'", "code: 'benefit_used'"])
      assert.ok(inspect(error).includes(part), part);
    assert.ok(!inspect(error).includes(apiKey));
    return true;
  });
});

test('the error of a call without a response or without a session names the call', async () => {
  const down = createShopClient({ baseUrl, apiKey, fetch: () => Promise.reject(new TypeError('down')) });
  await assert.rejects(down.getClient(7, { timeoutMs: 1 }), (error: ConnectionError) => {
    assert.deepEqual([error.method, error.path], ['GET', '/v1/clients/7']);
    return true;
  });
  const member = createMemberClient({ baseUrl, commerceId: 1 });
  await assert.rejects(member.getMyAccount(), { status: 401, method: 'GET', path: '/v1/me', code: null });
});

test('if another program answers at the address, the error says so and names the address', async () => {
  const page = async () => new Response('<h1>It works!</h1>', { headers: { 'content-type': 'text/html' } });
  const shop = createShopClient({ baseUrl: 'http://127.0.0.1:8080/', apiKey, fetch: page });
  const told = {
    name: 'ConnectionError',
    message: 'http://127.0.0.1:8080 answered, but not with JSON of this service: check baseUrl',
  };
  await assert.rejects(shop.redeemBenefit(1), told);
  await assert.rejects(shop.exportMembers().next(), told);
  const missing = async () => new Response('<h1>Not found</h1>', { status: 404 });
  const wrong = createShopClient({ baseUrl, apiKey, fetch: missing });
  await assert.rejects(wrong.getClient(7), /answered, but not with JSON of this service/);
});

test('a 404 of another program is not taken for one of the service, even if it is JSON', async () => {
  const another = async () => Response.json({ message: 'no Route matched' }, { status: 404 });
  const shop = createShopClient({ baseUrl, apiKey, fetch: another });
  const told = { name: 'ConnectionError', message: /answered, but not with JSON of this service/ };
  await assert.rejects(shop.previewRedemptionCodeV2(1, { attempts: 1 }), told);
  await assert.rejects(shop.exportMembers().next(), told);
  const tokens = memoryTokens({ access: 'a', refresh: 'r', expires_at: Date.now() + 900_000 });
  const member = createMemberClient({ baseUrl, commerceId: 1, tokens, fetch: another });
  await assert.rejects(member.getMyCard({ attempts: 1 }), told);
  const office = createAdminClient({ baseUrl, fetch: another });
  await assert.rejects(office.exportMembers(), told);
});

test('a refusal of another program is an ApiError without a code, whatever its body is', async () => {
  for (const body of [{ detail: 'Not authenticated' }, { detail: [{}] }, { error: 1 }, null, 'no']) {
    const fetch = async () => Response.json(body, { status: 401, statusText: 'Unauthorized' });
    const shop = createShopClient({ baseUrl, apiKey, fetch });
    await assert.rejects(shop.listBenefits(), { name: 'ApiError', status: 401, code: null });
  }
});

test('the message of a refusal ends with the hint of the service', async () => {
  const headers = { 'x-error-code': 'unknown_client', 'x-error-hint': 'It is the 9 digits of the card.' };
  const fetch = async () => Response.json({ message: 'client not found' }, { status: 404, headers });
  await assert.rejects(createShopClient({ baseUrl, apiKey, fetch }).getClient(7), {
    message: 'client not found. It is the 9 digits of the card.',
    hint: 'It is the 9 digits of the card.',
  });
});

test('the error of a call without an answer names the address and the cause', async () => {
  // The port is closed before it is asked.
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  const address = `http://127.0.0.1:${port}`;
  const told = {
    name: 'ConnectionError',
    message: `${address} did not answer: connect ECONNREFUSED 127.0.0.1:${port}`,
  };
  const first = { attempts: 1 };
  const shop = createShopClient({ baseUrl: address, apiKey });
  await assert.rejects(shop.getClient(7, first), told);
  await assert.rejects(shop.exportMembers().next(), told);
  await assert.rejects(createAdminClient({ baseUrl: address }).exportMembers(), told);
  const both = Object.assign(new AggregateError([new Error('connect ECONNREFUSED ::1:1')]), { code: 'X' });
  const down = () => Promise.reject(new TypeError('fetch failed', { cause: both }));
  await assert.rejects(createShopClient({ baseUrl, apiKey, fetch: down }).getClient(7, first), {
    message: `${baseUrl} did not answer: connect ECONNREFUSED ::1:1`,
  });
});

test('the README lists every method of each client, and no other', () => {
  const tables = read('sdk/README.md')
    .split(/^## /m)
    .filter((section) => section.includes('| method | what it does |'))
    .map((section) => [...section.matchAll(/^\| `(\w+)\(/gm)].map(([, name]) => name!).toSorted());
  assert.deepEqual(tables, [
    Object.keys(createShopClient({ baseUrl, apiKey })).toSorted(),
    Object.keys(createMemberClient({ baseUrl, commerceId: 1 })).toSorted(),
    Object.keys(createAdminClient({ baseUrl })).toSorted(),
    Object.keys(createSetUpClient({ baseUrl })).toSorted(),
  ]);
});

test('the README says how to run its examples, which are ES modules', () => {
  const beforeTheFirst = read('sdk/README.md').split('```js')[0]!;
  assert.match(beforeTheFirst, /\.mjs/);
  assert.match(beforeTheFirst, /"type": "module"/);
});
