/** Verifies one part of the books: the histories of some people, or the records beside them, or the seals. */
import { createDayReaders, localDay } from '#calendar/calendar.ts';
import { sql, type Db, type Tx } from '#db/database.ts';
import { checkSeals, readTileEnds } from '#seals/check-seals.ts';
import type { Head } from '#seals/head.ts';
import { readSealedThrough } from '#seals/read-seal.ts';
import { createTileCount, type TileCount, type TilePrints, type TileSums } from '#seals/tile-prints.ts';
import { createLeafWriter, type LeafWriter } from '#seals/write-leaf.ts';
import { balanceChecks, checkBalances } from './check-balances.ts';
import { checkBalancesTold, checkDays, readDatings, type Datings } from './check-days.ts';
import { createEarningCheck, type EarningCheck } from './check-earning.ts';
import { checkKind } from './check-kinds.ts';
import { peopleChecks } from './check-people.ts';
import { recordChecks } from './check-records.ts';
import { createReportCount, noReportFigures, readCounting, type ReportFigures } from './check-reports.ts';
import { checkSealedSums } from './check-sealed-sums.ts';
import { pointers } from './check-tenancy.ts';
import { voucherChecks } from './check-vouchers.ts';
import type { Check, Finding } from './check.ts';
import type { History, Report } from './history.ts';
import { readHistories, type People } from './read-histories.ts';

/** At most so many findings are told of each invariant of a commerce. */
export const MOST = 1_000;

/** What one connection verifies in one go. */
export type Part =
  /** Histories. With a key, their sealed movements get prints. */
  | { readonly people: People; readonly printKey: Uint8Array | null }
  /** Vouchers, keys, rewards and the like, each by a statement of its own. */
  | { readonly recordsOf: number }
  /** Seals, with the prints of the sealed movements and the heads of the commerce that were published. */
  | { readonly sealsOf: number; readonly prints: TilePrints; readonly heads: readonly Head[] };

/** What was verified, by commerce. */
export type VerifiedPart = ReadonlyMap<number, VerifiedBooks>;

export interface VerifiedBooks {
  readonly members: number;
  readonly movements: number;
  /** The movements that are younger than the last seal; 0 unless this part has compared the seals. */
  readonly unsealed: number;
  readonly findings: readonly CommerceFinding[];
  /** The figures of reports by the movements of these people; null if the job has not counted. */
  readonly told: ReportFigures | null;
  /** The prints of the sealed movements of these people; null without a key. */
  readonly tileSums: TileSums | null;
}

export interface CommerceFinding extends Finding {
  readonly invariant: string;
  /** The member's code. Null for someone without an account, and if the finding concerns no member. */
  readonly code: number | null;
}

/** Returns what is wrong in a part. `onMovements` is called now and then with the number of movements since the last call. */
export async function verifyPart(
  tx: Tx,
  part: Part,
  onMovements: (movements: number) => void,
): Promise<VerifiedPart> {
  await prepare(tx);
  if ('people' in part) return verifyHistories(tx, part.people, part.printKey, onMovements);
  if ('sealsOf' in part)
    return new Map([[part.sealsOf, await verifySeals(tx, part.sealsOf, part.prints, part.heads)]]);
  return new Map([[part.recordsOf, await verifyRecords(tx, part.recordsOf)]]);
}

/**
 * Sums over a large ledger are faster in memory than on disk. Other parts already use the other processors. The plans of calls, which
 * do not depend on values, would read a whole ledger where an index has the few rows of a type.
 */
async function prepare(tx: Tx): Promise<void> {
  await sql`
    select set_config('work_mem', '64MB', true), set_config('max_parallel_workers_per_gather', '0', true),
           set_config('plan_cache_mode', 'force_custom_plan', true), set_config('statement_timeout', '0', true)`.execute(
    tx,
  );
}

async function verifyHistories(
  tx: Tx,
  people: People,
  printKey: Uint8Array | null,
  onMovements: (movements: number) => void,
): Promise<VerifiedPart> {
  const books = new Map<number, BooksInWork>();
  // The figures of reports are those of all people, so a few of them tell nothing.
  const counts = !('memberIds' in people);
  const dayReaderOf = createDayReaders();
  for (const commerceId of people.commerceIds)
    books.set(commerceId, await openBooks(tx, commerceId, dayReaderOf, counts, printKey));
  let untold = 0;
  await readHistories(tx, people, (history) => {
    verifyHistory(books.get(history.commerceId)!, history);
    untold += history.movements.length;
    if (untold < TELL_EVERY) return;
    onMovements(untold);
    untold = 0;
  });
  if (untold > 0) onMovements(untold);
  const verified = new Map<number, VerifiedBooks>();
  for (const [commerceId, { counts, findings, told, tiles }] of books)
    verified.set(commerceId, {
      ...nothing,
      ...counts,
      findings: await withCodes(tx, commerceId, findings.all),
      told,
      tileSums: tiles?.sums() ?? null,
    });
  return verified;
}

