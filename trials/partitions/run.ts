/**
 * What partitions of the movements cost and how long writes wait for them: `npm run partitions -w trials -- [--rows N --parts N --pairs N]`. First
 * puts a table of so many rows (0 leaves this out) into partitions and back under load, and compares every acknowledged purchase with the database. Then records
 * purchases in one database with partitions and one without in turns, and prints the processor time of one.
 */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { loadMembers } from '../../bench/load-members.ts';
import { median } from '../../bench/statistics.ts';
import { readBinaries } from '../../server/src/platform/db/embedded/binaries.ts';
import { openDatabase, sql, transaction, type Database } from '../../server/src/platform/db/database.ts';
import { NOWHERE } from '../../server/src/loyalty/points/purchase-facts.ts';
import { recordPurchases } from '../../server/src/loyalty/purchases/record-purchases.ts';
import { startLoad } from '../faults/journalled-load.ts';
import { startOwnPostgres } from '../faults/own-postgres.ts';
import { makeWorld, SECRET, type Till, type World } from '../faults/world.ts';

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

/** Makes worlds on one server, which is removed with them. */
interface Server {
  readonly make: (members: number, movements: number) => Promise<World>;
}

async function onServer(settings: readonly string[], work: (server: Server) => Promise<void>): Promise<void> {
  const postgres = await startOwnPostgres({ ...binaries, settings });
  const worlds: World[] = [];
  try {
    await work({
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

/**
 * One connection records purchases one by one, as a till does when nothing else happens, so each is a transaction of its own. Only the
 * processor time of its process of the server counts, because other work on the machine does not add to it.
 */
async function compareCosts({ make }: Server): Promise<void> {
  const [plain, parted] = [await make(2_000, 20_000), await make(2_000, 20_000)];
  await partition(parted, values.parts);
  const targets = [
    { name: 'one table', world: plain },
    { name: `${values.parts} partitions`, world: parted },
  ].map(({ name, world }) => ({
    name,
    till: world.tills[0]!,
    costs: [] as number[],
    db: openDatabase({
      url: world.url.href,
      poolSize: 1,
      preparedStatements: true,
      statementTimeoutMs: 60_000,
    }),
  }));
  for (let round = 0; round <= Number(values.pairs); round++)
    for (const { till, db, costs } of targets) {
      const cost = await measure(db, till);
      // The first round warms everything up.
      if (round > 0) costs.push(cost);
    }
  for (const { name, costs, db } of targets) {
    await db.destroy();
    console.log(
      `${name}: µs of PostgreSQL a purchase: ${Math.round(median(costs))} (${costs.map(Math.round).join(', ')})`,
    );
  }
}

/** Returns the microseconds of a processor that the server needs for a purchase. */
async function measure(db: Database, { commerceId, codes }: Till): Promise<number> {
  const { rows: processes } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db);
  const { pid } = processes[0]!;
  const until = performance.now() + Number(values.seconds) * 1_000;
  const before = ticksOf(pid);
  let purchases = 0;
  for (; performance.now() < until; purchases++) {
    const buyer = { code: codes[purchases % codes.length]! };
    await transaction(db, (tx) => recordPurchases(tx, [{ commerceId, buyer, amount: 120, ...NOWHERE }]));
  }
  return ((ticksOf(pid) - before) * 10_000) / purchases;
}

/** Hundredths of a second. */
function ticksOf(pid: number): number {
  const fields = /\) (.*)/s
    .exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))![1]!
    .split(' ')
    .map(Number);
  return fields[11]! + fields[12]!;
}
