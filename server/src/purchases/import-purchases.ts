import { hash } from 'node:crypto';
import { KeyReused } from '#calls/idempotency.ts';
import { duringImport } from '#commerces/import-turn.ts';
import { readCommerce } from '#commerces/commerce.ts';
import { transaction, type Database, type Db } from '#db/database.ts';
import type { Problem } from '#problems/problem.ts';
import { readPurchaseRow, type PurchaseFields, type PurchaseRow } from './read-purchase-row.ts';
import { recordPurchases, type PurchaseCall } from './record-purchases.ts';

/** A row of a file, or why its line cannot be read as one. Lines count from 1. */
export type PurchaseLine = { readonly line: number } & (
  | { readonly fields: PurchaseFields }
  | { readonly reason: string }
);

export interface ImportOptions {
  /** Whether people whom the commerce does not know are written to. */
  readonly invite?: boolean;
  /** Called now and then with the number of rows read so far; nothing is recorded before all are read. */
  readonly onRead?: (rows: number) => void;
  /** Called after each batch with the number of rows dealt with so far. */
  readonly onRecorded?: (rows: number, of: number) => void;
}

export interface ImportedPurchases {
  readonly rows: number;
  readonly imported: number;
  /** Rows that this or an earlier import has recorded before. */
  readonly repeated: number;
  /** By line. */
  readonly refused: readonly RefusedLine[];
}

export interface RefusedLine {
  readonly line: number;
  readonly reason: string;
}

/**
 * Purchases that were made before are recorded at their own dates, the oldest first, by the rules of any other
 * purchase. Rows that cannot be taken are reported, and the others are taken, 500 in a transaction. A row with an
 * `external_id` is known by it; another by its content and how often that content stood before it, so importing a
 * file again counts nothing twice, and two equal purchases are two. The jobs of the commerce wait for its end.
 * @throws ImportUnderWay
 */
export async function importPurchases(
  database: Database,
  commerceId: number,
  lines: AsyncIterable<PurchaseLine>,
  options: ImportOptions = {},
): Promise<ImportedPurchases> {
  return duringImport(database, commerceId, async () => {
    const { rows, refused, count } = await readAll(database, commerceId, lines, options);
    rows.sort((a, b) => a.at - b.at);

    const counts = { imported: 0, repeated: 0 };
    for (const batch of batchesOf(rows)) {
      const calls = batch.map(({ row, key }) => callOf(row, key, commerceId, options));
      const outcomes = await transaction(database, (tx) => recordPurchases(tx, calls));
      for (const [i, outcome] of outcomes.entries()) {
        if (!outcome.recorded) refused.push({ line: batch[i]!.row.line, reason: reasonOf(outcome.problem) });
        else counts[outcome.replayed ? 'repeated' : 'imported']++;
      }
      options.onRecorded?.(counts.imported + counts.repeated + refused.length, count);
    }
    return { rows: count, ...counts, refused: refused.sort((a, b) => a.line - b.line) };
  });
}

/** Measured: at 500 rows a batch's eight statements cost little beside its rows; more gains nothing, and locks longer. */
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

/** Rows in the order of their dates, each with what it is known by; no batch has two of one key. */
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

/** Rows of one content have one date, so what has been counted can be forgotten when the date moves on. */
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
        : `id/${row.externalId}`;
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
  return problem instanceof KeyReused
    ? 'external_id: a purchase with this id was imported before, and it was another'
    : problem.message;
}
