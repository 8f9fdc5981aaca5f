/**
 * What a purchase costs on a cluster beside one PostgreSQL: `node trials/cluster/cost.ts BIN [--seconds N --callers N]`. The same load goes to both
 * in turn, three times. Prints processor time of a purchase, apart for the service, the coordinator and the workers.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { median } from '../../bench/statistics.ts';
import { readBinaries } from '../../server/src/platform/db/embedded/binaries.ts';
import { startLoad } from '../faults/journalled-load.ts';
import { startOwnPostgres, type OwnPostgres } from '../faults/own-postgres.ts';
import { makeWorld, type Service, type World } from '../faults/world.ts';
import { startCluster } from './cluster.ts';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { seconds: { type: 'string', default: '6' }, callers: { type: 'string', default: '32' } },
});
const [bin] = positionals;
if (bin === undefined) throw new Error('node trials/cluster/cost.ts BIN');
const ROUNDS = 3;
const members = 60;

const one = await startOwnPostgres({ binaries: await readBinaries(bin) });
const cluster = await startCluster(bin);
const worlds: World[] = [];
try {
  const alone = await makeWorld(one.adminUrl, { members });
  worlds.push(alone);
  const spread = await makeWorld(cluster.coordinator.adminUrl, {
    members,
    create: (name) => cluster.createDatabase(name),
  });
  worlds.push(spread);
  const targets = [
    { name: 'one PostgreSQL', world: alone, service: await alone.startService(), first: one, others: [] },
    {
      name: 'cluster',
      world: spread,
      service: await spread.startService({ CLUSTER: 'citus' }),
      first: cluster.coordinator,
      others: cluster.workers,
    },
  ];
  let amount = 1;
  const measured = new Map<string, Cost[]>(targets.map(({ name }) => [name, []]));
  for (let round = 0; round <= ROUNDS; round++)
    for (const target of targets) {
      const cost = await measure(target, amount);
      amount += 1_000_000;
      // The first round warms everything up.
      if (round > 0) measured.get(target.name)!.push(cost);
    }
  for (const [name, costs] of measured) {
    const of = (read: (cost: Cost) => number) => Math.round(median(costs.map(read)));
    console.log(
      `${name}: ${of((c) => c.perSecond)} a second; µs a purchase: service ${of((c) => c.service)}, ${
        name === 'cluster' ? 'coordinator' : 'PostgreSQL'
      } ${of((c) => c.first)}, workers ${of((c) => c.others)}`,
    );
  }
} finally {
  for (const world of worlds) await world.remove();
  await one.remove();
  await cluster.remove();
}

interface Cost {
  readonly perSecond: number;
  readonly service: number;
  readonly first: number;
  readonly others: number;
}

async function measure(
  target: { world: World; service: Service; first: OwnPostgres; others: readonly OwnPostgres[] },
  firstAmount: number,
): Promise<Cost> {
  const { world, service, first, others } = target;
  const load = startLoad({
    bases: [service.base],
    tills: world.tills,
    workers: Number(values.callers),
    firstAmount,
  });
  await sleep(1_000);
  const read = async () => ({
    calls: load.calls.filter(({ status }) => status === 201).length,
    at: performance.now(),
    service: ticksOf(service.child.pid!),
    first: await ticksOfServer(first),
    others: (await Promise.all(others.map(ticksOfServer))).reduce((sum, ticks) => sum + ticks, 0),
  });
  const before = await read();
  await sleep(Number(values.seconds) * 1_000);
  const after = await read();
  await load.stop();
  const calls = after.calls - before.calls;
  const micros = (of: 'service' | 'first' | 'others') => ((after[of] - before[of]) * 10_000) / calls;
  return {
    perSecond: (calls * 1_000) / (after.at - before.at),
    service: micros('service'),
    first: micros('first'),
    others: micros('others'),
  };
}

/** Hundredths of a second of a server, with those of processes that have ended. */
async function ticksOfServer(server: OwnPostgres): Promise<number> {
  const [postmaster, ...children] = await server.processes();
  return [postmaster!, ...children].reduce((sum, pid) => sum + ticksOf(pid, pid === postmaster), 0);
}

function ticksOf(pid: number, withEnded = false): number {
  try {
    const fields = /\) (.*)/s
      .exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))![1]!
      .split(' ')
      .map(Number);
    const [user, system, endedUser, endedSystem] = fields.slice(11, 15) as [number, number, number, number];
    return user + system + (withEnded ? endedUser + endedSystem : 0);
  } catch {
    // It has ended, and its parent counts it.
    return 0;
  }
}
