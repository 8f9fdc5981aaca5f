/** Follows the page on adding a rule as it is written, in a copy of the repository. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { read, ROOT } from '#test/repository.ts';

const page = read('docs/adding-a-rule.md');
const copy = await mkdtemp(join(tmpdir(), 'adds-a-rule-'));
after(() => rm(copy, { recursive: true }));

const run = promisify(execFile);
const inCopy = { cwd: copy, maxBuffer: 16 * 1024 * 1024 };

test('each change of the page applies, all of them compile, and what it names passes', async () => {
  await copyRepository();
  const changes = [...page.matchAll(/^```(diff|ts) (\S+)\n([^]*?)^```$/gm)];
  // And the two documents of the last step.
  assert.equal(new Set(changes.map(([, , path]) => path)).size, 12 - 2, 'the files that the page promises');
  for (const [, kind, path, text] of changes) {
    if (kind === 'ts') await writeFile(join(copy, path!), text!);
    else await apply(path!, text!);
  }
  const generate = `
    const { generatedDocuments } = await import('./server/docs/generate.ts');
    const { writeFileSync } = await import('node:fs');
    for (const [path, text] of Object.entries(await generatedDocuments())) writeFileSync(path, text);`;
  await node('--input-type=module', '--eval', generate);
  const [compile, runTests] = /^## Before you are done\n\n```sh\n(.*)\n(.*)\n```$/m.exec(page)!.slice(1);
  for (const [, project] of compile!.matchAll(/tsc -p (\S+)/g))
    await node('node_modules/typescript/bin/tsc', '-p', project!);
  // The server of this run is there already.
  const files = [...runTests!.matchAll(/"?(server\/(?:src|test)\/\S+?\.test\.ts)"?/g)].map(
    ([, file]) => file!,
  );
  assert.ok(files.length > 3);
  await node('--test', ...files);
});

async function copyRepository(): Promise<void> {
  const left = new Set(['node_modules', '.git']);
  await cp(ROOT, copy, { recursive: true, filter: (path) => !left.has(basename(path)) });
  const modules = join(copy, 'node_modules');
  await mkdir(modules);
  for (const name of await readdir(join(ROOT, 'node_modules')))
    if (name !== '@loyalty') await symlink(join(ROOT, 'node_modules', name), join(modules, name));
  await mkdir(join(modules, '@loyalty'));
  for (const name of await readdir(join(ROOT, 'node_modules/@loyalty')))
    await symlink(join(copy, name), join(modules, '@loyalty', name));
}

/** A change in the page has no line numbers: its place is found by the lines around it. */
async function apply(path: string, text: string): Promise<void> {
  const patch = `--- a/${path}\n+++ b/${path}\n@@ -2 +2 @@\n${text.replaceAll(/^@@$/gm, '@@ -2 +2 @@')}`;
  const file = join(copy, 'change.diff');
  await writeFile(file, patch);
  await run('git', ['apply', '--recount', '--unidiff-zero', file], inCopy);
}

async function node(...args: string[]): Promise<void> {
  const { NODE_TEST_CONTEXT: _, ...inherited } = process.env;
  // The suite itself tries more of them.
  const env = { MODEL_PROGRAMS: '8', ...inherited };
  await run(process.execPath, args, { ...inCopy, env }).catch((error: { stdout: string; stderr: string }) =>
    assert.fail(`node ${args.join(' ').slice(0, 80)}:\n${error.stdout}\n${error.stderr}`.slice(0, 20_000)),
  );
}
