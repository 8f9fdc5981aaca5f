/** Follows the page about webhooks as a newcomer does, beside a service started with `npm start`, and runs the receivers of the examples. */
import assert from 'node:assert/strict';
import { execFile, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Webhook } from 'standardwebhooks';
import { findFreePort } from '#db/embedded/free-port.ts';
import { read, ROOT } from '#test/repository.ts';
import { endService, makeDataDir, npmStart, removeDataDir, type Started } from '#test/start.ts';

const run = promisify(execFile);
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=';
let dataDir = '';
let folder = '';
let service: Started;

before(async () => {
  dataDir = await makeDataDir();
  service = await npmStart(dataDir, { WEBHOOK_LOOPBACK: 'on' });
  folder = await mkdtemp(join(tmpdir(), 'follows-a-page-'));
  for (const name of ['examples', 'node_modules', 'package.json'])
    await symlink(join(ROOT, name), join(folder, name));
});
after(async () => {
  await endService(service, 'SIGTERM');
  await removeDataDir(dataDir);
  await rm(folder, { recursive: true, force: true });
});

test('every command of the page works, one after the other', async () => {
  const guides = read('docs/guides/README.md');
  const [make] = commandsOf(guides);
  const made = await shell(make!);
  const key = /"key": "([^"]+)"/.exec(made)![1]!;
  const port = String(await findFreePort());
  const commands = commandsOf(read('docs/webhooks.md')).join('\n').replaceAll('8787', port);
  const output = await shell(`BASE=${service.base}\nKEY=${key}\nexport PORT=${port}\n${commands}`);
  assert.match(output, /"type":"purchase\.recorded"/);
  assert.match(output, /"state": "delivered"/);
  assert.match(output, /"deleted": true/);
});

const RECEIVERS = [
  { language: 'Node', command: process.execPath, start: (file: string) => [`${file}.mjs`] },
  { language: 'Python', command: 'python3', start: (file: string) => [`${file}.py`] },
  {
    language: 'PHP',
    command: 'php',
    start: (file: string, port: string) => ['-S', `127.0.0.1:${port}`, `${file}.php`],
  },
] as const;

for (const { language, command, start } of RECEIVERS)
  test(`the receiver in ${language} takes what is signed, once, and nothing else`, async (t) => {
    if (spawnSync(command, ['--version']).status !== 0) return t.skip(`${command} is not installed`);
    const port = String(await findFreePort());
    const other = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
    const seen = await mkdtemp(join(tmpdir(), 'receiver-'));
    const receiver = spawn(command, start(join(ROOT, 'examples/webhooks/receiver'), port), {
      env: { ...process.env, PORT: port, WEBHOOK_SECRET: `${other} ${SECRET}`, SEEN_FOLDER: seen },
      // The server of PHP writes a line for each request.
      stdio: ['ignore', 'pipe', language === 'PHP' ? 'ignore' : 'inherit'],
    });
    t.after(() => receiver.kill());
    t.after(() => rm(seen, { recursive: true }));
    const lines = linesOf(receiver);
    const url = `http://127.0.0.1:${port}/`;
    while ((await fetch(url, { method: 'POST', body: '{}' }).catch(() => null)) === null) await pause(50);
    const send = (id: string, secret: string, at = new Date(), changed = '') => {
      const body = JSON.stringify({ type: 'voucher.used', timestamp: at, data: { data: { points: 1 } } });
      const headers = {
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
        'webhook-signature': `v1,AAAA ${new Webhook(secret).sign(id, at, body)}`,
      };
      return fetch(url, { method: 'POST', headers, body: body + changed }).then(({ status }) => status);
    };
    assert.equal(await send('evt_1', SECRET), 204);
    assert.equal(await send('evt_1', SECRET), 204);
    assert.equal(await send('evt_2', other), 204);
    assert.equal(await send('evt_3', `whsec_${Buffer.alloc(32, 2).toString('base64')}`), 401);
    assert.equal(await send('evt_4', SECRET, new Date(), ' '), 401);
    assert.equal(await send('evt_5', SECRET, new Date(Date.now() - 400_000)), 401);
    assert.equal(await send('evt_6', SECRET), 204);
    while (lines.length < 3) await pause(20);
    assert.deepEqual(
      lines.map((line) => (JSON.parse(line) as { id: string }).id),
      ['evt_1', 'evt_2', 'evt_6'],
    );
  });

function linesOf({ stdout }: ChildProcess): string[] {
  const lines: string[] = [];
  createInterface({ input: stdout! }).on('line', (line) => lines.push(line));
  return lines;
}

function commandsOf(text: string): string[] {
  return [...text.matchAll(/^```sh\n(.*?)\n```$/gms)].map(([, code]) => code!);
}

async function shell(script: string): Promise<string> {
  const { stdout } = await run('bash', ['-c', `set -euo pipefail\n${script}`], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], DATA_DIR: dataDir, WEBHOOK_LOOPBACK: 'on' },
  }).catch((error: Error & { stdout: string; stderr: string }) => {
    throw new Error(`a command of the page failed:\n${error.stdout}\n${error.stderr}`);
  });
  return stdout;
}
