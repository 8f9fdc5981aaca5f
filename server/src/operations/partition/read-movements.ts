import { sql, type Db } from '#db/database.ts';
import { MOVEMENTS_COPY, partsOf } from '#db/partitions.ts';

/** How `movements` is kept. */
export interface Movements {
  /** 1 if it is one table. */
  readonly partitions: number;
  /** An estimate. */
  readonly rows: number;
  /** With the indexes. */
  readonly bytes: number;
  /** Whether an interrupted change has left a copy. */
  readonly hasCopy: boolean;
  /** Whether somebody has partitioned it in another way. */
  readonly isOther: boolean;
  /** Foreign keys that a change has put back and not checked yet, or not for the whole table. */
  readonly unchecked: number;
}

/** Reads how `movements` is kept. Changes nothing. */
export async function readMovements(db: Db): Promise<Movements> {
  const { rows } = await sql<Movements>`
    select coalesce(nullif((select count(*) from pg_inherits where inhparent = m.oid), 0), 1) as partitions,
           (select coalesce(sum(greatest(reltuples, 0)), 0)::bigint from (${partsOf('movements')}) p) as rows,
           (select coalesce(sum(pg_total_relation_size(oid)), 0)::bigint from (${partsOf('movements')}) p) as bytes,
           to_regclass(${MOVEMENTS_COPY}) is not null as "hasCopy",
           (select count(*) from pg_constraint c
             where c.contype = 'f' and c.conparentid = 0
               and ((not c.convalidated and (c.conrelid = m.oid or c.confrelid = m.oid))
                    or c.conrelid in (select inhrelid from pg_inherits where inhparent = m.oid))) as unchecked,
           exists (select from pg_partitioned_table p
                    where p.partrelid = m.oid
                      and (p.partstrat <> 'h' or p.partattrs::text <> (select attnum::text from pg_attribute
                                                                        where attrelid = m.oid and attname = 'commerce_id'))) as "isOther"
      from pg_class m
     where m.oid = to_regclass('movements')`.execute(db);
  return rows[0]!;
}
