/**
 * `npm test [-- FILES]`: runs all tests, or those of the files, a process for each file. What takes longest begins first, so
 * that it is not the last to run while a processor has nothing to do.
 */
import { relative, resolve } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { filesThatEnd, ROOT } from './repository.ts';

/** What takes a minute or more. */
const LONGEST = [
  /^trials\//,
  /^server\/test\/docs\/adding-a-rule/,
  /^server\/test\/(?:model|orders|processes|releases|what-if)\//,
  /^server\/test\/rolling-restart/,
];

const named = process.argv.slice(2).map((file) => relative(ROOT, resolve(file)));
const files =
  named.length > 0
    ? named
    : ['server/src', 'server/test', 'trials'].flatMap((folder) => filesThatEnd('.test.ts', folder));
const isLong = (file: string) => LONGEST.some((place) => place.test(file));

const options = {
  cwd: ROOT,
  files: [...files.filter(isLong), ...files.filter((file) => !isLong(file))],
  concurrency: 5,
  globalSetupPath: 'server/test/global-setup.ts',
};
run(options)
  .on('test:fail', () => {
    process.exitCode = 1;
  })
  .compose(spec)
  .pipe(process.stdout);
