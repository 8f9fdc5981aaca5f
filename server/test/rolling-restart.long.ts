import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isMissing } from '#test/proxy.ts';
import { restartBehind } from '#test/rolling-restart.ts';

for (const proxy of ['nginx', 'haproxy'] as const) {
  test(
    `ten restarts of two processes behind ${proxy} fail no call`,
    { skip: isMissing(proxy) },
    async (t) => {
      const { calls, failed } = await restartBehind(t, proxy, 10);
      t.diagnostic(`${calls} calls`);
      assert.deepEqual(failed, []);
    },
  );
}
