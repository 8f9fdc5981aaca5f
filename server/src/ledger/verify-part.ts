/** Verifies one part of a commerce's books: the histories of some people, the records beside them, or both. */
import { localDay } from '#calendar/calendar.ts';
import { sql, transaction, type Database, type Db, type Tx } from '#db/database.ts';
import { balanceChecks, checkBalances } from './check-balances.ts';
import { checkBalancesTold, checkDays, readDatings } from './check-days.ts';
import { createEarningCheck } from './check-earning.ts';
import { checkKind } from './check-kinds.ts';
import { peopleChecks } from './check-people.ts';
import { recordChecks } from './check-records.ts';
import {
  createReportCount,
  readCounting,
  readReportFigures,
  type ReportFigures,
} from './check-reports.ts';
import { pointers } from './check-tenancy.ts';
import { voucherChecks } from './check-vouchers.ts';
import type { Check, Finding } from './check.ts';
import type { Report } from './history.ts';
import { readHistories, type People } from './read-histories.ts';

/** At most so many differences are told of each invariant of a commerce. */
export const MOST = 1_000;

/** What one connection verifies in one go. */
export interface Part {
  readonly commerceId: number;
  /** The people whose histories are verified; null for none. */
  readonly people: Omit<People, 'commerceId'> | null;
  /** Whether vouchers, keys, rewards and the like are verified, each by one statement. */
  readonly withRecords: boolean;
  /** The snapshot that all parts of a commerce are read in; null if this part is all of it. */
  readonly snapshot: string | null;
}

export interface VerifiedPart {
  readonly members: number;
  readonly movements: number;
  /** The member's code is null for someone without an account, and if the finding concerns no member. */
  readonly findings: readonly (Finding & { readonly invariant: string; readonly code: number | null })[];
  /** The figures of reports by the movements of these people. */
  readonly told: ReportFigures;
  /** The stored figures of reports, from the part that verifies records. Null if the job has not counted. */
  readonly stored: ReportFigures | null;
}

/** Returns what is wrong in a part. `onMovements` is called now and then with the number of movements since the last call. */
export async function verifyPart(
  database: Database,
  part: Part,
  onMovements: (movements: number) => void = () => {},
): Promise<VerifiedPart> {
  return transaction(database, (tx) => verifyIn(tx, part, onMovements), {
    snapshot: part.snapshot ?? true,
  });
}

async function verifyIn(
  tx: Tx,
  { commerceId, people, withRecords }: Part,
  onMovements: (movements: number) => void,
): Promise<VerifiedPart> {
  await prepare(tx);
  const findings = createFindings();
  const counting = await readCounting(tx, commerceId);
  const told: ReportFigures = { days: new Map(), people: new Map() };
  const counted = { members: 0, movements: 0 };
  if (people !== null) {
    const countReports = counting === null ? () => {} : createReportCount(counting, told);
    const datings = await readDatings(tx, commerceId);
    const checkEarning = await createEarningCheck(tx, commerceId);
    let untold = 0;
    await readHistories(tx, { commerceId, ...people }, (history) => {
      const report: Report = (invariant, movementId, says) =>
        findings.take(invariant, { memberId: history.memberId, movementId, says });
      checkBalances(history, report);
      checkBalancesTold(history, datings, report);
      for (const movement of history.movements) {
        checkKind(movement, report);
        checkDays(movement, datings, report);
      }
      checkEarning(history, report);
      countReports(history);
      if (history.stored !== null) counted.members += 1;
      counted.movements += history.movements.length;
      untold += history.movements.length;
      if (untold < TELL_EVERY) return;
      onMovements(untold);
      untold = 0;
    });
    onMovements(untold);
  }
  if (withRecords) await checkRecords(tx, commerceId, findings.take);
  const stored = withRecords && counting !== null ? await readReportFigures(tx, commerceId) : null;
  return { ...counted, findings: await withCodes(tx, commerceId, findings.all), told, stored };
}

const TELL_EVERY = 20_000;

/** Sums over a large ledger are faster in memory than on disk. Other parts already use the other processors. */
async function prepare(tx: Tx): Promise<void> {
  await sql`
    select set_config('work_mem', '64MB', true), set_config('max_parallel_workers_per_gather', '0', true),
           set_config('statement_timeout', '0', true)`.execute(tx);
}

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

async function checkRecords(tx: Tx, commerceId: number, take: Findings['take']): Promise<void> {
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
    for (const finding of found) take(invariant, finding);
  }
}

async function withCodes(
  db: Db,
  commerceId: number,
  findings: Findings['all'],
): Promise<VerifiedPart['findings']> {
  if (findings.length === 0) return [];
  const { rows } = await sql<{ id: number; code: number | null }>`
    select id, code from members where commerce_id = ${commerceId} and id = any(${[...new Set(findings.map((one) => one.memberId))]}::bigint[])`.execute(
    db,
  );
  const codes = new Map(rows.map(({ id, code }) => [id, code]));
  return findings.map((one) => ({ ...one, code: codes.get(one.memberId ?? 0) ?? null }));
}
