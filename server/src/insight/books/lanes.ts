import { fork } from 'node:child_process';
import { sql, type DatabaseAddress, type Tx } from '#db/database.ts';
import type { Orders, Told } from './verify-process.ts';
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
 * Opens lanes that read in the snapshot of a transaction: each is a process with a connection of its own, because one thread reads rows
 * no faster than one processor, and because a process gives all its memory back when it ends. A signal ends them at
 * once, and their parts are rejected with its reason.
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
  return takeTurns(Array.from({ length: count }, () => inProcess(orders, onMovements, signal)));
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

function inProcess(orders: Orders, onMovements: OnMovements, signal?: AbortSignal): Lanes {
  const child = fork(new URL('./verify-process.ts', import.meta.url), {
    // Compiled code is read from the disk, as in this process.
    execArgv: ['--import', START_QUICKLY],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  child.unref();
  child.channel?.unref();
  const stop = () => void child.kill('SIGKILL');
  if (signal?.aborted === true) stop();
  signal?.addEventListener('abort', stop);
  let answer = Promise.withResolvers<VerifiedPart>();
  answer.promise.catch(() => {});
  // A process that has ended answers no part after it either.
  let failure: unknown = null;
  const fail = (error: unknown) => {
    failure ??= signal?.aborted === true ? signal.reason : error;
    answer.reject(failure);
  };
  const send = (asked: Orders | Part) => void child.send(asked, (error) => error !== null && fail(error));
  // One that could not be started never exits.
  const ended =
    child.pid === undefined
      ? Promise.resolve()
      : new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.on('message', (told: Told) => {
    if ('movements' in told) onMovements(told.movements);
    else if ('verified' in told) answer.resolve(told.verified);
    else answer.reject(new Error(`the check of the ledger failed: ${told.failure}`));
  });
  child.on('error', fail);
  child.on('exit', () => fail(new Error('a process of the check has ended')));
  send(orders);
  return {
    verify(part) {
      if (failure !== null) return Promise.reject(failure);
      answer = Promise.withResolvers();
      send(part);
      return answer.promise;
    },
    async close() {
      signal?.removeEventListener('abort', stop);
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}

const START_QUICKLY = new URL('../../base/start-quickly.js', import.meta.url).href;
