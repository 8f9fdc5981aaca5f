import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { readWireIds } from '#batching/wire-ids.ts';
import type { Db } from '#db/database.ts';
import { UnknownVoucher } from '#vouchers/redeem-voucher.ts';
import { readTillVoucher } from './read-till-voucher.ts';
import { tillVoucherToWire } from './voucher-to-wire.ts';

/** The code in the path of a call. */
export const voucherParams = Type.Object({
  client_benefit_code: Type.String({
    pattern: '^[0-9]{1,16}$',
    description: 'The 14-digit code of a benefit that the member holds.',
    examples: ['52840917364015'],
    'x-hint': 'It is the 14 digits that the member shows, without spaces or dashes.',
    'x-error-codes': { wrong: 'not_a_voucher_code' },
  }),
});

type OfVoucher = Pick<FastifyRequest, 'params' | 'commerceId' | 'serviceUrl'>;

/** Calls that write to one code go one after the other. */
export function voucherTurn({ params }: Pick<FastifyRequest, 'params'>): string {
  return `voucher ${(params as { client_benefit_code: string }).client_benefit_code}`;
}

/**
 * Returns the code in the path as a number. A text that is not the only form of its number is the code of nothing.
 * @throws UnknownVoucher
 */
export function codeIn({ params }: Pick<FastifyRequest, 'params'>): number {
  const { client_benefit_code: text } = params as { client_benefit_code: string };
  const code = Number(text);
  if (String(code) !== text) throw new UnknownVoucher(code);
  return code;
}

/** Reads the voucher in the path, as the answer shows it. @throws UnknownVoucher */
export async function readVoucherWire(db: Db, request: OfVoucher) {
  const { commerceId, serviceUrl } = request;
  const code = codeIn(request);
  const held = await readTillVoucher(db, commerceId, code);
  if (held === undefined) throw new UnknownVoucher(code);
  return tillVoucherToWire(held.voucher, held, {
    memberIds: await readWireIds(db, commerceId, 'member'),
    serviceUrl,
  });
}
