/** What purchases consisted of: rows that are kept for as long as the settings say, and until the person is erased. */
import { sql, type Database, type Db, type Tx } from '#db/database.ts';
import { deleteOldRows } from '#db/delete-old-rows.ts';
import type { Line } from '#points/line.ts';

/** Reads the lines of a purchase; null if the shop said none, or if they were deleted. */
export async function readPurchaseLines(
  db: Db,
  commerceId: number,
  purchaseId: number,
): Promise<readonly Line[] | null> {
  const { rows } = await sql<{ lines: readonly Line[] }>`-- read-purchase-lines
    select lines
      from purchase_lines
     where commerce_id = ${commerceId} and purchase_id = ${purchaseId}`.execute(db);
  return rows[0]?.lines ?? null;
}

/** Deletes what the purchases of a person consisted of, once they are erased. */
export async function forgetPurchaseLines(tx: Tx, commerceId: number, memberId: number): Promise<void> {
  await sql`-- forget-purchase-lines
    delete from purchase_lines l
     using movements p
     where l.commerce_id = ${commerceId} and p.commerce_id = ${commerceId}
       and p.member_id = ${memberId} and p.type = 'purchase' and l.purchase_id = p.id`.execute(tx);
}

/** Deletes the lines of purchases that were recorded so many months ago. 0 keeps them for ever. */
export async function deleteOldPurchaseLines(
  database: Database,
  months: number,
  signal?: AbortSignal,
): Promise<void> {
  if (months === 0) return;
  const isOld = sql`stored_at < now() - make_interval(months => ${months}::integer)`;
  await deleteOldRows(database, 'purchase_lines', isOld, signal);
}
