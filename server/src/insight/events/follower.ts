import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import { createBatch } from '#batching/batch.ts';
import { byShard } from '#db/cluster/shards.ts';
import { sql, type Database } from '#db/database.ts';
import { findSettledId } from '#points/settled-id.ts';

/** Follows the feeds of all commerces, for all readers of this process. */
export interface Follower {
  /**
   * Returns an id up to which the feed is complete. Everything committed before the call is below it, unless somebody's transaction takes
   * long.
   */
  settledId(): Promise<number>;
  /** The same, but it waits for a transaction that takes long for a second at most, and not at all while others ask who have. */
  settledSoon(): Promise<number>;
  /** Returns the id up to which the feed was complete when somebody asked last. */
  knownId(): number;
  /**
   * Returns when the commerce has events above `after`, at the signal, or after so many milliseconds. Returns false if nobody should wait
   * any more, because the service stops.
   */
  waitForMore(commerceId: number, after: number, longestMs: number, signal: AbortSignal): Promise<boolean>;
  /** For how many seconds the feed has stood still although somebody asks for it; 0 if it moves. */
  standsStillFor(): number;
  readonly waiting: () => number;
  /** Lets all who wait go. */
  stop(): void;
}

interface Waiter {
  readonly commerceId: number;
  readonly after: number;
  readonly wake: () => void;
}

const EVERY_MS = 250;
const SOON_MS = 1_000;
/** So long whoever asks anew waits in any case, because the feed may have begun to move since. */
const LEAST_MS = 200;
/** Whoever has asked within this time still wants to know. Longer than an answer can take. */
const RECENT_MS = 10_000;

/**
 * Creates the follower. It looks at the database four times a second while somebody waits, however many do, and not at all while nobody
 * does.
 */
export function createFollower(database: Database, log: Pick<FastifyBaseLogger, 'warn'>): Follower {
  const waiters = new Set<Waiter>();
  let known = 0;
  /** Since when those who ask have got no answer; null if the last one did. */
  let stillSince: number | null = null;
  let askedAt = -Infinity;
  let asking = 0;
  let timer: NodeJS.Timeout | null = null;
  let hasStopped = false;

  const settling = createBatch<null, number>({
    name: 'settle-events',
    tracing: database.tracing,
    run: async (asks) => {
      const before = stillSince;
      stillSince ??= performance.now();
      try {
        const settled = await findSettledId(database);
        if (settled !== null) {
          known = Math.max(known, settled);
          stillSince = null;
        }
      } catch (error) {
        // A database that does not answer says nothing about the feed.
        stillSince = before;
        throw error;
      }
      return asks.map(() => known);
    },
    commerceOf: () => 0,
    mayRepeat: () => true,
    longestQueuedMs: database.patience.queuedMs,
  });

  return {
    settledId: ask,

    async settledSoon() {
      const left = SOON_MS - stillMs();
      // One who asks is enough to notice that the feed moves again.
      if (left <= 0 && asking > 0) return known;
      const ms = Math.max(LEAST_MS, left);
      const late = new AbortController();
      try {
        return await Promise.race([ask(), pause(ms, null, { signal: late.signal }).then(() => known)]);
      } finally {
        late.abort();
      }
    },

    knownId: () => known,

    waitForMore(commerceId, after, longestMs, signal) {
      if (hasStopped || signal.aborted) return Promise.resolve(!hasStopped);
      return new Promise((resolve) => {
        const wake = () => {
          clearTimeout(late);
          signal.removeEventListener('abort', wake);
          waiters.delete(waiter);
          resolve(!hasStopped);
        };
        const waiter = { commerceId, after, wake };
        const late = setTimeout(wake, longestMs);
        signal.addEventListener('abort', wake, { once: true });
        waiters.add(waiter);
        lookSoon();
      });
    },

    standsStillFor: () => stillMs() / 1000,
    waiting: () => waiters.size,

    stop() {
      hasStopped = true;
      for (const { wake } of waiters) wake();
    },
  };

  async function ask(): Promise<number> {
    const now = performance.now();
    // What stood still when nobody asked may have moved since.
    if (asking === 0 && now - askedAt > RECENT_MS) stillSince = null;
    askedAt = now;
    asking += 1;
    try {
      return await settling.submit(null);
    } finally {
      asking -= 1;
    }
  }

  function stillMs(): number {
    const now = performance.now();
    const isAsked = asking > 0 || now - askedAt <= RECENT_MS;
    return isAsked && stillSince !== null ? now - stillSince : 0;
  }

  function lookSoon(): void {
    timer ??= setTimeout(() => {
      void look().finally(() => {
        timer = null;
        if (waiters.size > 0) lookSoon();
      });
    }, EVERY_MS);
  }

  async function look(): Promise<void> {
    try {
      const before = known;
      const settled = await ask();
      const isBehind = [...waiters].some(({ after }) => after < settled);
      if (settled > before || isBehind) await wakeReaders(settled);
    } catch (error) {
      if (!database.trouble.note(error)) log.warn({ err: error }, 'the feed of events could not be followed');
    }
  }

  async function wakeReaders(settled: number): Promise<void> {
    const asking = Map.groupBy(waiters, ({ commerceId }) => commerceId);
    for (const among of byShard(database, [...asking.keys()]))
      await wakeThose(
        among.flatMap((commerceId) => asking.get(commerceId)!),
        among,
        settled,
      );
  }

  async function wakeThose(
    asking: readonly Waiter[],
    among: readonly number[],
    settled: number,
  ): Promise<void> {
    const { rows } = await sql<{ nth: number }>`-- find-readers-with-events
      select w.nth
        from unnest(${asking.map((w) => w.commerceId)}::bigint[], ${asking.map((w) => w.after)}::bigint[])
               with ordinality as w(commerce_id, after, nth)
       where exists (select from movements m
                      where m.commerce_id = any(${among}::bigint[]) and m.commerce_id = w.commerce_id
                        and m.id > w.after and m.id <= ${settled})
          or exists (select from happenings h
                      where h.commerce_id = any(${among}::bigint[]) and h.commerce_id = w.commerce_id
                        and h.id > w.after and h.id <= ${settled})`.execute(database);
    for (const { nth } of rows) asking[nth - 1]!.wake();
  }
}
