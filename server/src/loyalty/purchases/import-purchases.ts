import { hash } from 'node:crypto';
import { duringImport } from '#commerces/import-turn.ts';
import { readCommerce, type Commerce } from '#commerces/commerce.ts';
import { sql, transaction, type Database, type Db, type Tx } from '#db/database.ts';
import { takeBack } from '#db/take-back.ts';
import { findMembers } from '#members/lock-members.ts';
import { NO_INVITATION_LIMIT } from '#members/invite-people.ts';
import { withLots } from '#points/locked-member.ts';
import { balanceOn } from '#points/lots.ts';
import { pointsPendingAt, settled } from '#points/pending.ts';
import { tierCounts, type TierCount } from '#tiers/tier-counts.ts';
import { independentParts } from './independent-parts.ts';
import { orderKey } from './recorded-purchases.ts';
import { readPurchaseRow, type PurchaseFields, type PurchaseRow } from './read-purchase-row.ts';
import {
  DuplicateExternalId,
  recordPurchases,
  type PurchaseCall,
  type PurchaseOutcome,
} from './record-purchases.ts';

/** A row of a file, or the reason why its line cannot be read. Lines count from 1. */
export type PurchaseLine = { readonly line: number } & (
  | { readonly fields: PurchaseFields }
  | { readonly reason: string }
);

export interface ImportOptions {
  /** True to send invitations to people whom the commerce does not know. */
  readonly invite?: boolean;
  /** True to do everything and then take it back. */
  readonly dryRun?: boolean;
  /** Invitations that the commerce may send on a day; null means no limit. The points of the others wait all the same. */
  readonly invitationsPerDay?: number | null;
  /** Called from time to time with the number of rows read so far. Recording starts after all rows are read. */
  readonly onRead?: (rows: number) => void;
  /** Called after each batch with the number of rows finished so far. */
  readonly onRecorded?: (rows: number, of: number) => void;
}

export interface ImportedPurchases {
  readonly rows: number;
  readonly imported: number;
  /** Rows that this or an earlier import had already recorded. */
  readonly repeated: number;
  /** By line. */
  readonly refused: readonly RefusedLine[];
  /** Buyers in the file who are not members, and all points that wait for them, also those that could not be spent yet. */
  readonly waiting: { readonly buyers: number; readonly points: number };
  /** Buyers by the highest tier that a purchase of the file brought them to. */
  readonly tiers: readonly TierCount[];
  /** The number of codes that members got for tiers. People who join later get theirs then. */
  readonly tierCodes: number;
}

/** The result of a dry run, with the points that the purchases would earn. */
export interface TriedPurchases extends ImportedPurchases {
  readonly points: number;
}

export interface RefusedLine {
  readonly line: number;
  readonly reason: string;
}

/**
 * Records past purchases at their own dates, oldest first, by the normal rules. Reports the rows that cannot be recorded
 * and records the others, 500 in a transaction. A row with an `external_id` is identified by it. Any other row is
 * identified by its content and the number of equal rows before it. Importing a file again therefore records nothing
 * twice, and two equal purchases stay two. The jobs of the commerce wait until the import ends. A dry run does the same
 * and takes it back, in transactions of about the same size.
 * @throws ImportUnderWay
 */
export async function importPurchases(
  database: Database,
  commerceId: number,
  lines: AsyncIterable<PurchaseLine>,
  options: ImportOptions = {},
): Promise<ImportedPurchases | TriedPurchases> {
  return duringImport(database, commerceId, async () => {
    const commerce = await readCommerce(database, commerceId);
    if (commerce === undefined) throw new Error(`there is no commerce ${commerceId}`);
    const { rows, refused, count } = await readAll(commerce, lines, options);
    rows.sort((a, b) => a.at - b.at);

    const invitations = { ...NO_INVITATION_LIMIT, perDay: options.invitationsPerDay ?? null };
    const record: RecordBatch = (tx, batch) => {
      const calls = batch.map(({ row, key }) => callOf(row, key, commerceId, options));
      return recordPurchases(tx, calls, 'all', invitations);
    };
    const { dryRun = false } = options;
    const counts = { imported: 0, repeated: 0, tierCodes: 0, points: 0 };
    const waiting = { buyers: 0, points: 0 };
    const reused: Row[] = [];
    const tierOf = new Map<number, string>();
    const done = dryRun
      ? tryAll(database, commerce, rows, record)
      : recordAll(database, commerce, rows, record);
    for await (const { batch, outcomes, points, waits } of done) {
      for (const [i, outcome] of outcomes.entries()) {
        if (!outcome.recorded) {
          const { row } = batch[i]!;
          if (outcome.problem instanceof DuplicateExternalId) reused.push(row);
          else refused.push({ line: row.line, reason: outcome.problem.message });
          continue;
        }
        counts[outcome.replayed ? 'repeated' : 'imported']++;
        if (outcome.climb !== null) tierOf.set(outcome.climb.memberId, outcome.climb.tierId);
        counts.tierCodes += outcome.climb?.codes ?? 0;
      }
      counts.points += points;
      waiting.buyers += waits.buyers;
      waiting.points += waits.points;
      if (batch.length === 0) continue;
      options.onRecorded?.(counts.imported + counts.repeated + refused.length + reused.length, count);
    }
    refused.push(...refuseReused(reused, rows, refused));
    const { imported, repeated, tierCodes, points } = counts;
    const tiers = tierCounts(countValues(tierOf), commerce.rules.tiers);
    refused.sort((a, b) => a.line - b.line);
    const result = { rows: count, imported, repeated, refused, waiting, tiers, tierCodes };
    return dryRun ? { ...result, points } : result;
  });
}

