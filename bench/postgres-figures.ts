import { sql, type Database } from '../server/src/db/database.ts';

/** Bytes of write-ahead log that were ever written. */
export async function writtenLog(db: Database): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint as bytes`.execute(db);
  return rows[0]!.bytes;
}

/** Transactions that ever wrote something. */
export async function writingTransactions(db: Database): Promise<number> {
  const { rows } = await sql<{ transactions: number }>`
    select pg_snapshot_xmax(pg_current_snapshot())::text::bigint as transactions`.execute(db);
  return rows[0]!.transactions;
}

/** The part of the updates of members that touched no index, between 0 and 1. */
export async function hotShare(db: Database): Promise<number> {
  const { rows } = await sql<{ share: number }>`
    select n_tup_hot_upd / greatest(n_tup_upd, 1)::float8 as share
      from pg_stat_user_tables where relname = 'members'`.execute(db);
  return Number(rows[0]!.share.toFixed(4));
}
