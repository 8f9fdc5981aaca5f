/**
 * The clocks of the machines differ by a minute: `node trials/cluster/clocks.ts BIN`. One worker is a minute ahead and the other a minute behind. Takes
 * libfaketime. Calls go on, the books and the seals agree, and it prints whose clock the times of the shops follow.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from '../../server/src/platform/db/database.ts';
import { openClock, whyNoFakeTime } from '../faults/clocks.ts';
import { makeWorld } from '../faults/world.ts';
import { startCluster } from './cluster.ts';
import { askDoctor } from './command.ts';
import { printOutcome, startLoads } from './loads.ts';

const [bin] = process.argv.slice(2);
if (bin === undefined) throw new Error('node trials/cluster/clocks.ts BIN');
const unable = whyNoFakeTime();
if (unable !== null) throw new Error(unable);

const clocks = [openClock(), openClock(), openClock()] as const;
const cluster = await startCluster(bin, { envs: clocks.map(({ env }) => env) });
let failed = 0;
try {
  const world = await makeWorld(cluster.coordinator.adminUrl, {
    members: 20,
    create: (name) => cluster.createDatabase(name),
  });
  try {
    const service = await world.startService({ CLUSTER: 'citus' });
    for (const [name, first, second] of [
      ['the workers are a minute apart from the coordinator', 60, -60],
      ['the clocks agree again', 0, 0],
    ] as const) {
      const loads = startLoads(world, service);
      await loads.more(60);
      clocks[1].jump(first);
      clocks[2].jump(second);
      // The library looks at its file once a second.
      await sleep(3_000);
      await loads.more(300);
      const shifts = await readShifts();
      const doctor = await askDoctor(world, 'cluster', 'clock');
      const outcome = await loads.conclude(
        name,
        performance.now(),
        { statuses: [201], longestMs: 10_000, firstAcknowledgedMs: 10_000 },
        [],
      );
      failed += printOutcome(outcome, service);
      console.log(`  seconds ahead of this machine, by shop: ${JSON.stringify(shifts)}`);
      console.log(`  doctor: ${doctor.join(' ')}`);
    }

    /** How far the newest times of each shop are ahead of the time here: of its own clock, and of the database's. */
    async function readShifts(): Promise<{ port: number; own: number; recorded: number }[]> {
      const shifts: { port: number; own: number; recorded: number }[] = [];
      for (const { commerceId } of world.tills) {
        const { rows } = await sql<{ port: number; at: Date; recordedAt: Date }>`
          select n.nodeport as port, m.at, m.recorded_at as "recordedAt"
            from (select at, recorded_at from movements where commerce_id = ${commerceId} order by id desc limit 1) m
           cross join pg_dist_placement p
            join pg_dist_node n on n.groupid = p.groupid
           where p.shardid = get_shard_id_for_distribution_column('movements', ${commerceId}::bigint)`.execute(
          world.db,
        );
        const [{ port, at, recordedAt }] = rows as [(typeof rows)[number]];
        const ahead = (date: Date) => Math.round((date.getTime() - Date.now()) / 1_000);
        shifts.push({ port, own: ahead(at), recorded: ahead(recordedAt) });
      }
      return shifts;
    }
  } finally {
    await world.remove();
  }
} finally {
  await cluster.remove();
  for (const clock of clocks) clock.remove();
}
console.log(failed === 0 ? 'every promise was kept' : `${failed} promises were not kept`);
process.exitCode = failed === 0 ? 0 : 1;
