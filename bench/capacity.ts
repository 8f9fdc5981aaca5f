/**
 * Measures how much one machine carries, over how many processes and connections: `npm run capacity -w bench` writes the tables of
 * docs/capacity.md. In each round every line gets its load, one after the other, and its figures are divided by those of another line in
 * the same round, because the machine may do other things.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { sql, type Database } from '../server/src/platform/db/database.ts';
import { writeCapacityTables } from './capacity-tables.ts';
import { buyersOf, membersOf, signIn } from './cast.ts';
import { startService } from './child.ts';
import { withDatabase, withServer } from './database.ts';
import { loadMembers, type Loaded } from './load-members.ts';
import * as lua from './lua.ts';
import { bytesPerPurchase, describeMachine, memoryOf, treeOf, watchPostgres } from './machine.ts';
import { inProduction, usual } from './sites.ts';
import { runWrk } from './wrk.ts';
import { requirePrograms } from './programs.ts';

const PAGE = new URL('../docs/capacity.md', import.meta.url);
const MEMBERS = 20_000;
const CALLERS = 64;
const POOL = 10;

const LOADS = ['purchases', 'one member', 'one shop', 'a limited benefit'] as const;

/** One line of a table. */
export interface Setup {
  readonly load: (typeof LOADS)[number];
  readonly processes: number;
  /** Connections to the database that each process may open. */
  readonly pool: number;
  /** In all. */
  readonly callers: number;
}

/** One round of it. */
export interface Measured {
  readonly perSecond: number;
  readonly p99Ms: number;
  readonly callsPerTransaction: number;
  readonly nodeMicros: number;
  readonly postgresMicros: number;
  readonly opened: number;
  readonly memoryMb: number;
  /** Of the process that keeps the others, if there are several. */
  readonly supervisorMb: number | null;
}

const usualSetup: Setup = { load: 'purchases', processes: 1, pool: POOL, callers: CALLERS };

/** Each line but the first of each table differs from it in one thing. */
export const TABLES = {
  callers: [16, 32, 64, 128].map((callers): Setup => ({ ...usualSetup, callers })),
  callersEach: [1, 2, 4].map((processes): Setup => ({
    ...usualSetup,
    processes,
    callers: CALLERS * processes,
  })),
  callersInAll: [1, 2, 4].map((processes): Setup => ({ ...usualSetup, processes })),
  ...Object.fromEntries(
    LOADS.slice(1).map((load) => [
      load,
      [1, 2, 4].map((processes): Setup => ({ ...usualSetup, load, processes })),
    ]),
  ),
  pools: [10, 2, 5, 20, 40].map((pool): Setup => ({ ...usualSetup, pool })),
};

if (import.meta.main) {
  await requirePrograms('wrk');
  const { values } = parseArgs({
    options: { rounds: { type: 'string', default: '5' }, seconds: { type: 'string', default: '4' } },
  });
  const [rounds, seconds] = [Number(values.rounds), Number(values.seconds)];
  await withServer((serverUrl) =>
    withDatabase(serverUrl, 'migrated', async ({ db, url }) => {
      const bench = {
        db,
        url,
        loaded: await loadMembers(db, usual(MEMBERS)),
        secret: randomBytes(32).toString('base64'),
        seconds,
      };
      const measured = new Map<string, Measured[]>();
      for (let round = 0; round < rounds; round++)
        for (const setup of setupsOf(round)) {
          const one = await measure(bench, setup);
          const name = nameOf(setup);
          measured.set(name, [...(measured.get(name) ?? []), one]);
          process.stderr.write(`round ${round + 1}: ${JSON.stringify({ ...setup, ...one })}\n`);
        }
      await sql`vacuum analyze`.execute(db);
      const about = `Measured on ${await describe(db)}; service, PostgreSQL and load generator share them. ${MEMBERS.toLocaleString('en')} members of 50 shops, callers who wait for no one else, ${rounds} rounds of ${seconds} s. Medians; in brackets, the figure divided by that of the first line of its table in the same round.`;
      const tables = writeCapacityTables(TABLES, (setup) => measured.get(nameOf(setup))!);
      const page = readFileSync(PAGE, 'utf8');
      const [head, , tail] = page.split(/<!-- (?:measured|end) -->\n/);
      const text = [about, tables, await describeSizes(db)].join('\n\n');
      writeFileSync(PAGE, `${head}<!-- measured -->\n${text}\n<!-- end -->\n${tail}`);
    }),
  );
}

