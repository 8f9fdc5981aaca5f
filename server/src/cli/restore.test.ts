import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { startLoyalty } from '#test/command.ts';

test('a backup that does not exist leaves no new database behind', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'loyalty-restore-'));
  t.after(() => rm(folder, { recursive: true }));
  const missing = join(folder, 'missing');
  const child = await startLoyalty(['restore', missing], { DATABASE_URL: undefined, DATA_DIR: folder });
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  assert.match(said, /missing/);
  assert.equal(code, 1, said);
  assert.deepEqual(readdirSync(folder), []);
});
