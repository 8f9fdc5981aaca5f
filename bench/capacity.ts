/**
 * Measures how much one machine carries, and how many connections that takes: `npm run capacity -w bench` writes the tables of
 * docs/capacity.md. In each round every configuration gets the same loads, one after the other, and its rate is divided by that of the
 * usual one in the same round, because the machine may do other things.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { sql, type Database } from '../server/src/platform/db/database.ts';
import { startService, type Child } from './child.ts';
import { withDatabase, withServer } from './database.ts';
import { loadMembers } from './load-members.ts';
import * as lua from './lua.ts';
import { bytesPerPurchase, describeMachine, watchPostgres } from './machine.ts';
import { inProduction, usual } from './sites.ts';
import { median } from './statistics.ts';
import { runWrk, type Answered } from './wrk.ts';

const PAGE = new URL('../docs/capacity.md', import.meta.url);
const MEMBERS = 20_000;
const CONNECTIONS = 64;

interface Configuration {
  readonly processes: number;
  readonly pool: number;
}

/** The first is the usual one. */
const CONFIGURATIONS: readonly Configuration[] = [
  { processes: 1, pool: 10 },
  { processes: 1, pool: 2 },
  { processes: 1, pool: 5 },
  { processes: 1, pool: 20 },
  { processes: 1, pool: 40 },
  { processes: 2, pool: 5 },
  { processes: 2, pool: 10 },
];

interface Measured {
  readonly purchases: number;
  readonly purchaseP99Ms: number;
  readonly balances: number;
  readonly opened: number;
  readonly memoryMb: number;
  readonly nodeMicros: number;
  readonly postgresMicros: number;
}

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '3' }, seconds: { type: 'string', default: '4' } },
});
const [rounds, seconds] = [Number(values.rounds), Number(values.seconds)];

await withServer((serverUrl) =>
  withDatabase(serverUrl, 'migrated', async ({ db, url }) => {
    const loaded = await loadMembers(db, usual(MEMBERS));
    const measured = CONFIGURATIONS.map((): Measured[] => []);
    for (let round = 0; round < rounds; round++) {
      for (const [at, configuration] of CONFIGURATIONS.entries()) {
        measured[at]!.push(
          await measure(db, url, configuration, [lua.purchases(loaded), lua.balances(loaded)]),
        );
        process.stderr.write(
          `round ${round + 1}: ${JSON.stringify({ ...configuration, ...measured[at]!.at(-1) })}\n`,
        );
      }
    }
    await sql`vacuum analyze`.execute(db);
    writeTables(measured, await sizesOf(db), await describe(db));
  }),
);

async function measure(
  db: Database,
  url: string,
  { processes, pool }: Configuration,
  [purchases, balances]: [string, string],
): Promise<Measured> {
  const env = { ...inProduction(url, randomBytes(32).toString('base64')), DATABASE_POOL_SIZE: String(pool) };
  const services: Child[] = [];
  try {
    for (let one = 0; one < processes; one++) services.push(await startService(env));
    const postgres = await watchPostgres(db);
    await load(services, purchases, 1);
    const used = async () =>
      (await Promise.all(services.map((service) => service.processorSeconds()))).reduce((a, b) => a + b);
    const before = { node: await used(), postgres: (await postgres()).seconds ?? 0 };
    const bought = await load(services, purchases, seconds);
    const after = { node: await used(), postgres: (await postgres()).seconds ?? 0 };
    const read = await load(services, balances, seconds);
    const memory = await Promise.all(services.map((service) => service.memory()));
    const requests = bought.reduce((sum, { requests }) => sum + requests, 0);
    return {
      purchases: rateOf(bought),
      purchaseP99Ms: Math.max(...bought.map(({ p99Ms }) => p99Ms)),
      balances: rateOf(read),
      opened: await connectionsOf(db),
      memoryMb: Math.max(...memory) / 1e6,
      nodeMicros: ((after.node - before.node) * 1e6) / requests,
      postgresMicros: ((after.postgres - before.postgres) * 1e6) / requests,
    };
  } finally {
    for (const service of services) await service.stop();
  }
}

