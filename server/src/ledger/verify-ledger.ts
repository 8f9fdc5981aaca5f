import { sql, transaction, type Database, type Db } from '#db/database.ts';
import { addReportFigures, compareReportFigures, type ReportFigures } from './check-reports.ts';
import { missingGuards } from './check-tenancy.ts';
import { openLanes, type Lanes } from './lanes.ts';
import { MOST, type Part, type VerifiedPart } from './verify-part.ts';

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
  /** At most 1,000 for each invariant of a commerce. */
  readonly differences: readonly Difference[];
}

export interface VerifyOptions {
  /** Checks only these commerces; all if omitted. */
  readonly commerceIds?: readonly number[];
  /** How many parts are verified at the same time, each on a thread and a connection of its own. A small ledger needs one. */
  readonly parallel?: number;
  /** Is called now and then with the movements so far, and an estimate of all. */
  readonly onMovements?: (movements: number, of: number) => void;
}

/**
 * Recomputes everything that follows from the movements, with code of its own, and returns every difference. Reads the movements once,
 * person by person. Each commerce is read in one snapshot, so calls that are recorded meanwhile cause no difference.
 */
export async function verifyLedger(database: Database, options: VerifyOptions = {}): Promise<VerifiedLedger> {
  const commerces = await readCommerces(database, options.commerceIds);
  const guards = await missingGuards(database);
  const expected = commerces.reduce((sum, commerce) => sum + commerce.movements, 0);
  const parallel = expected < WORTH_THREADS ? 1 : (options.parallel ?? 1);
  const counts = { members: 0, movements: 0 };
  let read = 0;
  const lanes = openLanes(database, parallel, (movements) => {
    read += movements;
    options.onMovements?.(read, Math.max(read, expected));
  });
  try {
    const most = Math.min(MOST_IN_PART, Math.ceil(expected / parallel / 2));
    // The largest first, so that no lane is left with a large one at the end.
    const largestFirst = [...commerces].sort((a, b) => b.movements - a.movements);
    const found = new Map<number, readonly VerifiedPart[]>();
    const keep = async (commerce: Commerce, parts: Promise<VerifiedPart[]>) =>
      void found.set(commerce.id, await parts);
    // One at a time, because each holds a connection that keeps its snapshot.
    const divided = async () => {
      for (const commerce of largestFirst)
        if (commerce.movements > most) await keep(commerce, verifyInParts(database, commerce, most, lanes));
    };
    const whole = largestFirst.filter(({ movements }) => movements <= most);
    await Promise.all([divided(), ...whole.map((commerce) => keep(commerce, verifyWhole(commerce, lanes)))]);
    const differences: Difference[] = guards.map(guardMissing);
    for (const commerce of commerces) {
      const parts = found.get(commerce.id)!;
      for (const part of parts) {
        counts.members += part.members;
        counts.movements += part.movements;
      }
      differences.push(...differencesOf(commerce, parts));
    }
    return { commerces: commerces.length, ...counts, differences };
  } finally {
    await lanes.close();
  }
}

/** Fewer movements are verified sooner than threads have started. */
const WORTH_THREADS = 300_000;
/** PostgreSQL sorts the movements of a part on disk: some 1.5 GB for these. */
const MOST_IN_PART = 6_000_000;

interface Commerce {
  readonly id: number;
  readonly slug: string;
  /** An estimate of its movements: its share of all members. */
  readonly movements: number;
}

async function readCommerces(db: Db, ids: readonly number[] | undefined): Promise<Commerce[]> {
  const { rows } = await sql<Commerce>`
    select c.id, c.slug,
           coalesce(e.total * greatest(m.reltuples, 0) / nullif(sum(e.total) over (), 0), 0) as movements
      from commerces c
      left join enrolments e on e.commerce_id = c.id
     cross join (select reltuples from pg_class where oid = 'movements'::regclass) m
     order by c.id`.execute(db);
  return ids === undefined ? rows : rows.filter(({ id }) => ids.includes(id));
}

function guardMissing(says: string): Difference {
  const invariant = 'the schema guards the ledger';
  return { commerce: null, invariant, member: null, memberId: null, movement: null, says };
}

async function verifyWhole({ id: commerceId }: Commerce, lanes: Lanes): Promise<VerifiedPart[]> {
  const people = { from: null, before: null };
  return [await lanes.verify({ commerceId, people, withRecords: true, snapshot: null })];
}

/** Verifies a commerce in so many parts that none has more than `most` movements, as far as can be told before. */
function verifyInParts(
  database: Database,
  { id: commerceId, movements }: Commerce,
  most: number,
  lanes: Lanes,
): Promise<VerifiedPart[]> {
  return withSnapshot(database, async (db, snapshot) => {
    const bounds = await readBounds(db, commerceId, Math.ceil(movements / most));
    const parts: Part[] = [null, ...bounds].map((from, i) => ({
      commerceId,
      people: { from, before: bounds[i] ?? null },
      withRecords: false,
      snapshot,
    }));
    const records: Part = { commerceId, people: null, withRecords: true, snapshot };
    return Promise.all([...parts, records].map((part) => lanes.verify(part)));
  });
}

/** Holds a snapshot that other connections can read in, until `work` is done. */
function withSnapshot<T>(database: Database, work: (db: Db, snapshot: string) => Promise<T>): Promise<T> {
  return transaction(
    database,
    async (tx) => {
      const { rows } = await sql<{ snapshot: string }>`
        select pg_export_snapshot() as snapshot, set_config('idle_in_transaction_session_timeout', '0', true)`.execute(
        tx,
      );
      return work(tx, rows[0]!.snapshot);
    },
    { snapshot: true },
  );
}

/** Returns the ids that divide the members of a commerce into equal parts. */
async function readBounds(db: Db, commerceId: number, parts: number): Promise<number[]> {
  const { rows } = await sql<{ bound: number }>`
    select distinct max(id) as bound
      from (select id, ntile(${parts}) over (order by id) as part from members where commerce_id = ${commerceId}) m
     group by part
     order by bound`.execute(db);
  return rows.slice(0, -1).map(({ bound }) => bound);
}

function differencesOf({ slug }: Commerce, parts: readonly VerifiedPart[]): Difference[] {
  const findings = [...parts.flatMap((part) => part.findings), ...reportFindings(parts)];
  const byInvariant = Map.groupBy(findings, ({ invariant }) => invariant);
  return [...byInvariant.values()].flatMap((all) =>
    all.slice(0, MOST).map(({ invariant, code: member, memberId, movementId: movement, says }) => ({
      commerce: slug,
      invariant,
      member,
      memberId,
      movement,
      says,
    })),
  );
}

function reportFindings(parts: readonly VerifiedPart[]): VerifiedPart['findings'] {
  const stored = parts.find((part) => part.stored !== null)?.stored;
  if (stored === undefined || stored === null) return [];
  const told: ReportFigures = { days: new Map(), people: new Map() };
  for (const part of parts) addReportFigures(told, part.told);
  return compareReportFigures(stored, told).map(([invariant, says]) => ({
    invariant,
    says,
    code: null,
    memberId: null,
    movementId: null,
  }));
}
