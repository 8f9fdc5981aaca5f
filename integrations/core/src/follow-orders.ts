import { ApiError, type Order as Answer, type ShopClient } from '@loyalty/sdk';
import { laterState, orderState, withoutPaidAt } from './order-state.ts';
import type { FailedOrder, Outbox, OutboxCounts, TakenOrder } from './outbox.ts';
import { isPassing, wordsOf } from './refusals.ts';
import type { ShopOrder } from './shop-order.ts';

/** `Order` may have more than the core reads, such as the channel by which a client is chosen. */
export interface FollowerOptions<Order extends ShopOrder = ShopOrder> {
  outbox: Outbox;
  /** Reads an order from the shop as it is now. Null if there is nothing to tell: a draft, one without a buyer, one that was deleted. */
  readOrder: (orderId: string) => Promise<Order | null>;
  /**
   * Yields the ids of the orders that have changed at this instant or later, also by their payments, refunds and returns. The same id may
   * come twice.
   */
  changedSince: (since: Date) => AsyncIterable<string>;
  /** The client of the service. A shop with several commerces chooses by the order; null leaves the order out. */
  client: ShopClient | ((order: Order) => ShopClient | null);
  /** Is told of everything that was sent, with the answer: what became of codes, for example. */
  onSent?: (orderId: string, answer: Answer) => Promise<void> | void;
  /** Replaces the clock, for tests. */
  now?: () => Date;
}

/** What one run of `send` did. */
export interface Sending {
  sent: number;
  /** They are tried again by themselves. */
  delayed: number;
  /** They wait for a person who presses “send again”. */
  refused: number;
}

export interface ConnectionHealth extends OutboxCounts {
  /** Those whose last try failed, first those that were given up; 100 at most. */
  failedOrders: FailedOrder[];
  /** Up to when changes were swept; null before the first sweep. */
  sweptUntil: Date | null;
}

export type OrderFollower = ReturnType<typeof followOrders>;

const AT_ONCE = 5;
/** A process that dies leaves its orders to others after this time. It is longer than a call may take. */
const LEASE_MS = 60_000;
const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 15 * 60_000;
/** A sweep also looks at changes from a while before the last one: transactions of the shop commit later than their rows say. */
const OVERLAP_MS = 5 * 60_000;
const NOTED_TOGETHER = 100;
const MOST_LISTED = 100;
/** What fails is tried again later, from the outbox. */
const ONCE = { attempts: 1 };

/**
 * Makes the orders of a shop follow as states. The shop notes each change, a job sends every few seconds, and another sweeps every few minutes
 * for changes whose signal was lost. All three may run in several processes at once.
 */
