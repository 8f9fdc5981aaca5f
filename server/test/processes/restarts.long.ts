import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testDatabaseUrl } from '#test/database.ts';
import { makeShop } from '#test/make.ts';
import {
  call,
  childrenOf,
  figure,
  isAlive,
  keepCalling,
  startSeveral,
  until,
} from '#test/processes/several.ts';

const PROCESSES = 2;
const OF_ONE = 20;
const OF_ALL = 5;

test(`${OF_ONE} restarts of one process and ${OF_ALL} of all fail no call, on new and on kept connections`, async (t) => {
  const service = await startSeveral(await testDatabaseUrl(), PROCESSES, {
    RATE_LIMITS: 'off',
    ACCESS_LOG: 'off',
  });
  const shop = await makeShop();
  const member = await shop.member();
  const load = keepCalling(service.base, { key: shop.key, clientCode: member.code, callers: 8 });
  const restarted = async (gone: readonly number[]) => {
    await until(() => !gone.some(isAlive));
    await until(async () => (await figure(service, 'loyalty_processes', 'state="ready"')) === PROCESSES);
  };
  for (let restart = 0; restart < OF_ONE; restart += 1) {
    const [oldest] = childrenOf(service);
    process.kill(oldest!, 'SIGHUP');
    await restarted([oldest!]);
  }
  for (let restart = 0; restart < OF_ALL; restart += 1) {
    const all = childrenOf(service);
    service.supervisor.kill('SIGHUP');
    await restarted(all);
  }
  const { calls, failed } = await load.stop();
  t.diagnostic(`${calls} calls`);
  assert.deepEqual(failed, []);
  service.supervisor.kill('SIGTERM');
  assert.equal(await service.ended, 0);
});

test('a process that hangs is killed and replaced, and calls on new connections go on', async () => {
  const service = await startSeveral(await testDatabaseUrl(), PROCESSES, {
    RATE_LIMITS: 'off',
    ACCESS_LOG: 'off',
  });
  const [frozen] = childrenOf(service);
  process.kill(frozen!, 'SIGSTOP');
  while (isAlive(frozen!)) assert.equal((await call(`${service.base}/readyz`)).status, 200);
  await service.line(/process 1 hangs: it has said nothing for 20 seconds/);
  await until(async () => (await figure(service, 'loyalty_processes', 'state="ready"')) === PROCESSES);
  service.supervisor.kill('SIGTERM');
  assert.equal(await service.ended, 0);
});
