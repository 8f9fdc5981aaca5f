import assert from 'node:assert/strict';
import { test } from 'node:test';
import { warnOfFewFiles } from './open-files.ts';

test('a limit on open files that is too low is named with the number that is needed', () => {
  assert.match(warnOfFewFiles(10_000, 10, 1_024)!, /may open 1024 files, but it needs up to 10060/);
  assert.equal(warnOfFewFiles(10_000, 10, 10_060), null);
  assert.equal(warnOfFewFiles(10_000, 10, null), null);
});
