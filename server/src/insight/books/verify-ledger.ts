import { randomBytes } from 'node:crypto';
import {
  sql,
  transaction,
  type Database,
  type DatabaseAddress,
  type Db,
  type Sql,
  type Tx,
} from '#db/database.ts';
import { partsOf } from '#db/partitions.ts';
import type { Head } from '#seals/head.ts';
import { findSettledFor, findSettledId } from '#points/settled-id.ts';
import { readOrigins } from '#seals/read-seal.ts';
import { addTileSums, PRINT_KEY, type TileSums } from '#seals/tile-prints.ts';
import { compareReportFigures, readReportFigures, sumReportFigures } from './check-reports.ts';
import { missingGuards } from './check-tenancy.ts';
import { openLane, openLanes } from './lanes.ts';
import type { LedgerCheck } from './ledger-checks.ts';
import type { People, Place } from './read-histories.ts';
import {
  MOST,
  type CommerceFinding,
  type Part,
  type VerifiedBooks,
  type VerifiedPart,
} from './verify-part.ts';

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
  /** The same by commerce, as monitoring keeps it. */
  readonly checked: readonly LedgerCheck[];
}

export interface VerifyOptions {
  /** Checks only these commerces; all if omitted. */
  readonly commerceIds?: readonly number[];
  /** Heads that were published. The history under each must still be the same. */
  readonly heads?: readonly Head[];
  /**
   * How many parts are verified at the same time, each in a process and on a connection of its own. A small ledger needs one. On a
   * cluster these are whole commerces, all in this process, and no more than its pool has connections: it waits for the machines, and hardly
   * for its processor.
   */
  readonly parallel?: number;
  /** Uses another process even if `parallel` is 1, unless the ledger is small: calls of this process must not wait for it. */
  readonly elsewhere?: boolean;
  /** About how many movements one part has. Processes are used from the second part on. */
  readonly partSize?: number;
  /** Ends the verification at once. It then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Is called now and then with the movements so far, and an estimate of all. */
  readonly onMovements?: (movements: number, of: number) => void;
}

/**
 * Recomputes everything that follows from the movements, with code of its own, and returns every difference. Reads the movements once,
 * person by person, and everything in one snapshot, so calls that are recorded meanwhile cause no difference.
 */
export async function verifyLedger(database: Database, options: VerifyOptions = {}): Promise<VerifiedLedger> {
  const guards = await missingGuards(database, { isCluster: database.address.cluster != null });
  // Before the snapshot, which then has all movements up to it.
  const [only, ...others] = options.commerceIds ?? [];
  const lastMovement =
    only !== undefined && others.length === 0
      ? await findSettledFor(database, only, options.signal)
      : await findSettledId(database, options.signal);
  const verified =
    database.address.cluster == null
      ? await transaction(database, (tx) => verifyIn(tx, database.address, options), { snapshot: true })
      : await verifyEach(database, options);
  // A guard belongs to no commerce, and the books of every commerce rest on it.
  const checked = verified.checked.map((check) => ({
    ...check,
    lastMovement,
    differences: check.differences + guards.length,
  }));
  return { ...verified, checked, differences: [...guards.map(guardMissing), ...verified.differences] };
}

type Verified = Omit<VerifiedLedger, 'checked'> & { readonly checked: Omit<LedgerCheck, 'lastMovement'>[] };

/**
 * Verifies each commerce in a transaction of its own. The machines of a cluster have no snapshot in common, and a commerce is on one of
 * them.
 */
