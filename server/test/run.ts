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

const ending = new AbortController();
/** Files and tests that run, in the order in which they began. */
const running = new Set<string>();

const options = {
  cwd: ROOT,
  files: [...files.filter(isLong), ...files.filter((file) => !isLong(file))],
  concurrency: 5,
  signal: ending.signal,
  globalSetupPath: 'server/test/global-setup.ts',
};

// Whoever ends a run that hangs, as a server of checks does after its time, is told where it was and what has failed.
for (const signal of ['SIGTERM', 'SIGINT'] as const)
  process.once(signal, () => {
    process.exitCode = 1;
    process.stderr.write(`${signal} while these ran:\n${[...running].join('\n')}\n`);
    ending.abort();
  });

run(options)
  .on('test:dequeue', ({ name }) => running.add(name))
  .on('test:complete', ({ name }) => running.delete(name))
  .on('test:fail', () => {
    process.exitCode = 1;
  })
  .compose(spec)
  .pipe(process.stdout);
