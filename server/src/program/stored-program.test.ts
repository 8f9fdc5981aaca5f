import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { checkProgram } from './check-program.ts';
import type { Program } from './program.ts';
import { readProgram } from './read-program.ts';
import { defaultOf, readStoredProgram, UnreadableProgram } from './stored-program.ts';
import { upgrades } from './upgrades.ts';

const luna = lunasProgram();

test('a stored program is read as it was written, in the order of the model', () => {
  const stored: unknown = JSON.parse(JSON.stringify(luna));
  const read = readStoredProgram(stored, 1, 1);
  assert.deepEqual(read, luna);
  const reversed = Object.fromEntries(Object.entries(luna).toReversed());
  assert.equal(JSON.stringify(readStoredProgram(reversed, 1, 1)), JSON.stringify(luna));
});

test('a program that the last release stored has no headline and no large picture yet', () => {
  const { tagline: _, cover: __, ...stored } = luna;
  assert.deepEqual(readStoredProgram(stored, 1, 1), { ...luna, tagline: null, cover: null });
});

test('a value that exceeds a limit of today is read as it is', () => {
  const stored = {
    ...luna,
    name: 'x'.repeat(101),
    logo: 'http://plain.example/logo.png',
    earning: { ...luna.earning, max_amount: 10 ** 13 },
    levels: { ...luna.levels, ladder: Array.from({ length: 101 }, () => luna.levels.ladder[0]) },
  };
  assert.equal(checkProgram(stored).ok, false);
  assert.deepEqual(readStoredProgram(stored, 1, 1), stored);
});

test('keys of a newer release are left out', () => {
  const stored = { ...luna, weather: { rain: 2 }, mail: { ...luna.mail, weekly: true } };
  assert.deepEqual(readStoredProgram(stored, 1, 1), luna);
});

test('if a program cannot be completed, the error names the missing field and the commerce', () => {
  const { currency: _, ...withoutCurrency } = luna;
  for (const [stored, says] of [
    [withoutCurrency, /commerce 7, version 3.*currency is required/],
    [{ ...luna, name: 5 }, /name must be .* not 5/],
    [{ ...luna, benefits: {} }, /benefits must be a list/],
    [{ ...luna, status: 'dreaming' }, /status must be active or paused, not "dreaming"/],
    [{ ...luna, earning: { money_per_point: '1' } }, /earning.money_per_point must be/],
    [null, /is required/],
    ['text', /must have the keys/],
  ] as const) {
    assert.throws(
      () => readStoredProgram(stored, 7, 3),
      (error) => error instanceof UnreadableProgram && says.test(error.message),
    );
  }
});

test('upgrades do not change a program of today', () => {
  for (const upgrade of upgrades) assert.equal(upgrade(luna), luna);
});

test('the default of a field is its value in a program without the field', () => {
  assert.equal(defaultOf('mail', 'reminders'), false);
  assert.equal(defaultOf('rewards', 'birthday'), null);
  assert.equal(defaultOf('locale'), 'en');
});

function lunasProgram(): Program {
  const read = readProgram(
    readFileSync(new URL('../../../examples/cafe-luna.yaml', import.meta.url), 'utf8'),
  );
  assert.ok(read.ok);
  return read.program;
}
