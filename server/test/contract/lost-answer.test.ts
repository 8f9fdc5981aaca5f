/**
 * The worst moment to be killed: PostgreSQL has committed, but the service does not know it yet. A proxy between them
 * holds back the answer to COMMIT, so that the test hits this moment every time.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { test } from 'node:test';
import { sql } from '#db/database.ts';
import { onEnd, testDatabaseUrl } from '#test/database.ts';
import { service } from '#test/harness.ts';
import { benefit, makeShop } from '#test/make.ts';
import { killService, startService } from '#test/service-process.ts';

test('after a kill between commit and response, a retry with the same key gets the first response and counts once', async () => {
  const { db } = await service();
  const shop = await makeShop({ benefits: [benefit('coffee', { cost: 30 })] });
  const member = await shop.member();
  await shop.sell(member, 100);
  const code = await shop.voucher(member, 'coffee');
  const { token } = await shop.browser(member);
  const byKey = { authorization: `Bearer ${shop.key}` };
  const byToken = { authorization: `Bearer ${token}`, 'x-commerce-id': String(shop.id) };
  const calls = [
    {
      path: '/v1/consumptions/client-code',
      headers: byKey,
      body: { client_code: member.code, amount: 7 },
      status: 201,
      points: 77,
    },
    {
      path: '/v1/benefits/redeem',
      headers: byKey,
      body: { client_benefit_code: code },
      status: 200,
      points: 77,
    },
    {
      path: '/v1/me/benefits/exchange',
      headers: byToken,
      body: { benefit_id: 'coffee' },
      status: 200,
      points: 47,
    },
  ];

  const address = new URL(await testDatabaseUrl());
  const proxy = await startProxy({ host: address.hostname, port: Number(address.port || 5432) });
  address.host = `127.0.0.1:${proxy.port}`;
  let running = await startService(address.href);
  for (const { path, headers, body, status, points } of calls) {
    const send = () =>
      fetch(running.base + path, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json', 'idempotency-key': path },
        body: JSON.stringify(body),
      });
    const kept = proxy.keepCommitOf(path);
    const lost = send().then(
      () => assert.fail('the service answered'),
      () => 'lost',
    );
    await Promise.race([kept, lost]);
    await until(async () => (await keysOf(shop.id)).includes(path));
    await killService(running);
    assert.equal(await lost, 'lost');
    proxy.goOn();

    running = await startService(address.href);
    const retried = await send();
    assert.deepEqual([retried.status, retried.headers.get('idempotency-replayed')], [status, 'true']);
    const again = await send();
    assert.equal(await again.text(), await retried.text());
    const client = await shop.get(`/v1/clients/${member.code}`);
    assert.equal((client.body as { points: number }).points, points, path);
  }
  await killService(running);

  const { rows } = await sql`
    select type, count(*)::int as count from movements where commerce_id = ${shop.id} group by type order by type`.execute(
    db,
  );
  assert.deepEqual(rows, [
    { type: 'exchange', count: 2 },
    { type: 'purchase', count: 2 },
    { type: 'usage', count: 1 },
  ]);
  assert.equal(((await shop.get(`/v1/clients/${member.code}/benefits`)).body as unknown[]).length, 2);
});

interface Proxy {
  readonly port: number;
  /**
   * Lets the next COMMIT through of the connection that carries `key`, and holds back its answer. The service’s jobs
   * commit too, on other connections: those go on. Resolves when COMMIT went through.
   */
  keepCommitOf(key: string): Promise<void>;
  goOn(): void;
}

async function startProxy({ host, port }: { host: string; port: number }): Promise<Proxy> {
  let awaited: { readonly key: string; readonly seen: () => void } | undefined;
  const server: Server = createServer((client) => {
    const upstream = connect(port, host);
    let carries: string | undefined;
    let keeps = false;
    client.on('data', (chunk: Buffer) => {
      const sent = chunk.toString('latin1');
      if (awaited !== undefined && sent.includes(awaited.key)) carries = awaited.key;
      if (awaited !== undefined && awaited.key === carries && /commit\0/i.test(sent)) {
        keeps = true;
        awaited.seen();
        awaited = undefined;
      }
      upstream.write(chunk);
    });
    upstream.on('data', (chunk: Buffer) => void (keeps || client.write(chunk)));
    for (const [one, other] of [[client, upstream] as const, [upstream, client] as const]) {
      one.on('close', () => other.destroy());
      one.on('error', () => other.destroy());
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onEnd(async () => void server.close());
  return {
    port: (server.address() as AddressInfo).port,
    keepCommitOf: (key) => new Promise((seen) => (awaited = { key, seen })),
    goOn: () => (awaited = undefined),
  };
}

async function keysOf(commerceId: number): Promise<string[]> {
  const { db } = await service();
  const { rows } = await sql<{ key: string }>`
    select key from idempotency_keys where commerce_id = ${commerceId} and result is not null`.execute(db);
  return rows.map(({ key }) => key);
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 25));
}
