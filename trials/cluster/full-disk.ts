/**
 * The disk of one worker is full: `node trials/cluster/full-disk.ts BIN [--seconds N]`. The shops of the other worker go on; those of this one get 503
 * and are served again once there is room, and its server is started again if it has ended. The log says why.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, statfsSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { becomesReady } from '../faults/fault.ts';
import { mountSmallVolume } from '../faults/full-disk.ts';
import { makeWorld } from '../faults/world.ts';
import { startCluster } from './cluster.ts';
import { readHomes } from './homes.ts';
import { printOutcome, startLoads } from './loads.ts';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { seconds: { type: 'string', default: '30' } },
});
const [bin] = positionals;
if (bin === undefined) throw new Error('node trials/cluster/full-disk.ts BIN [--seconds N]');

const volume = mkdtempSync(join(tmpdir(), 'loyalty-volume-'));
if (!mountSmallVolume(volume, '700m')) throw new Error('this system does not allow to mount a volume');
chmodSync(volume, 0o755);
const filler = join(volume, 'filler');
let failed = 0;
try {
  const cluster = await startCluster(bin, { parents: [null, volume] });
  const worker = cluster.workers[0]!;
  try {
    const world = await makeWorld(cluster.coordinator.adminUrl, {
      members: 20,
      create: (name) => cluster.createDatabase(name),
    });
    try {
      const service = await world.startService({ CLUSTER: 'citus' });
      const homes = await readHomes(world);
      const [onIt, elsewhere] = [
        homes.filter(({ port }) => port === worker.port).map(({ commerceId }) => commerceId),
        homes.filter(({ port }) => port !== worker.port).map(({ commerceId }) => commerceId),
      ];
      const loads = startLoads(world, service);
      await loads.more(60);
      fill();
      await until(() => (loads.statusesOf(onIt)[503] ?? 0) > 0);
      const before = [loads.statusesOf(onIt), loads.statusesOf(elsewhere)];
      await sleep(Number(values.seconds) * 1_000);
      const after = [loads.statusesOf(onIt), loads.statusesOf(elsewhere)];
      const more = (shops: 0 | 1, status: number) =>
        (after[shops]![status] ?? 0) - (before[shops]![status] ?? 0);
      const reasons = service.log.filter((line) => line.includes('No space left on device'));
      const ended = (await worker.processes()).length === 0;
      unlinkSync(filler);
      if (ended) await worker.start();
      const endedAt = performance.now();
      const isReady = await becomesReady(service.base, 200);
      await loads.more(100);
      const outcome = await loads.conclude(
        'the disk of a worker is full',
        endedAt,
        { longestMs: 30_000, firstAcknowledgedMs: 30_000 },
        [
          isReady ? null : '/readyz stayed 503',
          more(1, 201) > 0 ? null : 'no other shop was served',
          more(1, 503) === 0 ? null : `${more(1, 503)} calls of other shops got 503`,
          reasons.length > 0 ? null : 'the log does not say why',
        ],
        {
          servedElsewhere: more(1, 201),
          refusedThere: more(0, 503),
          servedThere: more(0, 201),
          ended: Number(ended),
        },
      );
      failed += printOutcome(outcome, service);
      console.log(`  the log says: ${reasons.at(-1)}`);
    } finally {
      await world.remove();
    }
  } finally {
    rmSync(filler, { force: true });
    await cluster.remove();
  }
} finally {
  spawnSync('umount', [volume]);
  rmSync(volume, { recursive: true, force: true });
}
console.log(failed === 0 ? 'every promise was kept' : `${failed} promises were not kept`);
process.exitCode = failed === 0 ? 0 : 1;

/** Takes all room that there is, until the server has taken the last of its own. */
function fill(): void {
  const { bavail, bsize } = statfsSync(volume);
  try {
    writeFileSync(filler, Buffer.alloc(bavail * bsize));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}

async function until(isSo: () => boolean): Promise<void> {
  for (const end = performance.now() + 300_000; performance.now() < end; await sleep(200)) if (isSo()) return;
  throw new Error('the disk had room for five minutes');
}
