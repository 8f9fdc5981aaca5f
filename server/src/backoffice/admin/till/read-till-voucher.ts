import type { Db } from '#db/database.ts';
import { findMember } from '#members/lock-members.ts';
import { readVoucher, type Voucher } from '#vouchers/voucher.ts';

/** A voucher, the name of the member who holds it, and the commerce's time. */
export interface HeldVoucher {
  readonly voucher: Voucher;
  readonly username: string | null;
  readonly now: Date;
}

/** Reads the voucher with this code, whatever its state. Returns undefined if the commerce has none. */
export async function readTillVoucher(
  db: Db,
  commerceId: number,
  code: number,
): Promise<HeldVoucher | undefined> {
  const found = await readVoucher(db, commerceId, code);
  if (found === undefined) return undefined;
  const { now, ...voucher } = found;
  const member = await findMember(db, { commerceId, id: voucher.memberId });
  return { voucher, username: member?.username ?? null, now };
}
