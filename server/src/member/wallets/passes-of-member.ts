import { commercesOf } from '#db/commerces-of.ts';
import { sql, type Database, type Tx } from '#db/database.ts';

/**
 * Deletes the passes of an erased person in Apple Wallet, with their devices. The pass in Google Wallet is emptied soon: it stays until
 * Google was told.
 */
export async function erasePasses(tx: Tx, commerceId: number, memberId: number): Promise<void> {
  await sql`-- erase-wallet-passes
    with apple as (
      delete from wallet_passes
       where commerce_id = ${commerceId} and member_id = ${memberId} and kind = 'apple'
    )
    update wallet_passes
       set due_at = now(), attempts = 0, last_error = null
     where commerce_id = ${commerceId} and member_id = ${memberId} and kind = 'google'`.execute(tx);
}

/** Deletes passes of erased people after Google was told that they are empty. */
export async function forgetErasedPasses(
  database: Database,
  passes: readonly { readonly commerceId: number; readonly serial: string }[],
): Promise<void> {
  if (passes.length === 0) return;
  await sql`-- forget-erased-wallet-passes
    delete from wallet_passes p
     using unnest(${passes.map((pass) => pass.commerceId)}::bigint[], ${passes.map((pass) => pass.serial)}::text[])
             as e(commerce_id, serial)
     where p.commerce_id = any(${commercesOf(passes)}::bigint[])
       and p.commerce_id = e.commerce_id and p.serial = e.serial and p.due_at is null and p.sent = p.shown`.execute(
    database,
  );
}

/** Looks at the passes of a member again soon, because staff have changed something that is not in the ledger. */
export async function lookAgainAtPasses(tx: Tx, commerceId: number, memberId: number): Promise<void> {
  await sql`-- look-again-at-passes-of-member
    update wallet_passes set due_at = now() where commerce_id = ${commerceId} and member_id = ${memberId}`.execute(
    tx,
  );
}
