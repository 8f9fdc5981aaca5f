import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findRefused, readPackages } from '../../../deploy/licences.ts';
import { filesThatEnd, read, ROOT } from '#test/repository.ts';

test('every package has a licence that somebody has agreed to, and the check refuses any other', () => {
  const packages = readPackages(ROOT);
  assert.ok(packages.length > 300);
  assert.deepEqual(findRefused(packages), []);
  const refused = (licence: string, development = false, name = 'something') =>
    findRefused([{ name, version: '1.0.0', licence, development }]).length === 1;
  assert.ok(refused('GPL-3.0-only'));
  assert.ok(refused('none'));
  assert.ok(refused('MPL-2.0'), 'a copy of it would have conditions');
  assert.ok(!refused('MPL-2.0', true));
  assert.ok(!refused('(GPL-2.0 OR BSD-3-Clause)'));
  assert.ok(refused('MIT AND GPL-2.0'));
  assert.ok(refused('LGPL-3.0-or-later'));
  assert.ok(!refused('LGPL-3.0-or-later', false, '@img/sharp-libvips-linux-x64'));
});

test('every package comes with a hash, and from no address of its own', () => {
  const { packages } = JSON.parse(read('package-lock.json')) as {
    packages: Record<string, { integrity?: string; resolved?: string; link?: boolean }>;
  };
  for (const [path, { integrity, resolved, link }] of Object.entries(packages)) {
    if (link === true || !path.includes('node_modules/')) continue;
    assert.match(integrity ?? '', /^sha512-/, path);
    assert.equal(resolved, undefined, path);
  }
});

test('workflows name every action by its commit, and no job may write to the repository', () => {
  const workflows = filesThatEnd('.yml', '.github/workflows');
  assert.ok(workflows.length > 0);
  for (const path of workflows) {
    const text = read(path);
    for (const [, action] of text.matchAll(/uses: (.+)/g))
      assert.match(action!, /^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/, `${path}: ${action}`);
    assert.match(text, /^permissions:\n {2}contents: read$/m, path);
    assert.doesNotMatch(text, /contents: write|write-all/, path);
  }
});
