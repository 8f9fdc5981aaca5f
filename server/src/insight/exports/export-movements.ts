import { readWireIds } from '#batching/wire-ids.ts';
import { readCommerce } from '#commerces/commerce.ts';
import { sql, type Db } from '#db/database.ts';
import { externalIdOf } from '#purchases/recorded-purchases.ts';
import type { MovementType } from '#points/locked-member.ts';
import { storedNote, tellNote, type StoredNote } from '#points/note.ts';
import type { Static } from 'typebox';
import type { Part } from './export-members.ts';
import { readLedger, type RecordedRow, type Stretch } from './read-ledger.ts';
import type { ExportedMovementSchema } from './wire.ts';

/**
 * Yields all movements of a commerce in the order in which they were recorded. Every movement recorded before the export began
 * is in it once, so the points of all movements of a client add up to the balance at that time, with the points that have
 * expired but are not written off.
 */
export async function* exportMovements(
  db: Db,
  commerceId: number,
  stretch: Stretch = {},
): AsyncGenerator<Part, void> {
  const ids = await readWireIds(db, commerceId, 'purchase');
  const locale = (await readCommerce(db, commerceId))?.program.locale ?? 'en';
  for await (const { rows, done } of readLedger(db, commerceId, stretch, readPage)) {
    const moving = rows.filter(({ type }) => type !== 'redate');
    yield {
      rows: moving.map((row) => {
        const type = row.type as keyof typeof typeNames;
        return {
          id: ids.toWire(row.id),
          date: row.at,
          type: typeNames[type],
          client_code: row.code,
          client_email: row.email,
          points: row.points,
          amount: row.amount,
          counter_id: row.registerId,
          id_suc: row.branchId,
          external_id: row.externalId,
          reverses_id: row.reversesId === null ? null : ids.toWire(row.reversesId),
          client_benefit_code: row.voucherCode,
          event: row.event,
          note: tellNote(row.note, locale),
        } satisfies Static<typeof ExportedMovementSchema>;
      }),
      done,
    };
  }
}

/** The words of the API where it has one. A change of expiry dates moves no points, so it is left out. */
const typeNames = {
  purchase: 'consumption',
  available: 'points_available',
  correction: 'correction',
  reversal: 'reversal',
  exchange: 'benefit_exchange',
  give_back: 'benefit_returned',
  usage: 'benefit_usage',
  undo: 'benefit_usage_undone',
  reward: 'reward',
  adjustment: 'adjustment',
  expiry: 'expiry',
} as const satisfies Record<Exclude<MovementType, 'redate'>, string>;

interface Row extends RecordedRow {
  readonly type: MovementType;
  readonly code: number | null;
  readonly email: string | null;
  readonly points: number;
  readonly amount: number | null;
  readonly registerId: number | null;
  readonly branchId: number | null;
  readonly externalId: string | null;
  readonly reversesId: number | null;
  readonly voucherCode: number | null;
  readonly event: string | null;
  readonly note: StoredNote | null;
}

/** With their members, as many rows as a page of members has. */
const PAGE = 250;

function readPage(commerceId: number, after: number) {
  return sql<Row>`-- export-movements
    select p.id, p.at, p.type, m.code, m.email, p.points, p.amount, p.register_id as "registerId", p.branch_id as "branchId",
           case when p.type = 'purchase' then ${externalIdOf(commerceId)} end as "externalId", p.reverses_id as "reversesId",
           p.voucher_code as "voucherCode", p.event, ${storedNote('p', commerceId)} as note
      from (select * from movements where commerce_id = ${commerceId} and id > ${after} order by id limit ${PAGE}) p
      join members m on m.commerce_id = p.commerce_id and m.id = p.member_id
     where p.commerce_id = ${commerceId}
     order by p.id`;
}
