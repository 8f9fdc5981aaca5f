import type { FastifyBaseLogger } from 'fastify';
import type { Database } from '#db/database.ts';

/** Something that is taken from a table and sent: mails, updates of passes, heads of the sealed history. */
export interface Outgoing<Item> {
  /** The message for the log if nothing could be taken. */
  readonly takeFailed: string;
  /** Done before the first round and then at every `everyMs`: marks what became due, forgets what is old. */
  readonly prepare?: () => Promise<void>;
  /**
   * Takes items that are due, at most `most`, and leases them for longer than the time limit, so that no other process sends them too.
   * `underWay` has the number of items of each lane that are being sent: a receiver or a shop with its share takes no more. The signal
   * says that the service stops.
   */
  readonly take: (
    most: number,
    underWay: ReadonlyMap<string, number>,
    signal: AbortSignal,
  ) => Promise<readonly Item[]>;
  /** The lanes of an item, such as its receiver and its shop. */
  readonly lanesOf?: (item: Item) => readonly string[];
  /** Sends an item and records it. The signal ends the work when the time is over or the service stops. */
  readonly send: (item: Item, signal: AbortSignal) => Promise<void>;
  /** Records a failure: the item is due again later, or given up. */
  readonly failed: (item: Item, error: unknown) => Promise<void>;
}

export interface DeliveryOptions {
  readonly db: Database;
  readonly log: Pick<FastifyBaseLogger, 'warn'>;
  /** How long it waits when nothing is due. */
  readonly everyMs: number;
  /** Items that are sent at once. */
  readonly atOnce: number;
  /** The time limit of one item. It is shorter than the lease. */
  readonly longestMs: number;
  /** How long `stop` waits for what is being sent. Without it, that is ended at once. It is sent again after its lease. */
  readonly graceMs?: number;
}

export interface Delivery {
  /** Looks for due items at once. */
  wake(): void;
  /** Takes nothing more, and ends what is being sent. */
  stop(): Promise<void>;
}

/**
 * Takes what is due and sends it, again and again until it is stopped. Any number of processes may do so at once. Each item is sent at
 * least once: after a crash its lease ends, and it is taken again.
 */
export function startDelivery<Item>(outgoing: Outgoing<Item>, options: DeliveryOptions): Delivery {
  const { db, log, everyMs, atOnce, longestMs, graceMs = 0 } = options;
  const sending = new Set<Promise<void>>();
  const underWay = new Map<string, number>();
  const stopping = new AbortController();
  const ending = new AbortController();
  let isWoken = false;
  let preparedAt = -Infinity;
  let endPause = (): void => {};
  const running = run();

  return {
    wake,
    async stop() {
      stopping.abort();
      endPause();
      await running;
      if (graceMs > 0) await Promise.race([Promise.all(sending), pause(graceMs)]);
      ending.abort(new DeliveryStops());
      if (graceMs === 0) await Promise.all(sending);
    },
  };

  function wake(): void {
    isWoken = true;
    endPause();
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      isWoken = false;
      try {
        await round();
      } catch (error) {
        if (!db.trouble.note(error)) log.warn({ err: error }, outgoing.takeFailed);
      }
      if (!isWoken && !stopping.signal.aborted) await pauseUntilWoken();
    }
  }

  async function round(): Promise<void> {
    if (outgoing.prepare && performance.now() - preparedAt >= everyMs) {
      await outgoing.prepare();
      preparedAt = performance.now();
    }
    const free = atOnce - sending.size;
    if (free === 0 || stopping.signal.aborted) return;
    for (const item of await outgoing.take(free, underWay, stopping.signal)) {
      const lanes = outgoing.lanesOf?.(item) ?? [];
      for (const lane of lanes) count(lane, 1);
      const sent = sendOne(item).finally(() => {
        for (const lane of lanes) count(lane, -1);
        sending.delete(sent);
        wake();
      });
      sending.add(sent);
    }
  }

  async function sendOne(item: Item): Promise<void> {
    const late = new AbortController();
    const timer = setTimeout(
      () => late.abort(new Error(`it took longer than ${longestMs / 1000} s`)),
      longestMs,
    );
    const signal = AbortSignal.any([late.signal, ending.signal]);
    try {
      await Promise.race([outgoing.send(item, signal), rejectedBy(signal)]);
    } catch (error) {
      if (error instanceof DeliveryStops) return;
      await outgoing.failed(item, error).catch((cause: unknown) => {
        if (!db.trouble.note(cause))
          log.warn({ err: cause }, 'what became of a delivery could not be recorded');
      });
    } finally {
      clearTimeout(timer);
    }
  }

  function count(lane: string, by: 1 | -1): void {
    const left = (underWay.get(lane) ?? 0) + by;
    if (left === 0) underWay.delete(lane);
    else underWay.set(lane, left);
  }

  function pauseUntilWoken(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, everyMs);
      endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

/** The service stops while something is being sent. It is sent again after its lease. */
class DeliveryStops extends Error {}

function rejectedBy(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const refuse = () => reject(signal.reason as Error);
    if (signal.aborted) refuse();
    else signal.addEventListener('abort', refuse, { once: true });
  });
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms).unref());
}
