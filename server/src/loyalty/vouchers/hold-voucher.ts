import { readCommerce } from '#commerces/commerce.ts';
import type { Tx } from '#db/database.ts';
import { lockMember } from '#members/lock-members.ts';
import { InvalidRequest } from '#problems/invalid-request.ts';
import { decideHold, type HoldWanted } from './decide-hold.ts';
import { keepUsable, readHoldsOf, storeHold } from './holds.ts';
import { assertUsable, UnknownVoucher } from './redeem-voucher.ts';
import { readVoucher } from './voucher.ts';

/** The program does not let a cart hold a code for so long. */
class TooManyMinutes extends InvalidRequest {
  constructor(most: number) {
    const msg = `Input should be less than or equal to ${most}`;
    super(
      [{ loc: ['body', 'minutes'], msg, type: 'less_than_equal' }],
      'invalid',
      `Send at most ${most} minutes, which is what the program allows, and hold the code again in time.`,
    );
  }
}

/** A cart's request to hold a code. Without `minutes`, the program says for how long. */
export type HoldRequest = Omit<HoldWanted, 'memberId' | 'minutes'> & { readonly minutes: number | null };

/**
 * A cart holds a code until it pays, so that no other cart shows it. It is a promise between carts only: a till uses the code all
 * the same. The same cart again extends the hold.
 * @throws UnknownVoucher, VoucherUsed, VoucherPastDue, VoucherGivenBack, VoucherVoid, HeldByAnotherCart, TooManyHolds, TooManyMinutes
 */
export async function holdVoucher(
  tx: Tx,
  { minutes, ...wanted }: HoldRequest,
): Promise<{ expiresAt: Date; isNew: boolean }> {
  const { commerceId, code } = wanted;
  const found = await readVoucher(tx, commerceId, code);
  if (found === undefined) throw new UnknownVoucher(code);
  const { memberId } = found;
  // The holds of a member are counted, so they are stored one after the other.
  await lockMember(tx, { commerceId, id: memberId });
  const { realNow } = await keepUsable(tx, commerceId, code);
  const [voucher, commerce, held] = [
    (await readVoucher(tx, commerceId, code))!,
    (await readCommerce(tx, commerceId))!,
    await readHoldsOf(tx, commerceId, memberId),
  ];
  const { holdMinutes } = commerce.rules.codes;
  if (minutes !== null && minutes > holdMinutes) throw new TooManyMinutes(holdMinutes);
  assertUsable(voucher, voucher.now);
  const hold = decideHold(
    { ...wanted, memberId, minutes: minutes ?? holdMinutes },
    held,
    realNow,
    holdMinutes,
  );
  const before = held.find((one) => one.code === code);
  if (before?.expiresAt.getTime() !== hold.expiresAt.getTime()) await storeHold(tx, hold);
  return { expiresAt: hold.expiresAt, isNew: before === undefined };
}
