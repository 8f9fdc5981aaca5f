import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '#test/random.ts';
import { testDatabase } from '#test/database.ts';
import { writeArray } from './array-text.ts';
import { sql } from './sql.ts';

const text = fc.string({ unit: 'binary', maxLength: 20 }).filter((value) => !value.includes('\0'));
const words = fc.constantFrom('', 'null', 'NULL', '{}', '"', '\\', '\\"', 'a,b', ' ', '\n');
const instant = fc.date({
  min: new Date('0001-01-01T00:00:00Z'),
  max: new Date('+020000-01-01T00:00:00Z'),
  noInvalidDate: true,
});

/** PostgreSQL must read exactly the values that were sent. */
function comesBack<T>(type: string, element: fc.Arbitrary<T>) {
  test(`an array of ${type} comes back as it was`, async () => {
    const db = await testDatabase();
    await fc.assert(
      fc.asyncProperty(fc.array(fc.option(element), { maxLength: 8 }), async (sent) => {
        const { rows } = await sql<{ one: T | null }>`
          select one from unnest(${sent}::${sql.raw(type)}[]) with ordinality as u(one, place) order by place`.execute(
          db,
        );
        assert.deepEqual(
          rows.map(({ one }) => one),
          sent,
        );
      }),
    );
  });
}

comesBack('bigint', fc.maxSafeInteger());
comesBack(
  'float8',
  fc.double({ noNaN: true }).filter((value) => !Object.is(value, -0)),
);
comesBack('text', fc.oneof(text, words));
comesBack('boolean', fc.boolean());
comesBack('timestamptz', instant);
comesBack(
  'bytea',
  fc.uint8Array({ maxLength: 8 }).map((bytes) => Buffer.from(bytes)),
);

test('what is no array of plain values is left to the driver', () => {
  for (const value of [1, 'text', null, Buffer.from('a'), [[1]], [{ a: 1 }], [Buffer.from('a')], [10n]])
    assert.equal(writeArray(value), value);
  assert.equal(writeArray([]), '{}');
});
