import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { read } from '#test/repository.ts';
import { endService, makeDataDir, npmStart, removeDataDir, type Started } from '#test/start.ts';

const readme = read('README.md');
let dataDir = '';
let service: Started;

before(async () => {
  dataDir = await makeDataDir();
  service = await npmStart(dataDir);
});
after(async () => {
  await endService(service, 'SIGTERM');
  await removeDataDir(dataDir);
});

test('the call of the start-up block, pasted into a shell, records a purchase and moves the points', async () => {
  const [record, look] = service.commands as [string, string];
  const before = JSON.parse(await bash(`${look} -s`)) as { points: number };
  const answer = await bash(`${record} -s`);
  assert.match(answer, /^HTTP\/1\.1 201 Created\r\n/);
  assert.match(answer, /^x-consumption-id: \d+\r$/m);
  const after = JSON.parse(await bash(`${look} -s`)) as { points: number };
  assert.ok(after.points > before.points, `${before.points} points before, ${after.points} after`);
});

test('the calls of the README are those of the start-up block, and the answer is the one it shows', async () => {
  const blocks = [...readme.matchAll(/^```sh\n(curl .+?)\n```/gms)].map(([, command]) => command!);
  assert.deepEqual(
    blocks.map(withoutExamples),
    service.commands.map((command) => withoutExamples(command.replaceAll(/^ {2}/gm, ''))),
  );

  const [status, ...rest] = /^```http\n(.+?)\n```/ms.exec(readme)![1]!.split('\n');
  const body = rest.at(-1);
  const answer = await bash(`${service.commands[0]} -s`);
  assert.ok(answer.startsWith(`${status}\r\n`));
  for (const header of rest.slice(0, -2)) assert.ok(answer.includes(`\r\n${header.split(':')[0]}: `), header);
  assert.ok(answer.endsWith(`\r\n\r\n${body}`));
});

test('the README’s way to run the tests is a line of its own, for .ci/run to find', () => {
  assert.match(readme, /^npm ci && npm test$/m);
  assert.match(read('.ci/run'), /README\.md/);
});

/** Removes the parts that are different for every demo. */
function withoutExamples(command: string): string {
  return command
    .replaceAll(/127\.0\.0\.1:\d+/g, 'HOST')
    .replaceAll(/lk_test_[^']+/g, 'KEY')
    .replaceAll(/\d{9}/g, 'CODE');
}

async function bash(command: string): Promise<string> {
  const { stdout } = await promisify(execFile)('bash', ['-c', command]).catch((error: Error) => {
    throw new Error(`the command of the start-up block failed; it needs bash and curl: ${error.message}`);
  });
  return stdout;
}
