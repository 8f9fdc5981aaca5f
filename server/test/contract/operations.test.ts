import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { call, service } from '#test/harness.ts';
import { makeShop } from '#test/make.ts';
import { compileEveryAnswer, type OpenApi } from '#test/published.ts';

const CONTRACT = [
  'DELETE /v1/me/subscription',
  'GET /v1/benefits/list',
  'GET /v1/benefits/preview/{client_benefit_code}',
  'GET /v1/benefits/{benefit_id}',
  'GET /v1/clients/list',
  'GET /v1/clients/{client_code}',
  'GET /v1/clients/{client_code}/benefits',
  'GET /v1/me',
  'GET /v1/me/activity',
  'GET /v1/me/benefits',
  'GET /v1/me/benefits/available',
  'GET /v1/me/level',
  'GET /v1/me/rewards',
  'GET /v1/public/benefits',
  'GET /v1/public/commerce',
  'GET /v2/benefits/preview/{client_benefit_code}',
  'POST /v1/auth/otp/request',
  'POST /v1/auth/otp/verify',
  'POST /v1/auth/refresh',
  'POST /v1/benefits/redeem',
  'POST /v1/clients/email',
  'POST /v1/consumptions/client-code',
  'POST /v1/consumptions/email',
  'POST /v1/me/benefits/exchange',
  'POST /v1/me/subscription',
];

/** The statuses that the contract documents for each operation. */
const STATUSES: Readonly<Record<string, string>> = {
  'POST /v1/consumptions/client-code': '201 400 401 403 404 422',
  'POST /v1/consumptions/email': '201 400 401 403 404 422',
  'GET /v1/clients/list': '200 401 422',
  'GET /v1/benefits/list': '200 401',
  'GET /v1/benefits/preview/{client_benefit_code}': '200 400 401 404 422',
  'GET /v2/benefits/preview/{client_benefit_code}': '200 400 401 404 422',
  'POST /v1/benefits/redeem': '200 400 401 404 422',
  'POST /v1/me/benefits/exchange': '200 400 401 404 422',
  'GET /v1/public/commerce': '200 404 422',
  'GET /v1/public/benefits': '200 404 422',
};

test('the contract has exactly its 25 operations', async () => {
  const { info, paths, openapi } = await read('/openapi.json');
  assert.deepEqual([openapi, info.version], ['3.1.0', '1.0.0']);
  assert.equal(CONTRACT.length, 25);
  assert.deepEqual(operationsOf(paths), CONTRACT);
});

test('our extensions are in a separate document and not in the contract', async () => {
  const extensions = operationsOf((await read('/openapi-extensions.json')).paths);
  assert.ok(extensions.includes('POST /v1/auth/logout'));
  assert.deepEqual(
    extensions.filter((operation) => CONTRACT.includes(operation)),
    [],
  );
});

test('each operation lists the statuses that the contract defines', async () => {
  const { paths } = await read('/openapi.json');
  for (const [operation, statuses] of Object.entries(STATUSES)) {
    const [method = '', path = ''] = operation.split(' ');
    assert.equal(Object.keys(paths[path]![method.toLowerCase()]!.responses).join(' '), statuses, operation);
  }
});

for (const path of ['/openapi.json', '/openapi-extensions.json', '/admin/openapi.json']) {
  test(`${path} is valid OpenAPI 3.1`, async () => {
    const document = await read(path);
    const { valid, errors } = await new Validator().validate({ ...document });
    assert.ok(valid, JSON.stringify(errors, null, 2));
    const ids = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).map((one) => one.operationId),
    );
    assert.equal(new Set(ids).size, ids.length, 'operation ids are unique');
  });
}

test('every schema of a response is strict JSON Schema, so that tests can check responses against it', async () => {
  const documents = ['/openapi.json', '/openapi-extensions.json', '/admin/openapi.json'];
  compileEveryAnswer(await Promise.all(documents.map(read)));
});

test('every public route is in exactly one document, and no document lists anything else', async () => {
  const { app } = await service();
  const documents = await Promise.all(
    ['/openapi.json', '/openapi-extensions.json', '/admin/openapi.json'].map(read),
  );
  const published = new Set(documents.flatMap(({ paths }) => operationsOf(paths)));
  const served = app.routeTable
    .filter(
      ({ config }) =>
        config?.credential === 'key' || config?.credential === 'user' || config?.credential === 'header',
    )
    .flatMap(({ method, url }) => [method].flat().map((one) => `${one} ${url.replaceAll(/:(\w+)/g, '{$1}')}`))
    .filter((operation) => !operation.startsWith('HEAD '));
  assert.deepEqual(
    served.filter((operation) => !published.has(operation)),
    [],
  );
});

test('another method on a path of the contract is a 405 that lists the allowed methods', async () => {
  const { paths } = await read('/openapi.json');
  for (const [template, methods] of Object.entries(paths)) {
    const path = template.replaceAll(/\{\w+\}/g, '1');
    const answer = await call('PUT', path, { body: {} });
    assert.deepEqual([answer.status, Object.keys(answer.body as object)], [405, ['message']], path);
    const allowed = String(answer.headers.get('allow')).split(', ');
    for (const method of Object.keys(methods)) assert.ok(allowed.includes(method.toUpperCase()), path);
  }
});

test('an unknown path is a 404 with a message, with any credential and without', async () => {
  for (const path of [
    '/v1',
    '/v1/',
    '/v1/nothing',
    '/v2/benefits/list',
    '/v1/me/',
    '/V1/me',
    '/v1//me',
    '/v3/me',
  ])
    for (const headers of [{}, { authorization: 'Bearer x' }]) {
      const answer = await call('GET', path, { headers });
      assert.deepEqual([answer.status, Object.keys(answer.body as object)], [404, ['message']], path);
    }
});

test('a body of more than 16 KiB is a 413, but a 401 without a credential', async () => {
  const shop = await makeShop();
  const body = { client_code: 1, amount: 5, more: 'x'.repeat(16 * 1024) };
  const answer = await shop.post('/v1/consumptions/client-code', body);
  assert.deepEqual([answer.status, Object.keys(answer.body as object)], [413, ['message']]);
  assert.equal((await call('POST', '/v1/consumptions/client-code', { body })).status, 401);
});

async function read(path: string): Promise<OpenApi> {
  return (await call('GET', path)).body as OpenApi;
}

function operationsOf(paths: OpenApi['paths']): string[] {
  return Object.entries(paths)
    .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`))
    .toSorted();
}
