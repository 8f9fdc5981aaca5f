/** The code of an earlier release, as it stands in the history of this repository. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { ROOT } from '../repository.ts';

/** Returns why a commit cannot be run, or false if it can. A shallow clone does not have it. */
export function isMissing(commit: string): string | false {
  const { status } = spawnSync('git', ['cat-file', '-e', `${commit}^{commit}`], {
    cwd: ROOT,
    stdio: 'ignore',
  });
  return status === 0 ? false : `this clone does not have the commit ${commit}`;
}

/** Returns which packages the service of a commit asks for that this tree has no more, or false if there are none. */
export function missingPackages(commit: string): string | false {
  const manifest = execFileSync('git', ['show', `${commit}:server/package.json`], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  const { dependencies = {} } = JSON.parse(manifest) as { dependencies?: Record<string, string> };
  const missing = Object.keys(dependencies).filter((name) => !existsSync(join(ROOT, 'node_modules', name)));
  return missing.length === 0
    ? false
    : `${missing.join(', ')} are no longer installed; the long form installs them`;
}

/**
 * Unpacks the service of a commit into a folder of its own, with the packages of this tree or with its own, and returns the
 * folder. It is removed after the test.
 */
export async function unpackRelease(t: TestContext, commit: string, install: boolean): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'loyalty-release-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const input = execFileSync('git', ['archive', '--format=tar', commit], { cwd: ROOT, maxBuffer: 2 ** 30 });
  execFileSync('tar', ['-x', '-C', folder], { input });
  if (install) execFileSync('npm', ['ci', '--silent', '--no-audit'], { cwd: folder, stdio: 'inherit' });
  else await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}
