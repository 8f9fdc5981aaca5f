import { Type } from 'typebox';
import { keyedRequest } from '#batching/keyed-request.ts';
import { readWireIds } from '#batching/wire-ids.ts';
import { REASON_CHARACTERS } from '#corrections/adjust-points.ts';
import { requiredIdempotencyHeader } from '#http/idempotency-header.ts';
import { Int64 } from '#http/schema.ts';
import { RoleNeeded } from '#http/authorize-staff.ts';
import { UnknownPurchase } from '#purchases/read-purchase.ts';
import { previewReversal, reversePurchase } from '#purchases/reverse-purchase.ts';
import { ONE_LINE } from '#text/plain-text.ts';
import type { AdminRoutes } from '../admin-routes.ts';
import { markReplayed, replayedHeader } from '../replayed.ts';
import { readUndoable } from './read-undoable.ts';
import { registerId } from './register-id.ts';
import { ReversalPreviewSchema, ReversedSchema } from './wire.ts';

const reversedAmount = Type.Optional(
  Int64({
    description: 'Whole currency units. By default, all that is left.',
    examples: [6],
    'x-hint': 'Leave it out to take back all that is left.',
  }),
);
const reversedCents = Type.Optional(
  Int64({
    minimum: 0,
    maximum: 999,
    description:
      'What came back above `amount`, in the smallest unit of the currency. The purchase then counts in the whole units of what is still paid for it.',
    examples: [70],
  }),
);
const purchaseParams = Type.Object({
  consumption_id: Int64({ description: 'The id of the purchase.', examples: [446165214474872] }),
});
const tags = ['Till'];

/** A purchase that comes back: what a return would do, and the return. A cashier undoes what the register did today. */
export function tillReturnRoutes({ adminRead, adminAct }: AdminRoutes) {
  return {
    previewReversal: adminRead({
      role: 'manager',
      schema: {
        operationId: 'previewReversal',
        summary: 'What a return would do',
        description: 'By the same rules as the return. Records nothing.',
        tags,
        params: purchaseParams,
        body: Type.Object({ amount: reversedAmount, cents: reversedCents }),
        response: { 200: ReversalPreviewSchema },
      },
      refusals: {
        400: 'The return would be refused for the same reason.',
        404: 'The purchase does not exist.',
      },
      read: async (db, { commerceId, params, body }) => {
        const purchaseId = (await readWireIds(db, commerceId, 'purchase')).fromWire(params.consumption_id);
        if (purchaseId === null) throw new UnknownPurchase();
        const { lostTiers, ...preview } = await previewReversal(db, {
          commerceId,
          purchaseId,
          ...body,
        });
        return { ...preview, lost_levels: [...lostTiers] };
      },
    }),

    reversePurchase: adminAct({
      role: 'cashier',
      schema: {
        operationId: 'reversePurchase',
        summary: 'Take back a purchase or a part of it',
        description:
          'By the rules of its day. A cashier may take back a whole purchase of today that was recorded at the same register.',
        tags,
        params: purchaseParams,
        headers: requiredIdempotencyHeader,
        body: Type.Object(
          {
            amount: reversedAmount,
            cents: reversedCents,
            reason: Type.Optional(
              Type.String({
                minLength: 1,
                maxLength: REASON_CHARACTERS,
                pattern: ONE_LINE,
                description: 'One line. The member reads it.',
                examples: ['wrong size'],
              }),
            ),
            register_id: registerId,
            branch_id: registerId,
          },
          {
            additionalProperties: false,
            'x-hint': 'Known are amount, cents, reason, register_id and branch_id.',
          },
        ),
        response: { 201: ReversedSchema },
      },
      turn: { write: ({ params }) => `purchase ${(params as { consumption_id: number }).consumption_id}` },
      refusals: {
        400: 'Nothing is left of the purchase, less is left than requested, or its points were spent and the program does not allow that.',
        404: 'The purchase does not exist.',
      },
      addedHeaders: replayedHeader,
      act: async (tx, request, reply) => {
        const { commerceId, params, staff } = request;
        const {
          amount,
          cents,
          reason,
          register_id: registerId = null,
          branch_id: branchId = null,
        } = request.body;
        const purchaseId = (await readWireIds(tx, commerceId, 'purchase')).fromWire(params.consumption_id);
        if (purchaseId === null) throw new UnknownPurchase();
        const isCashier = staff!.role === 'cashier';
        if (isCashier && (amount !== undefined || cents !== undefined)) throw new RoleNeeded('manager');
        const { answer: reversed, entry } = await reversePurchase(tx, {
          commerceId,
          purchaseId,
          amount,
          cents,
          reason,
          request: keyedRequest(request),
          operation: 'admin/reversal',
        });
        const { points, balance } = reversed;
        const answer = { message: 'consumption reversed', amount: reversed.amount, points, balance };
        if (entry === null) {
          markReplayed(reply);
          return { answer, entry };
        }
        // Not before the reversal, so that a repeat gets the first answer on the next day too.
        if (isCashier) {
          const whole = await readUndoable(tx, commerceId, purchaseId, { registerId, branchId });
          if (reversed.amount !== whole) throw new RoleNeeded('manager');
        }
        return {
          answer,
          entry: {
            ...entry,
            subject: String(params.consumption_id),
            after: {
              ...entry.after,
              register_id: registerId,
              ...(branchId !== null && { branch_id: branchId }),
            },
          },
        };
      },
    }),
  };
}
