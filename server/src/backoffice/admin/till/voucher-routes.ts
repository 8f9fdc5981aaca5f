import { Type } from 'typebox';
import { keyedRequest } from '#batching/keyed-request.ts';
import { requiredIdempotencyHeader } from '#http/idempotency-header.ts';
import { redeemVoucherIn } from '#vouchers/redeem-voucher.ts';
import type { AdminRoutes } from '../admin-routes.ts';
import { markReplayed, replayedHeader } from '../replayed.ts';
import { registerId } from './register-id.ts';
import { codeIn, readVoucherWire, voucherParams, voucherTurn } from './voucher-request.ts';
import { TillVoucherSchema } from './wire.ts';

const tags = ['Till'];

/** A code at a till: looking it up, and using it up. */
export function tillVoucherRoutes({ adminRead, adminAct }: AdminRoutes) {
  return {
    getVoucher: adminRead({
      role: 'cashier',
      schema: {
        operationId: 'getVoucher',
        summary: 'Look up a code',
        description: 'Whatever its state. Changes nothing and can be repeated.',
        tags,
        params: voucherParams,
        response: { 200: TillVoucherSchema },
      },
      refusals: { 404: 'There is no such code here.' },
      read: (db, request) => readVoucherWire(db, request),
    }),

    redeemVoucher: adminAct({
      role: 'cashier',
      schema: {
        operationId: 'redeemVoucher',
        summary: 'Redeem a code',
        description: 'Uses up the code. It cannot be undone.',
        tags,
        params: voucherParams,
        headers: requiredIdempotencyHeader,
        body: Type.Object({ register_id: registerId, branch_id: registerId }),
        response: { 200: TillVoucherSchema },
      },
      turn: { write: voucherTurn },
      refusals: {
        400: 'The code was used, given back, or is past its due date.',
        404: 'There is no such code here.',
      },
      addedHeaders: replayedHeader,
      act: async (tx, request, reply) => {
        const { commerceId } = request;
        const { register_id: registerId = null, branch_id: branchId = null } = request.body;
        const code = codeIn(request);
        const used = await redeemVoucherIn(tx, {
          commerceId,
          code,
          registerId,
          request: keyedRequest(request),
          operation: 'admin/redemption',
        });
        const answer = await readVoucherWire(tx, request);
        if (used === null) {
          markReplayed(reply);
          return { answer, entry: null };
        }
        return {
          answer,
          entry: {
            action: 'voucher.redeem',
            ...used,
            subject: String(code),
            before: { state: 'usable' },
            after: {
              state: 'used',
              register_id: registerId,
              ...(branchId !== null && { branch_id: branchId }),
            },
          },
        };
      },
    }),
  };
}
