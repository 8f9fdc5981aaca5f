/** Follows every guide as a newcomer does: copies its commands into a shell, beside a service started with `npm start`. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { filesThatEnd, read, ROOT } from '#test/repository.ts';
import { endService, makeDataDir, npmStart, removeDataDir, type Started } from '#test/start.ts';

const run = promisify(execFile);
const guides = filesThatEnd('.md', 'docs/guides').filter((path) => !path.endsWith('README.md'));

let dataDir = '';
let folder = '';
let service: Started;
/** The variables of "before you start". */
let variables = '';

before(async () => {
  dataDir = await makeDataDir();
  service = await npmStart(dataDir);
  folder = await mkdtemp(join(tmpdir(), 'follows-a-guide-'));
  for (const name of ['examples', 'node_modules', 'package.json'])
    await symlink(join(ROOT, name), join(folder, name));
  const [make, set] = blocksOf(read('docs/guides/README.md')) as [Block, Block];
  const [applied, made] = (await shell(make.code))
    .split(/(?<=\})\s+(?=\{)/)
    .map((text) => JSON.parse(text) as object);
  const { commerce_id: commerce } = applied as { commerce_id: number };
  const { key } = made as { key: string };
  assert.deepEqual(
    set.code.split('\n').map((line) => line.split('=')[0]),
    ['BASE', 'COMMERCE', 'KEY'],
  );
  variables = `BASE=${service.base}\nCOMMERCE=${commerce}\nKEY=${key}\n`;
});
after(async () => {
  await endService(service, 'SIGTERM');
  await removeDataDir(dataDir);
  await rm(folder, { recursive: true, force: true });
});

test('every guide is in the list of guides', () => {
  const list = read('docs/guides/README.md');
  assert.deepEqual(
    guides.filter((path) => !list.includes(`](${path.split('/').at(-1)})`)),
    [],
  );
});

for (const path of guides.filter((guide) => !guide.endsWith('python.md'))) {
  test(`${path}: every command works, and every answer has the fields that it shows`, async () => {
    const blocks = blocksOf(read(path));
    const commands = blocks.filter(({ language }) => language === 'sh');
    const script = commands.map(({ code }) => `${code}\nprintf '\\n@@@\\n'`).join('\n');
    const outputs = commands.length === 0 ? [] : (await shell(variables + script)).split('\n@@@\n');
    let last = '';
    for (const { language, code, file } of blocks) {
      if (language === 'sh') last = outputs.shift()!;
      if (language === 'json') assertSameFields(JSON.parse(lastLine(last)), JSON.parse(code), path);
      if (language === 'js') last = await runModule(file!, code);
      if (language === 'text' && last !== '') assert.equal(last.trim(), code);
    }
  });
}

interface Block {
  readonly language: string;
  readonly code: string;
  /** The name under which the text before the block says to save it. */
  readonly file: string | null;
}

function blocksOf(text: string): Block[] {
  return [...text.matchAll(/^```(\w+)\n(.*?)\n```$/gms)].map(({ 1: language, 2: code, index }) => ({
    language: language!,
    code: code!,
    file: /[Ss]ave it as `([\w.]+)`(?![^]*```)/.exec(text.slice(0, index).split('```').at(-1)!)?.[1] ?? null,
  }));
}

/** A call that is refused ends the script, unless the guide prints the status of a refusal. */
const STRICT = `set -euo pipefail
curl() { case "$*" in *http_code*) command curl "$@";; *) command curl --fail-with-body "$@";; esac; }`;

async function shell(script: string): Promise<string> {
  const { stdout } = await run('bash', ['-c', `${STRICT}\n${script}`], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], DATA_DIR: dataDir },
  }).catch((error: Error & { stdout: string; stderr: string }) => {
    throw new Error(
      `a command of a guide failed; they need bash and curl:\n${error.stdout}\n${error.stderr}`,
    );
  });
  return stdout;
}

/** Saves a module, and runs it if its name says so. The service of the test stands in for the one of the text. */
async function runModule(file: string, code: string): Promise<string> {
  await writeFile(join(folder, file), code);
  if (!file.startsWith('try')) return '';
  const [, commerce] = /COMMERCE=(\d+)/.exec(variables)!;
  await writeFile(
    join(folder, 'start.mjs'),
    `globalThis.SERVICE = ${JSON.stringify(service.base)}; globalThis.COMMERCE = ${commerce}; await import('./${file}');`,
  );
  return (await run(process.execPath, ['start.mjs'], { cwd: folder })).stdout;
}

/** The answer of the last call of a block. */
function lastLine(output: string): string {
  return (
    output
      .trim()
      .split('\n')
      .findLast((line) => line.startsWith('{')) ?? output
  );
}

/** An empty object or list in the example stands for one that is not shown. */
function assertSameFields(actual: object, shown: object, place: string): void {
  assert.deepEqual(Object.keys(actual), Object.keys(shown), place);
  assert.deepEqual(eventsIn(actual), eventsIn(shown), place);
  for (const [name, value] of Object.entries(shown))
    if (typeof value === 'number' && value < 1000)
      assert.equal((actual as Record<string, unknown>)[name], value, `${place}: ${name}`);
  assert.deepEqual(daysBetween(actual), daysBetween(shown), `${place}: the time between its instants`);
}

/** Returns the types of the events of an answer, each with the fields of its data. */
function eventsIn(answer: object): string[] {
  const { events = [] } = answer as { events?: { type: string; data: object }[] };
  return events.map(({ type, data }) => `${type}: ${Object.keys(data).join(', ')}`);
}

/** Returns the days from the first instant of an answer to each of the others. */
function daysBetween(answer: object): number[] {
  const [first, ...others] = Object.values(answer)
    .filter((value) => typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value))
    .map((value) => Date.parse(value as string));
  return others.map((instant) => (instant - first!) / 86_400_000);
}
