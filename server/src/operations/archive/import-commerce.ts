import type { Actor } from '#audit/audited.ts';
import { newCommerceId } from '#commerces/new-commerce-id.ts';
import { storeAuditEntry } from '#audit/store-audit-entry.ts';
import { sql, sqlState, transaction, type Database, type Sql, type Tx } from '#db/database.ts';
import { constraintOf } from '#db/database-errors.ts';
import { isOnCluster } from '#db/cluster/is-on-cluster.ts';
import { PARTITIONS_LOCK } from '#db/partitions.ts';
import { verifyCommerce, type Difference } from '#books/verify-ledger.ts';
import { Refusal } from '#base/refusal.ts';
import { checkCommerce, readHighestIds } from './check-commerce.ts';
import { checkRows } from './check-rows.ts';
import { ARCHIVED_TABLES, type ArchivedTable, type ArchiveHeader } from './format.ts';
import { listSuppressions, storeSuppressions } from './import-suppressions.ts';
import { ArchiveRefused, type Archive } from './read-archive.ts';

/** The commerce, or something that must be unique in an installation, is here already. */
export class CommerceIsHere extends Refusal {}

/** The archive is complete, but its books do not agree. */
export class BooksRefused extends Refusal {
  readonly differences: readonly Difference[];

  constructor(differences: readonly Difference[]) {
    const first = differences[0]!;
    super(
      `The books of the archive do not agree: ${differences.length} differences, the first of them "${first.says}" (${first.invariant}). Nothing was imported.`,
    );
    this.differences = differences;
  }
}

export interface Imported {
  readonly commerceId: number;
  readonly slug: string;
  readonly rows: Readonly<Record<string, number>>;
  readonly sha256: string;
}

export interface ImportOptions {
  /** The actor that the audit names. */
  readonly actorAt: (commerceId: number) => Actor;
  /** Opens a commerce that was closed before its export. */
  readonly reopen?: boolean;
  /** Does everything and rolls it back. */
  readonly dryRun?: boolean;
  /** Refuses any archive but the one with this checksum. */
  readonly sha256?: string | undefined;
  readonly onRows?: (rows: number) => void;
  /** Called before the books are checked. */
  readonly onVerify?: () => void;
}

/**
 * Brings in the commerce of an archive, with a commerce id of this installation and all other ids as they were. The accounts and the
 * staff are those of the same addresses here; missing ones are created. It is all one transaction, which ends with a check of the
 * books, so nobody ever sees a part of it.
 * @throws ArchiveRefused, CommerceIsHere, BooksRefused
 */
export async function importCommerce(
  database: Database,
  archive: Archive,
  options: ImportOptions,
): Promise<Imported> {
  try {
    return await transaction(
      database,
      async (tx) => {
        const imported = await importIn(tx, archive, options);
        if (options.dryRun === true) throw new OnlyTried(imported);
        return imported;
      },
      { lockTimeoutMs: 60_000, mayRepeat: false },
    );
  } catch (error) {
    if (error instanceof OnlyTried) return error.imported;
    throw error;
  }
}

/** Rolls the transaction back and carries the answer out. */
class OnlyTried extends Error {
  readonly imported: Imported;

  constructor(imported: Imported) {
    super('nothing was imported');
    this.imported = imported;
  }
}

async function importIn(tx: Tx, archive: Archive, options: ImportOptions): Promise<Imported> {
  await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx);
  await sql`set local timezone = 'UTC'`.execute(tx);
  // The triggers that complete the rows of older releases leave these rows alone.
  await sql`set local loyalty.importing = 'yes'`.execute(tx);
  await refuseDuringPartition(tx);
  const { header } = archive;
  const commerceId = await createCommerce(tx, header, options);
  await createLists(tx);
  const { rows, sha256 } = await storeRows(tx, commerceId, archive, options.onRows ?? (() => {}));
  if (options.sha256 !== undefined && options.sha256 !== sha256)
    throw new ArchiveRefused(`This is another archive: its checksum is ${sha256}.`);
  const program = await refusing('the commerce', () => checkCommerce(tx, commerceId, header.commerce));
  if (options.reopen === true && header.commerce.status === 'closed')
    await sql`update commerces set status = ${program.status} where id = ${commerceId}`.execute(tx);
  await storeSuppressions(tx, commerceId);
  const highest = await readHighestIds(tx, commerceId);
  options.onVerify?.();
  // Without figures about the new rows, the checks would be planned for empty tables.
  for (const table of ['members', 'balances', 'movements', 'vouchers'])
    await sql`analyze ${sql.id(table)}`.execute(tx);
  const differences = await verifyCommerce(tx, commerceId);
  if (differences.length > 0) throw new BooksRefused(differences);
  const { slug } = header.commerce;
  if (options.dryRun === true) return { commerceId, slug, rows, sha256 };
  await moveSequences(tx, highest);
  const after = { archive: sha256, exported_at: header.exported_at, rows };
  await storeAuditEntry(tx, options.actorAt(commerceId), { action: 'commerce.import', subject: slug, after });
  return { commerceId, slug, rows, sha256 };
}

