import { readWireIds } from '#batching/wire-ids.ts';
import { sql, type Db } from '#db/database.ts';
import { externalIdOf } from '#purchases/recorded-purchases.ts';
import { shownPoints } from '#points/shown-points.ts';
import type { Part } from './export-members.ts';
import { readLedger, type RecordedRow, type Stretch } from './read-ledger.ts';

/** An import reads the columns that have the names of its own. */
export const PURCHASE_COLUMNS = [
  'id',
  'date',
  'client_code',
  'client_email',
  'amount',
  'points',
  'counter_id',
  'id_suc',
  'external_id',
  'reversed_amount',
  'reversed_points',
] as const;

/**
 * Yields all purchases of a commerce in the order in which they were recorded, each with what was reversed of it. Every
 * purchase recorded before the export began is in it once.
 */
export async function* exportPurchases(
  db: Db,
  commerceId: number,
  stretch: Stretch = {},
): AsyncGenerator<Part, void> {
  const ids = await readWireIds(db, commerceId, 'purchase');
  for await (const { rows, done } of readLedger(db, commerceId, stretch, readPage)) {
    yield {
      rows: rows.map(
        (row) =>
          ({
            id: ids.toWire(row.id),
            date: row.at,
            client_code: row.code,
            client_email: row.email,
            amount: row.amount,
            points: row.points,
            counter_id: row.registerId,
            id_suc: row.branchId,
            external_id: row.externalId,
            reversed_amount: row.reversedAmount,
            reversed_points: row.reversedPoints,
          }) satisfies Record<(typeof PURCHASE_COLUMNS)[number], unknown>,
      ),
      done,
    };
  }
}

interface Row extends RecordedRow {
  readonly code: number | null;
  readonly email: string | null;
  readonly amount: number;
  readonly points: number;
  readonly registerId: number | null;
  readonly branchId: number | null;
  readonly externalId: string | null;
  readonly reversedAmount: number;
  readonly reversedPoints: number;
}

const PAGE = 250;

function readPage(commerceId: number, after: number) {
  return sql<Row>`-- export-purchases
    select p.id, p.at, m.code, m.email, p.amount, p.points_earned as points, p.register_id as "registerId",
           p.branch_id as "branchId", ${externalIdOf(commerceId)} as "externalId",
           coalesce(r.amount, 0) as "reversedAmount", coalesce(r.points, 0) as "reversedPoints"
      from (select * from movements
             where commerce_id = ${commerceId} and id > ${after} and type = 'purchase'
             order by id limit ${PAGE}) p
      join members m on m.commerce_id = ${commerceId} and m.id = p.member_id
     cross join lateral (
           select -sum(r.amount)::bigint as amount, -sum(${shownPoints('r')})::bigint as points
             from movements r
            where r.commerce_id = ${commerceId} and r.reverses_id = p.id) r
     order by p.id`;
}
