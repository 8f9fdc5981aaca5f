/**
 * Runs the guide for Python on the real service: the plain example if there is a `python3`, the generated client if
 * there is an `openapi-python-client` as well.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { service } from '#test/harness.ts';
import { makeShop } from '#test/make.ts';
import { read } from '#test/repository.ts';

const run = promisify(execFile);
const guide = read('docs/guides/python.md');
const hasPython = await canRun('python3', ['--version']);
const hasGenerator = hasPython && (await canRun('openapi-python-client', ['--help']));

const folder = await mkdtemp(join(tmpdir(), 'python-guide-'));
after(() => rm(folder, { recursive: true, force: true }));

test(
  'the plain Python of the guide runs and prints what the guide shows',
  { skip: !hasPython && 'there is no python3 on this machine' },
  async () => assert.equal(await runPython('plain'), shownAfter('plain')),
);

test(
  'the client that is generated from our document records, retries and tells refusals apart',
  {
    skip:
      !hasGenerator &&
      'there is no openapi-python-client on this machine: pipx install openapi-python-client',
  },
  async () => {
    const { url } = await service();
    const command = block('sh generate').replace('pipx run ', '').replace('$BASE', url);
    const [program, ...args] = command.split(' ') as [string, ...string[]];
    const { stderr } = await run(program, args, { cwd: folder });
    assert.doesNotMatch(stderr, /warn|error/i);
    assert.equal(await runPython('generated'), shownAfter('generated'));
  },
);

async function runPython(name: string): Promise<string> {
  const { url } = await service();
  const { key } = await makeShop();
  await writeFile(join(folder, `${name}.py`), block(`python ${name}`));
  const env = { ...process.env, BASE: url, KEY: key };
  return (await run('python3', [`${name}.py`], { cwd: folder, env })).stdout;
}

/** Returns the code of a block by what stands after its fence. */
function block(fence: string): string {
  return new RegExp(`^\`\`\`${fence}\n(.*?)\n\`\`\`$`, 'ms').exec(guide)![1]!;
}

function shownAfter(name: string): string {
  const rest = guide.slice(guide.indexOf(`\`\`\`python ${name}`));
  return `${/^```text\n(.*?)\n```$/ms.exec(rest)![1]!}\n`;
}

async function canRun(program: string, args: string[]): Promise<boolean> {
  return run(program, args).then(
    () => true,
    () => false,
  );
}
