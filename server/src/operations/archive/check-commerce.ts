import { readStoredTerms, type StoredTerms } from '#benefits/benefit-terms.ts';
import { isTimeZone } from '#program/values.ts';
import { sql, type Tx } from '#db/database.ts';
import { checkBenefitAlone, checkProgram } from '#program/check-program.ts';
import type { Program, ProgramProblem } from '#program/program.ts';
import { readStoredProgram } from '#program/stored-program.ts';
import { writePath } from '#program/write-path.ts';
import { ARCHIVED_TABLES, HIGHEST_ID, type ArchivedCommerce } from './format.ts';
import { ArchiveRefused } from './read-archive.ts';

/**
 * Asks of everything that an archive brings whether its shop may decide that, once all rows are in and nobody sees them yet. The
 * database has checked the columns and what refers to what, and the ledger is recomputed after this.
 * Returns the program in force.
 * @throws ArchiveRefused
 */
export async function checkCommerce(
  tx: Tx,
  commerceId: number,
  commerce: ArchivedCommerce,
): Promise<Program> {
  const program = await checkPrograms(tx, commerceId, commerce);
  if (!isTimeZone(commerce.time_zone) || commerce.time_zone !== program.time_zone)
    throw new ArchiveRefused('The time zone of the commerce is not that of its program.');
  await checkTerms(tx, commerceId);
  await checkPeople(tx, commerceId);
  await checkInstants(tx, commerceId);
  await checkSeals(tx, commerceId);
  return program;
}

/** Every version was checked when it was published; an archive may have others. Returns the one in force. */
async function checkPrograms(tx: Tx, commerceId: number, commerce: ArchivedCommerce): Promise<Program> {
  const { rows } = await sql<{ version: number; program: unknown }>`
    select version, program from programs where commerce_id = ${commerceId} order by version`.execute(tx);
  let last: Program | null = null;
  for (const { version, program } of rows) {
    try {
      last = readStoredProgram(program, commerceId, version);
    } catch (error) {
      throw new ArchiveRefused(`Version ${version} of the program cannot be read.`, { cause: error });
    }
    if (last.slug !== commerce.slug)
      throw new ArchiveRefused(
        `Version ${version} of the program belongs to another commerce, ${last.slug}.`,
      );
    const checked = checkProgram(last);
    if (!checked.ok)
      refuse(
        `Version ${version} of the program`,
        version === commerce.program_version ? checked.problems : checked.problems.filter(reachesReaders),
      );
  }
  if (last === null || rows.at(-1)?.version !== commerce.program_version)
    throw new ArchiveRefused('The program in force is not in the archive.');
  return last;
}

/** The catalog is made of the program in force, and codes keep the terms of the version that they were bought under. */
async function checkTerms(tx: Tx, commerceId: number): Promise<void> {
  await sql`
    declare archived_terms no scroll cursor for
    select distinct t.terms
      from (select benefit as terms from vouchers where commerce_id = ${commerceId}
             union all
            select jsonb_build_object('id', id, 'benefitType', benefit_type, 'type', type, 'title', title,
                                      'description', description, 'cost', cost, 'value', value, 'color', color,
                                      'image', image, 'product', product, 'shopCoupon', shop_coupon,
                                      'expiresAt', expires_at, 'validDays', valid_days, 'buyLimit', buy_limit)
              from benefits where commerce_id = ${commerceId}) t`.execute(tx);
  for (;;) {
    const { rows } = await sql<{ terms: unknown }>`fetch 500 from archived_terms`.execute(tx);
    if (rows.length === 0) break;
    for (const { terms } of rows)
      refuse('A benefit of the archive', problemsOfTerms(terms).filter(reachesReaders));
  }
  await sql`close archived_terms`.execute(tx);
}

function problemsOfTerms(stored: unknown): readonly ProgramProblem[] {
  try {
    const { benefitType, shopCoupon, expiresAt, validDays, buyLimit, ...same } = readStoredTerms(
      stored as StoredTerms,
    );
    return checkBenefitAlone({
      ...same,
      benefit_type: benefitType,
      shop_coupon: shopCoupon,
      expiration: expiresAt?.toISOString() ?? null,
      valid_days: validDays,
      buy_limit: buyLimit,
    });
  } catch (error) {
    throw new ArchiveRefused('A benefit of the archive cannot be read.', { cause: error });
  }
}

/**
 * A limit that is tighter today makes no stored version wrong, and the shop cannot change the versions that it has published. Addresses and
 * texts that pages of members and staff load or show, or that stand in their mails, are checked in all versions.
 */
function reachesReaders({ path }: ProgramProblem): boolean {
  return path.some((key) => REACHES_READERS.has(String(key)));
}

const REACHES_READERS: ReadonlySet<string> = new Set(
  'logo cover color image icon_url url name title description tagline category_name brand sender words locale id'.split(
    ' ',
  ),
);

function refuse(what: string, problems: readonly ProgramProblem[]): void {
  if (problems.length === 0) return;
  const said = problems.slice(0, 3).map(({ path, message }) => `${writePath(path)} ${message}`);
  throw new ArchiveRefused(`${what} is none that this service would have stored: ${said.join('; ')}.`);
}

