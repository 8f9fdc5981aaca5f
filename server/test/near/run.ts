/**
 * `npm run test:near [-- COMMIT]`: runs the tests near what changed since the commit, by default the last one. Uncommitted changes count.
 * `npm test` still decides whether a change is good.
 */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { importsOf } from '#test/imports.ts';
import { filesThatEnd, ROOT } from '#test/repository.ts';
import { chooseTests } from './choose-tests.ts';

const [since = 'HEAD'] = process.argv.slice(2);
const changed = [
  ...git('diff', '--name-only', '--diff-filter=d', since, '--'),
  ...git('ls-files', '--others', '--exclude-standard'),
].filter((path) => existsSync(join(ROOT, path)));
const chosen = chooseTests(changed, { files: filesThatEnd('.test.ts'), importsOf });

if (chosen.length === 0) process.stdout.write(`No test is near what changed since ${since}.\n`);
else {
  process.stdout.write(`${chosen.join('\n')}\n\n`);
  const args = [
    '--test',
    '--test-concurrency=5',
    '--test-global-setup=server/test/global-setup.ts',
    ...chosen,
  ];
  spawn(process.execPath, args, { cwd: ROOT, stdio: 'inherit' }).on('exit', (code) => {
    process.exitCode = code ?? 1;
  });
}

function git(...args: string[]): string[] {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).split('\n').filter(Boolean);
}
