/**
 * `npm run reports-speed -w bench [-- --members N]`: how long the reports of a year take at a commerce with a million
 * movements, and how fast the job counts them. Writes docs/reports-speed.md.
 */
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { readCommerce, type Commerce } from '../server/src/loyalty/commerces/commerce.ts';
import { openDatabase, sql, transaction, type Database } from '../server/src/platform/db/database.ts';
import { readBenefitsReport } from '../server/src/insight/reports/benefits-report.ts';
import { followLedger, forgetFigures } from '../server/src/insight/reports/follow-ledger.ts';
import { readLevelsReport } from '../server/src/insight/reports/levels-report.ts';
import { readLiabilityReport } from '../server/src/insight/reports/liability-report.ts';
import { listMovements } from '../server/src/insight/reports/list-movements.ts';
import { readMembersReport } from '../server/src/insight/reports/members-report.ts';
import { readOverview } from '../server/src/insight/reports/overview.ts';
import { readPointsReport } from '../server/src/insight/reports/points-report.ts';
import { readPurchasesReport } from '../server/src/insight/reports/purchases-report.ts';
import { resolveRange, STEPS, type ReportRange } from '../server/src/insight/reports/report-range.ts';
import { addDays } from '../server/src/base/calendar/calendar.ts';
import { withDatabase, withServer } from './database.ts';
import { loadMembers } from './load-members.ts';
import { describeMachine, type Machine } from './machine.ts';
import { median } from './statistics.ts';

const { values: asked } = parseArgs({ options: { members: { type: 'string', default: '100000' } } });

const FILE = new URL('./results/reports.json', import.meta.url);
const PAGE = new URL('../docs/reports-speed.md', import.meta.url);

/** How often each report is read. */
const TIMES = 5;
/** Purchases that the job has not counted: more than come in five minutes. */
const TAIL = 20_000;

interface Took {
  readonly name: string;
  readonly p50Ms: number;
  readonly mostMs: number;
}

interface Measured {
  readonly machine: Machine;
  readonly reports: {
    readonly members: number;
    readonly movements: number;
    readonly countedMs: number;
    readonly rows: number;
    readonly counted: readonly Took[];
    readonly withTail: readonly Took[];
    readonly uncounted: readonly Took[];
  };
}

await withServer(async (serverUrl) => {
  const machine = await withDatabase(serverUrl, 'empty', ({ db }) => describeMachine(db));
  const reports = await withDatabase(serverUrl, 'migrated', ({ db, url }) => measureReports(db, url));
  await writeFile(FILE, `${JSON.stringify({ machine, reports }, null, 2)}\n`);
  await writeFile(PAGE, pageOf({ machine, reports }));
});

async function measureReports(loading: Database, url: string) {
  const members = Number(asked.members);
  const { shops } = await loadMembers(loading, {
    members,
    movements: 10 * members,
    commerces: 1,
    named: true,
  });
  const { commerceId } = shops[0]!;
  await liven(loading, commerceId);
  // A report that counts a million movements by itself takes longer than a call of the service may.
  const db = openDatabase({ url, poolSize: 2, preparedStatements: true, statementTimeoutMs: 60_000 });
  try {
    const { rows } = await sql<{ movements: number; tail: number }>`
      select count(*) as movements, max(id) - ${TAIL}::bigint as tail from movements`.execute(loading);
    const { movements, tail } = rows[0]!;
    say(`${movements} movements are loaded.`);
    const uncounted = await timeReports(db, commerceId, ['month'], 1);
    const start = performance.now();
    await followLedger(db, commerceId);
    const countedMs = performance.now() - start;
    await sql`vacuum (analyze) report_days, report_active`.execute(loading);
    const counted = await timeReports(db, commerceId, STEPS, TIMES);
    const { rows: kept } = await sql<{ rows: number }>`
      select (select count(*) from report_days) + (select count(*) from report_active) as rows`.execute(
      loading,
    );
    await transaction(loading, (tx) => forgetFigures(tx, commerceId));
    await countUpTo(loading, commerceId, tail);
    const withTail = await timeReports(db, commerceId, ['day'], TIMES);
    return { members, movements, countedMs, rows: kept[0]!.rows, counted, withTail, uncounted };
  } finally {
    await db.destroy();
  }
}

