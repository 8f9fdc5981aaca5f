import type { FailedOrder, Outbox, OutboxCounts, TakenOrder } from '@loyalty/shop-core';
import type { RequestContext, TransactionalConnection } from '@vendure/core';
import { IsNull, LessThanOrEqual, Not } from 'typeorm';
import { LoyaltyMark, LoyaltyOutboxRow } from './entities.ts';

const MARK = 'swept';

/** The outbox of a shop, of which a note can belong to the transaction that changes the order. */
export interface VendureOutbox extends Outbox {
  /** The same as `note` for one order, in the transaction of `ctx` if it has one: the note is there exactly if the change is. */
  noteWith(ctx: RequestContext, orderId: string, now: Date): Promise<void>;
}

/**
 * Keeps the outbox in Vendure's database, in statements that PostgreSQL, MySQL, MariaDB and SQLite understand. A statement that changes a
 * row names the version that was read, so one of several processes wins and the others see that nothing was changed.
 */
export function vendureOutbox(connection: TransactionalConnection): VendureOutbox {
  const rowsOf = (ctx?: RequestContext) => connection.getRepository(ctx, LoyaltyOutboxRow);
  const marks = () => connection.rawConnection.getRepository(LoyaltyMark);

  return {
    async note(orderIds, now) {
      for (const orderId of orderIds) await note(undefined, orderId, now);
    },

    noteWith: note,

    async take(limit, now, until) {
      const taken: TakenOrder[] = [];
      for (;;) {
        const due = await rowsOf().find({
          where: { dueAt: LessThanOrEqual(now.getTime()) },
          order: { dueAt: 'ASC' },
          take: limit - taken.length,
        });
        for (const { orderId, version, attempts } of due) {
          const next = Math.max(version + 1, now.getTime());
          const { affected } = await rowsOf().update(
            { orderId, version },
            { version: next, dueAt: until.getTime() },
          );
          if (affected === 1) taken.push({ orderId, version: next, attempts });
        }
        // What another process took meanwhile is not due any more, so this comes to an end.
        if (due.length === 0 || taken.length === limit) return taken;
      }
    },

    async sent({ orderId, version }) {
      await rowsOf().delete({ orderId, version });
    },

    async failed({ orderId, version, attempts }, { error, nextTry }) {
      await rowsOf().update(
        { orderId, version },
        { error, dueAt: nextTry?.getTime() ?? null, attempts: attempts + 1 },
      );
    },

    async listFailed(limit) {
      const given = { error: Not(IsNull()), dueAt: IsNull() };
      const waiting = { error: Not(IsNull()), dueAt: Not(IsNull()) };
      const rows: LoyaltyOutboxRow[] = [];
      for (const where of [given, waiting])
        if (rows.length < limit)
          rows.push(
            ...(await rowsOf().find({ where, order: { notedAt: 'DESC' }, take: limit - rows.length })),
          );
      return rows.map(({ orderId, error, notedAt, dueAt }): FailedOrder => ({
        orderId,
        error: error ?? '',
        notedAt: new Date(notedAt),
        nextTry: dueAt === null ? null : new Date(dueAt),
      }));
    },

    async counts(): Promise<OutboxCounts> {
      const [waiting, failed, oldest] = await Promise.all([
        rowsOf().countBy({ dueAt: Not(IsNull()) }),
        rowsOf().countBy({ dueAt: IsNull() }),
        rowsOf().findOne({ where: { dueAt: Not(IsNull()) }, order: { notedAt: 'ASC' } }),
      ]);
      return { waiting, failed, oldest: oldest === null ? null : new Date(oldest.notedAt) };
    },

    async readMark() {
      const mark = await marks().findOneBy({ name: MARK });
      return mark === null ? null : new Date(mark.value);
    },

    async writeMark(mark) {
      const value = mark.toISOString();
      await marks().createQueryBuilder().insert().values({ name: MARK, value }).orIgnore().execute();
      // Instants of one form compare as texts.
      await marks().update({ name: MARK, value: LessThanOrEqual(value) }, { value });
    },
  };

  async function note(ctx: RequestContext | undefined, orderId: string, now: Date): Promise<void> {
    const at = now.getTime();
    while (!(await noteAgain(ctx, orderId, at))) {
      const first = { orderId, version: at, notedAt: at, dueAt: at, attempts: 0, error: null };
      await rowsOf(ctx).createQueryBuilder().insert().values(first).orIgnore().execute();
    }
  }

  /** False if the order has no row. MySQL assigns from left to right, so `attempts` comes before what it asks for. */
  async function noteAgain(ctx: RequestContext | undefined, orderId: string, at: number): Promise<boolean> {
    const { affected } = await rowsOf(ctx)
      .createQueryBuilder()
      .update()
      .set({
        attempts: () => `case when ${column('dueAt')} is null then 0 else ${column('attempts')} end`,
        version: () => `case when ${column('version')} >= :at then ${column('version')} + 1 else :at end`,
        dueAt: () => ':at',
      })
      .where({ orderId })
      .setParameter('at', at)
      .execute();
    return affected === 1;
  }

  function column(name: string): string {
    return connection.rawConnection.driver.escape(name);
  }
}
