import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Type } from 'typebox';
import { compileReader } from '#request/compile-reader.ts';
import { toyServer } from '#test/http/toy-server.ts';

const app = await toyServer();
after(() => app.close());

test('a response has every field, null if empty, and instants have milliseconds and Z', async () => {
  const response = await app.inject({ url: '/v1/toys/5', headers: { authorization: 'Bearer lk_good' } });
  assert.equal(
    response.body,
    '{"code":5,"name":null,"kind":null,"madeAt":"1970-01-01T00:00:00.000Z","soldAt":null,"maker":{"name":"Ana"}}',
  );
});

test('a request schema must not use a keyword that is not checked', () => {
  assert.throws(() => compileReader(Type.String({ format: 'iban' }), 'json'), /format "iban"/);
  assert.throws(() => compileReader(Type.Integer({ multipleOf: 5 }), 'json'), /"multipleOf"/);
  assert.throws(() => compileReader(Type.Number(), 'text'), /type number/);
});

const READ: [schema: object, given: unknown, read: unknown][] = [
  [Type.Union([Type.Integer(), Type.String(), Type.Null()]), 5, 5],
  [Type.Union([Type.Integer(), Type.String(), Type.Null()]), 'a', 'a'],
  [Type.Union([Type.Integer(), Type.String(), Type.Null()]), null, null],
  [{ type: ['integer', 'string', 'null'] }, null, null],
  [Type.Union([Type.Literal('a'), Type.Literal('b')]), 'b', 'b'],
  [Type.String({ format: 'date-time' }), '2026-11-27T00:00:00-03:00', new Date('2026-11-27T03:00:00Z')],
  [Type.String({ format: 'date' }), '2024-02-29', '2024-02-29'],
  [Type.Boolean(), false, false],
  [Type.Number({ exclusiveMinimum: 0 }), 1.5, 1.5],
  [Type.Integer(), -0, 0],
];
for (const [schema, given, expected] of READ) {
  test(`${JSON.stringify(schema)} accepts ${JSON.stringify(given)}`, () => {
    const issues: never[] = [];
    assert.deepEqual(compileReader(schema, 'json')(given, issues), expected);
    assert.deepEqual(issues, []);
  });
}

const REFUSED: [schema: object, given: unknown, type: string][] = [
  [Type.Union([Type.Literal('a'), Type.Literal('b')]), 'c', 'literal_error'],
  [Type.String({ format: 'date' }), '2025-02-29', 'date_parsing'],
  [Type.String({ format: 'date-time' }), '2025-02-29T00:00:00Z', 'datetime_parsing'],
  [Type.String({ format: 'date-time' }), '2025-02-28T00:00:00', 'datetime_parsing'],
  [Type.String({ format: 'uri' }), 'javascript:alert(1)', 'url_parsing'],
  [Type.Number({ exclusiveMinimum: 0 }), 0, 'greater_than'],
  [Type.Number(), '1', 'float_type'],
  [Type.Boolean(), 0, 'bool_type'],
  [Type.Null(), 0, 'none_required'],
];
for (const [schema, given, type] of REFUSED) {
  test(`${JSON.stringify(schema)} refuses ${JSON.stringify(given)}`, () => {
    const issues: { type: string }[] = [];
    compileReader(schema, 'json')(given, issues as never);
    assert.deepEqual(
      issues.map((issue) => issue.type),
      [type],
    );
  });
}
