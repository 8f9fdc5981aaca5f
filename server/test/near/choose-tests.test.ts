import assert from 'node:assert/strict';
import { test } from 'node:test';
import { importsOf } from '#test/imports.ts';
import { filesThatEnd } from '#test/repository.ts';
import { chooseTests } from './choose-tests.ts';

const files = filesThatEnd('.test.ts');
const near = (...changed: string[]) => chooseTests(changed, { files, importsOf });

test('near a file are the tests of its folder and those that import it', () => {
  const chosen = near('server/src/loyalty/vouchers/give-back-voucher.ts');
  for (const file of [
    'server/src/loyalty/vouchers/give-back-voucher.test.ts',
    'server/src/loyalty/vouchers/voucher-code.test.ts',
    'server/src/insight/history/expiries.test.ts',
    'server/test/architecture.test.ts',
  ])
    assert.ok(chosen.includes(file), file);
  assert.ok(chosen.length < 25, `${chosen.length} files`);
});

test('a test that changed runs, and what all tests share brings none of them', () => {
  assert.deepEqual(near('server/test/races/erasure.test.ts'), ['server/test/races/erasure.test.ts']);
  assert.deepEqual(near('server/test/harness.ts'), []);
});

test('a document brings the tests of documents', () => {
  assert.deepEqual(near('docs/keys.md'), [
    'server/test/docs/documents.test.ts',
    'server/test/docs/generated.test.ts',
  ]);
});
