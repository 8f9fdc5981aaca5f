import { transaction, type Database } from '#db/database.ts';
import { answerOf, exchangeBenefits, type Exchange } from '#vouchers/exchange-benefit.ts';
import type { NewVoucher } from '#vouchers/voucher.ts';

/** A member trades points for a voucher, in a transaction of its own. @throws what `exchangeBenefits` refuses with */
export async function exchangeBenefit(
  database: Database,
  exchange: Exchange,
): Promise<{ voucher: NewVoucher; replayed: boolean }> {
  const [outcome] = await transaction(database, (tx) => exchangeBenefits(tx, [exchange]));
  return answerOf(outcome!);
}
