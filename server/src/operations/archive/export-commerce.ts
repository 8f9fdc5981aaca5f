import { sql, transaction, type Database, type Sql, type Tx } from '#db/database.ts';
import {
  ARCHIVED_TABLES,
  FORMAT,
  FORMAT_VERSION,
  type ArchivedCommerce,
  type ArchivedTable,
  type ArchiveHeader,
} from './format.ts';
import type { ArchiveWriter, Exported } from './write-archive.ts';

/**
 * Writes everything that belongs to a commerce into an archive, in one snapshot of the database and in bounded memory. Calls go on
 * meanwhile; what they record after the snapshot is not in it. `onRows` hears how much of it has been written, from 0 to 1.
 */
export async function exportCommerce(
  database: Database,
  commerceId: number,
  archive: ArchiveWriter,
  onRows: (fraction: number, rows: number) => void = () => {},
): Promise<Exported> {
  return transaction(
    database,
    async (tx) => {
      await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx);
      await sql`set local timezone = 'UTC'`.execute(tx);
      const members = await countMembers(tx, commerceId);
      await archive.writeHeader(await readHeader(tx, commerceId));
      let rows = 0;
      for (const [place, table] of ARCHIVED_TABLES.entries()) {
        await archive.beginTable(table);
        for await (const lines of readLines(tx, commerceId, table, place)) {
          await archive.writeRows(lines);
          rows += lines.length;
          // A member has about fifteen rows in a shop that has run for a year.
          onRows(Math.min(0.99, rows / (members * 15 + 1)), rows);
        }
      }
      return archive.end();
    },
    { snapshot: true, mayRepeat: false },
  );
}

async function countMembers(tx: Tx, commerceId: number): Promise<number> {
  const { rows } = await sql<{ total: number }>`
    select coalesce(sum(total), 0)::bigint as total from enrolments where commerce_id = ${commerceId}`.execute(
    tx,
  );
  return rows[0]!.total;
}

async function readHeader(tx: Tx, commerceId: number): Promise<ArchiveHeader> {
  const commerce = await sql<{ row: ArchivedCommerce; now: Date }>`
    select json_build_object('slug', slug, 'status', status, 'sandbox', sandbox, 'time_zone', time_zone,
                             'clock_offset', clock_offset::text, 'program_version', program_version,
                             'created_at', created_at) as row, now() as now
      from commerces
     where id = ${commerceId}`.execute(tx);
  // An imported commerce has keys of its own.
  const wireIds = await sql<{ kind: string; key: string; plain_to: number }>`
    select i.kind, encode(coalesce(c.key, i.key), 'hex') as key, coalesce(c.plain_to, i.plain_to) as plain_to
      from wire_ids i
      left join commerce_wire_ids c on c.commerce_id = ${commerceId} and c.kind = i.kind
     where i.kind <> 'user'
     order by i.kind`.execute(tx);
  const { row, now } = commerce.rows[0]!;
  return {
    format: FORMAT,
    version: FORMAT_VERSION,
    exported_at: now.toISOString(),
    commerce: row,
    wire_ids: wireIds.rows,
  };
}

const PAGE = 1_000;
/** One has up to 5 MB as text, and memory holds a page several times. */
const PAGE_OF_PICTURES = 4;

/** Reads the rows of a table as lines of JSON, page by page. PostgreSQL writes them, so every value is exact. */
async function* readLines(
  tx: Tx,
  commerceId: number,
  table: ArchivedTable,
  place: number,
): AsyncGenerator<string[], void> {
  const cursor = sql.raw(`archive_${place}`);
  const columns = sql.join(table.columns.map(sql.id));
  const order = sql.join(table.order.map(sql.id));
  const page = table.name === 'pictures' ? PAGE_OF_PICTURES : PAGE;
  await sql`
    declare ${cursor} no scroll cursor for
    select row_to_json(r)::text as line
      from (select ${columns} from ${rowsOf(table, commerceId)} order by ${order}) as r`.execute(tx);
  for (;;) {
    const { rows } = await sql<{ line: string }>`fetch ${sql.lit(page)} from ${cursor}`.execute(tx);
    if (rows.length === 0) break;
    yield rows.map(({ line }) => line);
  }
  await sql`close ${cursor}`.execute(tx);
}

function rowsOf({ name, of }: ArchivedTable, commerceId: number): Sql {
  return of === 'commerce'
    ? sql`(select * from ${sql.id(name)} where commerce_id = ${commerceId}) as t`
    : FROM_INSTALLATION[name]!(commerceId);
}

/** The rows of the installation's tables that a commerce refers to. */
const FROM_INSTALLATION: Readonly<Record<string, (commerceId: number) => Sql>> = {
  users: (commerceId: number) => sql`
    (select u.* from users u
      where u.id in (select m.user_id from members m where m.commerce_id = ${commerceId})) as t`,
  staff_people: (commerceId: number) => sql`
    (select p.* from staff_people p
      where p.id in (select s.person_id from staff s where s.commerce_id = ${commerceId})) as t`,
  mail_suppressions: (commerceId: number) => sql`
    (select s.* from mail_suppressions s
      where s.mailbox_hash in (select mailbox_hash_of(m.email) from members m
                                where m.commerce_id = ${commerceId} and m.email is not null)) as t`,
};