type RecordBatch = (tx: Tx, batch: readonly KeyedRow[]) => Promise<PurchaseOutcome[]>;

interface Waiting {
  readonly buyers: number;
  readonly points: number;
}

interface DoneBatch {
  readonly batch: readonly KeyedRow[];
  readonly outcomes: readonly PurchaseOutcome[];
  /** Only a dry run counts the points that were earned. */
  readonly points: number;
  /** Counted once for each buyer, after the last batch with them. The batch that has the count has no rows. */
  readonly waits: Waiting;
}

const NONE_WAIT: Waiting = { buyers: 0, points: 0 };

async function* recordAll(
  database: Database,
  commerce: Commerce,
  rows: readonly Row[],
  record: RecordBatch,
): AsyncGenerator<DoneBatch> {
  for (const batch of batchesOf(rows)) {
    const outcomes = await transaction(database, (tx) => record(tx, batch));
    yield { batch, outcomes, points: 0, waits: NONE_WAIT };
  }
  yield { batch: [], outcomes: [], points: 0, waits: await countWaiting(database, commerce, rows) };
}

async function* tryAll(
  database: Database,
  commerce: Commerce,
  rows: readonly Row[],
  record: RecordBatch,
): AsyncGenerator<DoneBatch> {
  const buyerOf = await readBuyers(database, commerce.id, rows);
  for (const part of independentParts(rows, buyerOf, BATCH)) {
    yield* await takeBack(database, async (tx) => {
      const done: DoneBatch[] = [];
      for (const batch of batchesOf(part)) {
        const outcomes = await record(tx, batch);
        const points = await sumPoints(tx, commerce.id, outcomes);
        done.push({ batch, outcomes, points, waits: NONE_WAIT });
      }
      const waits = await countWaiting(tx, commerce, part);
      return [...done, { batch: [], outcomes: [], points: 0, waits }];
    });
  }
}

/** Counts the buyers who are not members. */
async function countWaiting(db: Db, commerce: Commerce, rows: readonly Row[]): Promise<Waiting> {
  const emails = new Set(rows.flatMap(({ buyer }) => (typeof buyer === 'string' ? [buyer] : [])));
  let waiting = NONE_WAIT;
  let places: { commerceId: number; email: string }[] = [];
  const add = async () => {
    const invited = (await findMembers(db, places)).filter(({ state }) => state === 'invited');
    const balances = (await withLots(db, invited)).map(
      (member) =>
        balanceOn(settled(member, commerce).lots, commerce.today) +
        pointsPendingAt(member.pending, commerce.now),
    );
    waiting = {
      buyers: waiting.buyers + invited.length,
      points: balances.reduce((sum, points) => sum + points, waiting.points),
    };
    places = [];
  };
  for (const email of emails) if (places.push({ commerceId: commerce.id, email }) === BATCH) await add();
  if (places.length > 0) await add();
  return waiting;
}

/** Returns a name for the buyer of a row that is the same by code and by address. */
async function readBuyers(
  db: Db,
  commerceId: number,
  rows: readonly PurchaseRow[],
): Promise<(row: PurchaseRow) => string> {
  const codes = new Set(rows.flatMap(({ buyer }) => (typeof buyer === 'number' ? [buyer] : [])));
  const members = await findMembers(
    db,
    [...codes].map((code) => ({ commerceId, code })),
  );
  const emails = new Map(members.map(({ code, email }) => [code, email]));
  return ({ buyer }) => (typeof buyer === 'string' ? buyer : (emails.get(buyer) ?? String(buyer)));
}

