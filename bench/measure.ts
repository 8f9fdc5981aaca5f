import { setTimeout } from 'node:timers/promises';
import { sql, type Database } from '../server/src/platform/db/database.ts';
import type { Child } from './child.ts';
import type { Limit } from './limit.ts';
import type { HttpLoad } from './loads.ts';
import type { Used } from './machine.ts';
import { runPgbench, type Script } from './pgbench.ts';
import { runWrk } from './wrk.ts';

/** One load in one round. A figure that does not apply to the load, or that cannot be read here, is left out. */
export interface Measured {
  readonly perSecond: number;
  readonly p50Ms?: number;
  readonly p99Ms?: number;
  readonly p999Ms?: number;
  /** Processor time of a request, in microseconds. */
  readonly nodeMicros?: number;
  readonly postgresMicros?: number;
  /** Write-ahead log of a request that writes. There is more of it right after a checkpoint. */
  readonly walBytes?: number;
  /** Requests that shared a transaction, on average. */
  readonly batch?: number;
  /** Number of answers of 503. */
  readonly refused?: number;
}

/** Looks at the PostgreSQL server that all loads share. */
export type Postgres = () => Promise<Used>;

/** Sends a load to a process and measures its cost. @throws if an answer is not 2xx or is missing in the books */
export async function measureHttp(
  postgres: Postgres,
  { service, db }: { readonly service: Child; readonly db: Database },
  load: HttpLoad,
  seconds: number,
): Promise<Measured> {
  const { name, connections, script, counted, mayRefuse = false } = load;
  const look = async () => ({ node: await service.processorSeconds(), postgres: await postgres() });
  const booked = await settledCount(db, counted);
  const before = await look();
  const wrkLoad = { port: service.port, script, connections, seconds, mayRefuse };
  const { requests, refused, ...rates } = await runWrk(wrkLoad).catch((error: unknown) => {
    throw new Error(`${name} failed`, { cause: error });
  });
  // wrk hangs up on its last requests; let the service finish them.
  await setTimeout(200);
  const after = await look();
  checkBooked(load, requests, (await settledCount(db, counted)) - booked);
  return {
    ...rates,
    nodeMicros: ((after.node - before.node) * 1e6) / requests,
    ...postgresPer(requests, before.postgres, after.postgres, counted !== undefined),
    ...(counted && { batch: requests / (after.postgres.transactions - before.postgres.transactions) }),
    ...(mayRefuse && { refused }),
  };
}

/** The same for a transaction that pgbench runs one at a time on each of 16 connections. */
export async function measurePgbench(
  postgres: Postgres,
  url: string,
  script: Script,
  seconds: number,
): Promise<Measured> {
  const before = await postgres();
  const perSecond = await runPgbench(script, url, seconds);
  return { perSecond, ...postgresPer(perSecond * seconds, before, await postgres(), true) };
}

/** The same for the least that PostgreSQL can do. Node does the least that it can do in `hello`, so its time is taken from there. */
export async function measureLimit(
  postgres: Postgres,
  limit: Limit,
  hello: Measured,
  seconds: number,
): Promise<Measured> {
  const before = await postgres();
  const answered = await limit(seconds);
  const after = await postgres();
  return {
    perSecond: answered / seconds,
    ...(hello.nodeMicros !== undefined && { nodeMicros: hello.nodeMicros }),
    ...postgresPer(answered, before, after, true),
  };
}

function postgresPer(requests: number, before: Used, after: Used, writes: boolean) {
  return {
    ...(before.seconds !== null &&
      after.seconds !== null && { postgresMicros: ((after.seconds - before.seconds) * 1e6) / requests }),
    ...(writes && { walBytes: (after.wal - before.wal) / requests }),
  };
}

/** Processor time of a request, which is steady on shared machines; time by the clock where it is not known. */
export function costOf({ nodeMicros, postgresMicros, perSecond }: Measured): number {
  return nodeMicros === undefined || postgresMicros === undefined
    ? 1e6 / perSecond
    : nodeMicros + postgresMicros;
}

/** Returns the count in the books once nothing is under way. PostgreSQL may hold up commits for a while. */
export async function settledCount(db: Database, counted: HttpLoad['counted']): Promise<number> {
  if (counted === undefined) return 0;
  let last = await count(db, counted);
  for (let tries = 0; tries < 100; tries++) {
    await setTimeout(100);
    const now = await count(db, counted);
    if (now === last) break;
    last = now;
  }
  return last;
}

async function count(db: Database, counted: 'purchases' | 'exchanges'): Promise<number> {
  const { rows } =
    counted === 'purchases'
      ? await sql<{ n: number }>`select sum(purchases)::bigint as n from members`.execute(db)
      : await sql<{ n: number }>`select count(*) as n from vouchers where source = 'exchange'`.execute(db);
  return rows[0]!.n;
}

/**
 * Each answer must be in the books once, except for repeats of exchanges, a tenth of them. Requests that were under way
 * when wrk hung up may be in the books too.
 */
function checkBooked({ name, connections, counted }: HttpLoad, answers: number, booked: number): void {
  if (counted === undefined) return;
  const least = counted === 'purchases' ? answers : answers * 0.85;
  if (booked < least || booked > answers + connections)
    throw new Error(`${name}: ${answers} were answered and ${booked} are in the books`);
}
