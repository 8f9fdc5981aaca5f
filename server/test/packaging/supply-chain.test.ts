import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'yaml';
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

test('a release signs in a job that runs no code of ours, and names the image by the version that the chart pulls', () => {
  const { jobs } = parse(read('.github/workflows/release.yml')) as { jobs: Record<string, Job> };
  for (const [name, { needs, permissions = {}, steps }] of Object.entries(jobs)) {
    if (name !== 'archives') assert.ok(needs === 'archives' || needs === 'image', name);
    if (permissions['id-token'] !== 'write') continue;
    assert.equal(name, 'attest');
    assert.ok(!steps.some(({ uses = '', run = '' }) => /checkout/.test(uses) || /npm|node/.test(run)));
  }
  const steps = [...jobs['image']!.steps, ...jobs['images']!.steps];
  const names = steps.flatMap(({ id, run }) => (id === 'image' ? [run] : []));
  assert.equal(names.length, 2);
  for (const name of names) assert.match(name!, /\$\{GITHUB_REPOSITORY,,\}:\$\(jq --raw-output \.version/);
  assert.match(read('deploy/helm/loyalty/templates/_helpers.tpl'), /default \.Chart\.AppVersion/);
});

interface Job {
  readonly needs?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly steps: readonly { readonly id?: string; readonly uses?: string; readonly run?: string }[];
}