/** Members join, points end and codes are issued and used over the year. The books need not agree for this. */
async function liven(db: Database, commerceId: number): Promise<void> {
  await sql`
    update members set enrolled_at = now() - interval '1 minute' * (id * 7919 % 700000) where commerce_id = ${commerceId}`.execute(
    db,
  );
  await sql`
    update balances set expires_on = current_date + (member_id % 400)::int where commerce_id = ${commerceId} and member_id % 3 > 0`.execute(
    db,
  );
  await sql`
    insert into vouchers (commerce_id, code, member_id, benefit_id, benefit, source, cost, issued_at, used_at)
    select v.commerce_id, 50000000000000 + n * 10000000 + v.member_id, v.member_id, 'benefit-' || n, v.benefit, 'exchange', 100,
           now() - interval '1 minute' * (v.member_id * n * 31 % 500000),
           case when v.member_id % 2 = 0 then now() - interval '1 minute' * (v.member_id * 17 % 400000) end
      from vouchers v
     cross join generate_series(1, 9) as n
     where v.commerce_id = ${commerceId}`.execute(db);
  await sql`vacuum (analyze) members, balances, vouchers`.execute(db);
}

/** Counts all but the last movements, as a job does that is late. */
async function countUpTo(db: Database, commerceId: number, last: number): Promise<void> {
  const stop = new AbortController();
  await followLedger(db, commerceId, {
    signal: stop.signal,
    onBatch: (to) => void (to >= last && stop.abort()),
  });
}

async function timeReports(
  db: Database,
  commerceId: number,
  steps: readonly ReportRange['by'][],
  times: number,
): Promise<Took[]> {
  const commerce = (await readCommerce(db, commerceId))!;
  const year = { from: addDays(commerce.today, -364), to: commerce.today };
  const took: Took[] = [];
  const time = async (name: string, ask: (commerce: Commerce) => Promise<unknown>) => {
    const ms: number[] = [];
    for (let n = 0; n < times; n++) {
      const start = performance.now();
      await ask(commerce);
      ms.push(performance.now() - start);
    }
    took.push({ name, p50Ms: median(ms), mostMs: Math.max(...ms) });
    say(`${name}: ${Math.round(median(ms))} ms`);
  };
  const reports = {
    points: readPointsReport,
    members: readMembersReport,
    purchases: readPurchasesReport,
    liability: readLiabilityReport,
    benefits: readBenefitsReport,
    levels: readLevelsReport,
  };
  for (const by of steps)
    for (const [name, read] of Object.entries(reports))
      await time(`${name}, a year by ${by}`, (commerce) =>
        read(db, commerce, resolveRange({ ...year, by }, commerce.today)),
      );
  await time('overview', (commerce) => readOverview(db, commerce));
  await time('the movements that a year earned, first page', (commerce) =>
    listMovements(db, commerce, { figure: 'earned', ...year }, null),
  );
  return took;
}

function pageOf({ machine, reports }: Measured): string {
  const table = (rows: readonly Took[]) => [
    '| | p50 | most |',
    '|---|---|---|',
    ...rows.map(({ name, p50Ms, mostMs }) => `| ${name} | ${Math.round(p50Ms)} | ${Math.round(mostMs)} |`),
  ];
  const many = (n: number) => Math.round(n).toLocaleString('en-US');
  return `${[
    '# How fast the reports are',
    '',
    `Written by \`npm run reports-speed -w bench\` on ${machine.processors} processors (${machine.processor}), Node ${machine.node},`,
    `PostgreSQL ${machine.postgres['server_version']}. The times are those of the use case`,
    'with all its statements, without HTTP, in milliseconds. [How the figures are kept](reports.md#how-the-figures-are-kept).',
    '',
    `One commerce with ${many(reports.members)} members and ${many(reports.movements)} movements in the last year. Every report is for that year`,
    'and the one before it.',
    '',
    ...table(reports.counted),
    '',
    `The job counted all of them in ${many(reports.countedMs / 1_000)} s. It keeps ${many(reports.rows)} rows.`,
    '',
    `With ${many(TAIL)} movements or more that are not counted yet:`,
    '',
    ...table(reports.withTail),
    '',
    'Before the job has ever run, so that each report counts the whole ledger by itself:',
    '',
    ...table(reports.uncounted),
    '',
    'What the job costs purchases is on [a page with the other jobs](job-cost.md).',
  ].join('\n')}\n`;
}

function say(sentence: string): void {
  process.stderr.write(`${sentence}\n`);
}
