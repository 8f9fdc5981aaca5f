import type { HeldRows } from './held-rows.ts';

interface Queued {
  readonly commerceId: number;
  readonly since: number;
  readonly rows: readonly string[];
  readonly names: readonly string[];
}

/**
 * Calls that wait for their first run, a queue for each commerce. Commerces take turns: while others wait, a commerce gets at most half
 * a batch, and one whose calls were taken goes behind the others.
 */
export class Queues<Call extends Queued> {
  readonly #queues = new Map<number, Call[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(call: Call): void {
    const queue = this.#queues.get(call.commerceId);
    if (queue === undefined) this.#queues.set(call.commerceId, [call]);
    else queue.push(call);
    this.#size += 1;
  }

  /** Returns true if a commerce has at least an equal share of so many places. Others are not the ones that made the queue too long. */
  hasItsShareOf(places: number, commerceId: number): boolean {
    return (this.#queues.get(commerceId)?.length ?? 0) >= Math.min(this.#size, places) / this.#queues.size;
  }

  /** For how long the oldest call has been waiting; 0 if none waits. */
  oldestMs(): number {
    let oldest = Infinity;
    for (const queue of this.#queues.values()) oldest = Math.min(oldest, queue[0]!.since);
    return oldest === Infinity ? 0 : performance.now() - oldest;
  }

  /**
   * Takes the next batch: one call of each commerce in turn, without those of `except` and those that work on what is held. Two calls
   * that have a name in common are never taken together. With `shardOf`, takes calls of one shard only: that of the commerce whose turn it is.
   */
  take(largest: number, held: HeldRows, { except, shardOf }: TakeOptions = {}): Call[] {
    const most = this.#queues.size > 1 ? Math.ceil(largest / 2) : largest;
    const offers = ofFirstShard(
      Array.from(this.#queues.keys())
        .filter((commerceId) => commerceId !== except)
        .map((commerceId) => ({ commerceId, free: findFree(this.#queues.get(commerceId)!, most, held) })),
      shardOf,
    );
    const batch: Call[] = [];
    for (let turn = 0; turn < most && batch.length < largest; turn++) {
      const before = batch.length;
      for (const { free } of offers)
        if (batch.length < largest && free[turn] !== undefined) batch.push(free[turn]!);
      if (batch.length === before) break;
    }
    const taken = new Set(batch);
    for (const { commerceId, free } of offers)
      if (free.length > 0 && taken.has(free[0]!)) this.#keep(commerceId, (call) => !taken.has(call));
    return batch;
  }

  /** Takes the calls that have waited since `since` or longer. */
  takeLate(since: number): Call[] {
    const late: Call[] = [];
    for (const [commerceId, queue] of this.#queues) {
      if (queue[0]!.since > since) continue;
      late.push(...queue.filter((call) => call.since <= since));
      const left = queue.filter((call) => call.since > since);
      if (left.length > 0) this.#queues.set(commerceId, left);
      else this.#queues.delete(commerceId);
    }
    this.#size -= late.length;
    return late;
  }

  /** Puts what is left of a commerce's queue behind the others. */
  #keep(commerceId: number, isLeft: (call: Call) => boolean): void {
    const queue = this.#queues.get(commerceId)!;
    const left = queue.filter(isLeft);
    this.#size -= queue.length - left.length;
    this.#queues.delete(commerceId);
    if (left.length > 0) this.#queues.set(commerceId, left);
    // The map leaves tables behind that still hold it, until a full collection of garbage.
    queue.length = 0;
  }
}

interface TakeOptions {
  /** A commerce whose calls stay in its queue. */
  readonly except?: number | undefined;
  /** Says which commerces can share a transaction. By default all can. */
  readonly shardOf?: ((commerceId: number) => number) | undefined;
}

interface Offer<Call> {
  readonly commerceId: number;
  readonly free: readonly Call[];
}

function ofFirstShard<Call>(
  offers: readonly Offer<Call>[],
  shardOf: TakeOptions['shardOf'],
): readonly Offer<Call>[] {
  const first = shardOf && offers.find(({ free }) => free.length > 0);
  if (shardOf === undefined || first === undefined) return offers;
  const shard = shardOf(first.commerceId);
  return offers.filter(({ commerceId }) => shardOf(commerceId) === shard);
}

/** Returns the first calls of a queue that can run now. */
function findFree<Call extends Queued>(queue: readonly Call[], most: number, held: HeldRows): Call[] {
  const free: Call[] = [];
  const taken = new Set<string>();
  for (const call of queue) {
    if (free.length === most) break;
    const { rows, names } = call;
    if (names.some((name) => taken.has(name) || held.isHeld(name))) continue;
    if (rows.some((row) => held.isHeld(row))) continue;
    for (const name of names) taken.add(name);
    free.push(call);
  }
  return free;
}
