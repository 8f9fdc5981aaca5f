import assert from 'node:assert/strict';
import { getPriority } from 'node:os';
import { test } from 'node:test';
import { lowerPriority, startProcess } from './start-process.ts';

const file = new URL('./aside-process.ts', import.meta.url);

test('a process comes behind the service from its start, or from when it has started if somebody waits for that', (t) => {
  const [later, now] = [false, true].map((startsAtOnce) =>
    startProcess(file, { megabytes: 64, env: {}, startsAtOnce }),
  ) as [ReturnType<typeof startProcess>, ReturnType<typeof startProcess>];
  t.after(() => [later, now].map((child) => child.kill('SIGKILL')));
  const own = getPriority();
  assert.ok(getPriority(later.pid) > own);
  assert.equal(getPriority(now.pid), own);
  lowerPriority(now);
  assert.equal(getPriority(now.pid), getPriority(later.pid));
});
