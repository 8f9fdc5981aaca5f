import { isWithoutConnection } from '#db/database-errors.ts';
import { Unavailable } from '#problems/problem.ts';

/** How calls are grouped into batches. The defaults are the best values in the benchmark. */
export interface BatchOptions<Call, Outcome> {
  /** Runs all calls in one transaction. Returns one outcome for each call, in order. */
  readonly run: (calls: Call[]) => Promise<Outcome[]>;
  readonly commerceOf: (call: Call) => number;
  /** Two calls with the same name are never put in one batch. */
  readonly apartBy?: (call: Call) => string | undefined;
  /** Returns true if the failed batch changed nothing, so its calls may be run again in smaller batches. */
  readonly mayRepeat?: (error: unknown) => boolean;
  readonly largest?: number;
  readonly inFlight?: number;
  readonly longestQueue?: number;
  readonly longestWaitMs?: number;
  /** The time limit for running the calls of a failed batch again in smaller batches. */
  readonly longestRepeatMs?: number;
}

export interface Batch<Call, Outcome> {
  /** Resolves when the call's batch is committed. @throws Unavailable if too many calls are waiting already */
  submit(call: Call): Promise<Outcome>;
  /** Resolves when no call is waiting or running. */
  drained(): Promise<void>;
}

interface Waiting<Call, Outcome> {
  readonly call: Call;
  readonly since: number;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Group commit: calls that arrive while a batch is running are done together in the next batch. There is no timer, so
 * on an idle service a call runs at once, in a batch of one. Commerces take turns: while others wait, a commerce gets
 * at most half a batch, and a commerce that fills every batch does not hold up the others. A call that makes its
 * batch fail does not affect the other calls.
 */
export function createBatch<Call, Outcome>(options: BatchOptions<Call, Outcome>): Batch<Call, Outcome> {
  const { run, commerceOf, apartBy, mayRepeat = () => false } = options;
  // Two of these batches hold a thousand concurrent calls. With batches of 128, most calls were refused. Refusing
  // them kept the process from reading PostgreSQL's answers, and only a third of the purchases got done (970 a
  // second, 2,760 with this size).
  const {
    largest = 512,
    inFlight = 2,
    longestQueue = 2_000,
    longestWaitMs = 250,
    longestRepeatMs = 2_000,
  } = options;
  const queues = new Map<number, Waiting<Call, Outcome>[]>();
  const whenDrained: (() => void)[] = [];
  /** The running batches, each with the commerce that made more than half of its calls. */
  const underWay = new Set<{ readonly filledBy: number | undefined }>();
  let extraBatchUnderWay = false;
  let queued = 0;

  return {
    submit(call) {
      const commerceId = commerceOf(call);
      const queue = queues.get(commerceId) ?? [];
      // A commerce with less than an equal share of the queue is not the one that made it too long.
      const share = Math.min(queued, longestQueue) / queues.size;
      if (isQueueTooLong() && queue.length >= share) {
        return Promise.reject(new Unavailable('too many calls at once'));
      }
      return new Promise((resolve, reject) => {
        queue.push({ call, since: performance.now(), resolve, reject });
        if (queue.length === 1) queues.set(commerceId, queue);
        queued += 1;
        // Calls that arrive in the same turn of the event loop go into the same batch.
        if (underWay.size < inFlight || !extraBatchUnderWay) setImmediate(startBatch);
      });
    },

    drained() {
      if (isIdle()) return Promise.resolve();
      return new Promise((resolve) => whenDrained.push(resolve));
    },
  };

  function startBatch(): void {
    if (queued === 0) return;
    if (underWay.size < inFlight) {
      const batch = takeBatch();
      const filled = { filledBy: findFillingCommerce(batch) };
      underWay.add(filled);
      void runBatch(batch).finally(() => endBatch(() => underWay.delete(filled)));
    } else if (!extraBatchUnderWay) {
      const batch = takeExtraBatch();
      if (batch.length === 0) return;
      extraBatchUnderWay = true;
      void runBatch(batch).finally(() => endBatch(() => (extraBatchUnderWay = false)));
    }
  }

  function endBatch(free: () => void): void {
    free();
    startBatch();
    if (isIdle()) for (const resolve of whenDrained.splice(0)) resolve();
  }

  function isIdle(): boolean {
    return underWay.size === 0 && !extraBatchUnderWay && queued === 0;
  }

  /** If one commerce fills every running batch, the others get one extra batch, so that they do not wait for it. */
  function takeExtraBatch(): Waiting<Call, Outcome>[] {
    const [filling, ...others] = new Set(Array.from(underWay, ({ filledBy }) => filledBy));
    return filling === undefined || others.length > 0 ? [] : takeBatch(filling);
  }

  function findFillingCommerce(batch: readonly Waiting<Call, Outcome>[]): number | undefined {
    const calls = Map.groupBy(batch, ({ call }) => commerceOf(call));
    for (const [commerceId, its] of calls) if (its.length * 2 > batch.length) return commerceId;
    return undefined;
  }

  /**
   * Takes one call of each commerce in turn, skipping `except`. While other commerces wait, a commerce gets at most
   * half a batch.
   */
  function takeBatch(except?: number): Waiting<Call, Outcome>[] {
    const batch: Waiting<Call, Outcome>[] = [];
    const names = new Set<string>();
    const most = queues.size > 1 ? Math.ceil(largest / 2) : largest;
    for (let turn = 0; turn < most && batch.length < largest; turn++) {
      const before = batch.length;
      // Iterates over a copy, because a commerce moves to the end of the queues when one of its calls is taken.
      for (const [commerceId, queue] of Array.from(queues)) {
        if (commerceId === except) continue;
        if (batch.length === largest) break;
        const name = apartBy?.(queue[0]!.call);
        if (name !== undefined && names.has(name)) continue;
        if (name !== undefined) names.add(name);
        batch.push(queue.shift()!);
        queues.delete(commerceId);
        if (queue.length > 0) queues.set(commerceId, queue);
      }
      if (batch.length === before) break;
    }
    queued -= batch.length;
    return batch;
  }

  async function runBatch(batch: Waiting<Call, Outcome>[]): Promise<void> {
    try {
      const outcomes = await run(batch.map(({ call }) => call));
      for (const [i, { resolve }] of batch.entries()) resolve(outcomes[i]!);
    } catch (error) {
      // Without a connection, every smaller batch would wait as long as this one just did.
      const repeats = batch.length > 1 && mayRepeat(error) && !isWithoutConnection(error);
      if (!repeats) for (const { reject } of batch) reject(error);
      else await runApart(batch);
    }
  }

  /**
   * Finds the call that made the batch fail. Runs the commerces separately, two at a time so that one that fails
   * slowly does not hold up the rest, and then the calls of a failed commerce one by one. A lock or a statement can
   * take seconds to fail, so there is a time limit.
   */
  async function runApart(batch: Waiting<Call, Outcome>[]): Promise<void> {
    const until = performance.now() + longestRepeatMs;
    const byCommerce = [...Map.groupBy(batch, ({ call }) => commerceOf(call)).values()];
    const parts = byCommerce.length > 1 ? byCommerce : batch.map((waiting) => [waiting]);
    const inTurn = async () => {
      for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
        if (performance.now() < until) await runBatch(part);
        else for (const { reject } of part) reject(new Unavailable('the database is busy'));
      }
    };
    await Promise.all(byCommerce.length > 1 ? [inTurn(), inTurn()] : [inTurn()]);
  }

  /** A queue that fits in one batch does not count as a backlog, however long the running batch takes. */
  function isQueueTooLong(): boolean {
    return queued >= longestQueue || (queued > largest && oldestWaitMs() > longestWaitMs);
  }

  function oldestWaitMs(): number {
    let oldest = Infinity;
    for (const queue of queues.values()) oldest = Math.min(oldest, queue[0]!.since);
    return performance.now() - oldest;
  }
}
