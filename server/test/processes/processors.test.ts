import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { countProcesses, fitProcesses, readRoom, type Room } from '#start/processors.ts';

const GIB = 1024 ** 3;

/** Reads the room of a container on a machine with 16 processors and 64 GiB, from these files of its control groups. */
async function roomWith(t: TestContext, files: Readonly<Record<string, string>>): Promise<Room> {
  const root = await mkdtemp(join(tmpdir(), 'loyalty-room-'));
  t.after(() => rm(root, { recursive: true }));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), `${text}\n`);
  }
  return readRoom({ root, processors: 16, memoryBytes: 64 * GIB });
}

test('half a processor is room for one process, in a container that sees its own group at the root', async (t) => {
  const room = await roomWith(t, {
    'proc/self/cgroup': '0::/',
    'sys/fs/cgroup/cpu.max': '50000 100000',
    'sys/fs/cgroup/memory.max': String(2 * GIB),
  });
  assert.deepEqual(room, { processors: 0.5, memoryBytes: 2 * GIB });
  assert.equal(fitProcesses(room), 1);
});

test('the smallest quota counts: that of a group itself, or of one around it', async (t) => {
  const room = await roomWith(t, {
    'proc/self/cgroup': '0::/system.slice/loyalty.service',
    'sys/fs/cgroup/cpu.max': 'max 100000',
    'sys/fs/cgroup/system.slice/cpu.max': '350000 100000',
    'sys/fs/cgroup/system.slice/memory.max': String(4 * GIB),
    'sys/fs/cgroup/system.slice/loyalty.service/cpu.max': 'max 100000',
    'sys/fs/cgroup/system.slice/loyalty.service/memory.max': 'max',
  });
  assert.deepEqual(room, { processors: 3.5, memoryBytes: 4 * GIB });
  assert.equal(fitProcesses(room), 3);
});

test('quotas of version 1 count, whether or not the container sees its own path', async (t) => {
  const room = await roomWith(t, {
    'proc/self/cgroup': '5:memory:/docker/1a2b\n4:cpu,cpuacct:/docker/1a2b\n1:name=systemd:/docker/1a2b',
    'sys/fs/cgroup/cpu/cpu.cfs_quota_us': '200000',
    'sys/fs/cgroup/cpu/cpu.cfs_period_us': '100000',
    'sys/fs/cgroup/memory/docker/1a2b/memory.limit_in_bytes': String(GIB),
  });
  assert.deepEqual(room, { processors: 2, memoryBytes: GIB });
});

test('without a quota, a group takes nothing away', async (t) => {
  const none = { processors: 16, memoryBytes: 64 * GIB };
  assert.deepEqual(await roomWith(t, {}), none);
  const version1 = {
    'proc/self/cgroup': '5:memory:/\n4:cpu,cpuacct:/',
    'sys/fs/cgroup/cpu/cpu.cfs_quota_us': '-1',
    'sys/fs/cgroup/cpu/cpu.cfs_period_us': '100000',
    'sys/fs/cgroup/memory/memory.limit_in_bytes': '9223372036854771712',
  };
  assert.deepEqual(await roomWith(t, version1), none);
});

test('a process needs a processor and memory, and one there is always', () => {
  const counts = [
    [16, 64 * GIB, 16],
    [16, 768 * 1024 ** 2, 2],
    [16, 0.25 * GIB, 1],
    [1.9, 64 * GIB, 1],
    [200, 640 * GIB, 64],
  ].map(([processors, memoryBytes, expected]) => [
    fitProcesses({ processors: processors!, memoryBytes: memoryBytes! }),
    expected,
  ]);
  for (const [count, expected] of counts) assert.equal(count, expected);
});

test('PROCESSES is a number or auto; without it, and where the start will refuse it, there is one', () => {
  const room = () => ({ processors: 4, memoryBytes: 8 * GIB });
  const counted = [undefined, '', '1', '3', 'auto', 'many', '-2', '1e3'].map((PROCESSES) =>
    countProcesses({ PROCESSES }, room),
  );
  assert.deepEqual(counted, [1, 1, 1, 3, 4, 1, 1, 1]);
});
