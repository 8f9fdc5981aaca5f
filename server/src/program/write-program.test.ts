import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import * as fc from '#test/random.ts';
import type { Program } from './program.ts';
import { anyProgram } from '#test/any-program.ts';

import { changesBetween } from './changes.ts';
import { readProgram } from './read-program.ts';
import { writeProgram } from './write-program.ts';

test('any program is the same after it is written and read', () => {
  fc.assert(
    fc.property(anyProgram(), (program) => {
      const read = readProgram(writeProgram(program));
      assert.deepEqual(read, { ok: true, program, clock: null });
      assert.deepEqual(changesBetween(program, read.program), []);
    }),
    { numRuns: 300 },
  );
});

test('so is the example, and its export is short, without nulls', () => {
  const read = readProgram(
    readFileSync(new URL('../../../examples/cafe-luna.yaml', import.meta.url), 'utf8'),
  );
  assert.ok(read.ok);
  const written = writeProgram(read.program);
  assert.deepEqual(readProgram(written), read);
  assert.doesNotMatch(written, /null|\[\]/);
});

test('the keys are in the order of the model, however the program was stored', () => {
  const read = readProgram(
    readFileSync(new URL('../../../examples/cafe-luna.yaml', import.meta.url), 'utf8'),
  );
  assert.ok(read.ok);
  assert.equal(writeProgram(keysReversed(read.program) as Program), writeProgram(read.program));
});

function keysReversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(keysReversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, item]) => [key, keysReversed(item)]),
  );
}
