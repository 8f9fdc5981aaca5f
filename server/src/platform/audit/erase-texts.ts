import { sql, type Tx } from '#db/database.ts';

/** Deletes the personal values and the free text of all audit rows about a member. The rows themselves stay. */
export async function eraseTexts(tx: Tx, commerceId: number, memberId: number): Promise<void> {
  await sql`-- erase-audit-texts
    delete from audit_texts where commerce_id = ${commerceId} and member_id = ${memberId}`.execute(tx);
}
