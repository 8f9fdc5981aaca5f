import { hash } from 'node:crypto';
import { duringImport } from '#commerces/import-turn.ts';
import { readCommerce } from '#commerces/commerce.ts';
import { sql, transaction, type Database, type Db, type Tx } from '#db/database.ts';
import { takeBack } from '#db/take-back.ts';
import { findMembers } from '#members/lock-members.ts';
import { NO_INVITATION_LIMIT } from '#members/invite-people.ts';
import type { Problem } from '#problems/problem.ts';
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
    const { rows, refused, count } = await readAll(database, commerceId, lines, options);
    rows.sort((a, b) => a.at - b.at);

    const invitations = { ...NO_INVITATION_LIMIT, perDay: options.invitationsPerDay ?? null };
    const record: RecordBatch = (tx, batch) => {
      const calls = batch.map(({ row, key }) => callOf(row, key, commerceId, options));
      return recordPurchases(tx, calls, 'all', invitations);
    };
    const { dryRun = false } = options;
    const counts = { imported: 0, repeated: 0, points: 0 };
    const done = dryRun ? tryAll(database, commerceId, rows, record) : recordAll(database, rows, record);
    for await (const { batch, outcomes, points } of done) {
      for (const [i, outcome] of outcomes.entries()) {
        if (!outcome.recorded) refused.push({ line: batch[i]!.row.line, reason: reasonOf(outcome.problem) });
        else counts[outcome.replayed ? 'repeated' : 'imported']++;
      }
      counts.points += points;
      options.onRecorded?.(counts.imported + counts.repeated + refused.length, count);
    }
    const { points, ...others } = counts;
    const result = { rows: count, ...others, refused: refused.sort((a, b) => a.line - b.line) };
    return dryRun ? { ...result, points } : result;
  });
}

type RecordBatch = (tx: Tx, batch: readonly KeyedRow[]) => Promise<PurchaseOutcome[]>;

interface DoneBatch {
  readonly batch: readonly KeyedRow[];
  readonly outcomes: readonly PurchaseOutcome[];
  /** Only a dry run counts the points that were earned. */
  readonly points: number;
}

async function* recordAll(
  database: Database,
  rows: readonly Row[],
  record: RecordBatch,
): AsyncGenerator<DoneBatch> {
  for (const batch of batchesOf(rows))
    yield { batch, outcomes: await transaction(database, (tx) => record(tx, batch)), points: 0 };
}

async function* tryAll(
  database: Database,
  commerceId: number,
  rows: readonly Row[],
  record: RecordBatch,
): AsyncGenerator<DoneBatch> {
  const buyerOf = await readBuyers(database, commerceId, rows);
  for (const part of independentParts(rows, buyerOf, BATCH)) {
    yield* await takeBack(database, async (tx) => {
      const done: DoneBatch[] = [];
      for (const batch of batchesOf(part)) {
        const outcomes = await record(tx, batch);
        done.push({ batch, outcomes, points: await sumPoints(tx, commerceId, outcomes) });
      }
      return done;
    });
  }
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

async function sumPoints(tx: Tx, commerceId: number, outcomes: readonly PurchaseOutcome[]): Promise<number> {
  const movementIds = outcomes.flatMap((outcome) =>
    outcome.recorded && !outcome.replayed ? [outcome.purchaseId] : [],
  );
  const { rows } = await sql<{ points: number }>`
    select coalesce(sum(points), 0)::bigint as points
      from movements
     where commerce_id = ${commerceId} and id = any(${movementIds}::bigint[])`.execute(tx);
  return rows[0]!.points;
}

/** Measured: at 500 rows the eight statements of a batch cost little. A larger batch gains nothing and holds locks longer. */
const BATCH = 500;

type Row = PurchaseRow & { readonly line: number };

async function readAll(
  db: Db,
  commerceId: number,
  lines: AsyncIterable<PurchaseLine>,
  { onRead }: ImportOptions,
): Promise<{ rows: Row[]; refused: RefusedLine[]; count: number }> {
  const commerce = await readCommerce(db, commerceId);
  if (commerce === undefined) throw new Error(`there is no commerce ${commerceId}`);
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

function contentOf({ buyer, amount, when, branchId, registerId }: Row): string {
  return JSON.stringify([buyer, amount, when, branchId, registerId]);
}

function callOf(row: Row, key: string, commerceId: number, { invite = false }: ImportOptions): PurchaseCall {
  const { buyer, amount, at, branchId, registerId } = row;
  return {
    commerceId,
    buyer: typeof buyer === 'number' ? { code: buyer } : { email: buyer },
    amount,
    branchId,
    registerId,
    at: new Date(at),
    invite,
    importedRow: { key, content: contentOf(row) },
  };
}

function reasonOf(problem: Problem): string {
  return problem instanceof DuplicateExternalId
    ? 'external_id: a purchase with this id was recorded before, and it was another'
    : problem.message;
}
