/** The example files of nginx and haproxy let everything through that the service takes. */
import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { BODY_BYTES } from '#admin/pictures/routes.ts';
import { buildApp } from '#app.ts';
import { testDatabase } from '#test/database.ts';
import { SECRET } from '#test/harness.ts';
import { isMissing, startProxy } from '#test/proxy.ts';

for (const name of ['nginx', 'haproxy'] as const)
  test(`the largest picture passes ${name}`, { skip: isMissing(name) }, async (t) => {
    const app = await buildApp({ db: await testDatabase(), log: false, secret: SECRET });
    await app.listen({ port: 0, host: '127.0.0.1' });
    const service = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
    const proxy = await startProxy(name, [service, service]);
    t.after(async () => {
      await proxy.stop();
      await app.close();
    });

    const { status } = await fetch(`${proxy.base}/admin/v1/pictures`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer lk_admin_nobody' },
      body: JSON.stringify({ data: 'A'.repeat(BODY_BYTES - 100) }),
    });
    assert.equal(status, 401, 'the service has read the call');
  });