/** Sends a load to all processes, the same number of connections in all. */
function load(services: readonly Child[], script: string, seconds: number): Promise<Answered[]> {
  const connections = CONNECTIONS / services.length;
  return Promise.all(services.map(({ port }) => runWrk({ port, script, connections, seconds })));
}

function rateOf(answered: readonly Answered[]): number {
  return answered.reduce((sum, { perSecond }) => sum + perSecond, 0);
}

/** Connections of the service to its database, without this program's own. */
async function connectionsOf(db: Database): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from pg_stat_activity
     where datname = current_database() and client_port is not null and pid <> pg_backend_pid()`.execute(db);
  return rows[0]!.count;
}

/** Bytes of the rows that grow with members, and of those that grow with purchases. */
async function sizesOf(db: Database): Promise<{ purchase: number; member: number }> {
  const { rows } = await sql<{ bytes: number }>`
    select (sum(pg_total_relation_size(oid)) / (select count(*) from members))::float8 as bytes
      from pg_class
     where oid in ('members'::regclass, 'balances'::regclass, 'users'::regclass, 'member_words'::regclass)`.execute(
    db,
  );
  return { purchase: await bytesPerPurchase(db), member: Math.round(rows[0]!.bytes) };
}

async function describe(db: Database): Promise<string> {
  const { processors, processor, node, postgres } = await describeMachine(db);
  return `${processors} processors (${processor ?? 'unknown'}), Node ${node.slice(1)}, PostgreSQL ${postgres['server_version']!.split(' ')[0]!}`;
}

function writeTables(
  measured: readonly Measured[][],
  sizes: { purchase: number; member: number },
  machine: string,
): void {
  const of = (at: number, read: (one: Measured) => number) => median(measured[at]!.map(read));
  const ratio = (at: number, read: (one: Measured) => number) =>
    median(measured[at]!.map((one, round) => read(one) / read(measured[0]![round]!)));
  const rows = CONFIGURATIONS.map(({ processes, pool }, at) =>
    [
      processes,
      pool,
      of(at, (one) => one.opened),
      `${of(at, (one) => one.purchases).toFixed(0)} (${ratio(at, (one) => one.purchases).toFixed(2)})`,
      of(at, (one) => one.purchaseP99Ms).toFixed(0),
      `${of(at, (one) => one.balances).toFixed(0)} (${ratio(at, (one) => one.balances).toFixed(2)})`,
      of(at, (one) => one.nodeMicros).toFixed(0),
      of(at, (one) => one.postgresMicros).toFixed(0),
      of(at, (one) => one.memoryMb).toFixed(0),
    ].join(' | '),
  );
  const tables = [
    `Measured on ${machine}; service, PostgreSQL and load generator share them. ${MEMBERS.toLocaleString('en')} members of 50 shops, ${CONNECTIONS} callers who wait for no one else, ${rounds} rounds of ${seconds} s. Medians; in brackets, the rate divided by that of the first line in the same round.`,
    '',
    '| processes | pool | connections opened | purchases a second | p99 ms | balances a second | Node µs a purchase | PostgreSQL µs a purchase | MB a process |',
    '|---|---|---|---|---|---|---|---|---|',
    ...rows.map((row) => `| ${row} |`),
    '',
    `A purchase takes ${sizes.purchase} bytes on disk for good, with its indexes. A member takes ${sizes.member.toLocaleString('en')} bytes, with the points by day.`,
  ].join('\n');
  const page = readFileSync(PAGE, 'utf8');
  const [head, , tail] = page.split(/<!-- (?:measured|end) -->\n/);
  writeFileSync(PAGE, `${head}<!-- measured -->\n${tables}\n<!-- end -->\n${tail}`);
}
