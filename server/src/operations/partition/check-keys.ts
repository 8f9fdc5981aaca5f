import { sql, type Database, type Db } from '#db/database.ts';
import { inShortLock } from './short-lock.ts';

/**
 * Checks the foreign keys from and to `movements` that were put back without a look at the rows, while calls go on, and makes those of its
 * partitions one of the whole table. Repeating it goes on. Returns for how many seconds writes waited at most at a time.
 */
export async function checkKeys(database: Database): Promise<number> {
  for (const { table, name } of await readUnchecked(database))
    await sql`alter table ${sql.id(table)} validate constraint ${sql.id(name)}`.execute(database);
  let longest = 0;
  for (const { name, definition } of await readOfPartitions(database)) {
    // Each partition has it and is checked, so PostgreSQL reads no row here.
    const seconds = await inShortLock(
      database,
      async () => {},
      (tx) => sql`alter table movements add constraint ${sql.id(name)} ${sql.raw(definition)}`.execute(tx),
    );
    longest = Math.max(longest, seconds);
  }
  // PostgreSQL counts the rows of partitions by itself, but those of the whole only when it is told to.
  await sql`analyze movements`.execute(database);
  return longest;
}

interface Key {
  readonly table: string;
  readonly name: string;
  readonly definition: string;
}

async function readUnchecked(db: Db): Promise<Key[]> {
  const { rows } = await sql<Key>`
    select r.relname::text as table, c.conname::text as name, pg_get_constraintdef(c.oid) as definition
      from pg_constraint c
      join pg_class r on r.oid = c.conrelid
     where c.contype = 'f' and c.conparentid = 0 and not c.convalidated
       and ('movements'::regclass in (c.conrelid, c.confrelid)
            or c.conrelid in (select inhrelid from pg_inherits where inhparent = 'movements'::regclass))
     order by 1, 2`.execute(db);
  return rows;
}

/** Returns the foreign keys that partitions have on their own, each once. */
async function readOfPartitions(db: Db): Promise<Omit<Key, 'table'>[]> {
  const { rows } = await sql<Key>`
    select distinct c.conname::text as name, pg_get_constraintdef(c.oid) as definition
      from pg_constraint c
      join pg_inherits i on i.inhrelid = c.conrelid and i.inhparent = 'movements'::regclass
     where c.contype = 'f' and c.conparentid = 0
     order by 1`.execute(db);
  return rows;
}
