/**
 * A cluster with very many shops: `node trials/cluster/sizes.ts BIN [--shops N,N --members N]`. Each shop has ten members with three purchases each. Prints how long it takes
 * to load them, to distribute them and to start; purchases and lists of some of the shops; what the jobs take to find what is due, and at one shop; and the
 * check of the books of some.
 */
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { fillShops, type Shop } from '../../bench/load-members.ts';
import { median, percentile } from '../../bench/statistics.ts';
import { verifyLedger } from '../../server/src/insight/books/verify-ledger.ts';
import { jobNames, jobs, runJob, type JobName } from '../../server/src/operations/jobs/run-jobs.ts';
import type { Job } from '../../server/src/operations/jobs/job.ts';
import type { Database } from '../../server/src/platform/db/database.ts';
import { listPurchases, startLoad } from '../faults/journalled-load.ts';
import { endService, makeWorld, type Service, type Till } from '../faults/world.ts';
import { startCluster } from './cluster.ts';
import { openShops, openTills } from './shops.ts';
import { ticksOfServer, ticksOfService } from './ticks.ts';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    shops: { type: 'string', default: '10000,100000' },
    members: { type: 'string', default: '10' },
    seconds: { type: 'string', default: '10' },
  },
});
const [bin] = positionals;
if (bin === undefined) throw new Error('node trials/cluster/sizes.ts BIN');
const membersOfEach = Number(values.members);
/** So many shops, spread evenly, have a key and are called. */
const CALLED = 500;
/** At so many of them each job is run. */
const VISITED = 100;
const SHARDS = 16;

for (const shops of values.shops.split(',').map(Number)) await tryWith(shops);

async function tryWith(count: number): Promise<void> {
  const cluster = await startCluster(bin!, {
    settings: ['maintenance_work_mem = 256MB'],
  });
  try {
    let shops: Shop[] = [];
    let began = performance.now();
    const lap = (what: string) => {
      say(what, seconds(performance.now() - began));
      began = performance.now();
    };
    const world = await makeWorld(cluster.coordinator.adminUrl, {
      members: 1,
      shards: SHARDS,
      prepare: async (db) => {
        shops = await openShops(
          db,
          Array.from({ length: count }, () => membersOfEach),
        );
        lap(`${count} shops opened`);
        const size = {
          commerces: count,
          members: count * membersOfEach,
          movements: 3 * count * membersOfEach,
        };
        await fillShops(db, size, shops);
        lap(`${size.members} members and ${size.movements} purchases loaded`);
      },
      create: (name) => cluster.createDatabase(name),
    });
    lap('distributed');
    try {
      const service = await world.startService({ CLUSTER: 'citus' });
      lap('from start to ready');
      const servers = [cluster.coordinator, ...cluster.workers];
      const every = Math.max(1, Math.floor(shops.length / CALLED));
      const tills = await openTills(
        world.db,
        shops.filter((_, i) => i % every === 0),
      );
      await load(service, tills, servers);
      await lists(service, tills);
      await endService(service, 'SIGTERM');
      for (const name of jobNames) await tryJob(world.db, name, tills);
      began = performance.now();
      const commerceIds = tills.slice(0, VISITED).map(({ commerceId }) => commerceId);
      for (const parallel of [1, 4]) {
        const { commerces, movements, differences } = await verifyLedger(world.db, { commerceIds, parallel });
        lap(
          `the books of ${commerces} shops with ${movements} movements checked, ${parallel} at a time, ${differences.length} differences`,
        );
      }
    } finally {
      await world.remove();
    }
  } finally {
    await cluster.remove();
  }
}

async function load(
  service: Service,
  tills: readonly Till[],
  servers: Parameters<typeof ticksOfServer>[0][],
) {
  const running = startLoad({ bases: [service.base], tills, workers: 32 });
  await sleep(3_000);
  const read = async () => ({
    calls: running.calls.length,
    at: performance.now(),
    ticks: [ticksOfService(service), ...(await Promise.all(servers.map(ticksOfServer)))],
  });
  const before = await read();
  await sleep(Number(values.seconds) * 1_000);
  const after = await read();
  await running.stop();
  const calls = running.calls.slice(before.calls, after.calls);
  const [node, coordinator, ...workers] = after.ticks.map((ticks, i) =>
    Math.round(((ticks - before.ticks[i]!) * 10_000) / calls.length),
  );
  say(
    'purchases of 32 callers',
    `${Math.round((calls.length * 1_000) / (after.at - before.at))} a second, ${timesOf(calls.map(({ ms }) => ms))}, ` +
      `${calls.filter(({ status }) => status !== 201).length} refused; µs each: Node ${node}, coordinator ${coordinator}, workers ${workers.join(' and ')}`,
  );
}

async function lists(service: Service, tills: readonly Till[]): Promise<void> {
  const times: number[] = [];
  for (const till of tills.slice(0, 200)) {
    const since = performance.now();
    const { status } = await listPurchases(service.base, till);
    if (status !== 200) throw new Error(`a list got ${status}`);
    times.push(performance.now() - since);
  }
  say('lists of purchases, one after the other', timesOf(times));
}

/** Finds what is due everywhere, and does it at some shops: a round of all of them would take long where everything is new. */
async function tryJob(db: Database, name: JobName, tills: readonly Till[]): Promise<void> {
  const job: Job = jobs[name];
  let since = performance.now();
  const due = await job.due(db);
  const found = seconds(performance.now() - since);
  since = performance.now();
  const visited = tills.slice(0, VISITED);
  for (const { commerceId } of visited) await runJob(db, name, commerceId);
  const each = (performance.now() - since) / visited.length;
  say(`job ${name}`, `${due.length} shops found in ${found}, ${each.toFixed(1)} ms at one`);
}

function timesOf(times: readonly number[]): string {
  return `half within ${median(times).toFixed(1)} ms, 99 % within ${percentile(times, 0.99).toFixed(1)} ms`;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

function say(what: string, figure: string): void {
  console.log(`${what}: ${figure} (load ${loadavg()[0]!.toFixed(1)})`);
}