/** Adds up what purchases have earned, points that cannot be spent yet too. */
async function sumPoints(tx: Tx, commerceId: number, outcomes: readonly PurchaseOutcome[]): Promise<number> {
  const movementIds = outcomes.flatMap((outcome) =>
    outcome.recorded && !outcome.replayed ? [outcome.purchaseId] : [],
  );
  const { rows } = await sql<{ points: number }>`
    select coalesce(sum(points_earned), 0)::bigint as points
      from movements
     where commerce_id = ${commerceId} and id = any(${movementIds}::bigint[])`.execute(tx);
  return rows[0]!.points;
}

/** Measured: at 500 rows the eight statements of a batch cost little. A larger batch gains nothing and holds locks longer. */
const BATCH = 500;

type Row = PurchaseRow & { readonly line: number };

async function readAll(
  commerce: Commerce,
  lines: AsyncIterable<PurchaseLine>,
  { onRead }: ImportOptions,
): Promise<{ rows: Row[]; refused: RefusedLine[]; count: number }> {
  const rows: Row[] = [];
  const refused: RefusedLine[] = [];
  let count = 0;
  for await (const line of lines) {
    if (++count % BATCH === 0) onRead?.(count);
    const row = 'fields' in line ? readPurchaseRow(line.fields, commerce.rules.timeZone, commerce.now) : line;
    if ('reason' in row) refused.push({ line: line.line, reason: row.reason });
    else rows.push({ line: line.line, ...row });
  }
  return { rows, refused, count };
}

interface KeyedRow {
  readonly row: Row;
  readonly key: string;
}

/** Yields batches of rows by date, each row with its key. No batch has the same key twice. */
function* batchesOf(rows: readonly Row[]): Generator<KeyedRow[]> {
  let batch = new Map<string, KeyedRow>();
  for (const keyed of withKeys(rows)) {
    if (batch.size === BATCH || batch.has(keyed.key)) {
      yield [...batch.values()];
      batch = new Map();
    }
    batch.set(keyed.key, keyed);
  }
  if (batch.size > 0) yield [...batch.values()];
}

/** Yields each row with its key. Equal rows have the same date, so the counts are dropped when the date changes. */
function* withKeys(rows: readonly Row[]): Generator<KeyedRow> {
  let stoodBefore = new Map<string, number>();
  let at: number | undefined;
  for (const row of rows) {
    if (row.at !== at) stoodBefore = new Map();
    at = row.at;
    const content = contentOf(row);
    const times = stoodBefore.get(content) ?? 0;
    if (row.externalId === null) stoodBefore.set(content, times + 1);
    const key =
      row.externalId === null
        ? `row/${hash('sha256', content, 'base64url')}/${times}`
        : orderKey(row.externalId);
    yield { row, key };
  }
}

/**
 * Returns everything that makes a row another purchase. Keys of imported rows are made of it, so what it returns for a row must
 * never change: a fact that was added later goes behind the others, and only into rows that say it.
 */
function contentOf({ line: _line, at: _at, externalId: _externalId, ...content }: Row): string {
  const { buyer, amount, when, branchId, registerId, channel, lines, ...added } = content;
  const later = Object.values(added satisfies Record<string, never>);
  const sold = channel === undefined && lines === undefined ? [] : [{ channel, lines }];
  return JSON.stringify([buyer, amount, when, branchId, registerId, ...sold, ...later]);
}

function callOf(row: Row, key: string, commerceId: number, { invite = false }: ImportOptions): PurchaseCall {
  const { buyer, amount, at, branchId, registerId, channel = null, lines = null } = row;
  return {
    commerceId,
    buyer: typeof buyer === 'number' ? { code: buyer } : { email: buyer },
    amount,
    branchId,
    registerId,
    channel,
    lines,
    late: { at: new Date(at), isLatest: false },
    invite,
    importedRow: { key, content: contentOf(row) },
  };
}

/**
 * Refuses rows whose external id belongs to another purchase, and names its line if it is in the file. Only the ids of
 * these rows are looked up, because the others may be a million.
 */
function refuseReused(
  reused: readonly Row[],
  rows: readonly Row[],
  refused: readonly RefusedLine[],
): RefusedLine[] {
  if (reused.length === 0) return [];
  const notRecorded = new Set([...refused, ...reused].map(({ line }) => line));
  const recordedOn = new Map<string | null, number | undefined>(
    reused.map(({ externalId }) => [externalId, undefined]),
  );
  for (const { externalId, line } of rows) {
    if (!recordedOn.has(externalId) || notRecorded.has(line)) continue;
    recordedOn.set(externalId, recordedOn.get(externalId) ?? line);
  }
  return reused.map(({ line, externalId }) => {
    const first = recordedOn.get(externalId);
    const reason =
      first === undefined
        ? 'external_id: a purchase with this id was recorded before, and it was another'
        : `external_id: line ${first} has the same id and is another purchase`;
    return { line, reason };
  });
}

function countValues(map: ReadonlyMap<number, string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const value of map.values()) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}
