/**
 * What partitions of the movements cost and how long writes wait for them: `npm run partitions -w trials -- [--rows N --parts N --pairs N]`. First
 * puts a table of so many rows (0 leaves this out) into partitions and back under load, and compares every acknowledged purchase with the database. Then loads
 * one database with partitions and one without in turns, and prints the processor time of a purchase.
 */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { loadMembers } from '../../bench/load-members.ts';
import { median } from '../../bench/statistics.ts';
import { readBinaries } from '../../server/src/platform/db/embedded/binaries.ts';
import { startLoad } from '../faults/journalled-load.ts';
import { startOwnPostgres, type OwnPostgres } from '../faults/own-postgres.ts';
import { makeWorld, SECRET, type Service, type World } from '../faults/world.ts';

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '2000000' },
    parts: { type: 'string', default: '16' },
    pairs: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
    callers: { type: 'string', default: '16' },
    bin: { type: 'string' },
  },
});
const LOYALTY = fileURLToPath(new URL('../../server/src/cli/loyalty.js', import.meta.url));
const rows = Number(values.rows);
const workers = Number(values.callers);

const binaries = values.bin === undefined ? {} : { binaries: await readBinaries(values.bin) };
if (rows > 0) await onServer([], changeUnderLoad);
// What the server does by itself would be counted, too.
await onServer(['autovacuum = off'], compareCosts);

/** The worlds on one server, which is removed with them. */
interface Server {
  readonly postgres: OwnPostgres;
  readonly make: (members: number, movements: number) => Promise<World>;
}

async function onServer(settings: readonly string[], work: (server: Server) => Promise<void>): Promise<void> {
  const postgres = await startOwnPostgres({ ...binaries, settings });
  const worlds: World[] = [];
  try {
    await work({
      postgres,
      async make(members, movements) {
        const world = await makeWorld(postgres.adminUrl, {
          members: 60,
          prepare: (db) => loadMembers(db, { members, movements, commerces: 50 }),
        });
        worlds.push(world);
        return world;
      },
    });
  } finally {
    for (const world of worlds) await world.remove();
    await postgres.remove();
  }
}

async function changeUnderLoad({ make }: Server): Promise<void> {
  const world = await make(Math.ceil(rows / 20), rows);
  const { base } = await world.startService();
  const load = world.attach(startLoad({ bases: [base], tills: world.tills, workers }));
  await sleep(3_000);
  for (const parts of [values.parts, '1']) {
    const first = load.calls.length;
    const since = performance.now();
    const told = await partition(world, parts);
    const calls = load.calls.slice(first);
    const longest = Math.max(...calls.map(({ ms }) => ms));
    console.log(
      `${rows} rows to ${parts}: ${((performance.now() - since) / 1000).toFixed(1)} s, writes waited for ${told.writes_waited_seconds.toFixed(2)} s; ${calls.length} calls, ${
        calls.filter(({ status }) => status !== 201).length
      } failed, the longest took ${(longest / 1000).toFixed(2)} s, half of them ${Math.round(median(calls.map(({ ms }) => ms)))} ms`,
    );
  }
  await sleep(1_000);
  await load.stop();
  console.log(JSON.stringify(await load.check(world.db)));
}

async function partition(world: World, parts: string): Promise<{ writes_waited_seconds: number }> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [LOYALTY, 'partition', '--parts', parts, '--json'],
    {
      env: { PATH: process.env['PATH'], ENV_FILE: 'off', DATABASE_URL: world.url.href, SECRET_KEY: SECRET },
    },
  );
  return JSON.parse(stdout) as { writes_waited_seconds: number };
}

async function compareCosts({ postgres, make }: Server): Promise<void> {
  const [plain, parted] = [await make(10_000, 100_000), await make(10_000, 100_000)];
  await partition(parted, values.parts);
  const targets = [
    { name: 'one table', world: plain, service: await plain.startService() },
    { name: `${values.parts} partitions`, world: parted, service: await parted.startService() },
  ];
  const costs = new Map<string, Cost[]>(targets.map(({ name }) => [name, []]));
  let amount = 1;
  for (let round = 0; round <= Number(values.pairs); round++)
    for (const { name, world, service } of targets) {
      const cost = await measure(postgres, world, service, amount);
      amount += 1_000_000;
      // The first round warms everything up.
      if (round > 0) costs.get(name)!.push(cost);
    }
  for (const [name, of] of costs)
    console.log(
      `${name}: µs a purchase: service ${Math.round(median(of.map((c) => c.service)))}, PostgreSQL ${Math.round(median(of.map((c) => c.server)))} (${of.map((c) => Math.round(c.server)).join(', ')}); ${Math.round(median(of.map((c) => c.perSecond)))} a second`,
    );
}

interface Cost {
  readonly perSecond: number;
  readonly service: number;
  readonly server: number;
}

async function measure(
  postgres: OwnPostgres,
  world: World,
  service: Service,
  firstAmount: number,
): Promise<Cost> {
  const load = world.attach(startLoad({ bases: [service.base], tills: world.tills, workers, firstAmount }));
  await sleep(1_000);
  const read = async () => ({
    calls: load.calls.filter(({ status }) => status === 201).length,
    at: performance.now(),
    service: ticksOf(service.child.pid!),
    server: await ticksOfServer(postgres),
  });
  const before = await read();
  await sleep(Number(values.seconds) * 1_000);
  const after = await read();
  await load.stop();
  const calls = after.calls - before.calls;
  const micros = (of: 'service' | 'server') => ((after[of] - before[of]) * 10_000) / calls;
  return {
    perSecond: (calls * 1_000) / (after.at - before.at),
    service: micros('service'),
    server: micros('server'),
  };
}

/** Hundredths of a second of the server, with those of processes that have ended. */
async function ticksOfServer(postgres: OwnPostgres): Promise<number> {
  const [postmaster, ...children] = await postgres.processes();
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
