/** The API reference at `/docs`: what it shows, and who gets the values that it fills in. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import vm from 'node:vm';
import { buildApp } from '../../src/app.ts';
import { ERROR_CODES } from '#problems/error-codes.ts';
import { MISTAKES } from '../../docs/mistakes.ts';
import { SECRET, service } from '#test/harness.ts';
import { onEnd } from '#test/database.ts';

const { app: reading, db } = await service();
const demo = {
  commerceId: 1,
  name: 'Harbour Bakery',
  slug: 'demo',
  key: 'lk_test_demo',
  clientCode: 482_915_374,
};
const calling = await buildApp({ db, log: false, secret: SECRET, tryItOut: true, demo });
onEnd(() => calling.close());
const anonymous = await buildApp({ db, log: false, secret: SECRET, demo });
onEnd(() => anonymous.close());

test('the page has an introduction with the credentials and the codes, and loads only files of the service', async () => {
  for (const [url, base] of [
    ['/docs', 'docs/'],
    ['/docs/', ''],
  ] as const) {
    const page = await reading.inject(url);
    assert.equal(page.statusCode, 200);
    for (const word of ['API key', 'Access token', 'client_code', 'benefit_id', 'client_benefit_code'])
      assert.ok(page.payload.includes(word), word);
    const loaded = [...page.payload.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address!);
    for (const address of loaded) {
      if (address === './') continue;
      assert.ok(address.startsWith(base) && !address.includes('//'), address);
      assert.equal(
        (await reading.inject(new URL(address, `http://x${url}`).pathname)).statusCode,
        200,
        address,
      );
    }
  }
});

test('the document of the page has every operation of the contract and of its extensions once', async () => {
  const idsOf = async (url: string) =>
    Object.values((await reading.inject(url)).json<{ paths: Record<string, object> }>().paths).flatMap(
      (operations) =>
        Object.values(operations as Record<string, { operationId: string }>).map(
          ({ operationId }) => operationId,
        ),
    );
  const separate = [...(await idsOf('/openapi.json')), ...(await idsOf('/openapi-extensions.json'))];
  assert.deepEqual((await idsOf('/docs/openapi.json')).toSorted(), [...new Set(separate)].toSorted());
});

test('every reference in every published document leads to something in the same document', async () => {
  for (const url of ['/openapi.json', '/openapi-extensions.json', '/docs/openapi.json']) {
    const document = (await reading.inject(url)).json<object>();
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(
      ([, path]) => path!,
    );
    assert.ok(references.length > 0, url);
    const dangling = references.filter(
      (path) =>
        path
          .split('/')
          .reduce<unknown>((node, key) => (node as Record<string, unknown> | undefined)?.[key], document) ===
        undefined,
    );
    assert.deepEqual([...new Set(dangling)], [], url);
  }
});

interface Refusing {
  readonly operationId: string;
  readonly parameters?: { readonly name: string; readonly in: string }[];
  readonly responses: Readonly<Record<string, { readonly description: string; readonly headers?: object }>>;
}

async function operationsOfThePage() {
  const { paths } = (await reading.inject('/docs/openapi.json')).json<{
    paths: Record<string, Record<string, Refusing>>;
  }>();
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      call: `${method.toUpperCase()} ${path}`,
      operation,
    })),
  );
}

test('each operation lists the codes of its refusals, among them those of every mistake that we show', async () => {
  const operations = await operationsOfThePage();
  const { info } = (await reading.inject('/docs/openapi.json')).json<{ info: { description: string } }>();
  const onceForAll = info.description;
  const missing: string[] = [];
  for (const { operation } of operations) {
    for (const [status, response] of Object.entries(operation.responses)) {
      if (Number(status) < 400) continue;
      assert.ok('X-Error-Code' in (response.headers ?? {}), `${operation.operationId} ${status}`);
      if (status !== '429')
        assert.match(response.description, /`\w+`$/, `${operation.operationId} ${status}`);
    }
  }
  for (const { call, status, code } of MISTAKES) {
    const [method, path] = call.split(/[ ?]/);
    const shape = (text: string) => text.replaceAll(/\{\w+\}|[^/]*\d{3,}/g, '{}');
    const found = operations.find((one) => shape(one.call) === shape(`${method} ${path}`));
    if (found === undefined) continue;
    const text = `${found.operation.responses[status]?.description} ${onceForAll}`;
    if (!text.includes(`\`${code}\``)) missing.push(`${call}: ${status} ${code}`);
  }
  assert.deepEqual(missing, []);
});

test('every code is listed by an operation, described once for all, or never comes from one', async () => {
  const { payload } = await reading.inject('/docs/openapi.json');
  const unlisted = Object.entries(ERROR_CODES)
    .filter(([code, explained]) => !('backOffice' in explained) && !payload.includes(`\`${code}\``))
    .map(([code]) => code);
  assert.deepEqual(unlisted, ['headers_too_large', 'malformed_http', 'request_timeout', 'method']);
});

test('an operation is found by its fields, headers and codes, and by the words that people use for it', async () => {
  const spec = (await reading.inject('/docs/openapi.json')).json<object>();
  const context = vm.createContext({ spec });
  vm.runInContext((await reading.inject('/docs/static/search.js')).payload, context);
  const find = (phrase: string) =>
    JSON.parse(
      vm.runInContext(
        `JSON.stringify([...indexOperations(spec)].filter(([, text]) => matches(text, ${JSON.stringify(phrase)})).map(([id]) => id))`,
        context,
      ) as string,
    ) as string[];
  for (const [phrase, id] of [
    ['refund', 'reverseConsumption'],
    ['refund', 'putOrder'],
    ['cancel', 'reverseConsumption'],
    ['undo', 'reverseConsumption'],
    ['return', 'reverseConsumption'],
    ['coupon', 'redeemBenefit'],
    ['voucher', 'previewRedemptionCodeV2'],
    ['csv', 'exportMovements'],
    ['order', 'recordConsumptionByClientCode'],
    ['order', 'listConsumptions'],
    ['external_id', 'recordConsumptionByEmail'],
    ['idempotency', 'recordConsumptionByClientCode'],
    ['reversed_points', 'getConsumption'],
    ['X-Points-Balance', 'recordConsumptionByClientCode'],
    ['points_short', 'exchangeBenefit'],
    ['login', 'requestOneTimeCode'],
    ['webhook', 'exportMovements'],
    ['REDEEM code', 'redeemBenefit'],
  ] as const)
    assert.ok(find(phrase).includes(id), `${phrase}: ${find(phrase).join(', ')}`);
  for (const id of ['exchangeBenefit', 'getMyAccount', 'listBenefits'])
    assert.ok(!find('refund').includes(id), id);
  assert.deepEqual(find('nonsense'), []);
  assert.deepEqual(find('(['), []);
  const known = (await operationsOfThePage()).map(({ operation }) => operation.operationId);
  const named = vm.runInContext('Object.keys(OTHER_WORDS)', context) as string[];
  assert.deepEqual(
    [...named].filter((id) => !known.includes(id)),
    [],
  );
});

test('no operation has a prefilled idempotency key, so a second try is a second call', async () => {
  const { payload } = await reading.inject('/docs/openapi.json');
  const { paths } = JSON.parse(payload) as {
    paths: Record<string, Record<string, { parameters?: { name: string; example?: unknown }[] }>>;
  };
  const keys = Object.values(paths)
    .flatMap((operations) => Object.values(operations))
    .flatMap(({ parameters = [] }) => parameters.filter(({ name }) => name === 'Idempotency-Key'));
  assert.ok(keys.length >= 4);
  assert.deepEqual(
    keys.filter((key) => 'example' in key || JSON.stringify(key).includes('"default"')),
    [],
  );
});

test('the page can make calls only where it is asked to, and has no origin elsewhere', async () => {
  for (const [app, canCall] of [
    [reading, false],
    [calling, true],
  ] as const) {
    const page = await app.inject('/docs');
    assert.equal(page.payload.includes('data-can-call'), canCall);
    const policy = String(page.headers['content-security-policy']);
    assert.equal(policy.includes('sandbox'), !canCall);
    assert.ok(!policy.includes('http'));
  }
});

test('the demo’s key is given to a page on this machine only, and only where the page can make calls', async () => {
  const local = {
    remoteAddress: '127.0.0.1',
    url: '/docs/defaults.json',
    headers: { host: 'localhost:3000' },
  };
  assert.deepEqual((await calling.inject(local)).json(), {
    commerce_id: 1,
    client_code: 482_915_374,
    key: 'lk_test_demo',
  });
  for (const stranger of [
    { ...local, remoteAddress: '203.0.113.7' },
    { ...local, headers: { host: 'loyalty.example' } },
    { ...local, headers: { ...local.headers, 'x-forwarded-for': '203.0.113.7' } },
  ])
    assert.equal((await calling.inject(stranger)).statusCode, 404);
  assert.equal((await anonymous.inject(local)).statusCode, 404);
});

test('guides run only our own scripts, without an origin, and no address leads out of their folder', async () => {
  const guide = await reading.inject('/docs/guides/README.md');
  assert.equal(guide.statusCode, 200);
  assert.match(guide.payload, /<h1/);
  const policy = String(guide.headers['content-security-policy']);
  assert.match(policy, /; script-src 'self'; .*; sandbox allow-scripts allow-popups$/);
  assert.doesNotMatch(guide.payload, /<script>| on\w+=/);
  for (const path of [
    'guides/..%2F..%2FREADME.md',
    '..%2FREADME.md',
    'static/..%2Froutes.ts',
    'guides/nothing.md',
    'static/constructor',
  ])
    assert.equal((await reading.inject(`/docs/${path}`)).statusCode, 404, path);
});

test('the commands of a guide have the address of the service that shows it, and no text of a caller', async () => {
  const guideAt = async (host: string) =>
    (await reading.inject({ url: '/docs/guides/README.md', headers: { host } })).payload;
  const page = await guideAt('localhost:4201');
  assert.match(page, /BASE=http:\/\/localhost:4201\n/);
  assert.doesNotMatch(page, /127\.0\.0\.1:3000/);
  for (const host of ['a"onload=x', 'a$(id)', 'a;id']) assert.ok(!(await guideAt(host)).includes(host), host);
});

test('the README of the SDK is shown, and every link between the documents leads to a page', async () => {
  const seen = new Set(['/docs/guides/README.md', '/docs/api.md', '/docs/errors.md', '/docs/sdk/README.md']);
  const listed = new Set<string>();
  for (const url of seen) {
    const page = await reading.inject(url);
    assert.equal(page.statusCode, 200, url);
    for (const [, href] of page.payload.matchAll(/href="([^"#]+\.md)/g)) {
      const { pathname } = new URL(href!, `http://x${url}`);
      seen.add(pathname);
      listed.add(pathname);
    }
  }
  assert.ok(listed.has('/docs/sdk/README.md'));
  assert.match((await reading.inject('/docs/guides/online-shop.md')).payload, /href="\.\.\/sdk\/README\.md"/);
});
