import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { nameFile } from './name-file.ts';

test('a file gets its name and replaces no other, also where the file system knows no links', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'loyalty-names-'));
  t.after(() => rm(folder, { recursive: true }));
  const [unfinished, path] = [join(folder, 'unfinished'), join(folder, 'name')];
  const noLinks = () => Promise.reject(Object.assign(new Error('not permitted'), { code: 'EPERM' }));
  for (const linkFile of [undefined, noLinks]) {
    await rm(path, { force: true });
    await writeFile(unfinished, 'one');
    await nameFile(unfinished, path, linkFile);
    assert.deepEqual(await readdir(folder), ['name']);
    await writeFile(unfinished, 'two');
    await assert.rejects(nameFile(unfinished, path, linkFile), { code: 'EEXIST' });
    assert.equal(await readFile(path, 'utf8'), 'one');
  }
});
