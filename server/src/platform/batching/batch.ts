import { isWithoutConnection } from '#db/database-errors.ts';
import type { Tracing } from '#base/tracing.ts';
import { Overloaded } from '#problems/problem.ts';
import { AsideCalls } from './aside-calls.ts';
import { HeldRows } from './held-rows.ts';
import { Lanes } from './lanes.ts';
import { Queues } from './queues.ts';
import { runApart } from './run-apart.ts';
import { isLockedOut, Runs, WrongOutcomes } from './runs.ts';
import type { SetAside, Waiting, WaitFor } from './waiting.ts';

/** Returns how long the transaction of a run waits for a lock: a batch waits only for a moment, because others wait for it. */
export function locking(waitFor: WaitFor): { readonly lockTimeoutMs?: number } {
  return waitFor === 'all' ? {} : { lockTimeoutMs: 50 };
}

/** How calls are grouped into batches. The defaults are the best values in the benchmark. */
export interface BatchOptions<Call, Outcome> {
  /** The name of the batch in traces. */
  readonly name?: string;
  readonly tracing?: Tracing | null;
  /** Runs all calls in one transaction. Returns one outcome for each call, in order. */
  readonly run: (calls: Call[], waitFor: WaitFor) => Promise<(Outcome | SetAside)[]>;
  readonly commerceOf: (call: Call) => number;
  /** Says which commerces can share a transaction, on a cluster. By default all can. */
  readonly shardOf?: ((commerceId: number) => number) | undefined;
  /** Names the machine of a cluster that a commerce is on; null if it is not known. Each has queues and places of its own. */
  readonly machineOf?: ((commerceId: number) => string | null) | undefined;
  /** Names the rows that a call locks. Two batches never work on the same row: the second would only wait for the first. */
  readonly rowsOf?: (call: Call) => readonly string[];
  /** Two calls that have a name in common are never put in one batch, or in two that run at the same time. */
  readonly apartBy?: (call: Call) => readonly string[];
  /** Returns true if the failed batch changed nothing, so its calls may be run again in smaller batches. */
  readonly mayRepeat?: (error: unknown) => boolean;
  readonly largest?: number;
  readonly inFlight?: number;
  /** How long a batch runs alone before the next one starts beside it, in milliseconds. */
  readonly aloneMs?: number;
  readonly longestQueue?: number;
  readonly longestWaitMs?: number;
  /** The longest that a call waits before its first run. */
  readonly longestQueuedMs?: number;
  /** The time limit for running calls again that failed together or were set aside. */
  readonly longestRepeatMs?: number;
  /** Resolves once callers of other processes who were just answered could call again, or after `mostMs`. Null if nobody was. */
  readonly callersElsewhere?: (mostMs: number) => Promise<void> | null;
}

export interface Batch<Call, Outcome> {
  /** Resolves when the call's batch is committed. @throws Overloaded if too many calls are waiting already */
  submit(call: Call): Promise<Outcome>;
  /** Resolves when no call is waiting or running. */
  drained(): Promise<void>;
  /** Returns what monitoring shows. */
  load(): BatchLoad;
}

export interface BatchLoad {
  /** Calls that wait for their first run. */
  readonly waiting: number;
  /** For how long the oldest of them has been waiting. */
  readonly oldestMs: number;
  /** Calls whose row is locked elsewhere. */
  readonly aside: number;
  /** Calls, and batches that they went into, since the process started. */
  readonly calls: number;
  readonly batches: number;
  /** Calls that were refused because too many waited, or because they had waited for too long. */
  readonly refused: number;
}

/**
 * Group commit: calls that arrive while a batch is running are done together in the next one. No call waits for others to
 * arrive, so on an idle service it runs at once, in a batch of one. A call that makes its batch fail (`runApart`), or whose rows are
 * locked elsewhere (`AsideCalls`), does not affect the other calls: it is run again beside them.
 */
export function createBatch<Call, Outcome>(options: BatchOptions<Call, Outcome>): Batch<Call, Outcome> {
  return options.machineOf === undefined
    ? createOne(options)
    : createForEachMachine(options, options.machineOf);
}

