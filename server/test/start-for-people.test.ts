/** A start as a person at a terminal sees it: short log lines, a goodbye, and refusals in one line. */
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, cpSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { ROOT } from '#test/repository.ts';
import { makeDataDir, removeDataDir } from '#test/start.ts';

const START = join(ROOT, 'server/src/start/start.js');
const LOYALTY = join(ROOT, 'server/src/cli/loyalty.js');

let folder = '';
before(async () => {
  folder = await makeDataDir();
});
after(() => removeDataDir(folder));

function start(env: Record<string, string>, entry = START) {
  const { PATH, HOME } = process.env;
  return spawn(process.execPath, [entry], { env: { PATH, HOME, ENV_FILE: 'off', ...env }, stdio: 'pipe' });
}

async function startRefused(env: Record<string, string>, entry?: string) {
  const child = start(env, entry);
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit') as Promise<[number]>,
  ]);
  return { stdout, stderr, code };
}

test('without the demo, a start prints a set-up link; a log for people shows each call and ends with where the data is', async () => {
  const file = join(folder, 'settings.env');
  writeFileSync(file, `PORT=1\nDATA_DIR=${folder}\nLOG_FORMAT=pretty\nDEMO=off # no history\n`);
  const child = start({ ENV_FILE: file, PORT: '0' });
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  const ended = once(child, 'close');
  while (!printed.includes('API docs') && child.exitCode === null) await once(child.stdout, 'data');

  const [, base = ''] = /ready at (\S+)/.exec(printed) ?? [];
  for (const path of ['/v1/benefits/list', '/v1/nothing?secret=1', '/healthz']) await fetch(`${base}${path}`);
  const [, token = ''] = /\/console\/set-up#(\S+)/.exec(printed) ?? [];
  const link = await fetch(`${base}/admin/v1/set-up/link`, {
    method: 'POST',
    headers: { origin: base, 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  });
  assert.equal(link.status, 200, printed);
  const { is_opened, mailbox_url } = (await link.json()) as { is_opened: boolean; mailbox_url: string };
  assert.deepEqual([is_opened, mailbox_url], [false, `${base}/dev/mail`]);
  child.kill('SIGINT');
  const [code] = (await ended) as [number];
  assert.equal(code, 0);
  const lines = printed.split('\n');
  assert.match(printed, /^\d\d:\d\d:\d\d settings are read from the environment and from .*settings\.env$/m);
  assert.match(printed, /^\d\d:\d\d:\d\d 401 GET \/v1\/benefits\/list \d+ ms missing_credential$/m);
  assert.match(printed, /^\d\d:\d\d:\d\d 404 GET \(no such path\) \d+ ms not_found$/m);
  assert.ok(!printed.includes('healthz') && !printed.includes('secret'));
  assert.equal(lines.at(-2), `Stopped. Your data is in ${folder}; start again with \`npm start\`.`);
  assert.ok(!lines.some((line) => line.startsWith('{')));
});

test('commands know where the service runs, and a log for programs says that the demo is made and the service stopped', async () => {
  const dataDir = join(folder, 'other');
  mkdirSync(dataDir, { mode: 0o755 });
  const child = start({ PORT: '0', DATA_DIR: dataDir });
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  const ended = once(child, 'close');
  while (!printed.includes('API docs') && child.exitCode === null) await once(child.stdout, 'data');
  const [, base = ''] = /ready at (\S+)/.exec(printed) ?? [];
  assert.ok(printed.includes('"Making the demo commerce…"'), printed);

  const run = (env: Record<string, string>, ...args: string[]) =>
    spawnSync(process.execPath, [LOYALTY, ...args], {
      encoding: 'utf8',
      env: { ...process.env, ENV_FILE: 'off', DATA_DIR: dataDir, ...env },
    });
  const healthy = run({}, 'healthcheck');
  assert.equal(healthy.status, 0, healthy.stderr);
  assert.ok(healthy.stdout.includes(`${base}/healthz`), healthy.stdout);
  const file = join(folder, 'mine.yaml');
  const write = (slug: string) =>
    writeFileSync(
      file,
      `slug: ${slug}\nname: Mine\ncurrency: EUR\ntime_zone: UTC\nearning: { money_per_point: 1 }\n`,
    );
  write('mine');
  assert.ok(run({}, 'apply', file).stderr.includes(`curl -i ${base}/v1/`));
  write('mine-too');
  const behind = run({ PUBLIC_URL: 'https://loyalty.example' }, 'apply', file);
  assert.ok(behind.stderr.includes('curl -i https://loyalty.example/v1/'), behind.stderr);

  child.kill('SIGTERM');
  await ended;
  assert.match(printed, /"msg":"stopped"\}\n$/);
  assert.equal(existsSync(join(dataDir, 'address.json')), false);
  // A service that was killed leaves its address behind.
  writeFileSync(join(dataDir, 'address.json'), `{"pid":${child.pid},"url":"${base}"}`);
  assert.match(run({}, 'healthcheck').stderr, /127\.0\.0\.1:3000/);
});