/** Its movements have ids of the past, and a change of the partitions looks for new ones only. */
async function refuseDuringPartition(tx: Tx): Promise<void> {
  const { rows } = await sql<{ mayImport: boolean }>`
    select pg_try_advisory_xact_lock_shared(${PARTITIONS_LOCK}::bigint) as "mayImport"`.execute(tx);
  if (!rows[0]!.mayImport)
    throw new Refusal('`loyalty partition` is running. Nothing was imported. Try again when it has ended.');
}

async function createCommerce(
  tx: Tx,
  { commerce, wire_ids: wireIds }: ArchiveHeader,
  { dryRun = false }: ImportOptions,
): Promise<number> {
  const { slug } = commerce;
  // An apply of the same slug waits, as it does for another apply.
  await sql`select pg_advisory_xact_lock(hashtextextended(${slug}, 0))`.execute(tx);
  const { rows: same } = await sql`select from commerces where slug = ${slug}`.execute(tx);
  if (same.length > 0)
    throw new CommerceIsHere(`There is a commerce ${slug} here already. Nothing was imported.`);
  return refusing('the commerce', async () => {
    const { rows } = await sql<{ id: number }>`
      insert into commerces (id, slug, status, sandbox, time_zone, clock_offset, program_version, created_at)
      values (${newCommerceId(dryRun)}, ${slug}, ${commerce.status}, ${commerce.sandbox}, ${commerce.time_zone}, ${commerce.clock_offset}::interval,
              ${commerce.program_version}, ${commerce.created_at}::timestamptz)
      returning id`.execute(tx);
    const { id } = rows[0]!;
    await sql`
      insert into commerce_wire_ids (commerce_id, kind, key, plain_to)
      select ${id}, w.kind, decode(w.key, 'hex'), w.plain_to
        from json_to_recordset(${JSON.stringify(wireIds)}::json) as w(kind text, key text, plain_to bigint)`.execute(
      tx,
    );
    return id;
  });
}

/** Lists that tell which account and which person of the staff here has which id in the archive, and whom mails did not reach. */
async function createLists(tx: Tx): Promise<void> {
  for (const list of ['archived_users', 'archived_people'])
    await sql`
      create temporary table ${sql.id(list)} (id bigint primary key, here bigint not null) on commit drop`.execute(
      tx,
    );
  await sql`
    create temporary table archived_suppressions (mailbox_hash bytea primary key, reason text not null, since timestamptz not null)
        on commit drop`.execute(tx);
}

async function storeRows(
  tx: Tx,
  commerceId: number,
  archive: Archive,
  onRows: (rows: number) => void,
): Promise<{ rows: Record<string, number>; sha256: string }> {
  const stored: Record<string, number> = Object.fromEntries(ARCHIVED_TABLES.map(({ name }) => [name, 0]));
  const reading = archive.readRows();
  let total = 0;
  for (;;) {
    const { value, done } = await reading.next();
    if (done === true) return { rows: stored, sha256: value };
    const { table, lines } = value;
    const from = stored[table.name]! + 1;
    const to = from + lines.length - 1;
    await checkRows(table.name, lines);
    await refusing(`rows ${from} to ${to} of ${table.name}`, async () => {
      const count = await storeBatch(tx, commerceId, table, lines);
      if (count !== lines.length)
        throw new ArchiveRefused(`The archive has lines in ${table.name} that are not rows.`);
    });
    stored[table.name] = to;
    total += lines.length;
    onRows(total);
  }
}

/** Says where the archive is wrong if the database refuses it. */
async function refusing<T>(where: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const state = sqlState(error) ?? '';
    const { message } = error as Error;
    // A cluster adds the number of the shard.
    if (state === '23505' && /^api_keys_pkey(?:_\d+)?$/.test(constraintOf(error)))
      throw new CommerceIsHere(
        'An API key of the archive is in use here already: this commerce seems to have been imported before. Nothing was imported.',
        { cause: error },
      );
    if (/^(22|23|54)/.test(state))
      throw new ArchiveRefused(`The database refuses ${where}: ${message}.`, { cause: error });
    if (state.startsWith('40'))
      throw new Refusal('Another transaction was in the way. Nothing was imported. Try again.', {
        cause: error,
      });
    throw error;
  }
}

/** Stores rows of a table, and returns their number. */
async function storeBatch(
  tx: Tx,
  commerceId: number,
  { name, columns, of }: ArchivedTable,
  lines: readonly string[],
): Promise<number> {
  const json = `[${lines.join(',')}]`;
  if (of === 'installation') return FROM_INSTALLATION[name]!(tx, json);
  const values = columns.map((column) => TRANSLATED[`${name}.${column}`] ?? sql`r.${sql.id(column)}`);
  const { ids, here } = await readListed(tx, name, json);
  const { rows } = await sql<{ count: number }>`
    with listed as (
      select l.id, l.here from unnest(${ids}::bigint[], ${here}::bigint[]) as l(id, here)
    ), stored as (
      insert into ${sql.id(name)} (commerce_id, ${sql.join(columns.map(sql.id))})
      overriding system value
      select ${commerceId}::bigint, ${sql.join(values)}
        from json_populate_recordset(null::${sql.id(name)}, ${json}::json) as r
      returning 1
    )
    select count(*) from stored`.execute(tx);
  return rows[0]!.count;
}

