import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { killUnderLoad, pointsOf } from '#test/kill-under-load.ts';
import { ROOT } from '#test/repository.ts';
import {
  endService,
  makeDataDir,
  npmStart,
  npmStartRefused,
  postgresOf,
  removeDataDir,
  type Started,
} from '#test/start.ts';

// The life of one installation, in order: each test continues where the previous one ended.
let dataDir = '';
let first: Started;

before(async () => {
  dataDir = await makeDataDir();
});
after(() => removeDataDir(dataDir));

test('the first start creates a demo commerce, and Ctrl-C stops service and PostgreSQL with exit code 0', async (t) => {
  first = await npmStart(dataDir);
  t.diagnostic(`ready after ${Math.round(first.readyMs)} ms`);
  assert.equal((await fetch(`${first.base}/readyz`)).status, 200);
  assert.ok((await pointsOf(first)) > 0);
  assert.notEqual(await postgresOf(dataDir), null);
  assert.match(first.signInAs, /^\S+@\S+$/);

  // A terminal sends SIGINT to npm and to the service, and npm forwards it, so the service receives it twice.
  assert.equal(await endService(first, 'SIGINT'), 0);
  assert.equal(await postgresOf(dataDir), null);
});

test('the second start finds the data of the first and creates no second demo', async (t) => {
  const second = await npmStart(dataDir);
  t.diagnostic(`ready after ${Math.round(second.readyMs)} ms`);
  assert.deepEqual(
    [second.key, second.commerceId, second.clientCode],
    [first.key, first.commerceId, first.clientCode],
  );
  assert.equal((await commerces()).length, 1);

  const refused = await npmStartRefused(dataDir);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /^Another service \(process \d+\) already runs on .*DATA_DIR\.\n$/);

  assert.equal(await endService(second, 'SIGTERM', 'npm'), 0);
  assert.equal(await postgresOf(dataDir), null);
});

for (const killed of ['service', 'service and PostgreSQL'] as const) {
  test(`kill -9 of the ${killed} under load loses no acknowledged purchase`, async (t) => {
    const { acknowledged, readyMs } = await killUnderLoad(dataDir, killed, 100);
    t.diagnostic(`${acknowledged} acknowledged, ready again after ${Math.round(readyMs)} ms`);
    assert.equal(await postgresOf(dataDir), null);
    assert.equal((await commerces()).length, 1);
  });
}

async function commerces(): Promise<unknown[]> {
  const { stdout } = await promisify(execFile)(
    'npx',
    ['--no-install', 'loyalty', 'commerce', 'list', '--json'],
    {
      cwd: ROOT,
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ENV_FILE: 'off', DATA_DIR: dataDir },
    },
  );
  return JSON.parse(stdout) as unknown[];
}