/**
 * Accounts and persons of the staff belong to the installation, so an archive brings only those that it needs. Its rows refer to nobody who
 * is not in the lists, so they refer to all in a list if they refer to as many. The lists are counted apart, because on a cluster they are
 * on another machine than the rows.
 */
async function checkPeople(tx: Tx, commerceId: number): Promise<void> {
  for (const { list, table, column, says } of PEOPLE) {
    const { rows: listed } = await sql<{ people: number }>`
      select count(distinct here) as people from ${sql.id(list)}`.execute(tx);
    const { rows: referred } = await sql<{ people: number }>`
      select count(distinct ${sql.id(column)}) as people from ${sql.id(table)} where commerce_id = ${commerceId}`.execute(
      tx,
    );
    if (listed[0]!.people > referred[0]!.people) throw new ArchiveRefused(`The archive has ${says}.`);
  }
  const { rows } = await sql`
    select from members m join users u on u.id = m.user_id
     where m.commerce_id = ${commerceId} and m.email is distinct from u.email
     limit 1`.execute(tx);
  if (rows.length > 0)
    throw new ArchiveRefused('The archive has a member with the account of another address.');
}

const PEOPLE = [
  {
    list: 'archived_users',
    table: 'members',
    column: 'user_id',
    says: 'an account that none of its members has',
  },
  {
    list: 'archived_people',
    table: 'staff',
    column: 'person_id',
    says: 'a person of the staff without a role',
  },
];

/**
 * Statements about all shops count with these instants: one that PostgreSQL cannot add to fails them, and one in the future says that a
 * job has just run.
 */
async function checkInstants(tx: Tx, commerceId: number): Promise<void> {
  const { rows: columns } = await sql<{ table: string; column: string }>`
    select table_name::text as table, column_name::text as column
      from information_schema.columns
     where table_schema = 'public' and data_type = 'timestamp with time zone'
       and table_name = any(${ARCHIVED_TABLES.filter(({ of }) => of === 'commerce').map(({ name }) => name)}::text[])
     order by 1, 2`.execute(tx);
  for (const [table, ofTable] of Map.groupBy(columns, (one) => one.table)) {
    const most = REAL_TIME.has(table) ? sql`now() + interval '1 day'` : sql`timestamptz '3000-01-01'`;
    const wrong = sql.join(
      ofTable.map(
        ({ column }) => sql`(${sql.id(column)} < timestamptz '1900-01-01' or ${sql.id(column)} > ${most})`,
      ),
      sql` or `,
    );
    const { rows } = await sql`
      select from ${sql.id(table)} where commerce_id = ${commerceId} and (${wrong}) limit 1`.execute(tx);
    if (rows.length > 0) throw new ArchiveRefused(`The archive has an instant in ${table} that cannot be.`);
  }
  const { rows } = await sql<{ isPossible: boolean }>`
    select c.clock_offset between interval '-100 years' and interval '900 years' and c.created_at between '1900-01-01' and '3000-01-01' as "isPossible"
      from commerces c
     where c.id = ${commerceId}`.execute(tx);
  if (!rows[0]!.isPossible) throw new ArchiveRefused('The clock of the commerce cannot be moved so far.');
}

/** Their instants are the database's and not the commerce's. */
const REAL_TIME: ReadonlySet<string> = new Set(['audit', 'seal_logs', 'seals']);

/** A head that is said to be published is not published. */
async function checkSeals(tx: Tx, commerceId: number): Promise<void> {
  const { rows } = await sql`
    select from seal_logs
     where commerce_id = ${commerceId} and (published_size not between 0 and size or length(origin) > 200)`.execute(
    tx,
  );
  if (rows.length > 0)
    throw new ArchiveRefused('The archive says that more of its history was published than it has.');
  // Two histories that grow apart under one name would each look like the other, rewritten.
  const { rows: others } = await sql`
    select from seal_logs other
     where other.commerce_id <> ${commerceId}
       and other.origin in (select own.origin from seal_logs own where own.commerce_id = ${commerceId})`.execute(
    tx,
  );
  if (others.length > 0)
    throw new ArchiveRefused(
      'The sealed history of the archive is here already, as that of another commerce.',
    );
}

/** Returns the highest id of each table whose ids are given by the installation. @throws ArchiveRefused */
export async function readHighestIds(tx: Tx, commerceId: number): Promise<Map<string, number>> {
  const highest = new Map<string, number>();
  for (const table of ['api_keys', 'staff', 'members', 'movements', 'audit']) {
    const { rows } = await sql<{ lowest: number; id: number }>`
      select coalesce(min(id), 1) as lowest, coalesce(max(id), 0) as id
        from ${sql.id(table)} where commerce_id = ${commerceId}`.execute(tx);
    const { lowest, id } = rows[0]!;
    if (id > HIGHEST_ID)
      throw new ArchiveRefused(`The archive has an id in ${table} that is too high: ${id}.`);
    if (lowest < 1) throw new ArchiveRefused(`The archive has an id in ${table} that is too low: ${lowest}.`);
    highest.set(table, id);
  }
  return highest;
}
