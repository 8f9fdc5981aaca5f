import { isWithoutConnection } from '#db/database-errors.ts';
import { sqlState } from '#db/database.ts';
import type { Place, Tracing } from '#base/tracing.ts';
import { Conflict, Overloaded } from '#problems/problem.ts';

/**
 * What a run does with rows that another transaction has locked. `none`: it waits for none of them and sets their calls
 * aside. `first`: it waits for those of the first call only. `all`: it waits for all of them.
 */
export type WaitFor = 'none' | 'first' | 'all';

/** The outcome of a call whose row is locked elsewhere. Nothing was done, and it is run again beside the other batches. */
export class SetAside {
  /** The row, as `rowsOf` names it. */
  readonly row: string;

  constructor(row: string) {
    this.row = row;
  }
}

/** Returns how long the transaction of a run waits for a lock: a batch waits only for a moment, because others wait for it. */
export function locking(waitFor: WaitFor): { readonly lockTimeoutMs?: number } {
  return waitFor === 'all' ? {} : { lockTimeoutMs: 50 };
}

/** How calls are grouped into batches. The defaults are the best values in the benchmark. */
export interface BatchOptions<Call, Outcome> {
  /** What a batch does, as it is named in traces. */
  readonly name?: string;
  readonly tracing?: Tracing | null;
  /** Runs all calls in one transaction. Returns one outcome for each call, in order. */
  readonly run: (calls: Call[], waitFor: WaitFor) => Promise<(Outcome | SetAside)[]>;
  readonly commerceOf: (call: Call) => number;
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

interface Waiting<Call, Outcome> {
  readonly call: Call;
  readonly since: number;
  /** Null if the call is not traced. */
  readonly place: Place | null;
  /** What no other batch may work on now. If the call is set aside, only the row that is locked elsewhere. */
  rows: readonly string[];
  readonly names: readonly string[];
  isTaken: boolean;
  asideSince?: number;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Group commit: calls that arrive while a batch is running are done together in the next one. No call waits for others to
 * arrive, so on an idle service it runs at once, in a batch of one. Commerces take turns: while others wait, a commerce gets
 * at most half a batch, and a commerce that fills every batch does not hold up the others. A call that makes its
 * batch fail, or whose rows are locked elsewhere, does not affect the other calls: it is run again beside them.
 */
export function createBatch<Call, Outcome>(options: BatchOptions<Call, Outcome>): Batch<Call, Outcome> {
  const {
    run,
    commerceOf,
    rowsOf = () => NO_ROWS,
    apartBy = () => NO_ROWS,
    mayRepeat = () => false,
    name = 'batch',
    tracing = null,
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
  const queues = new Map<number, Calls>();
  const whenDrained: (() => void)[] = [];
  /** The rows and names of the calls that are running or set aside. */
  const busy = new Set<string>();
  /** The running batches, each with its start and the commerce that made more than half of its calls. */
  const underWay = new Set<{ readonly since: number; readonly filledBy: number | undefined }>();
  let extraBatchUnderWay = false;
  let startIsDue = false;
  let queued = 0;
  let aside: Calls = [];
  let asideUnderWay = false;
  let apartUnderWay = false;
  const counts = { calls: 0, batches: 0, refused: 0 };

  return {
    submit(call) {
      const commerceId = commerceOf(call);
      const queue = queues.get(commerceId) ?? [];
      // A commerce with less than an equal share of the queue is not the one that made it too long.
      const share = Math.min(queued, longestQueue) / queues.size;
      if (isQueueTooLong() && queue.length >= share) {
        counts.refused += 1;
        return Promise.reject(new Overloaded('too many calls at once'));
      }
      return new Promise((resolve, reject) => {
        const [rows, names] = [rowsOf(call), apartBy(call)];
        const place = tracing === null ? null : tracing.here();
        queue.push({ call, since: performance.now(), place, rows, names, isTaken: false, resolve, reject });
        if (queue.length === 1) queues.set(commerceId, queue);
        queued += 1;
        if (hasRoom() || !extraBatchUnderWay) startSoon();
      });
    },

    drained() {
      if (isIdle()) return Promise.resolve();
      return new Promise((resolve) => whenDrained.push(resolve));
    },

    load: () => ({
      waiting: queued,
      oldestMs: queued === 0 ? 0 : oldestWaitMs(),
      aside: aside.length,
      ...counts,
    }),
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

  function startBatch(): void {
    refuseLate();
    if (queued === 0) return;
    if (hasRoom()) {
      const batch = takeBatch();
      if (batch.length === 0) return;
      const running = { since: performance.now(), filledBy: findFillingCommerce(batch) };
      underWay.add(running);
      // A timer may be early by a fraction of a millisecond.
      const timer = setTimeout(goOn, aloneMs + 1);
      void runBatch(batch).finally(() =>
        endBatch(() => {
          clearTimeout(timer);
          underWay.delete(running);
        }),
      );
    } else if (!extraBatchUnderWay) {
      const batch = takeExtraBatch();
      if (batch.length === 0) return;
      extraBatchUnderWay = true;
      void runBatch(batch).finally(() => endBatch(() => (extraBatchUnderWay = false)));
    }
  }

  /**
   * A second batch would share the processors and the callers, and two halves cost almost as much as two whole ones. So the next one
   * starts beside it only if a batch is held up, by the disk or by a connection that fell silent.
   */
  function hasRoom(): boolean {
    if (underWay.size >= inFlight) return false;
    const longAgo = performance.now() - aloneMs;
    for (const { since } of underWay) if (since > longAgo) return false;
    return true;
  }

  /** A call waits long if another batch works on its rows, or if the database is slow. Nothing was done for it yet. */
  function refuseLate(): void {
    const since = performance.now() - longestQueuedMs;
    for (const [commerceId, queue] of queues) {
      if (queue[0]!.since > since) continue;
      const [late, left] = splitBy(queue, (waiting) => waiting.since <= since);
      queued -= late.length;
      counts.refused += late.length;
      if (left.length > 0) queues.set(commerceId, left);
      else queues.delete(commerceId);
      for (const { reject } of late) reject(new Overloaded('the database is busy'));
    }
  }

  /**
   * Waits for two turns of the event loop: callers who were just answered often call again at once, and then go into the next
   * batch.
   */
  function endBatch(free: () => void): void {
    free();
    setImmediate(() => setImmediate(goOn));
  }

  function goOn(): void {
    startBatch();
    if (isIdle()) for (const resolve of whenDrained.splice(0)) resolve();
  }

  function isIdle(): boolean {
    return queued === 0 && underWay.size === 0 && !extraBatchUnderWay && !asideUnderWay && !apartUnderWay;
  }

  /** If one commerce fills every running batch, the others get one extra batch, so that they do not wait for it. */
  function takeExtraBatch(): Calls {
    const [filling, ...others] = new Set(Array.from(underWay, ({ filledBy }) => filledBy));
    return filling === undefined || others.length > 0 ? [] : takeBatch(filling);
  }

  function findFillingCommerce(batch: Calls): number | undefined {
    const calls = Map.groupBy(batch, ({ call }) => commerceOf(call));
    for (const [commerceId, its] of calls) if (its.length * 2 > batch.length) return commerceId;
    return undefined;
  }

  /**
   * Takes one call of each commerce in turn, skipping `except` and whatever another batch is working on. While other
   * commerces wait, a commerce gets at most half a batch.
   */
  function takeBatch(except?: number): Calls {
    const most = queues.size > 1 ? Math.ceil(largest / 2) : largest;
    const offers = Array.from(queues, ([commerceId, queue]) => ({
      commerceId,
      queue,
      free: commerceId === except ? [] : findFree(queue, most),
    }));
    const batch: Calls = [];
    for (let turn = 0; turn < most && batch.length < largest; turn++) {
      const before = batch.length;
      for (const { free } of offers) {
        if (batch.length < largest && free[turn] !== undefined) batch.push(free[turn]!);
      }
      if (batch.length === before) break;
    }
    for (const waiting of batch) waiting.isTaken = true;
    for (const { commerceId, queue, free } of offers) {
      if (free[0]?.isTaken !== true) continue;
      // A commerce whose calls were taken goes behind the others.
      queues.delete(commerceId);
      const left = queue.filter((waiting) => !waiting.isTaken);
      if (left.length > 0) queues.set(commerceId, left);
    }
    queued -= batch.length;
    if (batch.length > 0) {
      counts.batches += 1;
      counts.calls += batch.length;
    }
    hold(batch);
    return batch;
  }

  /** Returns the first calls of a queue that can run now. */
  function findFree(queue: Calls, most: number): Calls {
    const free: Calls = [];
    const taken = new Set<string>();
    for (const waiting of queue) {
      if (free.length === most) break;
      const { rows, names } = waiting;
      if (names.some((name) => taken.has(name) || busy.has(name))) continue;
      if (rows.some((row) => busy.has(row))) continue;
      for (const name of names) taken.add(name);
      free.push(waiting);
    }
    return free;
  }

  /** Keeps other batches away from what these calls work on. */
  function hold(calls: Calls): void {
    for (const { rows, names } of calls) {
      for (const row of rows) busy.add(row);
      for (const name of names) busy.add(name);
    }
  }

  /** Lets the next batch work on what these calls worked on. */
  function end(calls: Calls): void {
    for (const { rows, names } of calls) {
      for (const row of rows) busy.delete(row);
      for (const name of names) busy.delete(name);
    }
  }

  async function runBatch(batch: Calls, waitFor: 'none' | 'first' = 'none'): Promise<void> {
    try {
      settle(batch, await (waitFor === 'first' ? runWaitingForFirst(batch) : runTogether(batch, waitFor)));
    } catch (error) {
      if (!(batch.length > 1 || isLockedOut(error)) || !isWorthRepeating(error)) fail(batch, error);
      else if (apartUnderWay) await runApart(batch);
      else {
        // The next batch does not wait for it.
        apartUnderWay = true;
        void runApart(batch).finally(() => endBatch(() => (apartUnderWay = false)));
      }
    }
  }

  /** If the row of the first call stays locked, that call stays aside and the others run without it. */
  async function runWaitingForFirst(batch: Calls): Promise<(Outcome | SetAside)[]> {
    try {
      return await runTogether(batch, 'first');
    } catch (error) {
      if (!isLockedOut(error)) throw error;
      const others = batch.slice(1);
      return [
        new SetAside(batch[0]!.rows[0]!),
        ...(others.length > 0 ? await runTogether(others, 'none') : []),
      ];
    }
  }

  function runTogether(batch: Calls, waitFor: WaitFor): Promise<(Outcome | SetAside)[]> {
    const calls = batch.map(({ call }) => call);
    if (tracing === null) return run(calls, waitFor);
    const places = batch.map(({ place }) => place);
    return tracing.shared(name, { 'loyalty.calls': calls.length }, places, () => run(calls, waitFor));
  }

  function settle(batch: Calls, outcomes: readonly (Outcome | SetAside)[]): void {
    // Before the callers hear of it, because their next call may be about the same row.
    end(batch);
    const waiting: Calls = [];
    batch.forEach((call, i) => {
      const outcome = outcomes[i]!;
      if (!(outcome instanceof SetAside)) return;
      call.rows = [outcome.row];
      waiting.push(call);
    });
    hold(waiting);
    batch.forEach(({ resolve }, i) => {
      const outcome = outcomes[i]!;
      if (!(outcome instanceof SetAside)) resolve(outcome);
    });
    if (waiting.length > 0) setAside(waiting);
  }

  function fail(calls: Calls, error: unknown): void {
    end(calls);
    for (const { reject } of calls) reject(error);
  }

  function setAside(calls: Calls): void {
    for (const call of calls) call.asideSince ??= performance.now();
    aside.push(...calls);
    if (asideUnderWay) return;
    asideUnderWay = true;
    void runAside().finally(goOn);
  }

  /**
   * Runs the calls that were set aside, all together and one batch at a time, until none is left. Each run waits for the
   * row of the first call only, so that a row that stays locked holds up nobody else.
   */
  async function runAside(): Promise<void> {
    while (aside.length > 0) {
      const [late, calls] = splitBy(
        aside,
        ({ asideSince }) => performance.now() - asideSince! > longestRepeatMs,
      );
      aside = [];
      if (late.length > 0) fail(late, new Overloaded('what the call is about is busy elsewhere'));
      if (calls.length > 0) await runBatch(calls, 'first');
      // Calls may be waiting for the rows that are free now.
      startSoon();
      // The next run waits for another row.
      const [first, ...others] = aside;
      if (first !== undefined) aside = [...others, first];
    }
    // Not a moment later: a call that is set aside in between would never run.
    asideUnderWay = false;
  }

  /**
   * Finds the call that made the batch fail. Runs the commerces separately, two at a time so that one that fails
   * slowly does not hold up the rest, and then the calls of a failed commerce one by one. Calls that need a lock that
   * somebody else holds wait for it at the end. A statement can take seconds to fail, so there is a time limit.
   */
  async function runApart(batch: Calls): Promise<void> {
    const until = performance.now() + longestRepeatMs;
    const lockedOut: Calls = [];
    const byCommerce = [...Map.groupBy(batch, ({ call }) => commerceOf(call)).values()];
    if (byCommerce.length === 1) await runEach(batch);
    else await Promise.all([runCommerces(), runCommerces()]);
    for (const waiting of lockedOut) await runPart([waiting], 'all', (error) => fail([waiting], error));

    async function runCommerces(): Promise<void> {
      for (let part = byCommerce.shift(); part !== undefined; part = byCommerce.shift()) {
        const calls = part;
        await runPart(calls, 'none', (error) =>
          isWorthRepeating(error) ? runEach(calls) : fail(calls, error),
        );
      }
    }

    async function runEach(calls: Calls): Promise<void> {
      for (const waiting of calls)
        await runPart([waiting], 'none', (error) => {
          if (isLockedOut(error)) lockedOut.push(waiting);
          else fail([waiting], error);
        });
    }

    async function runPart(
      part: Calls,
      waitFor: WaitFor,
      onError: (error: unknown) => Promise<void> | void,
    ): Promise<void> {
      if (performance.now() >= until) return fail(part, new Overloaded('the database is busy'));
      const outcomes = await runTogether(part, waitFor).catch(onError);
      if (outcomes) settle(part, outcomes);
      startSoon();
    }
  }

  /** Without a connection, every smaller batch would wait as long as this one just did. */
  function isWorthRepeating(error: unknown): boolean {
    return mayRepeat(error) && !isWithoutConnection(error);
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

const NO_ROWS: readonly string[] = [];

/** Returns true if a lock was not free in time. */
function isLockedOut(error: unknown): boolean {
  return error instanceof Conflict || sqlState(error) === '55P03';
}

function splitBy<T>(items: readonly T[], test: (item: T) => boolean): [yes: T[], no: T[]] {
  const groups = Map.groupBy(items, test);
  return [groups.get(true) ?? [], groups.get(false) ?? []];
}
