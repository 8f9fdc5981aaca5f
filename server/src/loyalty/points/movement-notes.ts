import { sql, type Tx } from '#db/database.ts';

/** A note that a person typed about a movement. */
interface TypedNote {
  readonly commerceId: number;
  readonly movementId: number;
  readonly memberId: number;
  readonly note: string;
}

/** Stores typed notes beside the ledger, where erasing a member can delete them. `tellNote` puts them before the reader. */
export async function storeNotes(tx: Tx, notes: readonly TypedNote[]): Promise<void> {
  if (notes.length === 0) return;
  await sql`-- store-movement-notes
    insert into movement_notes (commerce_id, movement_id, member_id, note)
    select *
      from unnest(${notes.map((n) => n.commerceId)}::bigint[], ${notes.map((n) => n.movementId)}::bigint[],
                  ${notes.map((n) => n.memberId)}::bigint[], ${notes.map((n) => n.note)}::text[])`.execute(
    tx,
  );
}
