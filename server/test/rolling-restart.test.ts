import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isMissing } from '#test/proxy.ts';
import { restartBehind } from '#test/rolling-restart.ts';

for (const proxy of ['nginx', 'haproxy'] as const) {
  test(`restarting two processes behind ${proxy} fails no call`, { skip: isMissing(proxy) }, async (t) => {
    const { calls, failed } = await restartBehind(t, proxy, 2);
    t.diagnostic(`${calls} calls`);
    assert.deepEqual(failed, []);
  });
}
