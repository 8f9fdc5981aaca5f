import assert from 'node:assert/strict';
import { connect, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildApp } from '#app.ts';
import { endGently } from '#http/end.ts';
import { testDatabase } from '#test/database.ts';
import { SECRET } from '#test/harness.ts';

test('a service that ends says so first, and serves new and old connections meanwhile', async () => {
  const app = await buildApp({ db: await testDatabase(), log: false, secret: SECRET });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const ask = (path: string) =>
    fetch(`http://127.0.0.1:${port}${path}`).then((answer) => [
      answer.status,
      answer.headers.get('connection'),
    ]);
  assert.deepEqual(await ask('/readyz'), [200, 'keep-alive']);

  const ended = endGently(app, 0.5);
  assert.deepEqual(await ask('/readyz'), [503, 'keep-alive']);
  assert.deepEqual(await ask('/healthz'), [200, 'keep-alive']);
  const late = connect(port, '127.0.0.1');
  late.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
  await once(late, 'data');

  await ended;
  await assert.rejects(ask('/healthz'));
});

test('a call on its way when the listener closes is answered, on new and old connections', async () => {
  const app = await buildApp({ db: await testDatabase(), log: false, secret: SECRET });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const [old, silent] = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')];
  old.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
  await Promise.all([once(old, 'data'), once(silent, 'connect')]);

  const ended = endGently(app, 0.01);
  while (app.server.listening) await sleep(5);
  for (const connection of [old, silent]) {
    connection.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
    const closed = once(connection, 'close').then(() => ['closed without an answer']);
    const [answer] = await Promise.race([once(connection, 'data'), closed]);
    assert.match(String(answer), /^HTTP\/1.1 200 [^]*\r\nconnection: close\r\n/);
  }
  await ended;
});

test('a call that began before the listener closed is told that its connection closes, however late its answer is', async () => {
  const app = await buildApp({ db: await testDatabase(), log: false, secret: SECRET });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const slow = connect(port, '127.0.0.1');
  const begun = once(app.server, 'request');
  slow.write(
    'POST /v1/auth/refresh HTTP/1.1\r\nHost: x\r\nX-Commerce-Id: 1\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n',
  );
  await begun;

  const ended = endGently(app, 0.01);
  while (app.server.listening) await sleep(5);
  slow.write('{}');
  const [answer] = await once(slow, 'data');
  assert.match(String(answer), /^HTTP\/1.1 422 [^]*\r\nconnection: close\r\n/);
  await ended;
});

test('a call that never ends does not keep a service from ending', async (t) => {
  const app = await buildApp({ db: await testDatabase(), log: false, secret: SECRET });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const slow = connect(port, '127.0.0.1');
  slow.on('error', () => {});
  slow.write('POST /v1/auth/refresh HTTP/1.1\r\nHost: x\r\nX-Commerce-Id: 1\r\nContent-Length: 9\r\n\r\n');
  await sleep(50);
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const over = new AbortController();
  const ended = endGently(app, 0).finally(() => over.abort());
  while (!over.signal.aborted) {
    t.mock.timers.tick(1_000);
    await new Promise(setImmediate);
  }
  await ended;
  slow.destroy();
});