async function verifyEach(database: Database, options: VerifyOptions): Promise<Verified> {
  const { commerceIds, heads = [], parallel = 1, onMovements, signal } = options;
  const commerces = await readCommerces(database, commerceIds);
  const expected = commerces.reduce((sum, { movements }) => sum + movements, 0);
  const { headsOf, strangers } = await sortHeads(database, heads);
  const all: Verified[] = [];
  let passed = 0;
  let next = 0;
  const verifyNext = async () => {
    while (next < commerces.length) {
      const place = next++;
      const commerce = commerces[place]!;
      signal?.throwIfAborted();
      let own = 0;
      const read = (movements: number) => {
        passed += movements - own;
        own = movements;
        onMovements?.(passed, Math.max(passed, expected));
      };
      const { id } = commerce;
      const asked = { commerceIds: [id], heads: headsOf.get(id) ?? [], signal, onMovements: read };
      all[place] = await transaction(database, (tx) => verifyIn(tx, null, asked, [commerce]), {
        snapshot: true,
      });
    }
  };
  try {
    const lanes = Math.min(parallel, database.pool.options.max);
    await Promise.all(Array.from({ length: lanes }, verifyNext));
  } finally {
    // After a failure nobody begins another one.
    next = commerces.length;
  }
  const sum = (of: 'commerces' | 'members' | 'movements' | 'unsealed') =>
    all.reduce((total, verified) => total + verified[of], 0);
  return {
    commerces: sum('commerces'),
    members: sum('members'),
    movements: sum('movements'),
    unsealed: sum('unsealed'),
    differences: [...strangers, ...all.flatMap(({ differences }) => differences)],
    checked: all.flatMap(({ checked }) => checked),
  };
}

/** Returns the differences in the histories of some people, which are read in one snapshot. */
export async function verifyPeople(
  database: Database,
  commerceId: number,
  memberIds: readonly number[],
  { elsewhere, signal }: Pick<VerifyOptions, 'elsewhere' | 'signal'>,
): Promise<Difference[]> {
  if (memberIds.length === 0) return [];
  const verify = async (tx: Tx) => {
    const [commerce] = await readCommerces(tx, [commerceId]);
    const lane =
      elsewhere === true && database.address.cluster == null
        ? await openLanes(tx, database.address, 1, () => {}, signal)
        : openLane(tx, () => {}, signal);
    try {
      const people = { commerceIds: [commerceId] as const, memberIds };
      const verified = await lane.verify({ people, printKey: null });
      return toDifferences(commerce!, verified.get(commerceId)!.findings);
    } finally {
      await lane.close();
    }
  };
  return transaction(database, verify, { snapshot: true });
}

/** Verifies one commerce as the transaction sees it, so also what it has stored and not yet committed. */
export async function verifyCommerce(tx: Tx, commerceId: number): Promise<readonly Difference[]> {
  return (await verifyIn(tx, null, { commerceIds: [commerceId] })).differences;
}

function guardMissing(says: string): Difference {
  return ofNobody('the schema guards the ledger', says);
}

function ofNobody(invariant: string, says: string): Difference {
  return { commerce: null, invariant, member: null, memberId: null, movement: null, says };
}

/** Returns the heads of each commerce. A head that belongs to none is a difference: its log is gone. */
async function sortHeads(
  db: Db,
  heads: readonly Head[],
): Promise<{ readonly headsOf: ReadonlyMap<number, Head[]>; readonly strangers: readonly Difference[] }> {
  if (heads.length === 0) return { headsOf: new Map(), strangers: [] };
  const commerceOf = new Map((await readOrigins(db)).map(({ origin, commerceId }) => [origin, commerceId]));
  const [known, strange] = [true, false].map((isKnown) =>
    heads.filter(({ origin }) => commerceOf.has(origin) === isKnown),
  ) as [Head[], Head[]];
  return {
    headsOf: Map.groupBy(known, ({ origin }) => commerceOf.get(origin)!),
    strangers: strange.map(({ origin }) =>
      ofNobody('the log of a published head exists', `no commerce has the log ${origin}`),
    ),
  };
}

