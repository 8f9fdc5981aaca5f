import { sql, transaction, type Database } from '../server/src/platform/db/database.ts';
import { redeemVouchers } from '../server/src/loyalty/vouchers/redeem-voucher.ts';

const AT_ONCE = 250;

/**
 * Uses every code that members bought, so that they begin each round with none. A member with 200 unused codes may buy no more, and each
 * unused code makes an exchange a little dearer. @throws if a code cannot be used
 */
export async function useVouchers(db: Database): Promise<void> {
  const { rows } = await sql<{ commerceId: number; code: number }>`
    select commerce_id as "commerceId", code
      from vouchers
     where source = 'exchange' and used_at is null`.execute(db);
  for (let at = 0; at < rows.length; at += AT_ONCE) {
    const outcomes = await transaction(db, (tx) => redeemVouchers(tx, rows.slice(at, at + AT_ONCE)));
    for (const outcome of outcomes) if (outcome.kind === 'refused') throw outcome.problem;
  }
}
