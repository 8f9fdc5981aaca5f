import { isWithoutConnection } from '#http/database-errors.ts';
import { Unavailable } from '#http/problem.ts';

/** How calls are gathered; the defaults are what the benchmark chose. */
export interface BatchOptions<Call, Outcome> {
  /** Does all of them in one transaction and gives one outcome for each, in their order. */
  readonly run: (calls: Call[]) => Promise<Outcome[]>;
  readonly commerceOf: (call: Call) => number;
  /** Two calls that name the same thing here are never in one batch. */
  readonly apartBy?: (call: Call) => string | undefined;
  /** Whether a failed batch left nothing behind, so that its calls may be run again one by one. */
  readonly mayRepeat?: (error: unknown) => boolean;
  readonly largest?: number;
  readonly inFlight?: number;
  readonly longestQueue?: number;
  readonly longestWaitMs?: number;
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
 * timer, so that a call on an idle service is a batch of one at once. Commerces take turns, and none takes more
 * than half a batch while others wait; a call that breaks its batch breaks it for nobody else.
 */
export function createBatch<Call, Outcome>(options: BatchOptions<Call, Outcome>): Batch<Call, Outcome> {
  const { run, commerceOf, apartBy, mayRepeat = () => false } = options;
  // A thousand callers at once fit two batches. With batches of 128 most were refused, refusing them kept the process
  // from the answers of PostgreSQL, and a third of the purchases got done (970 a second, 2,760 with this).
  const { largest = 512, inFlight = 2, longestQueue = 2_000, longestWaitMs = 250 } = options;
  const queues = new Map<number, Waiting<Call, Outcome>[]>();
  const whenDrained: (() => void)[] = [];
  let queued = 0;
  let running = 0;

  return {
    submit(call) {
      // A queue that one batch can take is no overload, however long the batch before it has to wait.
      if (queued >= longestQueue || (queued > largest && oldestWaitMs() > longestWaitMs)) {
        return Promise.reject(new Unavailable('too many calls at once'));
      }
      return new Promise((resolve, reject) => {
        const waiting = { call, since: performance.now(), resolve, reject };
        const queue = queues.get(commerceOf(call));
        if (queue === undefined) queues.set(commerceOf(call), [waiting]);
        else queue.push(waiting);
        queued += 1;
        // What arrives in the same turn of the event loop goes together.
        if (running < inFlight) setImmediate(start);
      });
    },

    drained() {
      if (running === 0 && queued === 0) return Promise.resolve();
      return new Promise((resolve) => whenDrained.push(resolve));
    },
  };

  function start(): void {
    if (running >= inFlight || queued === 0) return;
    const batch = take();
    running += 1;
    void runBatch(batch).finally(() => {
      running -= 1;
      if (queued > 0) start();
      else if (running === 0) for (const resolve of whenDrained.splice(0)) resolve();
    });
  }

  /** Round robin: one call of each commerce in turn, up to half a batch for one while others wait. */
  function take(): Waiting<Call, Outcome>[] {
    const batch: Waiting<Call, Outcome>[] = [];
    const names = new Set<string>();
    const most = queues.size > 1 ? Math.ceil(largest / 2) : largest;
    for (let turn = 0; turn < most && batch.length < largest; turn++) {
      const before = batch.length;
      // The queues as they stand at the start of the turn: who is served moves to the end of them.
      for (const [commerceId, queue] of Array.from(queues)) {
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
      // Without a connection, one by one each call would wait as long again as all of them just did.
      const repeats = batch.length > 1 && mayRepeat(error) && !isWithoutConnection(error);
      if (!repeats) for (const { reject } of batch) reject(error);
      else for (const waiting of batch) await runBatch([waiting]);
    }
  }

  function oldestWaitMs(): number {
    let oldest = Infinity;
    for (const queue of queues.values()) oldest = Math.min(oldest, queue[0]!.since);
    return performance.now() - oldest;
  }
}