async function verifyIn(
  tx: Tx,
  /** Null if everything must be read by the transaction itself. */
  address: DatabaseAddress | null,
  { commerceIds, heads = [], parallel = 1, elsewhere = false, partSize, signal, onMovements }: VerifyOptions,
  known?: readonly Commerce[],
): Promise<Verified> {
  const commerces = known ?? (await readCommerces(tx, commerceIds));
  const expected = commerces.reduce((sum, commerce) => sum + commerce.movements, 0);
  const count = expected < (partSize ?? WORTH_PROCESSES) ? 1 : parallel;
  const byId = new Map(commerces.map((commerce) => [commerce.id, commerce]));
  const sealed = await sortHeads(tx, heads);
  const people = await divide(
    tx,
    commerces,
    Math.max(count, Math.ceil(expected / (partSize ?? MOST_IN_PART))),
  );
  // Made for this check and never stored.
  const printKey = randomBytes(PRINT_KEY);
  let read = 0;
  const onMore = (movements: number) => {
    read += movements;
    onMovements?.(read, Math.max(read, expected));
  };
  const lanes =
    address === null || (count === 1 && !(elsewhere && expected >= TOO_LONG_IN_PLACE))
      ? openLane(tx, onMore, signal)
      : await openLanes(tx, address, count, onMore, signal);
  try {
    const verifyAll = (parts: readonly Part[]) => Promise.all(parts.map((part) => lanes.verify(part)));
    const reading = verifyAll(people.map((some) => ({ people: some, printKey })));
    const groups = groupSmall(commerces);
    const verified = await Promise.all([
      reading,
      verifyAll(groups.map((recordsOf) => ({ recordsOf }))),
      // A tile has movements of many people.
      reading.then((histories) =>
        verifyAll(
          groups.map((group) => ({
            sealsOf: group.map((id) => ({
              commerceId: id,
              prints: { key: printKey, sums: addTileSums(tileSumsOf(histories, id)) },
              heads: sealed.headsOf.get(id) ?? [],
            })),
          })),
        ),
      ),
    ]);
    const all = verified.flat();
    const differences: Difference[] = [...sealed.strangers];
    const checked: Omit<LedgerCheck, 'lastMovement'>[] = [];
    const booksOf = (id: number) => all.flatMap((part) => part.get(id) ?? []);
    for (const group of groups) {
      const ofReports = await compareReports(tx, group, booksOf);
      for (const id of group) {
        const findings = [...booksOf(id).flatMap((part) => part.findings), ...ofReports.get(id)!];
        const found = toDifferences(byId.get(id)!, findings);
        differences.push(...found);
        checked.push({ commerceId: id, differences: found.length });
      }
    }
    const sum = (of: 'members' | 'movements' | 'unsealed') =>
      all.reduce((total, part) => part.values().reduce((count, books) => count + books[of], total), 0);
    return {
      commerces: commerces.length,
      members: sum('members'),
      movements: sum('movements'),
      unsealed: sum('unsealed'),
      differences,
      checked,
    };
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    await lanes.close();
  }
}

function tileSumsOf(histories: readonly VerifiedPart[], commerceId: number): TileSums[] {
  return histories.map((part) => part.get(commerceId)?.tileSums ?? null).filter((sums) => sums !== null);
}

/** So many movements take a tenth of a second of a processor. */
const TOO_LONG_IN_PLACE = 20_000;
/** Fewer movements are verified sooner than processes have started. */
const WORTH_PROCESSES = 300_000;
/** PostgreSQL reads the whole ledger for each part, and sorts the movements of the part on disk: about 2 GB for these. */
const MOST_IN_PART = 8_000_000;

interface Commerce {
  readonly id: number;
  readonly slug: string;
  /** An estimate of its movements: as many for each member as on average. */
  readonly movements: number;
}

async function readCommerces(db: Db, ids: readonly number[] | undefined): Promise<Commerce[]> {
  const [among, only] =
    ids === undefined
      ? [sql``, sql``]
      : [sql`and e.commerce_id = any(${ids}::bigint[])`, sql`where c.id = any(${ids}::bigint[])`];
  const { rows } = await sql<Commerce>`
    select c.id, c.slug, coalesce(e.total * r.movements_of_each, 0)::float8 as movements
      from commerces c
      left join enrolments e on e.commerce_id = c.id ${among}
     cross join (select coalesce(nullif(${rowsOf('movements')}, 0) / nullif(${rowsOf('members')}, 0), ${sql.lit(A_FEW)}) as movements_of_each) r
     ${only}
     order by c.id`.execute(db);
  return rows;
}

/** Movements of a member where PostgreSQL has counted neither, as at the coordinator of a cluster. */
const A_FEW = 10;

