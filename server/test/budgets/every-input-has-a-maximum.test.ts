/** Walks every schema of input and fails for a string or a list that could be of any length. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { programFileSchema } from '#program/program.ts';
import { call, service } from '#test/harness.ts';
import { isSchema, PARTS, type Schema } from './schemas.ts';

test('every string and every list of every request has a maximum', async () => {
  const { app } = await service();
  const unbounded = app.routeTable.flatMap(({ method, url, schema }) =>
    PARTS.flatMap((part) =>
      findUnbounded((schema as Partial<Record<string, unknown>> | undefined)?.[part], [
        `${String(method)} ${url}`,
        part,
      ]),
    ),
  );
  assert.deepEqual(unbounded, []);
});

test('the documents do not show a maximum that the contract does not have', async () => {
  for (const path of ['/openapi.json', '/openapi-extensions.json'])
    assert.doesNotMatch((await call('GET', path)).text, /x-max-length/);
});

test('every string and every list of a program file has a maximum', () => {
  assert.deepEqual(findUnbounded(programFileSchema, ['program']), []);
});

test('a string or a list without a maximum is found wherever it is', () => {
  const bad = {
    type: 'object',
    properties: {
      a: { type: ['string', 'null'] },
      b: { type: 'array', maxItems: 3, items: { anyOf: [{ type: 'null' }, { type: 'string' }] } },
      c: { type: 'array', items: { type: 'integer' } },
      d: { type: 'string', pattern: '^[a-z]+$' },
      e: {},
    },
  };
  assert.deepEqual(findUnbounded(bad, []), ['a', 'b []', 'c', 'd', 'e']);
});

/** Formats whose readers check the length. */
const SHORT_FORMATS = ['email', 'date', 'date-time', 'uri'];

function findUnbounded(schema: unknown, place: readonly string[]): string[] {
  if (!isSchema(schema)) return [];
  const { anyOf, enum: values, const: value, properties, items } = schema;
  if (values !== undefined || value !== undefined) return [];
  if (anyOf) return anyOf.flatMap((one) => findUnbounded(one, place));
  const types = [schema.type].flat();
  const inside = [
    ...Object.entries(properties ?? {}).flatMap(([name, field]) => findUnbounded(field, [...place, name])),
    ...findUnbounded(items, [...place, '[]']),
  ];
  const isOpen =
    types[0] === undefined ||
    (types.includes('string') && !hasMaximum(schema)) ||
    (types.includes('array') && schema.maxItems === undefined);
  return isOpen ? [place.join(' '), ...inside] : inside;
}

function hasMaximum({ maxLength, 'x-max-length': hidden, format, pattern }: Schema): boolean {
  if (maxLength !== undefined || hidden !== undefined) return true;
  return (
    SHORT_FORMATS.includes(format ?? '') ||
    (pattern !== undefined && !/[*+]|\{\d+,\}/.test(unescaped(pattern)))
  );
}

/** Returns a pattern without its escaped characters and its classes, in which `+` and `*` are ordinary. */
function unescaped(pattern: string): string {
  return pattern.replaceAll(/\\.|\[[^\]]*\]/g, '');
}
