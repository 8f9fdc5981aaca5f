import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeDataFolder } from './data-folder.ts';
import { makeFolder } from './make-folder.ts';
import { tellTrouble, tellWriteTrouble } from './tell-trouble.ts';

test('a folder is made with its parents, and where that is impossible the call ends', (t) => {
  const at = mkdtempSync(join(tmpdir(), 'loyalty-files-'));
  t.after(() => rmSync(at, { recursive: true }));
  assert.equal(makeFolder(join(at, 'a', 'b', 'c')), join(at, 'a'));
  assert.ok(statSync(join(at, 'a', 'b', 'c')).isDirectory());
  assert.equal(makeFolder(join(at, 'a', 'b', 'c')), undefined);
  writeFileSync(join(at, 'file'), '');
  assert.throws(() => makeFolder(join(at, 'file', 'x')), { code: 'ENOTDIR' });
  assert.throws(() => makeFolder(join(at, 'file')), { code: 'ENOTDIR' });
  if (existsSync('/proc/self')) assert.throws(() => makeFolder('/proc/x/y'), { code: 'ENOENT' });
});

test('the data folder is made for its owner alone, and one that is there keeps its mode', (t) => {
  const at = mkdtempSync(join(tmpdir(), 'loyalty-files-'));
  t.after(() => rmSync(at, { recursive: true }));
  const dataDir = join(at, 'a', 'data');
  assert.equal(makeDataFolder(dataDir), join(at, 'a'));
  assert.equal(statSync(dataDir).mode & 0o777, 0o700);
  chmodSync(dataDir, 0o750);
  assert.equal(makeDataFolder(dataDir), undefined);
  assert.equal(statSync(dataDir).mode & 0o777, 0o750);
});

test('why a file cannot be used is told in words', () => {
  const errorOf = (path: string) => {
    try {
      return assert.fail(readFileSync(path, 'utf8'));
    } catch (error) {
      return error;
    }
  };
  assert.equal(tellTrouble(errorOf('/no/such/file')), 'it does not exist');
  assert.equal(tellWriteTrouble(errorOf('/no/such/file')), 'its folder does not exist');
  assert.equal(tellTrouble(errorOf(tmpdir())), 'it is a folder, not a file');
  assert.equal(
    tellTrouble(errorOf(join(import.meta.filename, 'x'))),
    'a part of its path is a file, not a folder',
  );
  assert.equal(
    tellTrouble(Object.assign(new Error('EACCES: …'), { code: 'EACCES' })),
    'this user has no right to it',
  );
  assert.equal(tellTrouble(new Error('it is not UTF-8')), 'it is not UTF-8');
});
