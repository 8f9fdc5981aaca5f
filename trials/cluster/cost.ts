/**
 * What a purchase costs on a cluster beside one PostgreSQL: `node trials/cluster/cost.ts BIN [--seconds N --callers N,N --processes N,N]`. The same
 * load goes to both in turn, three times. Prints medians of the processor time of a purchase, apart for the service, the coordinator and the workers,
 * and how much more the cluster takes.
 */
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { median } from '../../bench/statistics.ts';
import { readBinaries } from '../../server/src/platform/db/embedded/binaries.ts';
import { startLoad } from '../faults/journalled-load.ts';
import { startOwnPostgres, type OwnPostgres } from '../faults/own-postgres.ts';
import { endService, makeWorld, type Service, type World } from '../faults/world.ts';
import { startCluster } from './cluster.ts';
import { ticksOfServer, ticksOfService } from './ticks.ts';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '6' },
    callers: { type: 'string', default: '32' },
    processes: { type: 'string', default: '1' },
  },
});
const [bin] = positionals;
if (bin === undefined) throw new Error('node trials/cluster/cost.ts BIN');
const ROUNDS = 3;
const members = 60;

interface Target {
  readonly name: string;
  readonly world: World;
  readonly env: Readonly<Record<string, string>>;
  readonly first: OwnPostgres;
  readonly others: readonly OwnPostgres[];
}

const one = await startOwnPostgres({ binaries: await readBinaries(bin) });
const cluster = await startCluster(bin);
const worlds: World[] = [];
let amount = 1;
try {
  const alone = await makeWorld(one.adminUrl, { members });
  worlds.push(alone);
  const spread = await makeWorld(cluster.coordinator.adminUrl, {
    members,
    create: (name) => cluster.createDatabase(name),
  });
  worlds.push(spread);
  const targets: readonly Target[] = [
    { name: 'one PostgreSQL', world: alone, env: {}, first: one, others: [] },
    {
      name: 'cluster',
      world: spread,
      env: { CLUSTER: 'citus' },
      first: cluster.coordinator,
      others: cluster.workers,
    },
  ];
  for (const processes of values.processes.split(','))
    for (const callers of values.callers.split(',').map(Number)) await compare(targets, processes, callers);
} finally {
  for (const world of worlds) await world.remove();
  await one.remove();
  await cluster.remove();
}

async function compare(targets: readonly Target[], processes: string, callers: number): Promise<void> {
  const measured = targets.map(() => [] as Cost[]);
  const services: Service[] = [];
  for (const { world, env } of targets)
    services.push(await world.startService({ ...env, PROCESSES: processes }));
  for (let round = 0; round <= ROUNDS; round++)
    for (const [i, target] of targets.entries()) {
      const cost = await measure(target, services[i]!, callers);
      // The first round warms everything up.
      if (round > 0) measured[i]!.push(cost);
    }
  for (const service of services) await endService(service, 'SIGTERM');

  console.log(
    `${callers} callers, ${processes} processes, load of the machine ${loadavg()[0]!.toFixed(1)}, µs a purchase:`,
  );
  const sums = targets.map(({ name, others }, i) => {
    const of = (read: (cost: Cost) => number) => Math.round(median(measured[i]!.map(read)));
    const [service, first, rest] = [of((c) => c.service), of((c) => c.first), of((c) => c.others)];
    const sum = service + first + rest;
    const servers = others.length === 0 ? `PostgreSQL ${first}` : `coordinator ${first}, workers ${rest}`;
    console.log(
      `  ${name}: Node ${service}, ${servers}, in all ${sum}; ${of((c) => c.perSecond)} a second, ${of((c) => c.refused)} refused`,
    );
    return sum;
  });
  console.log(`  ratio: ${(sums[1]! / sums[0]!).toFixed(2)}`);
}

interface Cost {
  readonly perSecond: number;
  readonly refused: number;
  readonly service: number;
  readonly first: number;
  readonly others: number;
}

async function measure({ world, first, others }: Target, service: Service, callers: number): Promise<Cost> {
  const load = startLoad({
    bases: [service.base],
    tills: world.tills,
    workers: callers,
    firstAmount: amount,
  });
  amount += 1_000_000;
  await sleep(1_000);
  const read = async () => ({
    calls: load.calls.filter(({ status }) => status === 201).length,
    at: performance.now(),
    service: ticksOfService(service),
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
    refused: load.calls.filter(({ status }) => status !== 201).length,
    service: micros('service'),
    first: micros('first'),
    others: micros('others'),
  };
}
