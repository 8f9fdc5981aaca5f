/** Verifies one part of the books: the histories of some people, or the records beside them, or the seals. */
import { createDayReaders, localDay } from '#calendar/calendar.ts';
import { commercesOf } from '#db/commerces-of.ts';
import { sql, type Db, type Sql, type Tx } from '#db/database.ts';
import { checkSeals, type LogToCheck } from '#seals/check-seals.ts';
import { readTileEnds } from '#seals/read-logs.ts';
import { readSealedThrough } from '#seals/read-seal.ts';
import { createTileCounts, type TileCount, type TileSums } from '#seals/tile-prints.ts';
import { createLeafWriter, type LeafWriter } from '#seals/write-leaf.ts';
import { balanceChecks, checkBalances } from './check-balances.ts';
import { checkBalancesTold, checkDays } from './check-days.ts';
import { createEarningCheck, type EarningCheck } from './check-earning.ts';
import { checkKind } from './check-kinds.ts';
import { checkMovedOn } from './check-moved-on.ts';
import { checkPending } from './check-pending.ts';
import { peopleChecks } from './check-people.ts';
import { recordChecks } from './check-records.ts';
import { createReportCount, noReportFigures, readCountings, type ReportFigures } from './check-reports.ts';
import { checkSealedSums } from './check-sealed-sums.ts';
import { createStandingCheck, readPins } from './check-standings.ts';
import { pointers } from './check-tenancy.ts';
import { voucherChecks } from './check-vouchers.ts';
import type { Check, Finding } from './check.ts';
import type { History, Report } from './history.ts';
import { readDatings, type Datings } from './read-datings.ts';
import { readHistories, type People } from './read-histories.ts';
import { readPrograms, type Programs } from './read-programs.ts';

/** At most so many findings are told of each invariant of a commerce. */
export const MOST = 1_000;

/** The part that one connection verifies in one go. */
export type Part =
  /** Histories. With a key, their sealed movements get prints. */
  | { readonly people: People; readonly printKey: Uint8Array | null }
  /** Vouchers, keys, rewards and the like of some commerces, each by a statement of its own. */
  | { readonly recordsOf: readonly number[] }
  /** Seals of some commerces. */
  | { readonly sealsOf: readonly LogToCheck[] };

/** The verified books, by commerce. */
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
  if ('sealsOf' in part) return verifySeals(tx, part.sealsOf);
  return verifyRecords(tx, part.recordsOf);
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
  const books = await openBooks(tx, people, printKey);
  let untold = 0;
  await readHistories(tx, people, (history) => {
    verifyHistory(books.get(history.commerceId)!, history);
    untold += history.movements.length;
    if (untold < TELL_EVERY) return;
    onMovements(untold);
    untold = 0;
  });
  if (untold > 0) onMovements(untold);
  const verified = new Map<number, Uncoded>();
  for (const [commerceId, { counts, findings, told, tiles }] of books)
    verified.set(commerceId, {
      ...nothing,
      ...counts,
      findings: findings.all,
      told,
      tileSums: tiles?.sums() ?? null,
    });
  return withCodes(tx, verified);
}

const TELL_EVERY = 20_000;

/** The books of a commerce while its histories are read. */
interface BooksInWork {
  readonly counts: { members: number; movements: number };
  readonly findings: Findings;
  readonly told: ReportFigures | null;
  readonly datings: Datings;
  readonly programs: Programs;
  readonly checkEarning: EarningCheck;
  readonly checkStandings: ReturnType<typeof createStandingCheck>;
  readonly countReports: (history: History) => void;
  /** All movements up to this id are sealed. */
  readonly sealedThrough: number;
  readonly tiles: TileCount | null;
  readonly leaves: LeafWriter;
}

/** The number of statements does not grow with that of the commerces. */
async function openBooks(
  tx: Tx,
  people: People,
  printKey: Uint8Array | null,
): Promise<ReadonlyMap<number, BooksInWork>> {
  const { commerceIds } = people;
  // The figures of reports are those of all people, so a few of them tell nothing.
  const countings = 'memberIds' in people ? new Map() : await readCountings(tx, commerceIds);
  const dayReaderOf = createDayReaders();
  const datings = await readDatings(tx, commerceIds, dayReaderOf);
  const programs = await readPrograms(tx, commerceIds);
  const pins = await readPins(tx, commerceIds);
  const sealedThrough = await readSealedThrough(tx, commerceIds);
  const tileEnds = printKey && (await readTileEnds(tx, commerceIds));
  const countTiles = printKey && createTileCounts(printKey);
  const leaves = createLeafWriter();
  const openOne = (commerceId: number): BooksInWork => {
    const counting = countings.get(commerceId);
    const told = counting === undefined ? null : noReportFigures();
    return {
      counts: { members: 0, movements: 0 },
      findings: createFindings(),
      told,
      datings: datings.get(commerceId)!,
      programs: programs.get(commerceId)!,
      checkEarning: createEarningCheck(programs.get(commerceId)!),
      checkStandings: createStandingCheck(programs.get(commerceId)!, pins.get(commerceId)!),
      countReports:
        counting === undefined
          ? () => {}
          : createReportCount(counting, dayReaderOf(counting.timeZone), told!),
      sealedThrough: sealedThrough.get(commerceId) ?? 0,
      tiles: countTiles && countTiles(tileEnds!.get(commerceId) ?? []),
      leaves,
    };
  };
  return new Map(commerceIds.map((id) => [id, openOne(id)]));
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
  checkMovedOn(history, datings, report);
  checkPending(history, books.programs, datings, report);
  books.checkEarning(history, report);
  books.checkStandings(history, report);
  books.countReports(history);
  if (history.stored !== null) counts.members += 1;
  counts.movements += history.movements.length;
}

