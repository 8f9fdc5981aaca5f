import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import { parse } from 'yaml';
import { programJsonSchema } from './json-schema.ts';

const ajv = new Ajv({ strict: true, allowUnionTypes: true });
formats.default(ajv);
const check = ajv.compile(programJsonSchema());

test('strict validators accept the schema, and the schema accepts the example', () => {
  const example: unknown = parse(
    readFileSync(new URL('../../../examples/cafe-luna.yaml', import.meta.url), 'utf8'),
  );
  assert.ok(check(example), JSON.stringify(check.errors));
});

test('only required fields must be present, and null stands for every default', () => {
  const least = { slug: 'a', name: 'A', currency: 'EUR', time_zone: 'UTC', earning: { money_per_point: 1 } };
  assert.ok(check(least), JSON.stringify(check.errors));
  assert.ok(
    check({ ...least, sandbox: null, levels: null, benefits: null, clock: null }),
    JSON.stringify(check.errors),
  );
  assert.ok(!check({ ...least, slug: null }));
  assert.ok(!check({ ...least, colour: '#112233' }));
});

test('every field has a description', () => {
  const silent: string[] = [];
  const visit = (
    schema: { properties?: object; items?: object; anyOf?: object[]; description?: string },
    path: string,
  ) => {
    for (const [key, field] of Object.entries(schema.properties ?? {})) {
      if (!(field as { description?: string }).description) silent.push(`${path}.${key}`);
      visit(field as object, `${path}.${key}`);
    }
    if (schema.items) visit(schema.items, `${path}[]`);
    for (const option of schema.anyOf ?? []) visit(option, path);
  };
  visit(programJsonSchema(), '');
  assert.deepEqual(silent, []);
});