function nameOf(setup: Setup): string {
  return JSON.stringify(setup);
}

/** Each setup once, although it is a line of several tables; in the opposite order in every second round. */
function setupsOf(round: number): Setup[] {
  const all = [
    ...new Map(
      Object.values(TABLES)
        .flat()
        .map((setup) => [nameOf(setup), setup]),
    ).values(),
  ];
  return round % 2 === 0 ? all : all.toReversed();
}

interface Bench {
  readonly db: Database;
  readonly url: string;
  readonly loaded: Loaded;
  readonly secret: string;
  readonly seconds: number;
}

async function measure(bench: Bench, setup: Setup): Promise<Measured> {
  const { db, url, secret, seconds } = bench;
  const { processes, pool, callers } = setup;
  const service = await startService({
    ...inProduction(url, secret),
    DATABASE_POOL_SIZE: String(pool),
    PROCESSES: String(processes),
  });
  try {
    const script = await scriptOf(bench, setup.load);
    const load = { port: service.port, script, connections: callers };
    await runWrk({ ...load, seconds: 2 });
    const postgres = await watchPostgres(db);
    const look = async () => ({ node: await service.processorSeconds(), postgres: await postgres() });
    const before = await look();
    const { requests, perSecond, p99Ms } = await runWrk({ ...load, seconds });
    const after = await look();
    const pids = await treeOf(service.pid);
    const memory = await Promise.all(pids.map(memoryOf));
    return {
      perSecond,
      p99Ms,
      callsPerTransaction: requests / (after.postgres.transactions - before.postgres.transactions),
      nodeMicros: ((after.node - before.node) * 1e6) / requests,
      postgresMicros: ((after.postgres.seconds! - before.postgres.seconds!) * 1e6) / requests,
      opened: await connectionsOf(db),
      memoryMb: Math.max(...memory) / 1e6,
      supervisorMb: processes === 1 ? null : memory[0]! / 1e6,
    };
  } finally {
    await service.stop();
  }
}

async function scriptOf(site: Bench, load: Setup['load']): Promise<string> {
  const { loaded } = site;
  if (load === 'purchases') return lua.purchases(loaded);
  if (load === 'one member') return lua.purchases(loaded, 8, 8);
  if (load === 'one shop') return lua.purchases(loaded, 1, loaded.shops[0]!.members);
  const buyers = await signIn(site, membersOf(buyersOf(loaded.members)));
  return lua.exchanges(buyers, randomBytes(6).toString('hex'));
}

/** Connections of the service to its database, without this program's own. */
async function connectionsOf(db: Database): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from pg_stat_activity
     where datname = current_database() and client_port is not null and pid <> pg_backend_pid()`.execute(db);
  return rows[0]!.count;
}

/** Bytes of the rows that grow with members, and of those that grow with purchases. */
async function describeSizes(db: Database): Promise<string> {
  const { rows } = await sql<{ bytes: number }>`
    select (sum(pg_total_relation_size(oid)) / (select count(*) from members))::float8 as bytes
      from pg_class
     where oid in ('members'::regclass, 'balances'::regclass, 'users'::regclass, 'member_words'::regclass)`.execute(
    db,
  );
  const member = Math.round(rows[0]!.bytes).toLocaleString('en');
  return `A purchase takes ${await bytesPerPurchase(db)} bytes on disk for good, with its indexes. A member takes ${member} bytes, with the points by day.`;
}

async function describe(db: Database): Promise<string> {
  const { processors, processor, node, postgres } = await describeMachine(db);
  return `${processors} processors (${processor ?? 'unknown'}), Node ${node.slice(1)}, PostgreSQL ${postgres['server_version']!.split(' ')[0]!}`;
}