/** A machine that hangs keeps its batches. If all machines shared the places of batches, it would soon have all of them. */
function createForEachMachine<Call, Outcome>(
  options: BatchOptions<Call, Outcome>,
  machineOf: (commerceId: number) => string | null,
): Batch<Call, Outcome> {
  const batches = new Map<string | null, Batch<Call, Outcome>>();
  const batchOf = (machine: string | null) => {
    const known = batches.get(machine) ?? createOne(options);
    batches.set(machine, known);
    return known;
  };
  return {
    submit: (call) => batchOf(machineOf(options.commerceOf(call))).submit(call),
    async drained() {
      await Promise.all(Array.from(batches.values(), (batch) => batch.drained()));
    },
    load: () => Array.from(batches.values(), (batch) => batch.load()).reduce(addLoads, NO_LOAD),
  };
}

const NO_LOAD: BatchLoad = { waiting: 0, oldestMs: 0, aside: 0, calls: 0, batches: 0, refused: 0 };

function addLoads(one: BatchLoad, other: BatchLoad): BatchLoad {
  return {
    waiting: one.waiting + other.waiting,
    oldestMs: Math.max(one.oldestMs, other.oldestMs),
    aside: one.aside + other.aside,
    calls: one.calls + other.calls,
    batches: one.batches + other.batches,
    refused: one.refused + other.refused,
  };
}