export function followOrders<Order extends ShopOrder>(options: FollowerOptions<Order>) {
  const { outbox, readOrder, changedSince, client, onSent, now = () => new Date() } = options;
  return { note, send, sweep, sendAgain, health };

  /** Notes that an order changed. Cheap, and the only thing that a request of a customer waits for. */
  async function note(orderId: string): Promise<void> {
    await outbox.note([orderId], now());
  }

  /**
   * Sends what is due, until nothing is, or `forMs` have passed, or the service does not answer. Never rejects because of the service: what it
   * refuses is stored.
   */
  async function send({ forMs = 30_000 }: { forMs?: number } = {}): Promise<Sending> {
    const total: Sending = { sent: 0, delayed: 0, refused: 0 };
    const end = now().getTime() + forMs;
    for (;;) {
      const start = now();
      const taken = await outbox.take(AT_ONCE, start, new Date(start.getTime() + LEASE_MS));
      const results = await Promise.all(taken.map(sendOne));
      for (const result of results) total[result === 'unanswered' ? 'delayed' : result] += 1;
      const isDone = taken.length < AT_ONCE || now().getTime() >= end || results.includes('unanswered');
      if (isDone) return total;
    }
  }

  async function sendOne(taken: TakenOrder): Promise<keyof Sending | 'unanswered'> {
    try {
      const order = await readOrder(taken.orderId);
      const shop = order === null ? null : typeof client === 'function' ? client(order) : client;
      if (order !== null && shop !== null) {
        const answer = await put(shop, order, taken.version);
        const refusal = answer === null ? null : refusalIn(answer);
        if (refusal !== null) return await keep(taken, refusal.words, refusal.isPassing);
        if (answer !== null) await onSent?.(taken.orderId, answer);
      }
      await outbox.sent(taken);
      return 'sent';
    } catch (error) {
      const kept = await keep(taken, wordsOf(error), isPassing(error, taken.attempts));
      return kept === 'delayed' && !(error instanceof ApiError) ? 'unanswered' : kept;
    }
  }

  /**
   * Null for an order from before the plugin that the service does not know. A state that is refused is sent once more without what was
   * wrong, with the same version, because nothing was stored.
   */
  async function put(shop: ShopClient, order: Order, version: number): Promise<Answer | null> {
    const state = orderState(order, version);
    try {
      return await shop.putOrder(state, ONCE);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.code === 'order_conflict') return shop.putOrder(laterState(order, version), ONCE);
      if (error.code !== 'invalid_paid_at') throw error;
      if (order.isFromBefore) return null;
      // It waited for days, for a new key for example. Its buyer gets the points all the same.
      return shop.putOrder(withoutPaidAt(state), ONCE);
    }
  }

  async function keep(taken: TakenOrder, error: string, isPassing: boolean): Promise<'delayed' | 'refused'> {
    const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(taken.attempts, 20));
    // Not all at the same moment after an outage.
    const nextTry = isPassing ? new Date(now().getTime() + pause * (0.75 + Math.random() / 4)) : null;
    await outbox.failed(taken, { error, nextTry });
    return isPassing ? 'delayed' : 'refused';
  }

  /**
   * Notes the orders that have changed since the last sweep, and returns how many. The first sweep begins now: what is older belongs into an
   * import.
   */
  async function sweep(): Promise<number> {
    const start = now();
    const mark = (await outbox.readMark()) ?? start;
    let noted = 0;
    let ids: string[] = [];
    for await (const id of changedSince(new Date(mark.getTime() - OVERLAP_MS))) {
      ids.push(id);
      if (ids.length < NOTED_TOGETHER) continue;
      await outbox.note(ids, now());
      noted += ids.length;
      ids = [];
    }
    if (ids.length > 0) await outbox.note(ids, now());
    await outbox.writeMark(start);
    return noted + ids.length;
  }

  /** Sends orders again that were given up: those, or the latest hundred. Returns how many are due now. */
  async function sendAgain(orderIds?: readonly string[]): Promise<number> {
    const ids =
      orderIds ??
      (await outbox.listFailed(MOST_LISTED)).flatMap(({ orderId, nextTry }) =>
        nextTry === null ? [orderId] : [],
      );
    if (ids.length > 0) await outbox.note(ids, now());
    return ids.length;
  }

  /** Returns what a page of the shop's admin shows about the connection. */
  async function health(): Promise<ConnectionHealth> {
    const [counts, failedOrders, sweptUntil] = await Promise.all([
      outbox.counts(),
      outbox.listFailed(MOST_LISTED),
      outbox.readMark(),
    ]);
    return { ...counts, failedOrders, sweptUntil };
  }
}

/** Returns why an order that the service has stored does not count as it says; null if it does. */
function refusalIn({ stale, version, purchase }: Answer): { words: string; isPassing: boolean } | null {
  if (stale) return { words: `the service knows the newer version ${version}`, isPassing: true };
  if (purchase.state !== 'refused' && purchase.reason === null) return null;
  // A shop that pauses its program goes on one day. Everything else is for a person to look at.
  return { words: `the purchase was refused: ${purchase.reason}`, isPassing: purchase.reason === 'paused' };
}
