/**
 * The orders of a shop that have changed since the service was last told, in the shop's own database. It keeps ids, never states: whoever
 * sends reads the order anew, so signals may come twice, late or in any order.
 *
 * Each order has one row at most, with these columns:
 *
 * | column | meaning |
 * |---|---|
 * | `order_id` | the key |
 * | `version` | milliseconds; given anew by each `note` and each `take`, always above the one before |
 * | `noted_at` | when the first change came that was not sent |
 * | `due_at` | when to send it; null once it was given up |
 * | `attempts` | failures in a row |
 * | `error` | the words of the last failure, or null |
 *
 * Whatever an implementation does, it does in one guarded statement, because several processes of the shop share the table.
 * `checkOutbox` of `@loyalty/shop-core/testing` has the tests that each must pass.
 */
export interface Outbox {
  /**
   * Notes that orders changed, and makes them due at once: a new row, or the row that there is, with `due_at = now`, `error` as it was and
   * `attempts = 0` if it was given up. The row gets a new version, so that a sender that has read the order before does not take it for sent.
   */
  note(orderIds: readonly string[], now: Date): Promise<void>;
  /**
   * Takes the orders that are due, those that waited longest first, and gives each a new version and `due_at = until`. If the process dies, they
   * are due again then. Two calls at once take different orders (`for update skip locked`).
   */
  take(limit: number, now: Date, until: Date): Promise<TakenOrder[]>;
  /** Deletes an order that was sent, unless it has another version by now. */
  sent(taken: TakenOrder): Promise<void>;
  /** Stores why an order could not be sent, and counts the failure, unless it has another version by now. `nextTry` null gives it up, and keeps it listed. */
  failed(taken: TakenOrder, failure: { error: string; nextTry: Date | null }): Promise<void>;
  /** Returns the orders whose last try failed: first those that were given up, and the latest of them first. */
  listFailed(limit: number): Promise<FailedOrder[]>;
  counts(): Promise<OutboxCounts>;
  /** Returns the instant up to which changes were swept; null before the first sweep. */
  readMark(): Promise<Date | null>;
  /** Stores it. A mark never goes back. */
  writeMark(mark: Date): Promise<void>;
}

/** An order that somebody sends now. */
export interface TakenOrder {
  orderId: string;
  /** The version to send, in milliseconds. */
  version: number;
  /** How often it has failed in a row. */
  attempts: number;
}

/** An order that could not be sent. */
export interface FailedOrder {
  orderId: string;
  /** In the words of the service. */
  error: string;
  notedAt: Date;
  /** When it is tried again; null if it was given up. */
  nextTry: Date | null;
}

export interface OutboxCounts {
  /** Orders that are still to be sent. */
  waiting: number;
  /** Those that were given up. */
  failed: number;
  /** Since when the oldest of those that wait has been waiting. */
  oldest: Date | null;
}

interface Row {
  orderId: string;
  version: number;
  notedAt: Date;
  dueAt: Date | null;
  attempts: number;
  error: string | null;
}

/** Keeps the outbox in memory, for trials and tests: it says by example what an implementation does. */
export function memoryOutbox(): Outbox {
  const rows = new Map<string, Row>();
  let mark: Date | null = null;
  const isStill = ({ orderId, version }: TakenOrder) => rows.get(orderId)?.version === version;

  return {
    async note(orderIds, now) {
      for (const orderId of orderIds) {
        const row = rows.get(orderId);
        rows.set(orderId, {
          orderId,
          version: after(row, now),
          notedAt: row?.notedAt ?? now,
          dueAt: now,
          attempts: row === undefined || row.dueAt === null ? 0 : row.attempts,
          error: row?.error ?? null,
        });
      }
    },

    async take(limit, now, until) {
      const due = [...rows.values()]
        .filter(({ dueAt }) => dueAt !== null && dueAt <= now)
        .toSorted((one, other) => one.dueAt!.getTime() - other.dueAt!.getTime())
        .slice(0, limit);
      for (const row of due) Object.assign(row, { version: after(row, now), dueAt: until });
      return due.map(({ orderId, version, attempts }) => ({ orderId, version, attempts }));
    },

    async sent(taken) {
      if (isStill(taken)) rows.delete(taken.orderId);
    },

    async failed(taken, { error, nextTry }) {
      if (!isStill(taken)) return;
      Object.assign(rows.get(taken.orderId)!, { error, dueAt: nextTry, attempts: taken.attempts + 1 });
    },

    async listFailed(limit) {
      return [...rows.values()]
        .filter(({ error }) => error !== null)
        .toSorted(
          (one, other) =>
            Number(other.dueAt === null) - Number(one.dueAt === null) ||
            other.notedAt.getTime() - one.notedAt.getTime(),
        )
        .slice(0, limit)
        .map(({ orderId, error, notedAt, dueAt }) => ({ orderId, error: error!, notedAt, nextTry: dueAt }));
    },

    async counts() {
      const waiting = [...rows.values()].filter(({ dueAt }) => dueAt !== null);
      const times = waiting.map(({ notedAt }) => notedAt.getTime());
      return {
        waiting: waiting.length,
        failed: rows.size - waiting.length,
        oldest: times.length === 0 ? null : new Date(Math.min(...times)),
      };
    },

    async readMark() {
      return mark;
    },

    async writeMark(next) {
      if (mark === null || next > mark) mark = next;
    },
  };
}

function after(row: Row | undefined, now: Date): number {
  return Math.max((row?.version ?? 0) + 1, now.getTime());
}