/** Estimates how many rows a table has. After a restore, PostgreSQL has not counted them yet: one takes some 300 bytes. */
function rowsOf(table: string): Sql {
  return sql`(select sum(case when reltuples > 0 then reltuples else pg_relation_size(oid) / 300 end) from (${partsOf(table)}) p)`;
}

/**
 * Divides the histories of all people into parts of equal size, as far as can be told before. The movements of all commerces lie
 * together, so a part that has many small commerces reads each page once, and not once for each of them.
 */
async function divide(db: Db, commerces: readonly Commerce[], count: number): Promise<People[]> {
  if (commerces.length === 0) return [];
  const size = commerces.reduce((sum, { movements }) => sum + movements, 0) / count;
  const bounds: Place[] = [];
  let passed = 0;
  for (const { id: commerceId, movements } of commerces) {
    while (bounds.length < count - 1 && passed + movements > size * (bounds.length + 1)) {
      const share = (size * (bounds.length + 1) - passed) / movements;
      bounds.push({ commerceId, memberId: await readMemberAt(db, commerceId, share) });
    }
    passed += movements;
  }
  return [null, ...bounds].map((from, i): People => {
    const before = bounds[i] ?? null;
    const commerceIds = commerces
      .map(({ id }) => id)
      .filter((id) => id >= (from?.commerceId ?? id) && id <= (before?.commerceId ?? id));
    return { commerceIds, from, before };
  });
}

/** Returns the member at a place in the order of ids, given as a share of all: 0.5 for the middle. */
async function readMemberAt(db: Db, commerceId: number, share: number): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    select coalesce(percentile_disc(${share}) within group (order by id), 0) as id
      from members where commerce_id = ${commerceId}`.execute(db);
  return rows[0]!.id;
}

/** Returns the commerces of these that are so small that they are checked together, as they are divided for it. */
export async function groupSmallCommerces(db: Db, commerceIds: readonly number[]): Promise<number[][]> {
  if (commerceIds.length === 0) return [];
  return groupSmall(await readCommerces(db, commerceIds)).filter((group) => group.length > 1);
}

/** Large commerces are checked one by one, and many small ones with the same statements. */
function groupSmall(commerces: readonly Commerce[]): number[][] {
  const groups: number[][] = [];
  let open: number[] = [];
  let movements = 0;
  for (const commerce of commerces) {
    if (commerce.movements > SMALL) {
      groups.push([commerce.id]);
      continue;
    }
    if (open.length === 0 || open.length === MOST_IN_GROUP || movements + commerce.movements > GROUP) {
      groups.push((open = []));
      movements = 0;
    }
    open.push(commerce.id);
    movements += commerce.movements;
  }
  return groups;
}

/** A commerce with so few movements is checked faster than its statements are planned. */
const SMALL = 20_000;
/** The movements that the commerces of a group have together. Their seals are in memory at once. */
const GROUP = 200_000;
const MOST_IN_GROUP = 200;

/** Findings of one invariant come together, and no more than can be of use. */
function toDifferences({ slug }: Commerce, findings: readonly CommerceFinding[]): Difference[] {
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

async function compareReports(
  db: Db,
  commerceIds: readonly number[],
  booksOf: (commerceId: number) => readonly VerifiedBooks[],
): Promise<ReadonlyMap<number, CommerceFinding[]>> {
  const told = new Map(
    commerceIds.map((id) => [id, booksOf(id).flatMap((part) => part.told ?? [])] as const),
  );
  const counted = commerceIds.filter((id) => told.get(id)!.length > 0);
  const stored = counted.length === 0 ? new Map<number, never>() : await readReportFigures(db, counted);
  return new Map(
    commerceIds.map((id) => {
      const figures = stored.get(id);
      const differences =
        figures === undefined ? [] : compareReportFigures(figures, sumReportFigures(told.get(id)!));
      return [
        id,
        differences.map(([invariant, says]) => ({
          invariant,
          says,
          code: null,
          memberId: null,
          movementId: null,
        })),
      ];
    }),
  );
}
