import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Books, Call, Load } from './journalled-load.ts';

/** The longest wait for a step. It only ends what hangs: on a busy machine anything can take seconds. */
export const PATIENCE_MS = 60_000;

/** The result of one run of a fault. */
export interface Outcome {
  readonly fault: string;
  readonly calls: number;
  /** Number of calls by status. 0 means that no response came. */
  readonly statuses: Readonly<Record<number, number>>;
  readonly longestMs: number;
  /** From the end of each fault to the first acknowledgement, or until the process was ready again. */
  readonly recoveriesMs: readonly number[];
  readonly books: Books;
  /** Other things that were done or counted, by their names in the table. */
  readonly figures: Readonly<Record<string, number>>;
  /** Promises that were not kept, one sentence each. */
  readonly failed: readonly string[];
  /** Steps that took longer than they should. On a machine that is busy with other things, that says nothing about the service. */
  readonly late: readonly string[];
  /** Lines of a log about it. They stay in the file of the piece. */
  readonly details?: readonly string[];
}

export interface Bounds {
  readonly longestMs?: number;
  readonly firstAcknowledgedMs?: number;
  /** Statuses that calls may have. */
  readonly statuses?: readonly number[];
}

/** The measurements of a fault itself. */
export interface Measured {
  /** Calls that were made besides those of the load. */
  readonly calls?: number;
  readonly recoveriesMs?: readonly number[];
  readonly figures?: Readonly<Record<string, number>>;
  readonly details?: readonly string[];
}

/** Stops the load, compares everything with the bounds and the books, and returns the outcome. */
export async function concludeFault(
  fault: string,
  load: Load,
  db: Parameters<Load['check']>[0],
  endedAt: number | readonly number[],
  { longestMs = 5_000, firstAcknowledgedMs = 3_000, statuses = [201, 503] }: Bounds,
  others: readonly (string | null)[] = [],
  { calls = 0, recoveriesMs, figures = {}, details = [] }: Measured = {},
): Promise<Outcome> {
  await load.stop();
  const books = await load.check(db);
  const byStatus: Record<number, number> = {};
  let longest = 0;
  for (const { status, ms } of load.calls) {
    byStatus[status] = (byStatus[status] ?? 0) + 1;
    longest = Math.max(longest, ms);
  }
  const recoveries: readonly (number | null)[] =
    recoveriesMs ?? [endedAt].flat().map((at) => findFirstAcknowledged(load.calls, at));
  const slowest = recoveries.reduce<number>((most, ms) => Math.max(most, ms ?? 0), 0);
  const late = [
    longest > longestMs && `a call waited ${Math.round(longest)} ms`,
    slowest > firstAcknowledgedMs && `the longest recovery took ${Math.round(slowest)} ms`,
  ].filter((sentence) => typeof sentence === 'string');
  const failed = [
    recoveries.includes(null) && 'nothing was acknowledged after the fault',
    ...Object.entries(byStatus).map(
      ([status, count]) => !statuses.includes(Number(status)) && `${count} calls got ${status}`,
    ),
    books.refusedButStored > 0 &&
      `${books.refusedButStored} purchases are stored although their callers were told to repeat the call`,
    books.lost > 0 && `${books.lost} acknowledged writes are lost`,
    books.doubled > 0 && `${books.doubled} writes are stored twice`,
    books.differences > 0 && `the books have ${books.differences} differences`,
    books.overdrafts > 0 && `${books.overdrafts} exchanges left fewer than 0 points`,
    books.overLimit > 0 && `${books.overLimit} benefits were sold past their limit`,
    books.burnedTwice > 0 && `${books.burnedTwice} codes were burned twice`,
    ...books.wrong,
    ...others,
  ].filter((sentence) => typeof sentence === 'string');
  return {
    fault,
    calls: load.calls.length + calls,
    statuses: byStatus,
    longestMs: Math.round(longest),
    recoveriesMs: recoveries.flatMap((ms) => (ms === null ? [] : [Math.round(ms)])),
    books,
    figures,
    failed,
    late,
    ...(details.length > 0 && { details }),
  };
}

/** Adds what another load of the same fault has shown. Both loads note their own writes; the rest of the books is everybody's. */
export function addOutcome(outcome: Outcome, other: Outcome): Outcome {
  const statuses: Record<number, number> = { ...outcome.statuses };
  for (const [status, count] of Object.entries(other.statuses))
    statuses[Number(status)] = (statuses[Number(status)] ?? 0) + count;
  const own = ['acknowledged', 'lost', 'refusedButStored', 'unknown', 'settled'] as const;
  const books = Object.fromEntries(own.map((name) => [name, outcome.books[name] + other.books[name]]));
  return {
    ...outcome,
    calls: outcome.calls + other.calls,
    statuses,
    books: { ...outcome.books, ...books },
    failed: [...outcome.failed, ...other.failed.map((sentence) => `${other.fault}: ${sentence}`)],
    late: [...outcome.late, ...other.late.map((sentence) => `${other.fault}: ${sentence}`)],
  };
}

/** For tests, in which what is late has failed, too. */
export function assertHolds({ failed, late }: Outcome): void {
  assert.deepEqual([...failed, ...late], []);
}

/** The outcome of a fault that needs no purchases beside it. */
export function withoutLoad(
  fault: string,
  failed: readonly string[],
  figures: Readonly<Record<string, number>>,
): Outcome {
  const books = {
    acknowledged: 0,
    lost: 0,
    doubled: 0,
    refusedButStored: 0,
    unknown: 0,
    settled: 0,
    differences: 0,
    overdrafts: 0,
    overLimit: 0,
    burnedTwice: 0,
    wrong: [],
  };
  return { fault, calls: 0, statuses: {}, longestMs: 0, recoveriesMs: [], books, figures, failed, late: [] };
}

function findFirstAcknowledged(calls: readonly Call[], endedAt: number): number | null {
  const after = calls
    .filter(({ status, startedAt, ms }) => status === 201 && startedAt + ms > endedAt)
    .map(({ startedAt, ms }) => startedAt + ms - endedAt);
  return after.length === 0 ? null : Math.min(...after);
}

/** Waits until the load has so many acknowledgements, so that the fault begins in the middle of it. */
export async function waitForAcknowledgements(load: Load, count: number): Promise<void> {
  const until = performance.now() + PATIENCE_MS;
  while (load.calls.filter(({ status }) => status === 201).length < count) {
    if (performance.now() > until) throw new Error('the service acknowledges nothing');
    await sleep(10);
  }
}

/** Waits until this is true, or patience ends. What was waited for is judged by whoever waited. */
export async function waitUntil(isTrue: () => boolean): Promise<void> {
  const until = performance.now() + PATIENCE_MS;
  while (!isTrue() && performance.now() < until) await sleep(25);
}

/** Waits for an acknowledgement after the fault, and a second longer, so that late failures are seen too. */
export async function sleepUntilAcknowledged(load: Load, endedAt: number): Promise<void> {
  await waitUntil(() => findFirstAcknowledged(load.calls, endedAt) !== null);
  await sleep(1_000);
}

/** Asks `/readyz` until it answers this status. Returns false if it never does. */
export async function becomesReady(base: string, status: 200 | 503): Promise<boolean> {
  const until = performance.now() + PATIENCE_MS;
  while (performance.now() < until) {
    const answer = await fetch(`${base}/readyz`, { signal: AbortSignal.timeout(5_000) }).catch(() => null);
    if (answer?.status === status) return true;
    await sleep(50);
  }
  return false;
}