/** Columns that refer to the installation, or tell about it. An id that the archive does not explain becomes one that nobody has. */
const TRANSLATED: Readonly<Record<string, Sql>> = {
  // A job fails at an installation. Here it has not run yet.
  'commerce_jobs.failing_since': sql`null`,
  'commerce_jobs.last_error': sql`null`,
  'staff.person_id': sql`coalesce((select l.here from listed l where l.id = r.person_id), -1)`,
  'members.user_id': sql`
    case when r.user_id is not null
         then coalesce((select l.here from listed l where l.id = r.user_id), -1) end`,
  // Keys of an exchange belong to an account. Those of an account that was erased must not become somebody else's.
  'idempotency_keys.operation': sql`
    case when r.operation ~ '^exchange/[0-9]{1,18}$'
         then 'exchange/' || coalesce((select l.here::text from listed l
                                        where l.id = substr(r.operation, 10)::bigint), 'erased-' || substr(r.operation, 10))
         else r.operation end`,
};

/** The accounts and people of the archive that rows of a table refer to. */
const REFERRED: Readonly<Record<string, { readonly list: string; readonly id: Sql }>> = {
  staff: { list: 'archived_people', id: sql`r.person_id` },
  members: { list: 'archived_users', id: sql`r.user_id` },
  idempotency_keys: {
    list: 'archived_users',
    id: sql`case when r.operation ~ '^exchange/[0-9]{1,18}$' then substr(r.operation, 10)::bigint end`,
  },
};

/**
 * Returns who here stands for whom the rows refer to. It is read apart, because on a cluster the lists are at the coordinator alone, and the
 * rows go to another machine.
 */
async function readListed(
  tx: Tx,
  table: string,
  json: string,
): Promise<{ readonly ids: readonly number[]; readonly here: readonly number[] }> {
  const referred = REFERRED[table];
  if (referred === undefined) return { ids: [], here: [] };
  const { rows } = await sql<Listed>`
    select l.id, l.here
      from ${sql.id(referred.list)} l
     where l.id in (select ${referred.id} from json_populate_recordset(null::${sql.id(table)}, ${json}::json) as r)`.execute(
    tx,
  );
  return { ids: rows.map(({ id }) => id), here: rows.map(({ here }) => here) };
}

interface Listed {
  readonly id: number;
  readonly here: number;
}

type StoreRows = (tx: Tx, json: string) => Promise<number>;

const FROM_INSTALLATION: Readonly<Record<string, StoreRows>> = {
  users: (tx, json) =>
    findOrCreate(tx, { table: 'users', list: 'archived_users', columns: ['email', 'created_at'] }, json),
  staff_people: (tx, json) =>
    findOrCreate(
      tx,
      { table: 'staff_people', list: 'archived_people', columns: ['email', 'name', 'created_at'] },
      json,
    ),
  mail_suppressions: listSuppressions,
};

/** Creates the rows whose address is new here, and notes which row here stands for which of the archive. */
async function findOrCreate(
  tx: Tx,
  { table, list, columns }: { table: string; list: string; columns: readonly string[] },
  json: string,
): Promise<number> {
  const given = sql`json_populate_recordset(null::${sql.id(table)}, ${json}::json) as g`;
  const names = sql.join(columns.map(sql.id));
  await sql`
    insert into ${sql.id(table)} (${names})
    select ${names} from ${given} order by email
        on conflict (email) do nothing`.execute(tx);
  // A statement of its own, because it sees what other transactions have created meanwhile. On a cluster nothing locks accounts.
  const { rows } = await sql<Listed>`
    select g.id, t.id as here
      from ${given}
      join ${sql.id(table)} t on t.email = g.email${
        isOnCluster(tx)
          ? sql``
          : sql`
       for key share of t`
      }`.execute(tx);
  await sql`
    insert into ${sql.id(list)} (id, here)
    select * from unnest(${rows.map(({ id }) => id)}::bigint[], ${rows.map(({ here }) => here)}::bigint[])`.execute(
    tx,
  );
  return rows.length;
}

/**
 * Lets the sequences go on above the ids of the archive, so that a commerce's ids always count up. Other transactions take ids
 * meanwhile, so a sequence that is below moves a good way up. No rollback takes that back.
 */
async function moveSequences(tx: Tx, highest: ReadonlyMap<string, number>): Promise<void> {
  for (const [table, id] of highest)
    await sql`
      select setval(s.name, ${id + ROOM}::bigint)
        from (select pg_get_serial_sequence(${table}, 'id')::regclass as name) as s
       where coalesce(pg_sequence_last_value(s.name), 0) < ${id}::bigint`.execute(tx);
}

const ROOM = 1_000;
