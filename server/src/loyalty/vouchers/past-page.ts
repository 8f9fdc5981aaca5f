import { Type } from 'typebox';
import type { Db } from '#db/database.ts';
import { createCursors } from '#http/cursor.ts';
import { readPastVouchers } from './voucher.ts';
import { redeemableBenefitToWire } from './wire.ts';
import type { SecretKeys } from '#settings/secret-key.ts';

/** The query of the two endpoints that show past codes. */
export const pastPageQuery = Type.Object({
  cursor: Type.Optional(Type.String({ maxLength: 512, description: 'Omit it to get the first page.' })),
});

/**
 * Reads a page of the codes of a member that were used or have expired, newest first. A cursor is only good for the
 * member of the page that it came from.
 */
export function createPastPages({ db, secret }: { db: Db; secret: SecretKeys }) {
  const cursorsOf = (commerceId: number, memberId: number) =>
    createCursors(secret, `past benefits/${commerceId}/${memberId}`);
  return async (
    { commerceId, serviceUrl }: { readonly commerceId: number; readonly serviceUrl: string },
    memberId: number,
    cursor = '',
  ) => {
    const cursors = cursorsOf(commerceId, memberId);
    const position = cursor === '' ? null : cursors.open(cursor);
    const after = position && { at: position.at, code: position.id };
    const { vouchers, next } = await readPastVouchers(db, commerceId, memberId, after);
    return {
      results: vouchers.map((voucher) => redeemableBenefitToWire(voucher, serviceUrl)),
      next_cursor: next && cursors.seal({ direction: 'older', at: next.at, id: next.code }),
    };
  };
}
