/**
 * How many people who are new to the installation enrol in a second, on a cluster and on one PostgreSQL:
 * `node trials/cluster/enrolments.ts BIN [--seconds N --callers N,N]`. Only the transactions run, without HTTP and signing in. Each creates an account,
 * which all machines of the cluster store. Both take turns, three times.
 */
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { median, percentile } from '../../bench/statistics.ts';
import { enrolMember } from '../../server/src/loyalty/enrolment/enrol-member.ts';
import { openDatabase, transaction } from '../../server/src/platform/db/database.ts';
import { readBinaries } from '../../server/src/platform/db/embedded/binaries.ts';
import { startOwnPostgres, type OwnPostgres } from '../faults/own-postgres.ts';
import { makeWorld, type World } from '../faults/world.ts';
import { startCluster } from './cluster.ts';
import { ticksOfServer } from './ticks.ts';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { seconds: { type: 'string', default: '5' }, callers: { type: 'string', default: '1,8,32' } },
});
const [bin] = positionals;
if (bin === undefined) throw new Error('node trials/cluster/enrolments.ts BIN');
const ROUNDS = 3;

const one = await startOwnPostgres({ binaries: await readBinaries(bin) });
const cluster = await startCluster(bin);
const worlds: World[] = [];
let serial = 0;
try {
  worlds.push(await makeWorld(one.adminUrl, { members: 1 }));
  worlds.push(
    await makeWorld(cluster.coordinator.adminUrl, {
      members: 1,
      create: (name) => cluster.createDatabase(name),
    }),
  );
  const servers = [[one], [cluster.coordinator, ...cluster.workers]];
  for (const callers of values.callers.split(',').map(Number)) {
    const measured: Rate[][] = worlds.map(() => []);
    for (let round = 0; round <= ROUNDS; round++)
      for (const [i, world] of worlds.entries()) {
        const rate = await measure(world, servers[i]!, callers);
        // The first round warms everything up.
        if (round > 0) measured[i]!.push(rate);
      }
    console.log(`${callers} callers, load of the machine ${loadavg()[0]!.toFixed(1)}:`);
    for (const [i, name] of ['one PostgreSQL', 'cluster'].entries()) {
      const of = (read: (rate: Rate) => number) => Math.round(median(measured[i]!.map(read)));
      console.log(
        `  ${name}: ${of((r) => r.perSecond)} a second, half within ${of((r) => r.halfMs)} ms, 99 % within ${of((r) => r.mostMs)} ms; ${of((r) => r.micros)} µs of the servers each; failed ${of((r) => r.failed)}`,
      );
    }
  }
} finally {
  for (const world of worlds) await world.remove();
  await one.remove();
  await cluster.remove();
}

interface Rate {
  readonly perSecond: number;
  readonly halfMs: number;
  readonly mostMs: number;
  /** Processor time of all servers for one enrolment. */
  readonly micros: number;
  readonly failed: number;
}

async function measure(
  { db, tills }: World,
  servers: readonly OwnPostgres[],
  callers: number,
): Promise<Rate> {
  const pool = openDatabase({
    ...db.address,
    preparedStatements: true,
    poolSize: callers,
    statementTimeoutMs: 0,
  });
  const times: number[] = [];
  let failed = 0;
  const stopping = new AbortController();
  const ticks = async () =>
    (await Promise.all(servers.map(ticksOfServer))).reduce((sum, each) => sum + each, 0);
  try {
    const running = Promise.all(Array.from({ length: callers }, work));
    await sleep(1_000);
    const before = { ticks: await ticks(), count: times.length, at: performance.now() };
    await sleep(Number(values.seconds) * 1_000);
    const after = { ticks: await ticks(), count: times.length, at: performance.now() };
    stopping.abort();
    await running;
    const count = after.count - before.count;
    return {
      perSecond: (count * 1_000) / (after.at - before.at),
      halfMs: percentile(times, 0.5),
      mostMs: percentile(times, 0.99),
      micros: ((after.ticks - before.ticks) * 10_000) / count,
      failed,
    };
  } finally {
    stopping.abort();
    await pool.destroy();
  }

  async function work(): Promise<void> {
    while (!stopping.signal.aborted) {
      const number = serial++;
      const { commerceId } = tills[number % tills.length]!;
      const at = performance.now();
      try {
        await transaction(pool, (tx) => enrolMember(tx, commerceId, `newcomer-${number}@example.com`));
        times.push(performance.now() - at);
      } catch {
        failed += 1;
      }
    }
  }
}