const TELL_EVERY = 20_000;

/** The books of a commerce while its histories are read. */
interface BooksInWork {
  readonly counts: { members: number; movements: number };
  readonly findings: Findings;
  readonly told: ReportFigures | null;
  readonly datings: Datings;
  readonly checkEarning: EarningCheck;
  readonly countReports: (history: History) => void;
  /** All movements up to this id are sealed. */
  readonly sealedThrough: number;
  readonly tiles: TileCount | null;
  readonly leaves: LeafWriter;
}

async function openBooks(
  db: Db,
  commerceId: number,
  dayReaderOf: ReturnType<typeof createDayReaders>,
  countsReports: boolean,
  printKey: Uint8Array | null,
): Promise<BooksInWork> {
  const counting = countsReports ? await readCounting(db, commerceId) : null;
  const told = counting && noReportFigures();
  return {
    counts: { members: 0, movements: 0 },
    findings: createFindings(),
    told,
    datings: await readDatings(db, commerceId, dayReaderOf),
    checkEarning: await createEarningCheck(db, commerceId),
    countReports:
      counting === null ? () => {} : createReportCount(counting, dayReaderOf(counting.timeZone), told!),
    sealedThrough: await readSealedThrough(db, commerceId),
    tiles: printKey && createTileCount(printKey, await readTileEnds(db, commerceId)),
    leaves: createLeafWriter(),
  };
}

function verifyHistory(books: BooksInWork, history: History): void {
  const { counts, findings, datings, sealedThrough, tiles, leaves } = books;
  const report: Report = (invariant, movementId, says) =>
    findings.take(invariant, { memberId: history.memberId, movementId, says });
  checkBalances(history, report);
  checkBalancesTold(history, datings, report);
  for (const movement of history.movements) {
    checkKind(movement, report);
    if (movement.id <= sealedThrough) tiles?.add(movement.id, leaves.hash(movement));
  }
  checkSealedSums(history, sealedThrough, report);
  checkDays(history, datings, report);
  books.checkEarning(history, report);
  books.countReports(history);
  if (history.stored !== null) counts.members += 1;
  counts.movements += history.movements.length;
}

async function verifyRecords(tx: Tx, commerceId: number): Promise<VerifiedBooks> {
  const findings = createFindings();
  const checks: readonly Check[] = [
    ...balanceChecks,
    ...voucherChecks,
    ...recordChecks,
    ...peopleChecks,
    ...(await pointers(tx)),
  ];
  const { rows } = await sql<{ timeZone: string; now: Date }>`
    select c.time_zone as "timeZone", program_now(c) as now from commerces c where c.id = ${commerceId}`.execute(
    tx,
  );
  const { timeZone, now } = rows[0]!;
  const books = { today: localDay(now, timeZone) };
  for (const { invariant, find } of checks) {
    const { rows: found } = await sql<Finding>`
      select f.* from (${find(commerceId, books)} limit ${MOST}) f`.execute(tx);
    for (const finding of found) findings.take(invariant, finding);
  }
  return { ...nothing, findings: await withCodes(tx, commerceId, findings.all) };
}

async function verifySeals(
  tx: Tx,
  commerceId: number,
  prints: TilePrints,
  heads: readonly Head[],
): Promise<VerifiedBooks> {
  const { unsealed, findings } = await checkSeals(tx, commerceId, prints, { heads, limit: MOST });
  return { ...nothing, unsealed, findings: await withCodes(tx, commerceId, findings) };
}

const nothing: VerifiedBooks = {
  members: 0,
  movements: 0,
  unsealed: 0,
  findings: [],
  told: null,
  tileSums: null,
};

interface Findings {
  readonly all: (Finding & { invariant: string })[];
  readonly take: (invariant: string, finding: Finding) => void;
}

function createFindings(): Findings {
  const counts = new Map<string, number>();
  const all: Findings['all'] = [];
  return {
    all,
    take(invariant, finding) {
      const count = counts.get(invariant) ?? 0;
      counts.set(invariant, count + 1);
      if (count < MOST) all.push({ invariant, ...finding });
    },
  };
}

async function withCodes(
  db: Db,
  commerceId: number,
  findings: readonly (Finding & { readonly invariant: string })[],
): Promise<CommerceFinding[]> {
  if (findings.length === 0) return [];
  const ids = [...new Set(findings.map(({ memberId }) => memberId))];
  const { rows } = await sql<{ id: number; code: number | null }>`
    select id, code from members where commerce_id = ${commerceId} and id = any(${ids}::bigint[])`.execute(
    db,
  );
  const codes = new Map(rows.map(({ id, code }) => [id, code]));
  return findings.map((one) => ({ ...one, code: codes.get(one.memberId ?? 0) ?? null }));
}
