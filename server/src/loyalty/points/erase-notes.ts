import { sql, type Tx } from '#db/database.ts';

/** Deletes the notes that people typed about the movements of a member. The movements themselves stay. */
export async function eraseNotes(tx: Tx, commerceId: number, memberId: number): Promise<void> {
  await sql`-- erase-movement-notes
    delete from movement_notes where commerce_id = ${commerceId} and member_id = ${memberId}`.execute(tx);
}
