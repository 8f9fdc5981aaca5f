/** The words of the OpenAPI documents: complete, and with examples that belong together. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { call } from '#test/harness.ts';

type Json = Record<string, unknown>;
interface Operation {
  readonly summary?: string;
  readonly description?: string;
  readonly parameters?: readonly { name: string; description?: string; schema: Json; example?: unknown }[];
  readonly requestBody?: { readonly content: Record<string, { readonly schema: Json }> };
}

const documents = await Promise.all(
  ['/openapi.json', '/openapi-extensions.json', '/docs/openapi.json'].map(
    async (path) =>
      (await call('GET', path)).body as { paths: Record<string, Record<string, Operation>> } & Json,
  ),
);
const operations = documents.flatMap(({ paths }) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, Operation] => [
      `${method} ${path}`,
      operation,
    ]),
  ),
);

test('every operation has a summary and a description, and every parameter a description', () => {
  assert.deepEqual(
    operations.filter(([, { summary, description }]) => !summary || !description).map(([name]) => name),
    [],
  );
  assert.deepEqual(
    operations.flatMap(([name, { parameters = [] }]) =>
      parameters.filter(({ description }) => !description).map((one) => `${name}: ${one.name}`),
    ),
    [],
  );
});

test('every field of a body and of a response has a description or an example', () => {
  const silent = new Set<string>();
  walk(documents, '', (node, place) => {
    if (typeof node['properties'] !== 'object' || node['properties'] === null) return;
    for (const [name, field] of Object.entries(node['properties'] as Record<string, Json>)) {
      const speaks = ['description', 'examples', '$ref', 'anyOf', 'enum', 'items', 'properties'].some(
        (word) => word in field,
      );
      if (!speaks) silent.add(`${place.split('/').slice(-2).join('/')}.${name}`);
    }
  });
  assert.deepEqual([...silent], []);
});

test('every example is valid', () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  const wrong: string[] = [];
  walk(documents, '', (node, place) => {
    if (!Array.isArray(node['examples']) || typeof node['type'] === 'undefined') return;
    const { examples, ...schema } = node;
    for (const example of examples as unknown[])
      if (!ajv.validate(schema, example)) wrong.push(`${place}: ${JSON.stringify(example)}`);
  });
  assert.deepEqual(wrong, []);
});

test('the examples are about one member, one benefit and one code', () => {
  const found: Record<string, Set<unknown>> = {
    member: new Set(),
    benefit: new Set(),
    code: new Set(),
    email: new Set(),
  };
  const kinds: Record<string, string> = {
    client_code: 'member',
    client_email: 'email',
    email: 'email',
    benefit_id: 'benefit',
    client_benefit_code: 'code',
  };
  walk(documents, '', (node, place) => {
    const kind = kinds[(node['name'] as string | undefined) ?? place.split('/').at(-1)!];
    const examples = [
      ...((node['examples'] as unknown[]) ?? []),
      ...('example' in node ? [node['example']] : []),
    ];
    if (kind !== undefined) for (const example of examples) found[kind]?.add(String(example));
  });
  assert.deepEqual(found, {
    member: new Set(['482915374']),
    benefit: new Set(['coffee']),
    code: new Set(['52840917364015']),
    email: new Set(['eva@example.com']),
  });
});

/** Visits every object of a document. */
function walk(node: unknown, place: string, visit: (node: Json, place: string) => void): void {
  if (typeof node !== 'object' || node === null) return;
  if (!Array.isArray(node)) visit(node as Json, place);
  for (const [key, value] of Object.entries(node)) walk(value, `${place}/${key}`, visit);
}
