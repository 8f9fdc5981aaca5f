import type { Outbox } from './outbox.ts';

/** A value that a statement carries. */
export type SqlValue = string | number | Date | null | readonly string[];

/** Runs one statement in a transaction of its own and returns its rows. Values stand as `$1`, `$2` and so on. */
export type Sql = <Row>(statement: string, values?: readonly SqlValue[]) => Promise<Row[]>;

/** Makes the tables of `postgresOutbox`: for a migration of the plugin. Changes count from then on; older orders belong into an import. */
export const POSTGRES_OUTBOX_TABLES: readonly string[] = [
  `create table if not exists loyalty_outbox (
     order_id text primary key,
     version bigint not null,
     noted_at timestamptz not null,
     due_at timestamptz,
     attempts integer not null default 0,
     error text
   )`,
  `create index if not exists loyalty_outbox_due on loyalty_outbox (due_at)`,
  `create table if not exists loyalty_sweep (
     only_row boolean primary key default true check (only_row),
     swept_until timestamptz not null
   )`,
  `insert into loyalty_sweep (swept_until) values (now()) on conflict do nothing`,
];

/** The outbox of a shop that keeps its data in PostgreSQL. */
export function postgresOutbox(sql: Sql): Outbox {
  return {
    async note(orderIds, now) {
      await sql(
        `insert into loyalty_outbox as known (order_id, version, noted_at, due_at)
         select distinct id, $1::bigint, $2::timestamptz, $2::timestamptz
           from unnest($3::text[]) as id
          order by id
         on conflict (order_id) do update
            set version  = greatest(known.version + 1, excluded.version),
                due_at   = excluded.due_at,
                attempts = case when known.due_at is null then 0 else known.attempts end`,
        [now.getTime(), now, orderIds],
      );
    },

    async take(limit, now, until) {
      const rows = await sql<{ orderId: string; version: string; attempts: number; wasDue: Date }>(
        `with due as (
           select order_id, due_at
             from loyalty_outbox
            where due_at <= $1
            order by due_at, order_id
            limit $2
              for update skip locked)
         update loyalty_outbox as known
            set due_at  = $3,
                version = greatest(known.version + 1, $4::bigint)
           from due
          where known.order_id = due.order_id
         returning known.order_id as "orderId", known.version, known.attempts, due.due_at as "wasDue"`,
        [now, limit, until, now.getTime()],
      );
      return rows
        .toSorted((one, other) => one.wasDue.getTime() - other.wasDue.getTime())
        .map(({ orderId, version, attempts }) => ({ orderId, version: Number(version), attempts }));
    },

    async sent({ orderId, version }) {
      await sql(`delete from loyalty_outbox where order_id = $1 and version = $2`, [orderId, version]);
    },

    async failed({ orderId, version }, { error, nextTry }) {
      await sql(
        `update loyalty_outbox
            set error = $1, due_at = $2, attempts = attempts + 1
          where order_id = $3 and version = $4`,
        [error, nextTry, orderId, version],
      );
    },

    async listFailed(limit) {
      return sql(
        `select order_id as "orderId", error, noted_at as "notedAt", due_at as "nextTry"
           from loyalty_outbox
          where error is not null
          order by due_at is null desc, noted_at desc
          limit $1`,
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
        `insert into loyalty_sweep as known (swept_until) values ($1)
         on conflict (only_row) do update set swept_until = greatest(known.swept_until, excluded.swept_until)`,
        [mark],
      );
    },
  };
}
