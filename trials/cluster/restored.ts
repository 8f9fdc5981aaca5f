/**
 * A worker, or with `--coordinator` the coordinator, is restored alone from an older copy of its folder: `node trials/cluster/restored.ts BIN`. Its shops then lack what was acknowledged since, which
 * nothing can give back. Nobody may go on with it until somebody says so: not the service that runs, not one that starts, no command.
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { sql } from '../../server/src/platform/db/database.ts';
import { makeWorld } from '../faults/world.ts';
import { startCluster } from './cluster.ts';
import { askDoctor, runCommand, type Ran } from './command.ts';
import { readHomes } from './homes.ts';
import { printOutcome, startLoads } from './loads.ts';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { coordinator: { type: 'boolean', default: false } },
});
const [bin] = positionals;
if (bin === undefined) throw new Error('node trials/cluster/restored.ts BIN [--coordinator]');

/** Longer than the time between three beats: a younger copy is not told from a transaction that is being committed. */
const BEATS_MS = 30_000;
const BOUNDS = { longestMs: 30_000, firstAcknowledgedMs: 30_000 };

const cluster = await startCluster(bin);
let kept = true;
try {
  const world = await makeWorld(cluster.coordinator.adminUrl, {
    members: 20,
    create: (name) => cluster.createDatabase(name),
  });
  try {
    const service = await world.startService({ CLUSTER: 'citus' });
    const homes = await readHomes(world);
    const machine = values.coordinator
      ? cluster.coordinator
      : cluster.workers.find(({ port }) => port === homes[0]!.port)!;
    // Every call needs the coordinator.
    const there = homes
      .filter(({ port }) => values.coordinator || port === machine.port)
      .map(({ commerceId }) => commerceId);
    const folder = join(machine.folder, 'cluster');
    const copy = join(machine.folder, 'older');

    const before = startLoads(world, service);
    await before.more(100);
    await machine.stop('SIGINT');
    execFileSync('cp', ['-a', folder, copy]);
    await machine.start();
    const endedAt = performance.now();
    await before.more(60);
    printOutcome(await before.conclude('a machine is stopped and copied', endedAt, BOUNDS), service);

    const loads = startLoads(world, service);
    const sealed = loads.heads();
    const isEnough = sleep(BEATS_MS);
    await loads.more(200);
    while (loads.heads() < sealed + 2) await loads.more(10);
    await isEnough;
    await machine.stop('SIGINT');
    execFileSync('rm', ['-r', folder]);
    execFileSync('mv', [copy, folder]);
    await machine.start();
    const restoredAt = performance.now();
    const before201 = loads.statusesOf(there)[201] ?? 0;
    const doctor = await askDoctor(world, 'cluster');
    const verify = await runCommand(world, ['ledger', 'verify']);
    const start = await runCommand(world, ['serve']);
    const readyz = await fetch(`${service.base}/readyz`);
    await sleep(10_000);
    const served = (loads.statusesOf(there)[201] ?? 0) - before201;
    expect(
      served < 100 && readyz.status === 503,
      `${served} purchases of the shops there were acknowledged, and /readyz is ${readyz.status}`,
    );
    expect(
      doctor.some((says) => says.includes('older than that of the other machines')),
      `the doctor says: ${doctor.join(' ')}`,
    );
    expect(verify.code !== 0, `ledger verify exits with ${verify.code}: ${wordsOf(verify)}`);
    expect(start.code !== 0, `a start exits with ${start.code}: ${wordsOf(start)}`);

    // With an older coordinator nobody may go on: it gives out ids that are in use.
    if (!values.coordinator) await goOn();

    async function goOn(): Promise<void> {
      await sql`
        update cluster_heartbeat
           set beat = (select max(result::bigint) from run_command_on_all_nodes('select beat from cluster_heartbeat'))`.execute(
        world.db,
      );
      const acceptedAt = performance.now();
      await loads.more(100);
      console.log(
        `  after somebody said so, 100 purchases were acknowledged within ${Math.round(performance.now() - acceptedAt)} ms`,
      );
      const outcome = await loads.conclude('a worker is restored from an older copy', restoredAt, BOUNDS);
      // What is gone is gone, and the journal of the load finds all of it.
      printOutcome({ ...outcome, failed: [] }, service);
      console.log(
        `  ${outcome.failed.length} sentences of the journal say what is gone, such as: ${outcome.failed[0]}`,
      );
    }
  } finally {
    await world.remove();
  }
} finally {
  await cluster.remove();
}
process.exitCode = kept ? 0 : 1;

function expect(isTrue: boolean, says: string): void {
  console.log(`  ${isTrue ? '' : 'FAILED '}${says}`);
  kept &&= isTrue;
}

function wordsOf({ stdout, stderr }: Ran): string {
  return (stdout + stderr).replaceAll('\n', ' ').slice(0, 400);
}
