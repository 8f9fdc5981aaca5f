import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { toyServer } from '#test/http/toy-server.ts';

const app = await toyServer();
after(() => app.close());

interface Operation {
  operationId: string;
  security: object[];
  parameters?: { name: string; in: string; required: boolean; schema: object }[];
  responses: Record<string, { description: string; content: Record<string, { schema: object }> }>;
}
interface OpenApi {
  openapi: string;
  info: object;
  paths: Record<string, Record<string, Operation>>;
  components: { securitySchemes: object; schemas: Record<string, object> };
}

test('the contract lists exactly its own operations', async () => {
  const document = (await app.inject({ url: '/openapi.json' })).json<OpenApi>();
  assert.equal(document.openapi, '3.1.0');
  assert.deepEqual(document.info, {
    title: 'Loyalty Program Service',
    version: '1.0.0',
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  });
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
  assert.deepEqual(operations.map((operation) => operation.operationId).sort(), [
    'createToy',
    'getToy',
    'listToys',
    'swapToy',
  ]);
  const extensions = (await app.inject({ url: '/openapi-extensions.json' })).json<OpenApi>();
  assert.deepEqual(Object.keys(extensions.paths), ['/v1/wishes']);
  assert.deepEqual((await app.inject({ url: '/admin/openapi.json' })).json<OpenApi>().paths, {});
});

test('an operation lists its credential, its headers and its errors', async () => {
  const { paths } = (await app.inject({ url: '/openapi.json' })).json<OpenApi>();
  const create = paths['/v1/toys']?.['post'];
  assert.deepEqual(create?.security, [{ CommerceApiKey: [] }]);
  assert.deepEqual(Object.keys(create.responses), ['201', '400', '401', '422']);
  assert.equal(create.responses['400']?.description, 'The shop sleeps.');
  assert.deepEqual(create.responses['400']?.content['application/json']?.schema, {
    $ref: '#/components/schemas/Message',
  });
  const swap = paths['/v1/swaps']?.['post'];
  assert.deepEqual(swap?.security, [{ UserToken: [] }]);
  assert.deepEqual(Object.keys(swap.responses), ['200', '401', '404', '422']);
  const commerce = swap.parameters?.find(({ name }) => name === 'X-Commerce-Id');
  assert.deepEqual(
    [commerce?.in, commerce?.required, commerce?.schema],
    ['header', true, { type: 'integer', format: 'int64' }],
  );
  assert.equal(swap.parameters?.find(({ name }) => name === 'Idempotency-Key')?.required, false);
  assert.deepEqual(Object.keys(paths['/v1/list']?.['get']?.responses ?? {}), ['200', '404', '422']);
});

test('a schema with a title is one component, even if it may be null', async () => {
  const { components } = (await app.inject({ url: '/openapi.json' })).json<OpenApi>();
  assert.deepEqual(Object.keys(components.schemas), ['Maker', 'Message', 'Toy', 'ValidationProblem']);
  const toy = components.schemas['Toy'] as { properties: Record<string, object>; required: string[] };
  assert.deepEqual(toy.properties['maker'], {
    anyOf: [{ $ref: '#/components/schemas/Maker' }, { type: 'null' }],
  });
  assert.deepEqual(toy.properties['kind'], { type: ['string', 'null'], enum: ['soft', 'hard', null] });
});

test('a published route must have an operationId', () => {
  return toyServer().then((other) =>
    assert.throws(
      () => other.get('/x', { config: { credential: 'none', document: 'contract' } }, () => ({})),
      /needs an operationId/,
    ),
  );
});
