import { setTimeout } from 'node:timers/promises';
import { sql, type Database } from '../server/src/db/database.ts';
import type { Child } from './child.ts';
import type { Counted, HttpLoad } from './loads.ts';
import { runPgbench, type Script } from './pgbench.ts';
import { writingTransactions, writtenLog } from './postgres-figures.ts';
import { runWrk } from './wrk.ts';

/** One load in one round. */
export interface Measured {
  readonly perSecond: number;
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
  readonly p999Ms: number | null;
  /** Processor time of a request, in microseconds; null where it cannot be told. */
  readonly nodeMicros: number | null;
  readonly postgresMicros: number | null;
  /** Write-ahead log of a request that writes; more of it right after a checkpoint. */
  readonly walBytes: number | null;
  /** Requests that shared a transaction, on average. */
  readonly batch: number | null;
}

/** PostgreSQL as all loads see it. */
export interface Watched {
  readonly db: Database;
  readonly processorSeconds: () => Promise<number | null>;
}

/** Sends a load to a process and looks at what it cost. @throws where an answer is no 2xx, or is not in the books */
export async function measureHttp(
  { db, processorSeconds }: Watched,
  child: Child,
  load: HttpLoad,
  seconds: number,
): Promise<Measured> {
  const look = async () => ({
    node: await child.processorSeconds(),
    postgres: await processorSeconds(),
    wal: await writtenLog(db),
    transactions: await writingTransactions(db),
  });
  const booked = await settledCount(db, load.counted);
  const before = await look();
  const answered = await runWrk({
    port: child.port,
    script: load.script,
    connections: load.connections,
    seconds,
  }).catch((error: unknown) => {
    throw new Error(`${load.name} failed`, { cause: error });
  });
  // What was sent last and never answered is done by now.
  await setTimeout(200);
  const after = await look();
  checkCounted(load, answered.requests, (await settledCount(db, load.counted)) - booked);
  const { requests, ...rates } = answered;
  const per = (used: number) => (used * 1_000_000) / requests;
  return {
    ...rates,
    nodeMicros: per(after.node - before.node),
    postgresMicros:
      before.postgres === null || after.postgres === null ? null : per(after.postgres - before.postgres),
    walBytes: load.counted === null ? null : (after.wal - before.wal) / requests,
    batch: load.counted === null ? null : requests / (after.transactions - before.transactions),
  };
}

/** The same without the service: one transaction at a time on each of 16 connections. */
export async function measurePgbench(
  { db, processorSeconds }: Watched,
  url: string,
  script: Script,
  seconds: number,
): Promise<Measured> {
  const before = { postgres: await processorSeconds(), wal: await writtenLog(db) };
  const perSecond = await runPgbench(script, { url, clients: 16, seconds });
  const after = { postgres: await processorSeconds(), wal: await writtenLog(db) };
  const requests = perSecond * seconds;
  return {
    perSecond,
    p50Ms: null,
    p99Ms: null,
    p999Ms: null,
    nodeMicros: null,
    postgresMicros:
      before.postgres === null || after.postgres === null
        ? null
        : ((after.postgres - before.postgres) * 1_000_000) / requests,
    walBytes: (after.wal - before.wal) / requests,
    batch: null,
  };
}

/** Processor time of a request; time by the clock where that is not known. On shared machines it is the steadier one. */
export function costOf({ nodeMicros, postgresMicros, perSecond }: Measured): number {
  return nodeMicros === null || postgresMicros === null ? 1_000_000 / perSecond : nodeMicros + postgresMicros;
}

/** What stands in the books once nothing is under way: PostgreSQL may hold commits up for longer than a moment. */
export async function settledCount(db: Database, counted: Counted): Promise<number> {
  if (counted === null) return 0;
  let last = await count(db, counted);
  for (let tries = 0; tries < 100; tries++) {
    await setTimeout(100);
    const now = await count(db, counted);
    if (now === last) break;
    last = now;
  }
  return last;
}

async function count(db: Database, counted: NonNullable<Counted>): Promise<number> {
  const { rows } =
    counted === 'purchases'
      ? await sql<{ n: number }>`select sum(purchases)::bigint as n from members`.execute(db)
      : await sql<{ n: number }>`select count(*) as n from vouchers where source = 'exchange'`.execute(db);
  return rows[0]!.n;
}

/**
 * Each answer stands in the books once, but for repeats of exchanges, a tenth at most; what was under way when wrk
 * hung up may stand there too.
 */
function checkCounted({ name, connections, counted }: HttpLoad, answers: number, made: number): void {
  if (counted === null) return;
  const least = counted === 'purchases' ? answers : answers * 0.85;
  const most = answers + connections;
  if (made < least || made > most)
    throw new Error(`${name}: ${answers} were answered and ${made} are in the books`);
}
