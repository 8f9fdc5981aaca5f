/**
 * A worker is restored alone from an older copy of its folder: `node trials/cluster/restored.ts BIN`. Its shops then lack what was acknowledged since, which
 * nothing can give back. It shows who finds out: the books, the heads of the sealed history that were kept elsewhere, and the doctor.
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { sql } from '../../server/src/platform/db/database.ts';
import { makeWorld } from '../faults/world.ts';
import { startCluster } from './cluster.ts';
import { askDoctor, runCommand } from './command.ts';
import { printOutcome, startLoads } from './loads.ts';

const [bin] = process.argv.slice(2);
if (bin === undefined) throw new Error('node trials/cluster/restored.ts BIN');

const BOUNDS = { longestMs: 30_000, firstAcknowledgedMs: 30_000 };

const cluster = await startCluster(bin);
let isFound = false;
try {
  const world = await makeWorld(cluster.coordinator.adminUrl, {
    members: 20,
    create: (name) => cluster.createDatabase(name),
  });
  try {
    const service = await world.startService({ CLUSTER: 'citus' });
    const { rows } = await sql<{ port: number }>`
      select n.nodeport as port
        from pg_dist_placement p
        join pg_dist_node n on n.groupid = p.groupid
       where p.shardid = get_shard_id_for_distribution_column('movements', ${world.tills[0]!.commerceId}::bigint)`.execute(
      world.db,
    );
    const worker = cluster.workers.find(({ port }) => port === rows[0]!.port)!;
    const folder = join(worker.folder, 'cluster');
    const copy = join(worker.folder, 'older');

    const before = startLoads(world, service);
    await before.more(100);
    await worker.stop('SIGINT');
    execFileSync('cp', ['-a', folder, copy]);
    await worker.start();
    const endedAt = performance.now();
    await before.more(60);
    printOutcome(await before.conclude('a worker is stopped and copied', endedAt, BOUNDS), service);

    const loads = startLoads(world, service);
    const sealed = loads.heads();
    await loads.more(200);
    while (loads.heads() < sealed + 2) await loads.more(10);
    await worker.stop('SIGINT');
    execFileSync('rm', ['-r', folder]);
    execFileSync('mv', [copy, folder]);
    await worker.start();
    const restoredAt = performance.now();
    await loads.more(100);
    const doctor = await askDoctor(world, 'cluster', 'books');
    const verify = await runCommand(world, ['ledger', 'verify']);
    const outcome = await loads.conclude('a worker is restored from an older copy', restoredAt, BOUNDS);
    printOutcome(outcome, service);
    console.log(`  doctor: ${doctor.join(' ')}`);
    console.log(
      `  verify ${verify.code}: ${(verify.stdout + verify.stderr).replaceAll('\n', ' ').slice(0, 600)}`,
    );
    // The journal of the load finds it always; the sealed history finds it if somebody has kept a head.
    isFound = outcome.failed.some((sentence) => sentence.includes('published head'));
  } finally {
    await world.remove();
  }
} finally {
  await cluster.remove();
}
console.log(isFound ? 'a head that was kept elsewhere shows it' : 'no head shows it');
process.exitCode = isFound ? 0 : 1;
