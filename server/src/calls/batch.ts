import { isWithoutConnection } from '#db/database-errors.ts';
import { Unavailable } from '#problems/problem.ts';

/** How calls are gathered; the defaults are what the benchmark chose. */
export interface BatchOptions<Call, Outcome> {
  /** Does all of them in one transaction and gives one outcome for each, in their order. */
  readonly run: (calls: Call[]) => Promise<Outcome[]>;
  readonly commerceOf: (call: Call) => number;
  /** Two calls that name the same thing here are never in one batch. */
  readonly apartBy?: (call: Call) => string | undefined;
  /** Whether a failed batch left nothing behind, so that its calls may be run again in smaller ones. */
  readonly mayRepeat?: (error: unknown) => boolean;
  readonly largest?: number;
  readonly inFlight?: number;
  readonly longestQueue?: number;
  readonly longestWaitMs?: number;
  /** How long the calls of a failed batch may take in smaller ones. */
  readonly longestRepeatMs?: number;
}

export interface Batch<Call, Outcome> {
  /** Resolves when the call's batch is committed. @throws Unavailable where too many wait already */
  submit(call: Call): Promise<Outcome>;
  /** Resolves when nothing is under way any more. */
  drained(): Promise<void>;
}

interface Waiting<Call, Outcome> {
  readonly call: Call;
  readonly since: number;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Group commit: calls that arrive while a batch is under way are done together by the next one. There is no
 * timer, so that a call on an idle service is a batch of one at once. Commerces take turns, none takes more than half
 * a batch while others wait, and none that fills all batches holds the others up; a call that breaks its batch breaks
 * it for nobody else.
 */
export function createBatch<Call, Outcome>(options: BatchOptions<Call, Outcome>): Batch<Call, Outcome> {
  const { run, commerceOf, apartBy, mayRepeat = () => false } = options;
  // A thousand callers at once fit two batches. With batches of 128 most were refused, refusing them kept the process
  // from the answers of PostgreSQL, and a third of the purchases got done (970 a second, 2,760 with this).
  const {
    largest = 512,
    inFlight = 2,
    longestQueue = 2_000,
    longestWaitMs = 250,
    longestRepeatMs = 2_000,
  } = options;
  const queues = new Map<number, Waiting<Call, Outcome>[]>();
  const whenDrained: (() => void)[] = [];
  /** The batches under way, each by the commerce that more than half of its calls are of. */
  const underWay = new Set<{ readonly filledBy: number | undefined }>();
  let aside = false;
  let queued = 0;

  return {
    submit(call) {
      const commerceId = commerceOf(call);
      const queue = queues.get(commerceId) ?? [];
      // Whose calls are less than an equal share of it did not make it too long.
      const share = Math.min(queued, longestQueue) / queues.size;
      if (isQueueTooLong() && queue.length >= share) {
        return Promise.reject(new Unavailable('too many calls at once'));
      }
      return new Promise((resolve, reject) => {
        queue.push({ call, since: performance.now(), resolve, reject });
        if (queue.length === 1) queues.set(commerceId, queue);
        queued += 1;
        // What arrives in the same turn of the event loop goes together.
        if (underWay.size < inFlight || !aside) setImmediate(start);
      });
    },

    drained() {
      if (isIdle()) return Promise.resolve();
      return new Promise((resolve) => whenDrained.push(resolve));
    },
  };

  function start(): void {
    if (queued === 0) return;
    if (underWay.size < inFlight) {
      const batch = take();
      const filled = { filledBy: mostOf(batch) };
      underWay.add(filled);
      void runBatch(batch).finally(() => end(() => underWay.delete(filled)));
    } else if (!aside) {
      const batch = takeBeside();
      if (batch.length === 0) return;
      aside = true;
      void runBatch(batch).finally(() => end(() => (aside = false)));
    }
  }

  function end(free: () => void): void {
    free();
    start();
    if (isIdle()) for (const resolve of whenDrained.splice(0)) resolve();
  }

  function isIdle(): boolean {
    return underWay.size === 0 && !aside && queued === 0;
  }

  /**
   * Where one commerce fills every batch under way, the others do not wait for it: one more batch, of theirs, goes
   * beside them.
   */
  function takeBeside(): Waiting<Call, Outcome>[] {
    const [filling, ...others] = new Set(Array.from(underWay, ({ filledBy }) => filledBy));
    return filling === undefined || others.length > 0 ? [] : take(filling);
  }

  function mostOf(batch: readonly Waiting<Call, Outcome>[]): number | undefined {
    const calls = Map.groupBy(batch, ({ call }) => commerceOf(call));
    for (const [commerceId, of] of calls) if (of.length * 2 > batch.length) return commerceId;
    return undefined;
  }

  /**
   * Round robin: one call of each commerce in turn, but of `except`, up to half a batch for one while others wait.
   */
  function take(except?: number): Waiting<Call, Outcome>[] {
    const batch: Waiting<Call, Outcome>[] = [];
    const names = new Set<string>();
    const most = queues.size > 1 ? Math.ceil(largest / 2) : largest;
    for (let turn = 0; turn < most && batch.length < largest; turn++) {
      const before = batch.length;
      // The queues as they stand at the start of the turn: who is served moves to the end of them.
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
      // Without a connection, each part would wait as long again as all of them just did.
      const repeats = batch.length > 1 && mayRepeat(error) && !isWithoutConnection(error);
      if (!repeats) for (const { reject } of batch) reject(error);
      else await runApart(batch);
    }
  }

  /**
   * Finds who broke a batch: commerce by commerce, two at a time so that none waits for one that is slow to fail, and
   * one by one within a commerce. A lock or a statement can take seconds to fail, so there is an end to it.
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

  /** A queue that one batch can take is none, however long the batch before it has to wait. */
  function isQueueTooLong(): boolean {
    return queued >= longestQueue || (queued > largest && oldestWaitMs() > longestWaitMs);
  }

  function oldestWaitMs(): number {
    let oldest = Infinity;
    for (const queue of queues.values()) oldest = Math.min(oldest, queue[0]!.since);
    return performance.now() - oldest;
  }
}
