import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readConfig } from './config.ts';
import { readSecretKeys } from './secret-key.ts';

test('without SECRET_KEY a key is generated once and kept in a file that only its owner can read', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'loyalty-secret-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const dataDir = join(folder, 'data');
  const config = readConfig({ DATA_DIR: dataDir });
  const [key] = readSecretKeys(config);
  assert.ok(key.length >= 32);
  assert.deepEqual(readSecretKeys(config), [key]);
  assert.equal(readFileSync(join(dataDir, 'secret-key'), 'utf8'), key);
  assert.equal(statSync(join(dataDir, 'secret-key')).mode & 0o777, 0o600);
  assert.deepEqual(readSecretKeys({ ...config, secretKey: 'given', otherSecretKeys: ['old'] }), [
    'given',
    'old',
  ]);
});
