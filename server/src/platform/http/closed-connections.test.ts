import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { test } from 'node:test';
import type { FastifyBaseLogger } from 'fastify';
import { testDatabase } from '#test/database.ts';
import { SECRET } from '#test/harness.ts';
import { makeShop } from '#test/make.ts';
import { buildApp } from '../../app.ts';

test('callers who close their connection at once leave no line in the log', async (t) => {
  const said: unknown[] = [];
  const note = (line: unknown) => void said.push(line);
  const log = {
    level: 'info',
    info: () => {},
    warn: note,
    error: note,
    fatal: note,
  } as unknown as FastifyBaseLogger;
  Object.assign(log, { debug: () => {}, trace: () => {}, child: () => log });
  const app = await buildApp({ db: await testDatabase(), log, secret: SECRET, accessLog: 'none' });
  t.after(() => app.close());
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const { slug, key, id } = await makeShop();
  let calls = 0;
  app.server.on('request', () => (calls += 1));
  const paths = [
    '/',
    `/club/${slug}`,
    '/pictures/a/b',
    '/mail/settings',
    '/v1/public/benefits',
    '/v1/clients/list',
  ];
  for (const path of paths)
    for (const header of [`Authorization: Bearer ${key}`, `X-Commerce-Id: ${id}`, 'Accept: */*'])
      for (let i = 0; i < 10; i += 1) {
        const socket = connect(port, '127.0.0.1').on('error', () => {});
        await once(socket, 'connect');
        socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n${header}\r\n\r\n`, () =>
          i % 2 === 0 ? socket.destroy() : socket.resetAndDestroy(),
        );
        await once(socket, 'close');
      }
  // Calls of one connection after the other: when this one is answered, the others have been handled.
  assert.equal((await fetch(`http://127.0.0.1:${port}/healthz`)).status, 200);
  assert.ok(calls > 10, `${calls} calls arrived`);
  assert.deepEqual(said, []);
});