/** Each check is one statement, however many commerces there are. */
async function verifyRecords(tx: Tx, commerceIds: readonly number[]): Promise<VerifiedPart> {
  const findings = new Map(commerceIds.map((id) => [id, createFindings()]));
  const checks: readonly Check[] = [
    ...balanceChecks,
    ...voucherChecks,
    ...recordChecks,
    ...peopleChecks,
    ...(await pointers(tx)),
  ];
  const { rows } = await sql<{ id: number; timeZone: string; now: Date }>`
    select c.id, c.time_zone as "timeZone", program_now(c.clock_offset) as now
      from commerces c
     where c.id = any(${commerceIds}::bigint[])`.execute(tx);
  const commerces = rows.map(({ id, now, timeZone }) => ({ id, today: localDay(now, timeZone) }));
  if (commerces.length > 1) await prepareMany(tx);
  for (const { invariant, find } of checks) {
    const { rows: found } = await findIn(commerces, find).execute(tx);
    for (const { commerceId, ...finding } of found) findings.get(commerceId)!.take(invariant, finding);
  }
  return withCodes(
    tx,
    new Map(commerceIds.map((id) => [id, { ...nothing, findings: findings.get(id)!.all }])),
  );
}

/**
 * A check of many small commerces is planned once and runs for one after the other, each time through the indexes, which begin with the
 * commerce. That of one commerce is planned for its own size.
 */
function findIn(
  commerces: readonly { readonly id: number; readonly today: string }[],
  find: Check['find'],
): Sql<Finding & { commerceId: number }> {
  const [first] = commerces as [{ id: number; today: string }];
  if (commerces.length === 1)
    return sql`
      select ${first.id}::bigint as "commerceId", f.*
        from (${find(sql.lit(first.id), { today: sql`${first.today}::date` })} limit ${MOST}) f`;
  return sql`
    select checked_commerce.id as "commerceId", f.*
      from unnest(${commerces.map(({ id }) => id)}::bigint[], ${commerces.map(({ today }) => today)}::date[])
             as checked_commerce(id, today)
     cross join lateral (${find(sql`checked_commerce.id`, { today: sql`checked_commerce.today` })} limit ${MOST}) f`;
}

/** A commerce is a small part of each table, whatever PostgreSQL expects of those that are very different in size. */
async function prepareMany(tx: Tx): Promise<void> {
  await sql`select set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true)`.execute(tx);
}

async function verifySeals(tx: Tx, logs: readonly LogToCheck[]): Promise<VerifiedPart> {
  const checked = await checkSeals(tx, logs, { limit: MOST });
  return withCodes(
    tx,
    new Map([...checked].map(([id, { unsealed, findings }]) => [id, { ...nothing, unsealed, findings }])),
  );
}

const nothing = {
  members: 0,
  movements: 0,
  unsealed: 0,
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

type Uncoded = Omit<VerifiedBooks, 'findings'> & {
  readonly findings: readonly (Finding & { readonly invariant: string })[];
};

/** Adds the codes of the members. */
async function withCodes(db: Db, books: ReadonlyMap<number, Uncoded>): Promise<VerifiedPart> {
  const named = [...books].flatMap(([commerceId, { findings }]) =>
    [...new Set(findings.map(({ memberId }) => memberId))].map((memberId) => ({ commerceId, memberId })),
  );
  const codes = new Map<string, number | null>();
  if (named.length > 0) {
    const { rows } = await sql<{ commerceId: number; id: number; code: number | null }>`
      select m.commerce_id as "commerceId", m.id, m.code
        from unnest(${named.map((one) => one.commerceId)}::bigint[], ${named.map((one) => one.memberId)}::bigint[])
               as n(commerce_id, id)
        join members m on m.commerce_id = n.commerce_id and m.id = n.id
       where m.commerce_id = any(${commercesOf(named)}::bigint[])`.execute(db);
    for (const { commerceId, id, code } of rows) codes.set(`${commerceId}/${id}`, code);
  }
  return new Map(
    [...books].map(([commerceId, { findings, ...others }]) => {
      const coded = findings.map((one) => ({
        ...one,
        code: codes.get(`${commerceId}/${one.memberId}`) ?? null,
      }));
      return [commerceId, { ...others, findings: coded }];
    }),
  );
}
