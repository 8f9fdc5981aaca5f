import { localDay } from '#calendar/calendar.ts';
import { sql, transaction, type Database, type Db, type Tx } from '#db/database.ts';
import { checkSeals, type SealFinding } from '#seals/check-seals.ts';
import type { Head } from '#seals/head.ts';
import { readOrigins } from '#seals/read-seal.ts';
import { balanceChecks } from './check-balances.ts';
import { earningPasses } from './check-earning.ts';
import { dayChecks, readCalendars } from './check-days.ts';
import { kindChecks } from './check-kinds.ts';
import { peopleChecks } from './check-people.ts';
import { recordChecks } from './check-records.ts';
import { missingGuards, pointers } from './check-tenancy.ts';
import { reportChecks } from './check-reports.ts';
import { voucherChecks } from './check-vouchers.ts';
import type { Books, Check, Finding } from './check.ts';

/** One difference in the books. */
export interface Difference {
  /** The slug; null if the schema itself lacks a guard. */
  readonly commerce: string | null;
  /** The invariant that does not hold. */
  readonly invariant: string;
  /** The member's code; null for someone without an account, and if the difference concerns no member. */
  readonly member: number | null;
  readonly memberId: number | null;
  /** The movement's id; null if only the member is known, as when a movement is missing. */
  readonly movement: number | null;
  readonly says: string;
}

export interface VerifiedLedger {
  readonly commerces: number;
  readonly members: number;
  readonly movements: number;
  /** The movements that no seal vouches for yet, because they are younger than the last one. */
  readonly unsealed: number;
  /** At most 1,000 for each invariant of a commerce. */
  readonly differences: readonly Difference[];
}

export interface VerifyOptions {
  /** Checks only these commerces; all if omitted. */
  readonly commerceIds?: readonly number[];
  /** Heads that were published. The history under each must still be the same. */
  readonly heads?: readonly Head[];
  /** Is called before each commerce. */
  readonly onCommerce?: (slug: string, place: number, of: number) => void;
}

/**
 * Recomputes everything that follows from the movements, with code of its own, and returns every difference. The
 * database does the sums. Each commerce is read in one snapshot, so calls that are recorded meanwhile cause no difference.
 */
export async function verifyLedger(database: Database, options: VerifyOptions = {}): Promise<VerifiedLedger> {
  const commerces = await readCommerces(database, options.commerceIds);
  const guards = await missingGuards(database);
  const checks = await allChecks(database);
  const differences: Difference[] = guards.map(guardMissing);
  const headsOf = await sortHeads(database, commerces, options.heads ?? [], differences);
  const counts = { members: 0, movements: 0, unsealed: 0 };
  for (const [place, commerce] of commerces.entries()) {
    options.onCommerce?.(commerce.slug, place, commerces.length);
    const found = await inSnapshot(database, async (db) => {
      const counted = await count(db, commerce);
      const seals = await checkSeals(db, commerce.id, { heads: headsOf.get(commerce.id) ?? [], limit: MOST });
      const others = await allDifferencesOf(db, commerce, counted, checks);
      return {
        ...counted,
        unsealed: seals.unsealed,
        differences: [...(await sealDifferencesOf(db, commerce, seals.findings)), ...others],
      };
    });
    counts.members += found.members;
    counts.movements += found.movements;
    counts.unsealed += found.unsealed;
    differences.push(...found.differences);
  }
  return { commerces: commerces.length, ...counts, differences };
}

/** Checks one commerce as the transaction sees it, so also what it has stored and not yet committed. */
export async function verifyCommerce(tx: Tx, commerceId: number): Promise<Difference[]> {
  const [commerce] = await readCommerces(tx, [commerceId]);
  return allDifferencesOf(tx, commerce!, await count(tx, commerce!), await allChecks(tx));
}

async function allChecks(db: Db): Promise<Check[]> {
  return [
    ...balanceChecks,
    ...kindChecks,
    ...dayChecks,
    ...voucherChecks,
    ...recordChecks,
    ...peopleChecks,
    ...reportChecks,
    ...(await pointers(db)),
  ];
}

interface Commerce {
  readonly id: number;
  readonly slug: string;
  readonly timeZone: string;
  readonly now: Date;
}

const MOST = 1_000;

