/** `movements` is one table, or one in partitions by hash of the commerce: `loyalty partition` changes it. Nothing else is partitioned. */
import type { Db } from './database.ts';
import { sql, type Sql } from './sql.ts';

/** The copy that a change of the partitions fills. It is there only while one runs, or after one was interrupted. */
export const MOVEMENTS_COPY = 'movements_copy';

/** Selects the tables that have the rows of a table: the table itself, or its partitions. The columns are those of `pg_class`. */
export function partsOf(table: string): Sql {
  return sql`
    select c.* from pg_class c
     where c.relkind = 'r'
       and (c.oid = to_regclass(${table}) or c.oid in (select inhrelid from pg_inherits where inhparent = to_regclass(${table})))`;
}

/**
 * A condition on `pg_class` as `c`: it is not a partition, nor the copy that a change of the partitions fills. Those are nobody's business but
 * PostgreSQL's: rights and names are those of the whole table.
 */
export const isWholeTable: Sql = sql.raw(`not c.relispartition and c.relname <> '${MOVEMENTS_COPY}'`);

/** A condition on `pg_constraint` as `c`: it was not made by PostgreSQL for one partition of a table. */
export const isWholeConstraint: Sql = sql.raw(
  `c.conparentid = 0 and not exists (select from pg_class p where p.oid = c.conrelid and (p.relispartition or p.relname = '${MOVEMENTS_COPY}'))`,
);

/** Held by whoever changes the partitions, and shared by an import of a commerce, whose rows have ids of the past. */
export const PARTITIONS_LOCK = '3853314791062309111';

/** Returns true while somebody changes the partitions: other sessions can tell by the lock. */
export async function arePartitionsChanged(db: Db): Promise<boolean> {
  const { rows } = await sql<{ changed: boolean }>`-- are-partitions-changed
    select exists (select from pg_locks
                    where locktype = 'advisory' and granted and mode = 'ExclusiveLock' and objsubid = 1
                      and (classid::bigint << 32) + objid::bigint = ${PARTITIONS_LOCK}::bigint
                      and database = (select oid from pg_database where datname = current_database())) as changed`.execute(
    db,
  );
  return rows[0]!.changed;
}
