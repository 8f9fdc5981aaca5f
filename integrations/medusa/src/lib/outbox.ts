import type { Outbox } from '@loyalty/shop-core';
import type { Sql } from './database';

/** The outbox of the core in Medusa's database, by guarded statements. */
export function sqlOutbox(sql: Sql): Outbox {
  return {
    async note(orderIds, now) {
      await sql(
        `insert into loyalty_outbox as known (order_id, version, noted_at, due_at)
         select distinct id, cast(? as bigint), cast(? as timestamptz), cast(? as timestamptz)
           from unnest(cast(? as text[])) as id
          order by id
         on conflict (order_id) do update
            set version  = greatest(known.version + 1, excluded.version),
                due_at   = excluded.due_at,
                attempts = case when known.due_at is null then 0 else known.attempts end`,
        [now.getTime(), now, now, orderIds],
      );
    },

    async take(limit, now, until) {
      const rows = await sql<{ orderId: string; version: string; attempts: number; was_due: Date }>(
        `with due as (
           select order_id, due_at
             from loyalty_outbox
            where due_at <= ?
            order by due_at, order_id
            limit ?
              for update skip locked)
         update loyalty_outbox as known
            set due_at  = ?,
                version = greatest(known.version + 1, cast(? as bigint))
           from due
          where known.order_id = due.order_id
         returning known.order_id as "orderId", known.version, known.attempts, due.due_at as was_due`,
        [now, limit, until, now.getTime()],
      );
      return rows
        .toSorted((one, other) => one.was_due.getTime() - other.was_due.getTime())
        .map(({ orderId, version, attempts }) => ({ orderId, version: Number(version), attempts }));
    },

    async sent({ orderId, version }) {
      await sql(`delete from loyalty_outbox where order_id = ? and version = ?`, [orderId, version]);
    },

    async failed({ orderId, version }, { error, nextTry }) {
      await sql(
        `update loyalty_outbox
            set error = ?, due_at = ?, attempts = attempts + 1
          where order_id = ? and version = ?`,
        [error, nextTry, orderId, version],
      );
    },

    async listFailed(limit) {
      return sql<{ orderId: string; error: string; notedAt: Date; nextTry: Date | null }>(
        `select order_id as "orderId", error, noted_at as "notedAt", due_at as "nextTry"
           from loyalty_outbox
          where error is not null
          order by due_at is null desc, noted_at desc
          limit ?`,
        [limit],
      );
    },

    async counts() {
      const [row] = await sql<{ waiting: string; failed: string; oldest: Date | null }>(
        `select count(*) filter (where due_at is not null) as waiting,
                count(*) filter (where due_at is null) as failed,
                min(noted_at) filter (where due_at is not null) as oldest
           from loyalty_outbox`,
      );
      return { waiting: Number(row!.waiting), failed: Number(row!.failed), oldest: row!.oldest };
    },

    async readMark() {
      const [row] = await sql<{ at: Date }>(`select swept_until as at from loyalty_sweep`);
      return row?.at ?? null;
    },

    async writeMark(mark) {
      await sql(
        `insert into loyalty_sweep as known (swept_until) values (?)
         on conflict (only_row) do update set swept_until = greatest(known.swept_until, excluded.swept_until)`,
        [mark],
      );
    },
  };
}
