/**
 * `npm run purchase -w bench -- [members] [movements] [rounds] [seconds]`: what a purchase costs in Node and in PostgreSQL, and
 * how many a second go through the use case one at a time and in batches, beside pgbench running the same
 * transaction. Everything runs in every round, so that only figures of one round are divided by each other.
 */
import { writeFile } from 'node:fs/promises';
import { openDatabase, sql, transaction, type Database } from '../server/src/db/database.ts';
import { recordPurchases } from '../server/src/purchases/record-purchases.ts';
import { withDatabase } from './database.ts';
import { codeOf, loadMembers, shopOf, type Loaded } from './load-members.ts';
import { describeMachine } from './machine.ts';
import { median } from './median.ts';
import { runPgbench } from './pgbench.ts';
import { AMOUNT, purchaseScript } from './pgbench-scripts.ts';
import { hotShare, writtenLog } from './postgres-figures.ts';
import { processorOf } from './processor.ts';
import { bytesPerPurchase, tableSizes } from './size.ts';

const RESULTS = new URL('./results/purchase.json', import.meta.url);
const PGBENCH = 'pgbench, 16 clients';

/** Purchases are recorded by so many callers at once, each so many in a transaction. */
const LOADS = [
  { name: 'one at a time, 1 connection', callers: 1, batch: 1 },
  { name: 'one at a time, 16 connections', callers: 16, batch: 1 },
  { name: 'one at a time, 32 connections', callers: 32, batch: 1 },
  { name: 'batches of 64, two in flight', callers: 2, batch: 64 },
] as const;

type Load = (typeof LOADS)[number];

/** One load in one round. */
interface Measured {
  readonly load: string;
  readonly perSecond: number;
  /** Processor time of a purchase, in microseconds; null where it cannot be told. */
  readonly nodeMicros: number | null;
  readonly postgresMicros: number | null;
  /** Write-ahead log of a purchase; more of it right after a checkpoint. */
  readonly walBytes: number;
}

/** What PostgreSQL has used since it started: seconds of processor time, and bytes of log. */
interface Used {
  readonly seconds: number | null;
  readonly wal: number;
}

const [members = 100_000, movements = 1_000_000, rounds = 3, seconds = 3] = process.argv.slice(2).map(Number);

await withDatabase(async ({ db, url }) => {
  const loaded = await loadMembers(db, { members, movements, commerces: 50 });
  const bytes = Math.round(bytesPerPurchase(await tableSizes(db)));
  const measured = await runRounds(db, url, loaded);
  await checkBooks(db);

  const summary = summarise(measured);
  console.table(summary);
  const facts = { members, movements, bytesPerPurchase: bytes, hotShare: await hotShare(db) };
  console.log(facts);
  const results = { machine: await describeMachine(db), ...facts, summary, rounds: measured };
  await writeFile(RESULTS, `${JSON.stringify(results, null, 2)}\n`);
});

async function runRounds(db: Database, url: string, loaded: Loaded): Promise<Measured[][]> {
  const script = await purchaseScript(url, loaded);
  const processorSeconds = await processorOf(db);
  const usedByPostgres = async () => ({ seconds: await processorSeconds(), wal: await writtenLog(db) });
  const loads = LOADS.map((load) => ({
    load,
    db: openDatabase({ url, poolSize: load.callers, preparedStatements: true }),
  }));
  // Once unmeasured: connections, prepared statements, compiled code.
  for (const { load, db } of loads) await record(db, loaded, load, 0.5);

  const measured: Measured[][] = [];
  for (let round = 0; round < rounds; round++) {
    const before = await usedByPostgres();
    const perSecond = await runPgbench(script, { url, clients: 16, seconds });
    const used = perPurchase(before, await usedByPostgres(), perSecond * seconds);
    const inRound: Measured[] = [{ load: PGBENCH, perSecond, nodeMicros: null, ...used }];
    for (const { load, db } of loads) inRound.push(await measure(db, loaded, load, usedByPostgres));
    measured.push(inRound);
  }
  for (const { db } of loads) await db.destroy();
  return measured;
}

async function measure(
  db: Database,
  loaded: Loaded,
  load: Load,
  usedByPostgres: () => Promise<Used>,
): Promise<Measured> {
  const before = await usedByPostgres();
  const node = process.cpuUsage();
  const start = performance.now();
  const purchases = await record(db, loaded, load, seconds);
  const took = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(node);
  return {
    load: load.name,
    perSecond: purchases / took,
    nodeMicros: (user + system) / purchases,
    ...perPurchase(before, await usedByPostgres(), purchases),
  };
}

/** Records purchases of random members for so long; gives how many. */
async function record(
  db: Database,
  loaded: Loaded,
  { callers, batch }: Load,
  forSeconds: number,
): Promise<number> {
  const until = performance.now() + forSeconds * 1000;
  let recorded = 0;
  const caller = async () => {
    while (performance.now() < until) {
      const calls = Array.from({ length: batch }, () => randomPurchase(loaded));
      const outcomes = await transaction(db, (tx) => recordPurchases(tx, calls));
      for (const outcome of outcomes) if (!outcome.recorded) throw outcome.problem;
      recorded += batch;
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return recorded;
}

function randomPurchase(loaded: Loaded) {
  const member = 1 + Math.floor(Math.random() * loaded.members);
  return { commerceId: shopOf(loaded, member).commerceId, buyer: { code: codeOf(member) }, amount: AMOUNT };
}

/** What was measured must have happened: every figure and balance is still the sum of the movements. */
async function checkBooks(db: Database): Promise<void> {
  const { rows } = await sql<{ wrong: number }>`
    select count(*) as wrong
      from members m
      join balances b on b.commerce_id = m.commerce_id and b.member_id = m.id
      join (select commerce_id, member_id, sum(points) as points, sum(amount) as amount, count(*) as purchases
              from movements group by 1, 2) as l on l.commerce_id = m.commerce_id and l.member_id = m.id
     where (b.points, m.points_earned, m.amount_spent, m.purchases)
           is distinct from (l.points, l.points, l.amount, l.purchases)`.execute(db);
  if (rows[0]!.wrong > 0) throw new Error(`the books of ${rows[0]!.wrong} members do not agree`);
}

/** Medians over the rounds, and each load's rate divided by pgbench's of the same round. */
function summarise(measured: readonly Measured[][]) {
  return [PGBENCH, ...LOADS.map(({ name }) => name)].map((load) => {
    const mine = measured.map((round) => round.find((one) => one.load === load)!);
    const ratios = mine.map((one, i) => one.perSecond / measured[i]![0]!.perSecond).sort((a, b) => a - b);
    return {
      load,
      perSecond: Math.round(median(mine.map((one) => one.perSecond))!),
      toPgbench: Number(median(ratios)!.toFixed(2)),
      spread: `${ratios[0]!.toFixed(2)} to ${ratios.at(-1)!.toFixed(2)}`,
      nodeMicros: rounded(median(mine.map((one) => one.nodeMicros))),
      postgresMicros: rounded(median(mine.map((one) => one.postgresMicros))),
      walBytes: rounded(median(mine.map((one) => one.walBytes))),
    };
  });
}

function perPurchase(before: Used, after: Used, purchases: number) {
  const known = before.seconds !== null && after.seconds !== null;
  return {
    postgresMicros: known ? ((after.seconds - before.seconds) * 1_000_000) / purchases : null,
    walBytes: (after.wal - before.wal) / purchases,
  };
}

function rounded(value: number | null): number | null {
  return value === null ? null : Math.round(value);
}
