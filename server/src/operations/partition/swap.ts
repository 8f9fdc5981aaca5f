import { Refusal } from '#base/refusal.ts';
import { sql, type Db, type Tx } from '#db/database.ts';
import { MOVEMENTS_COPY, partsOf } from '#db/partitions.ts';
import { asOwner, copyNewerIn, nameInCopy, readIndexes } from './copy-movements.ts';

const COPY = sql.id(MOVEMENTS_COPY);

/**
 * Puts the copy in the place of the table and deletes the table: all of it or nothing. Calls wait meanwhile. The foreign keys hold for each new
 * row from here on, and are checked for the others afterwards.
 * @param state.through the id up to which the copy is complete
 * @param state.holder the process of the server that keeps migrations and other changes away
 */
export async function swap(
  tx: Tx,
  { copy, through, holder }: { readonly copy: number; readonly through: number; readonly holder: number },
): Promise<void> {
  await asOwner(tx);
  const keys = await readKeys(tx);
  await lockAll(tx, keys);
  await refuseIfOthers(tx, copy, holder);
  await copyNewerIn(tx, through, sql``);

  const indexes = await readIndexes(tx);
  const triggers = await readTriggers(tx);
  for (const { table, name, isFrom } of keys)
    if (!isFrom) await sql`alter table ${sql.id(table)} drop constraint ${sql.id(name)}`.execute(tx);
  const sequence = await moveSequence(tx);
  await sql`drop table movements`.execute(tx);

  await sql`alter table ${COPY} rename to movements`.execute(tx);
  await sql`alter sequence ${sql.id(sequence.copied)} rename to ${sql.id(sequence.name)}`.execute(tx);
  for (const { name } of indexes)
    await sql`alter index ${sql.id(nameInCopy(name))} rename to ${sql.id(name)}`.execute(tx);
  for (const { name, definition, state } of triggers) {
    await sql.raw(definition).execute(tx);
    if (state !== null)
      await sql`alter table movements ${sql.raw(state)} trigger ${sql.id(name)}`.execute(tx);
  }
  await putBack(tx, keys);
}

/** Where the table refers to others (`isFrom`), and where others refer to it. Its references to itself are in the copy already. */
interface Key {
  readonly table: string;
  readonly other: string;
  readonly name: string;
  readonly definition: string;
  readonly isFrom: boolean;
}

async function readKeys(db: Db): Promise<Key[]> {
  const { rows } = await sql<Key>`
    select r.relname::text as table, o.relname::text as other, c.conname::text as name,
           replace(pg_get_constraintdef(c.oid), ' NOT VALID', '') as definition, c.conrelid = m.oid as "isFrom"
      from pg_class m
      join pg_constraint c on c.contype = 'f' and c.conparentid = 0 and (c.conrelid = m.oid) <> (c.confrelid = m.oid)
      join pg_class r on r.oid = c.conrelid
      join pg_class o on o.oid = case when c.conrelid = m.oid then c.confrelid else c.conrelid end
     where m.oid = 'movements'::regclass and not r.relispartition
     order by r.relname, c.conname`.execute(db);
  return rows;
}

/** All locks together take no longer than one may, so that no call waits long for tables that are not locked after all. */
async function lockAll(tx: Tx, keys: readonly Key[]): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select distinct c.relname::text as name
      from pg_depend d
      join pg_attrdef f on d.classid = 'pg_attrdef'::regclass and f.oid = d.objid
      join pg_class c on c.oid = f.adrelid
     where d.refobjid = pg_get_serial_sequence('movements', 'id')::regclass`.execute(tx);
  const others = [
    ...new Set([...keys.map(({ other }) => other), ...rows.map(({ name }) => name)]),
  ].toSorted();
  const tables = [...others.filter((name) => name !== 'members'), MOVEMENTS_COPY, 'members', 'movements'];
  await sql`set local statement_timeout = 700`.execute(tx);
  await sql`lock table ${sql.join(tables.map((name) => sql.id(name)))} in access exclusive mode`.execute(tx);
  await sql`set local statement_timeout = 0`.execute(tx);
}

/** If the connection that holds the locks was lost, another run may have made a copy of its own, or a migration another table. */
async function refuseIfOthers(tx: Tx, copy: number, holder: number): Promise<void> {
  const { rows } = await sql`
    select from pg_locks
     where locktype = 'advisory' and granted and pid = ${holder}
       and database = (select oid from pg_database where datname = current_database())
       and ${MOVEMENTS_COPY}::regclass::oid = ${copy}::oid`.execute(tx);
  if (rows.length === 0) throw new Refusal('The connection was lost. Nothing was changed. Run this again.');
}

interface Trigger {
  readonly name: string;
  readonly definition: string;
  /** How it differs from one that was just created. */
  readonly state: string | null;
}

async function readTriggers(db: Db): Promise<Trigger[]> {
  const { rows } = await sql<Trigger>`
    select tgname::text as name, pg_get_triggerdef(oid) as definition,
           case tgenabled when 'D' then 'disable' when 'A' then 'enable always' when 'R' then 'enable replica' end as state
      from pg_trigger
     where tgrelid = 'movements'::regclass and not tgisinternal
     order by tgname`.execute(db);
  return rows;
}

/** Lets the ids go on, also those that other tables take from the same sequence. */
async function moveSequence(tx: Tx): Promise<{ name: string; copied: string }> {
  const { rows } = await sql<{ name: string; copied: string }>`
    select o.relname::text as name, n.relname::text as copied
      from pg_class o, pg_class n
     where o.oid = pg_get_serial_sequence('movements', 'id')::regclass
       and n.oid = pg_get_serial_sequence(${MOVEMENTS_COPY}, 'id')::regclass`.execute(tx);
  const { name, copied } = rows[0]!;
  // It changes nothing, but whoever wants an id waits from here on.
  await sql`alter sequence ${sql.id(name)} no cycle`.execute(tx);
  await sql`
    select setval(${copied}::regclass, last)
      from (select pg_sequence_last_value(${name}::regclass) as last) o
     where last is not null`.execute(tx);
  const { rows: defaults } = await sql<{ table: string; column: string }>`
    select c.relname::text as table, a.attname::text as column
      from pg_depend d
      join pg_attrdef f on d.classid = 'pg_attrdef'::regclass and f.oid = d.objid
      join pg_class c on c.oid = f.adrelid
      join pg_attribute a on a.attrelid = f.adrelid and a.attnum = f.adnum
     where d.refobjid = ${name}::regclass`.execute(tx);
  for (const { table, column } of defaults)
    await sql`
      alter table ${sql.id(table)} alter column ${sql.id(column)}
        set default nextval(${sql.raw(`'${copied}'`)}::regclass)`.execute(tx);
  return { name, copied };
}

/**
 * Puts the foreign keys back without a look at the rows. PostgreSQL before 18 refuses that for a partitioned table that refers to another, but
 * not for each of its partitions.
 */
async function putBack(tx: Tx, keys: readonly Key[]): Promise<void> {
  const { rows: parts } = await sql<{ name: string }>`
    select relname::text as name from (${partsOf('movements')}) p order by relname`.execute(tx);
  for (const { table, name, definition, isFrom } of keys)
    for (const of of isFrom ? parts.map((part) => part.name) : [table])
      await sql`alter table ${sql.id(of)} add constraint ${sql.id(name)} ${sql.raw(definition)} not valid`.execute(
        tx,
      );
}
