import { sql, type Tx } from '#db/database.ts';

/** Notes that a person has proved at this commerce that the mailbox is theirs. The first time counts. */
export async function noteProof(tx: Tx, commerceId: number, userId: number): Promise<void> {
  await sql`-- note-proof-of-address
    update members set proved_at = now()
     where commerce_id = ${commerceId} and user_id = ${userId} and proved_at is null`.execute(tx);
}

/** Returns true if the member's address was proved at this commerce since that is noted. */
export async function isProved(tx: Tx, commerceId: number, memberId: number): Promise<boolean> {
  const { rows } = await sql`-- is-address-proved
    select from members where commerce_id = ${commerceId} and id = ${memberId} and proved_at is not null`.execute(
    tx,
  );
  return rows.length === 1;
}
