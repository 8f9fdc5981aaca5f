import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { databaseUrl, emptyDatabase, nameOf } from '#test/database.ts';
import { changedAnswers, changedLastMinutes } from './changed-answers.ts';
import { upgrade, upgradeUnderOldService } from './load-release.ts';
import { readRelease } from './release.ts';

test('this version can be frozen, and answers what it answered', async (t) => {
  const parent = mkdtempSync(join(tmpdir(), 'loyalty-release-'));
  t.after(() => rmSync(parent, { recursive: true }));
  const folder = join(parent, 'release');
  await promisify(execFile)(process.execPath, [join(import.meta.dirname, 'make-release.ts'), folder]);
  const release = readRelease(folder, 'this version');

  const loaded = await upgrade(await emptyDatabase(t, 4), release);
  t.after(() => loaded.app.close());
  assert.deepEqual(await changedAnswers(loaded, release), []);

  const db = await emptyDatabase(t, 4);
  // Whether the use of a key is noted again depends on the half minute since it was noted last.
  const sent = release.lastMinutes.sent.filter(({ text }) => !text.startsWith('-- store-key-uses'));
  const told = { ...release, lastMinutes: { ...release.lastMinutes, sent } };
  const later = await upgradeUnderOldService(db, databaseUrl(await nameOf(db)), told);
  t.after(() => later.app.close());
  assert.deepEqual(await changedLastMinutes(later, release), []);
});
