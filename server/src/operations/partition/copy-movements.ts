import { Refusal } from '#base/refusal.ts';
import { sql, transaction, type Database, type Db, type Sql } from '#db/database.ts';
import { MOVEMENTS_COPY, partsOf } from '#db/partitions.ts';

const COPY = sql.id(MOVEMENTS_COPY);

/** Removes a copy. Calls never see one, so they never wait for this. */
export async function dropCopy(db: Db): Promise<void> {
  await sql`drop table if exists ${COPY}`.execute(db);
}

/** Creates an empty copy without indexes and foreign keys, with the owner and the rights of the table. Returns its oid. */
export async function createCopy(database: Database, partitions: number): Promise<number> {
  return transaction(database, async (tx) => {
    await asOwner(tx);
    const by = partitions === 1 ? sql`` : sql`partition by hash (commerce_id)`;
    await sql`create table ${COPY} (like movements including all excluding indexes) ${by}`.execute(tx);
    const settings = await readSettings(tx);
    if (partitions === 1 && settings !== null)
      await sql`alter table ${COPY} set (${sql.raw(settings)})`.execute(tx);
    for (let i = 0; i < (partitions === 1 ? 0 : partitions); i++)
      await sql`
        create table ${sql.id(nameOfPartition(partitions, i))} partition of ${COPY}
           for values with (modulus ${sql.lit(partitions)}, remainder ${sql.lit(i)})
          ${settings === null ? sql`` : sql`with (${sql.raw(settings)})`}`.execute(tx);
    await copyRights(tx);
    const { rows } = await sql<{ oid: number }>`select ${MOVEMENTS_COPY}::regclass::oid as oid`.execute(tx);
    return rows[0]!.oid;
  });
}

/** The name says how many there are, so those of a table and of its copy differ. */
function nameOfPartition(partitions: number, i: number): string {
  return `movements_${partitions}_${String(i).padStart(3, '0')}`;
}

/** What a transaction makes belongs to the owner of the table, also if a superuser runs it. */
export async function asOwner(db: Db): Promise<void> {
  const { rows } = await sql<{ owner: string }>`
    select pg_get_userbyid(relowner)::text as owner from pg_class where oid = 'movements'::regclass`.execute(
    db,
  );
  await sql`set local role ${sql.id(rows[0]!.owner)}`.execute(db);
}

/** Settings of storage, such as those of autovacuum. In a partitioned table they are those of its partitions. */
async function readSettings(db: Db): Promise<string | null> {
  const { rows } = await sql<{ settings: string | null }>`
    select array_to_string(reloptions, ', ') as settings from (${partsOf('movements')}) p order by oid limit 1`.execute(
    db,
  );
  return rows[0]?.settings ?? null;
}

async function copyRights(db: Db): Promise<void> {
  const { rows } = await sql<{ text: string }>`
    select format('grant %s on %s %s to %s', a.privilege_type, t.kind, t.copy,
                  case when a.grantee = 0 then 'public' else quote_ident(pg_get_userbyid(a.grantee)) end) as text
      from (values ('table', 'movements'::regclass, ${MOVEMENTS_COPY}::regclass),
                   ('sequence', pg_get_serial_sequence('movements', 'id')::regclass,
                                pg_get_serial_sequence(${MOVEMENTS_COPY}, 'id')::regclass)) as t(kind, original, copy)
      join pg_class c on c.oid = t.original
     cross join aclexplode(c.relacl) a
     where a.grantee <> c.relowner`.execute(db);
  for (const { text } of rows) await sql.raw(text).execute(db);
}

/** 32 MB in a transaction. */
const PAGES = 4_096;

/**
 * Copies the rows with ids up to this one, in the order in which they lie on the disk, which is that of time, as the index by time needs it.
 * Rows never change, so it does not matter when each is read.
 */
export async function copyOlder(
  database: Database,
  through: number,
  onProgress: (fraction: number) => void,
): Promise<void> {
  const { rows: parts } = await sql<{ name: string; pages: number; file: number }>`
    select relname::text as name, pg_relation_size(oid) / current_setting('block_size')::int as pages, relfilenode as file
      from (${partsOf('movements')}) p order by relname`.execute(database);
  const columns = await columnsOf(database);
  const total = parts.reduce((sum, { pages }) => sum + pages, 0);
  let done = 0;
  for (const { name, pages, file } of parts) {
    for (let from = 0; from < pages; from += PAGES) {
      await sql`
        insert into ${COPY} (${columns})
        select ${columns} from ${sql.id(name)}
         where ctid >= ${`(${from},0)`}::tid and ctid < ${`(${from + PAGES},0)`}::tid and id <= ${through}`.execute(
        database,
      );
      done += PAGES;
      onProgress(done / total);
    }
    const { rows } =
      await sql`select from pg_class where oid = ${name}::regclass and relfilenode = ${file}`.execute(
        database,
      );
    // Such as `vacuum full`: what was read moved meanwhile.
    if (rows.length === 0)
      throw new Refusal(`Somebody has written the table ${name} anew meanwhile. Nothing was changed.`);
  }
}

