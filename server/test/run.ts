/**
 * `npm test [-- FILES]`: runs all tests, or those of the files. Files of a folder share a process, with its database and its service,
 * because to start them takes longer than to run most files. What takes longest begins first, so that it is not the last to run while
 * a processor has nothing to do.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { pathToFileURL } from 'node:url';
import { filesThatEnd, read, ROOT } from './repository.ts';

/** What takes a minute or more. */
const LONGEST = [
  /^trials\//,
  /^server\/test\/docs\/adding-a-rule/,
  /^server\/test\/(?:model|orders|processes|releases|what-if)\//,
  /^server\/test\/rolling-restart/,
];

/** What has a process for each file: it starts many processes of its own, looks at all that its database has, or measures. */
const APART = [
  ...LONGEST,
  /^server\/src\/(?:access\/sign-in\/delete-old|backoffice\/set-up|cli|member\/messages|operations\/jobs|platform\/mail|start)/,
  /^server\/test\/(?:backup|budgets|journeys|partitions|wallets|webhooks)\//,
  /^server\/test\/[^/]+$/,
];

/** The most files that share a process. With more, the last processes would run alone. */
const TOGETHER = 6;

const isOnNodes = process.env['CITUS_BIN'] !== undefined;

/** A cluster has no partitions, and a plan at its coordinator does not show the work of the other machines. */
const ONE_SERVER = [/^server\/test\/partitions\//, /^server\/test\/plans\.test/];

const isOneOf = (places: readonly RegExp[]) => (file: string) => places.some((place) => place.test(file));

const named = process.argv.slice(2).map((file) => relative(ROOT, resolve(file)));
const files =
  named.length > 0
    ? named
    : ['server/src', 'server/test', 'trials']
        .flatMap((folder) => filesThatEnd('.test.ts', folder))
        .filter((file) => !(isOnNodes && isOneOf(ONE_SERVER)(file)));
/** A hook of a file would be one of all files of its process. What it does after the tests, it does at the end of all. */
const hasHooks = (file: string) => /^(?:before|beforeEach|afterEach)\(/m.test(read(file));
const apart = files.filter((file) => isOneOf(APART)(file) || hasHooks(file));
const long = apart.filter(isOneOf(LONGEST));
const others = apart.filter((file) => !long.includes(file));
const shared = Object.values(
  Object.groupBy(
    files.filter((file) => !apart.includes(file)),
    dirname,
  ),
);
const folder = mkdtempSync(join(tmpdir(), 'loyalty-tests-'));

/** A database of the cluster that `CITUS_BIN` names is one on each of its three servers, and every movement is work for two of them. */
const AT_ONCE = isOnNodes ? 2 : 5;

const ending = new AbortController();
/** Files and tests that run, in the order in which they began. */
const running = new Set<string>();

const options = {
  cwd: ROOT,
  files: [...long, ...others, ...shared.flatMap((inFolder) => writeGroups(inFolder!))],
  concurrency: AT_ONCE,
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
  .on('end', () => rmSync(folder, { recursive: true }))
  .compose(spec)
  .pipe(process.stdout);

/** Returns the files of a folder, or files that run several of them. */
function writeGroups(inFolder: readonly string[]): string[] {
  const count = Math.ceil(inFolder.length / TOGETHER);
  return Array.from({ length: count }, (_, i) => {
    const group = inFolder.filter((_, place) => place % count === i);
    if (group.length === 1) return group[0]!;
    const path = join(folder, `${dirname(group[0]!).replaceAll('/', '-')}-${i + 1}.test.mjs`);
    writeFileSync(path, groupOf(group));
    return path;
  });
}

/**
 * Runs the tests of all the files after the last one was read. Node ends a process whose tests are over, also if another file was
 * about to declare some, so one test waits until then.
 */
function groupOf(group: readonly string[]): string {
  const urls = group.map((file) => pathToFileURL(join(ROOT, file)).href);
  return `
    import { test } from 'node:test';
    const read = Promise.withResolvers();
    test(${JSON.stringify(`read: ${group.join(' ')}`)}, () => read.promise);
    try {
      for (const url of ${JSON.stringify(urls)}) await import(url);
      read.resolve();
    } catch (error) {
      read.reject(error);
    }`;
}