function createOne<Call, Outcome>(options: BatchOptions<Call, Outcome>): Batch<Call, Outcome> {
  const {
    run,
    commerceOf,
    shardOf,
    rowsOf = () => NO_NAMES,
    apartBy = () => NO_NAMES,
    mayRepeat = () => false,
    name = 'batch',
    tracing = null,
    callersElsewhere = () => null,
  } = options;
  // The batch that runs and the one after it hold a thousand concurrent calls. With 128, most of them were refused, and refusing
  // kept the process from reading PostgreSQL's answers: 970 purchases a second were recorded, and 2,760 with this size.
  const {
    largest = 512,
    inFlight = 2,
    // A batch takes less, unless something holds it up.
    aloneMs = 20,
    longestQueue = 2_000,
    longestWaitMs = 250,
    longestQueuedMs = 3_000,
    longestRepeatMs = 2_000,
  } = options;
  type Calls = Waiting<Call, Outcome>[];
  const counts = { calls: 0, batches: 0, refused: 0 };
  const queues = new Queues<Waiting<Call, Outcome>>();
  const held = new HeldRows();
  const lanes = new Lanes({ most: inFlight, aloneMs });
  const runs = new Runs<Call, Outcome>({ run, name, tracing, held, onSetAside: (calls) => aside.add(calls) });
  const aside = new AsideCalls<Call, Outcome>({
    run: async (calls) => {
      for (const part of byShard(calls)) await runBatch(part, 'first');
    },
    refuse: (calls, error) => runs.refuse(calls, error),
    longestMs: longestRepeatMs,
    onRun: startSoon,
    onEmpty: goOn,
  });
  const whenDrained: (() => void)[] = [];
  let startIsDue = false;
  let apartUnderWay = false;
  /** Batches that have just ended, whose callers may call again. Until then nothing starts. */
  let gathering = 0;

  return {
    submit(call) {
      const commerceId = commerceOf(call);
      if (isQueueTooLong() && queues.hasItsShareOf(longestQueue, commerceId)) {
        counts.refused += 1;
        return Promise.reject(new Overloaded('too many calls at once'));
      }
      return new Promise((resolve, reject) => {
        const [rows, names] = [rowsOf(call), apartBy(call)];
        const place = tracing === null ? null : tracing.here();
        queues.add({ call, commerceId, since: performance.now(), place, rows, names, resolve, reject });
        if (lanes.hasRoom() || lanes.hasRoomForExtra()) startSoon();
      });
    },

    drained() {
      if (isIdle()) return Promise.resolve();
      return new Promise((resolve) => whenDrained.push(resolve));
    },

    load: () => ({ waiting: queues.size, oldestMs: queues.oldestMs(), aside: aside.size, ...counts }),
  };

  /** Calls that arrive in the same turn of the event loop go into the same batch. */
  function startSoon(): void {
    if (startIsDue) return;
    startIsDue = true;
    setImmediate(() => {
      startIsDue = false;
      goOn();
    });
  }

  function goOn(): void {
    startBatch();
    if (isIdle()) for (const resolve of whenDrained.splice(0)) resolve();
  }

  function isIdle(): boolean {
    return queues.size === 0 && lanes.isEmpty() && aside.isIdle() && !apartUnderWay;
  }

  function startBatch(): void {
    refuseLate();
    if (queues.size === 0 || gathering > 0) return;
    if (lanes.hasRoom()) {
      const batch = take();
      if (batch.length === 0) return;
      const leave = lanes.enter(batch);
      const since = performance.now();
      // A timer may be early by a fraction of a millisecond.
      const timer = setTimeout(goOn, aloneMs + 1);
      void runBatch(batch).finally(() => {
        clearTimeout(timer);
        leave();
        goOnAfterCallers((performance.now() - since) / 2);
      });
    } else if (lanes.hasRoomForExtra() && lanes.filledBy() !== undefined) {
      const batch = take(lanes.filledBy());
      if (batch.length === 0) return;
      const leave = lanes.enterExtra();
      void runBatch(batch).finally(() => {
        leave();
        goOnAfterCallers();
      });
    }
  }

  function take(except?: number): Calls {
    const batch = queues.take(largest, held, { except, shardOf });
    if (batch.length > 0) {
      counts.batches += 1;
      counts.calls += batch.length;
    }
    held.hold(batch);
    return batch;
  }

  function byShard(calls: Calls): Iterable<Calls> {
    return shardOf === undefined
      ? [calls]
      : Map.groupBy(calls, ({ commerceId }) => shardOf(commerceId)).values();
  }

  /** A call waits long if another batch works on its rows, or if the database is slow. Nothing was done for it yet. */
  function refuseLate(): void {
    const late = queues.takeLate(performance.now() - longestQueuedMs);
    counts.refused += late.length;
    for (const { reject } of late) reject(new Overloaded('the database is busy'));
  }

  /**
   * Waits for two turns of the event loop: callers who were just answered often call again at once, and then go into the next
   * batch. Those of other processes take a little longer. They are waited for at most half as long as the batch took, which costs less
   * than a batch of their own.
   */
  function goOnAfterCallers(mostMs = 0): void {
    gathering += 1;
    const goOnNow = () => {
      gathering -= 1;
      goOn();
    };
    setImmediate(() => {
      const elsewhere = mostMs < 1 ? null : callersElsewhere(mostMs);
      if (elsewhere === null) setImmediate(goOnNow);
      else void elsewhere.then(goOnNow);
    });
  }

  async function runBatch(batch: Calls, waitFor: 'none' | 'first' = 'none'): Promise<void> {
    const done = waitFor === 'first' ? runs.waitingForFirst(batch) : runs.together(batch, waitFor);
    const outcomes = await done.catch((error: unknown) => repeatOrRefuse(batch, error));
    if (outcomes) runs.answer(batch, outcomes);
  }

  async function repeatOrRefuse(batch: Calls, error: unknown): Promise<void> {
    if (!(batch.length > 1 || isLockedOut(error)) || !isWorthRepeating(error)) runs.refuse(batch, error);
    else if (apartUnderWay) await repeatApart(batch);
    else {
      // The next batch does not wait for it.
      apartUnderWay = true;
      void repeatApart(batch).finally(() => {
        apartUnderWay = false;
        goOnAfterCallers();
      });
    }
  }

  function repeatApart(batch: Calls): Promise<void> {
    return runApart(batch, { runs, isWorthRepeating, longestMs: longestRepeatMs, onPart: startSoon });
  }

  /** Without a connection, every smaller batch would wait as long as this one just did. */
  function isWorthRepeating(error: unknown): boolean {
    return mayRepeat(error) && !isWithoutConnection(error) && !(error instanceof WrongOutcomes);
  }

  /** A queue that fits in one batch does not count as a backlog, however long the running batch takes. */
  function isQueueTooLong(): boolean {
    return queues.size >= longestQueue || (queues.size > largest && queues.oldestMs() > longestWaitMs);
  }
}

const NO_NAMES: readonly string[] = [];