/** Copies the rows with ids after one and up to another, or all newer ones. Returns how many there were. */
export async function copyNewer(database: Database, after: number, through: number): Promise<number> {
  return transaction(database, (tx) => copyNewerIn(tx, after, sql`and m.id <= ${through}`));
}

/** Looks for new rows shop by shop, because each key begins with the shop. About 5 µs for each shop that has none. */
export async function copyNewerIn(tx: Db, after: number, upTo: Sql): Promise<number> {
  for (const way of ['seqscan', 'hashjoin', 'mergejoin', 'bitmapscan'])
    await sql`set local ${sql.raw(`enable_${way}`)} = off`.execute(tx);
  const columns = await columnsOf(tx);
  const { rows } = await sql<{ copied: number }>`
      with copied as (
           insert into ${COPY} (${columns})
           select ${columns}
             from (select m.* from commerces s
                    cross join lateral (select * from movements m
                                         where m.commerce_id = s.id and m.id > ${after} ${upTo}) m
                    order by m.id) m
           returning 1)
    select count(*) as copied from copied`.execute(tx);
  return rows[0]!.copied;
}

async function columnsOf(db: Db): Promise<Sql> {
  const { rows } = await sql<{ name: string }>`
    select attname::text as name from pg_attribute
     where attrelid = 'movements'::regclass and attnum > 0 and not attisdropped and attgenerated = ''
     order by attnum`.execute(db);
  return sql.join(rows.map(({ name }) => sql.id(name)));
}

/** Builds the indexes of the copy, under names of their own, and its foreign key to itself. Locks only the copy. */
export async function buildKeys(database: Database): Promise<void> {
  for (const { name, definition, isConstraint } of await readIndexes(database)) {
    const copied = sql.id(nameInCopy(name));
    if (isConstraint)
      await sql`alter table ${COPY} add constraint ${copied} ${sql.raw(definition)}`.execute(database);
    else {
      const [, unique = '', columns] = INDEX.exec(definition)!;
      await sql`create ${sql.raw(unique)} index ${copied} on ${COPY} ${sql.raw(columns!)}`.execute(database);
    }
  }
  const { rows: keys } = await sql<{ name: string; definition: string }>`
    select conname::text as name, pg_get_constraintdef(oid) as definition
      from pg_constraint
     where contype = 'f' and conparentid = 0 and conrelid = 'movements'::regclass and confrelid = conrelid`.execute(
    database,
  );
  for (const { name, definition } of keys) {
    const toItself = definition.replace(/ REFERENCES [^(]+\(/, ` REFERENCES ${MOVEMENTS_COPY}(`);
    await sql`alter table ${COPY} add constraint ${sql.id(name)} ${sql.raw(toItself)}`.execute(database);
  }
}

const INDEX = /^CREATE (UNIQUE )?INDEX .+? ON .+? (USING .*)$/s;

/** The names of indexes are those of the whole schema, so a copy has others until it is in its place. */
export function nameInCopy(index: string): string {
  return `${index}_copy`;
}

/** Returns the indexes of the table, those of constraints first. */
export async function readIndexes(
  db: Db,
): Promise<{ readonly name: string; readonly definition: string; readonly isConstraint: boolean }[]> {
  const { rows } = await sql<{ name: string; definition: string; isConstraint: boolean }>`
    select n.relname::text as name, c.oid is not null as "isConstraint",
           coalesce(pg_get_constraintdef(c.oid), pg_get_indexdef(i.indexrelid)) as definition
      from pg_index i
      join pg_class n on n.oid = i.indexrelid
      left join pg_constraint c on c.conindid = i.indexrelid and c.conrelid = i.indrelid and c.contype in ('p', 'u')
     where i.indrelid = 'movements'::regclass and i.indisvalid
     order by c.oid is null, n.relname`.execute(db);
  return rows;
}

/**
 * Compares the copy with the table, up to an id to which it must be complete: the number of rows, and the sum of a hash of each.
 * @throws Refusal if they differ
 */
export async function compareCopy(database: Database, through: number): Promise<void> {
  const figuresOf = async (table: string) => {
    const { rows } = await sql<{ rows: number; hash: string }>`
      select count(*) as rows, coalesce(sum(hashtextextended(m::text, 0)::numeric), 0)::text as hash
        from ${sql.id(table)} m
       where id <= ${through}`.execute(database);
    return rows[0]!;
  };
  const [table, copy] = [await figuresOf('movements'), await figuresOf(MOVEMENTS_COPY)];
  if (table.rows === copy.rows && table.hash === copy.hash) return;
  throw new Refusal(
    `The copy differs from the table: it has ${copy.rows} rows and not ${table.rows}, or other figures. Nothing was changed. Run \`loyalty ledger verify\`.`,
  );
}
