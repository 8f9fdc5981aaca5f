/** The limits of a service in four processes. Each caller gets what it would get from one, however its connections are spread. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent } from 'node:http';
import { connect } from 'node:net';
import { before, test } from 'node:test';
import { testDatabaseUrl } from '#test/database.ts';
import { makeShop } from '#test/make.ts';
import { call, startSeveral, until, type Several } from '#test/processes/several.ts';

const PER_KEY = 40;
const PER_NETWORK = 10;
const CONNECTIONS = 24;
const PER_NETWORK_SOCKETS = 40;

let service: Several;
before(async () => {
  service = await startSeveral(await testDatabaseUrl(), 4, {
    RATE_LIMIT_KEY: String(PER_KEY),
    RATE_LIMIT_NETWORK: String(PER_NETWORK),
    ACCESS_LOG: 'off',
    CONNECTION_LIMIT_NETWORK: String(PER_NETWORK_SOCKETS),
    DATABASE_POOL_SIZE: '2',
    DRAIN_SECONDS: '0',
  });
});
/** Makes calls over many connections at once. Returns how many had each status, and how long they took. */
async function flood(calls: number, make: (agent: Agent, call: number) => Promise<{ status: number }>) {
  const began = performance.now();
  const counts = new Map<number, number>();
  let made = 0;
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      while (made < calls) {
        made += 1;
        const { status } = await make(agent, made);
        counts.set(status, (counts.get(status) ?? 0) + 1);
      }
      agent.destroy();
    }),
  );
  return { counts, seconds: (performance.now() - began) / 1000 };
}

test('a key gets its limit over all processes, and not a tenth more', async () => {
  const shop = await makeShop();
  const { counts, seconds } = await flood(800, (agent) =>
    call(`${service.base}/v1/clients/list?limit=1`, { agent, key: shop.key }),
  );
  const most = PER_KEY * 2 + PER_KEY * seconds;
  assert.ok(counts.get(200)! <= most * 1.1, `${counts.get(200)} of ${most}`);
  assert.ok(counts.get(200)! >= PER_KEY * 2);
  assert.equal(
    counts.get(200)! + counts.get(429)!,
    [...counts.values()].reduce((a, b) => a + b),
  );
});

test('a key on one connection gets all of it', async () => {
  const shop = await makeShop();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (let made = 0; made < PER_KEY * 2; made += 1)
    assert.equal(
      (await call(`${service.base}/v1/clients/list?limit=1`, { agent, key: shop.key })).status,
      200,
    );
  agent.destroy();
});

test('ten thousand keys that nobody has cost as many lookups as one network may cause', async () => {
  const { counts, seconds } = await flood(10_000, (agent, made) =>
    call(`${service.base}/v1/clients/list?limit=1`, {
      agent,
      key: `lk_test_${String(made).padStart(49, 'x')}`,
    }),
  );
  const most = PER_NETWORK * 5 + PER_NETWORK * seconds;
  assert.ok(counts.get(401)! <= most * 1.1, `${counts.get(401)} of ${most}`);
  assert.ok(counts.get(401)! >= PER_NETWORK * 5);
});

test('the open connections of a network are counted over all processes, and an idle one gives way to a new one', async (t) => {
  const open = new Set<object>();
  for (let opened = 0; opened < PER_NETWORK_SOCKETS * 3; opened += 1) {
    const socket = connect(Number(new URL(service.base).port), '127.0.0.1');
    t.after(() => socket.destroy());
    socket.on('error', () => {}).once('close', () => open.delete(socket));
    await once(socket, 'connect');
    open.add(socket);
  }
  await until(() => open.size <= PER_NETWORK_SOCKETS);
  assert.equal((await call(`${service.base}/healthz`)).status, 200);
  assert.ok(open.size >= PER_NETWORK_SOCKETS * 0.9, `${open.size}`);
});