async function readCommerces(db: Db, ids: readonly number[] | undefined): Promise<Commerce[]> {
  const { rows } = await sql<Commerce>`
    select c.id, c.slug, c.time_zone as "timeZone", program_now(c) as now
      from commerces c
     where ${ids ?? null}::bigint[] is null or c.id = any(${ids ?? []}::bigint[])
     order by c.id`.execute(db);
  return rows;
}

function guardMissing(says: string): Difference {
  const invariant = 'the schema guards the ledger';
  return { commerce: null, invariant, member: null, memberId: null, movement: null, says };
}

/** Returns the heads of each commerce. A head that belongs to none of them is a difference: its log is gone. */
async function sortHeads(
  db: Db,
  commerces: readonly Commerce[],
  heads: readonly Head[],
  differences: Difference[],
): Promise<Map<number, Head[]>> {
  const ids = commerces.map(({ id }) => id);
  const commerceOf = new Map(
    (await readOrigins(db, ids)).map(({ origin, commerceId }) => [origin, commerceId]),
  );
  const invariant = 'the log of a published head exists';
  for (const { origin } of heads.filter((head) => !commerceOf.has(head.origin))) {
    const says = `no commerce that is verified has the log ${origin}`;
    differences.push({ commerce: null, invariant, member: null, memberId: null, movement: null, says });
  }
  return Map.groupBy(
    heads.filter(({ origin }) => commerceOf.has(origin)),
    ({ origin }) => commerceOf.get(origin)!,
  );
}

/** Sums over a large ledger are faster in memory than on disk. */
async function inSnapshot<T>(database: Database, work: (db: Db) => Promise<T>): Promise<T> {
  const inMemory = async (tx: Tx) => {
    await sql`set local work_mem = '64MB'`.execute(tx);
    return work(tx);
  };
  return transaction(database, inMemory, { snapshot: true });
}

interface Counted {
  readonly members: number;
  readonly movements: number;
  /** The time that the movements span. */
  readonly from: Date;
  readonly to: Date;
}

async function count(db: Db, { id, now }: Commerce): Promise<Counted> {
  const { rows } = await sql<Counted>`
    select (select count(*) from members where commerce_id = ${id}) as members,
           count(*) as movements, coalesce(min(at), ${now}) as "from", coalesce(max(at), ${now}) as "to"
      from movements
     where commerce_id = ${id}`.execute(db);
  return rows[0]!;
}

async function allDifferencesOf(
  db: Db,
  commerce: Commerce,
  stretch: Pick<Counted, 'from' | 'to'>,
  checks: readonly Check[],
): Promise<Difference[]> {
  const today = localDay(commerce.now, commerce.timeZone);
  const books = { today, calendars: await readCalendars(db, commerce.id, stretch) };
  const differences: Difference[] = [];
  for (const check of checks) differences.push(...(await differencesOf(db, commerce, books, check)));
  for (const pass of earningPasses) {
    for (const [invariant, findings] of await pass(db, commerce.id, MOST))
      differences.push(
        ...(await differencesOf(db, commerce, books, { invariant, find: () => told(findings) })),
      );
  }
  return differences;
}

async function sealDifferencesOf(
  db: Db,
  commerce: Commerce,
  findings: readonly SealFinding[],
): Promise<Difference[]> {
  const books = { today: localDay(commerce.now, commerce.timeZone), calendars: [] };
  const differences: Difference[] = [];
  for (const [invariant, some] of Map.groupBy(findings, (finding) => finding.invariant))
    differences.push(...(await differencesOf(db, commerce, books, { invariant, find: () => told(some) })));
  return differences;
}

/** Returns the findings as a statement, so that members' codes are looked up in one place. */
function told(findings: readonly Finding[]) {
  return sql<Finding>`
    select *
      from unnest(${findings.map((f) => f.memberId)}::bigint[], ${findings.map((f) => f.movementId)}::bigint[],
                  ${findings.map((f) => f.says)}::text[]) as f("memberId", "movementId", says)`;
}

async function differencesOf(
  db: Db,
  { id, slug }: Commerce,
  books: Books,
  { invariant, find }: Check,
): Promise<Difference[]> {
  const { rows } = await sql<Finding & { code: number | null }>`
    select f.*, m.code
      from (${find(id, books)} limit ${MOST}) f
      left join members m on m.commerce_id = ${id} and m.id = f."memberId"`.execute(db);
  return rows.map(({ memberId, code: member, movementId: movement, says }) => ({
    commerce: slug,
    invariant,
    member,
    memberId,
    movement,
    says,
  }));
}
