/**
 * `npm run job-cost -w bench [-- reports seal verify]`: what the jobs that follow the ledger cost purchases. Measures all of them
 * or those that are named. Writes docs/job-cost.md.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import type { Database } from '../server/src/platform/db/database.ts';
import { followChecks } from '../server/src/operations/jobs/follow-checks.ts';
import { followLedger } from '../server/src/insight/reports/follow-ledger.ts';
import { sealLedger } from '../server/src/insight/seals/seal-ledger.ts';
import { withDatabase, withServer } from './database.ts';
import * as lua from './lua.ts';
import { describeMachine, watchPostgres, type Machine } from './machine.ts';
import { costOf, measureHttp } from './measure.ts';
import { usual, withSites } from './sites.ts';
import { median } from './statistics.ts';

const { values: asked, positionals: parts } = parseArgs({
  options: { bought: { type: 'string', default: '20000' } },
  allowPositionals: true,
});

const FILE = new URL('./results/job-cost.json', import.meta.url);
const PAGE = new URL('../docs/job-cost.md', import.meta.url);

/** A turn without the job, and then one in which the job does what the first one left. The first pair warms up. */
const TURNS = { count: 12, seconds: 5 };

const JOBS = {
  reports: { does: 'counts', run: followLedger },
  seal: { does: 'seals', run: sealLedger },
  verify: { does: 'checks', run: followChecks },
} satisfies Record<string, { does: string; run: (db: Database, commerceId: number) => Promise<unknown> }>;
type JobName = keyof typeof JOBS;

interface Turn {
  readonly perSecond: number;
  readonly micros: number;
}

interface Cost {
  readonly with: Turn;
  readonly without: Turn;
  readonly ratio: number;
  readonly ratios: readonly number[];
}

interface Measured {
  readonly machine?: Machine;
  readonly jobs?: Partial<Record<JobName, Cost>>;
}

await withServer(async (serverUrl) => {
  const machine = await withDatabase(serverUrl, 'empty', ({ db }) => describeMachine(db));
  for (const name of Object.keys(JOBS) as JobName[])
    if (parts.length === 0 || parts.includes(name))
      await write({ machine, jobs: { [name]: await measurePurchases(serverUrl, name) } });
});

async function measurePurchases(serverUrl: string, name: JobName): Promise<Cost> {
  return withSites(serverUrl, [usual(Number(asked.bought))], async ([site]) => {
    const { db, loaded } = site!;
    const postgres = await watchPostgres(db);
    const work = async () => {
      for (const { commerceId } of loaded.shops) await JOBS[name].run(db, commerceId);
    };
    const buy = async (): Promise<Turn> => {
      const script = lua.purchases(loaded);
      const load = { name: 'purchase', connections: 32, script, counted: 'purchases' } as const;
      const measured = await measureHttp(postgres, site!, load, TURNS.seconds);
      return { perSecond: measured.perSecond, micros: costOf(measured) };
    };
    const turns = { with: [] as Turn[], without: [] as Turn[] };
    for (let turn = 0; turn <= TURNS.count; turn++) {
      await work();
      const without = await buy();
      const [beside] = await Promise.all([buy(), work()]);
      if (turn === 0) continue;
      turns.without.push(without);
      turns.with.push(beside);
      process.stderr.write(`${name}: ${(beside.perSecond / without.perSecond).toFixed(3)}\n`);
    }
    const middle = (of: readonly Turn[]): Turn => ({
      perSecond: median(of.map(({ perSecond }) => perSecond)),
      micros: median(of.map(({ micros }) => micros)),
    });
    const ratios = turns.with.map(({ perSecond }, i) => perSecond / turns.without[i]!.perSecond);
    return { with: middle(turns.with), without: middle(turns.without), ratio: median(ratios), ratios };
  });
}

/** Keeps what was measured before, and writes the page. */
async function write({ machine, jobs }: Required<Measured>): Promise<void> {
  const before = JSON.parse(await readFile(FILE, 'utf8').catch(() => '{}')) as Measured;
  const results = { machine, jobs: { ...before.jobs, ...jobs } };
  await writeFile(FILE, `${JSON.stringify(results, null, 2)}\n`);
  await writeFile(PAGE, pageOf(results));
}

function pageOf({ machine, jobs }: Required<Measured>): string {
  const many = (n: number) => Math.round(n).toLocaleString('en-US');
  const rows = (Object.keys(JOBS) as JobName[]).flatMap((name) => {
    const cost = jobs[name];
    if (cost === undefined) return [];
    const { with: beside, without, ratio, ratios } = cost;
    const sorted = ratios.toSorted((a, b) => a - b);
    const range = `${sorted[0]!.toFixed(2)} to ${sorted.at(-1)!.toFixed(2)}`;
    return [
      `| \`${name}\` | ${many(without.perSecond)} | ${many(beside.perSecond)} | ${ratio.toFixed(3)} | ${range} |`,
    ];
  });
  return `${[
    '# What the jobs cost purchases',
    '',
    `Written by \`npm run job-cost -w bench\` on ${machine.processors} processors (${machine.processor}), Node ${machine.node},`,
    `PostgreSQL ${machine.postgres['server_version']}.`,
    '',
    `Purchases at 32 connections and 50 commerces, in ${TURNS.count} pairs of turns of ${TURNS.seconds} seconds each: one without the job, and one in which`,
    'the job follows the movements that the turn before has left. So a job does all its work here, at the highest rate of purchases,',
    'while it shares the processors with the service, the database and the load. The ratio is the median of the pairs.',
    '',
    '| job | purchases a second without it | with it | ratio | pairs |',
    '|---|---|---|---|---|',
    ...rows,
  ].join('\n')}\n`;
}