test('a taken port is refused in one line, before anything is created', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const dataDir = join(folder, 'never');
  const expected = `Port ${port} on 127.0.0.1 is taken, perhaps by this service in another terminal. Stop that program or choose another port: PORT=${port + 1} npm start\n`;
  for (const entry of [START, join(ROOT, 'server/src/start/check-start.ts')]) {
    const refused = await startRefused({ PORT: String(port), DATA_DIR: dataDir }, entry);
    assert.deepEqual(refused, { code: 1, stdout: '', stderr: expected });
  }
  assert.equal(existsSync(dataDir), false);
  other.close();
});

test('a wrong setting or a malformed .env is refused in one line, with the value', async () => {
  const wrong = await startRefused({ PORT: 'abc' });
  assert.deepEqual(wrong, {
    code: 1,
    stdout: '',
    stderr: 'PORT must be a port number from 0 to 65535, not "abc".\n',
  });
  const file = join(folder, 'malformed.env');
  writeFileSync(file, 'PORT 4000\n');
  const malformed = await startRefused({ ENV_FILE: file });
  assert.equal(malformed.code, 1);
  assert.match(malformed.stderr, /malformed\.env:1: a line must be NAME=value[^\n]*\n$/);
});

const old = findOldNode();
const withOldNode = { skip: old === null ? 'needs a Node older than 26 on this machine' : false };

test('an old Node runs the command under the pinned one and passes on its exit status', withOldNode, () => {
  const run = (...args: string[]) =>
    spawnSync(old!, [LOYALTY, ...args], { encoding: 'utf8', env: { ENV_FILE: 'off' } });
  const version = run('--version');
  assert.deepEqual([version.status, version.stderr], [0, '']);
  assert.match(version.stdout, /^\d+\.\d+\.\d+\n$/);
  assert.equal(run('nonsense').status, 2);
  assert.equal(run('export', 'a', '--loud').status, 2);
});

test('an old Node without the pinned one says the one line that helps', withOldNode, () => {
  const copy = join(folder, 'copy');
  for (const name of ['cli', 'start']) mkdirSync(join(copy, 'server/src', name), { recursive: true });
  writeFileSync(join(copy, 'package.json'), '{"type":"module"}');
  for (const name of ['start/right-node.js', 'start/start.js', 'cli/loyalty.js'])
    cpSync(join(ROOT, 'server/src', name), join(copy, 'server/src', name));
  for (const entry of ['start/start.js', 'cli/loyalty.js']) {
    const { status, stderr } = spawnSync(old!, [join(copy, 'server/src', entry)], { encoding: 'utf8' });
    assert.equal(status, 1);
    assert.match(stderr, /^This needs Node 26 or newer, not \d+\.\d+\.\d+\. Run `npm ci`, [^\n]*\n$/);
  }
});

/** Most machines have a Node of their own beside the pinned one. */
function findOldNode(): string | null {
  for (const path of ['/usr/bin/node', '/usr/local/bin/node', '/opt/homebrew/bin/node']) {
    if (!existsSync(path)) continue;
    const version = execFileSync(path, ['--version'], { encoding: 'utf8' });
    if (Number.parseInt(version.slice(1), 10) < 26) return path;
  }
  return null;
}
