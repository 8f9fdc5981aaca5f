import { Worker } from 'node:worker_threads';
import { sql, type DatabaseAddress, type Tx } from '#db/database.ts';
import type { Orders, Told } from './verify-thread.ts';
import { verifyPart, type Part, type VerifiedPart } from './verify-part.ts';

/** Verifies parts. Those that come while every lane is busy wait for their turn. */
export interface Lanes {
  verify(part: Part): Promise<VerifiedPart>;
  close(): Promise<void>;
}

type OnMovements = (movements: number) => void;

/** Opens one lane, which uses the transaction itself. A signal ends it before its next part. */
export function openLane(tx: Tx, onMovements: OnMovements, signal?: AbortSignal): Lanes {
  return takeTurns([
    {
      async verify(part) {
        signal?.throwIfAborted();
        return verifyPart(tx, part, onMovements);
      },
      close: () => Promise.resolve(),
    },
  ]);
}

/**
 * Opens lanes that read in the snapshot of a transaction: each is a thread with a connection of its own, because one thread reads rows
 * no faster than one processor. A signal ends them at once.
 */
export async function openLanes(
  tx: Tx,
  address: DatabaseAddress,
  count: number,
  onMovements: OnMovements,
  signal?: AbortSignal,
): Promise<Lanes> {
  const { rows } = await sql<{ snapshot: string }>`
    select pg_export_snapshot() as snapshot, set_config('idle_in_transaction_session_timeout', '0', true)`.execute(
    tx,
  );
  const orders: Orders = { address, snapshot: rows[0]!.snapshot };
  return takeTurns(Array.from({ length: count }, () => inThread(orders, onMovements, signal)));
}

function takeTurns(lanes: readonly Lanes[]): Lanes {
  const free = [...lanes];
  const waiting: ((lane: Lanes) => void)[] = [];
  return {
    async verify(part) {
      const lane = free.pop() ?? (await new Promise<Lanes>((resolve) => waiting.push(resolve)));
      try {
        return await lane.verify(part);
      } finally {
        const next = waiting.shift();
        if (next === undefined) free.push(lane);
        else next(lane);
      }
    },
    async close() {
      await Promise.all(lanes.map((lane) => lane.close()));
    },
  };
}

function inThread(orders: Orders, onMovements: OnMovements, signal?: AbortSignal): Lanes {
  const thread = new Worker(new URL('./verify-thread.ts', import.meta.url), { workerData: orders });
  thread.unref();
  const stop = () => void thread.terminate();
  if (signal?.aborted === true) stop();
  signal?.addEventListener('abort', stop);
  let answer = Promise.withResolvers<VerifiedPart>();
  answer.promise.catch(() => {});
  // A thread that has ended answers no part after it either.
  let failure: Error | null = null;
  const fail = (error: Error) => {
    failure ??= error;
    answer.reject(failure);
  };
  const ended = new Promise<void>((resolve) => thread.once('exit', () => resolve()));
  thread.on('message', (told: Told) => {
    if ('movements' in told) onMovements(told.movements);
    else if ('verified' in told) answer.resolve(told.verified);
    else answer.reject(new Error(`the check of the ledger failed: ${told.failure}`));
  });
  thread.on('error', (error) => fail(error as Error));
  thread.on('exit', () => fail(new Error('a thread of the check has ended')));
  return {
    verify(part) {
      if (failure !== null) return Promise.reject(failure);
      answer = Promise.withResolvers();
      send(thread, part);
      return answer.promise;
    },
    async close() {
      signal?.removeEventListener('abort', stop);
      send(thread, null);
      await ended;
    },
  };
}

function send(thread: Worker, part: Part | null): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  thread.postMessage(part);
}
