import { Type } from 'typebox';
import { keyedRequest } from '#batching/keyed-request.ts';
import { readWireIds } from '#batching/wire-ids.ts';
import { readCommerce } from '#commerces/commerce.ts';
import { adjustPoints } from '#corrections/adjust-points.ts';
import { pinTier } from '#corrections/pin-tier.ts';
import { unpinTier } from '#corrections/unpin-tier.ts';
import { requiredIdempotencyHeader } from '#http/idempotency-header.ts';
import { Int64, Nullable } from '#http/schema.ts';
import { giveBackVoucher } from '#vouchers/give-back-voucher.ts';
import type { AdminRoutes } from '../admin-routes.ts';
import { markReplayed, replayedHeader } from '../replayed.ts';
import { codeIn, readVoucherWire, voucherParams, voucherTurn } from '../till/voucher-request.ts';
import { memberParams, memberTurn, readPageWire, readStoredId, reason } from './member-request.ts';
import { AdjustedPointsSchema, GivenBackSchema, MemberPageSchema } from './wire.ts';

const tags = ['Members'];
const unknownMember = { 404: 'Nobody here has this id.' };

/** The corrections that a manager makes by hand: points, tiers and codes. */
export function correctionRoutes({ admin: { adminAct } }: { admin: AdminRoutes }) {
  return {
    adjustPoints: adminAct({
      role: 'manager',
      schema: {
        operationId: 'adjustPoints',
        summary: 'Give or take points',
        description:
          'The member reads the reason. More points than `step_up_points` of the program ask for a fresh code.',
        tags,
        params: memberParams,
        headers: requiredIdempotencyHeader,
        body: Type.Object({
          points: Int64({ description: 'Below zero takes points.', examples: [50] }),
          reason,
          expires_on: Type.Optional(
            Nullable(
              Type.String({
                format: 'date',
                description: 'The last day of the points. Without it, the program decides.',
                examples: ['2027-01-31'],
              }),
            ),
          ),
        }),
        response: { 201: AdjustedPointsSchema },
      },
      turn: { write: memberTurn },
      freshCode: async (db, { commerceId, body }) =>
        Math.abs(body.points) > (await readCommerce(db, commerceId))!.program.step_up_points,
      refusals: {
        400: 'The points could not be adjusted, or the person is erased.',
        ...unknownMember,
      },
      addedHeaders: replayedHeader,
      act: async (tx, request, reply) => {
        const { commerceId, body } = request;
        const { answer: adjusted, entry } = await adjustPoints(tx, {
          commerceId,
          memberId: await readStoredId(tx, request),
          points: body.points,
          reason: body.reason,
          expiresOn: body.expires_on ?? undefined,
          request: keyedRequest(request),
        });
        if (adjusted.replayed) markReplayed(reply);
        const { points, balance, adjustmentId } = adjusted;
        const movementId = (await readWireIds(tx, commerceId, 'purchase')).toWire(adjustmentId);
        return { answer: { movement_id: movementId, points, balance }, entry };
      },
    }),

    pinLevel: adminAct({
      role: 'manager',
      schema: {
        operationId: 'pinLevel',
        summary: 'Pin a member to a tier',
        description:
          'Until it is unpinned. The rules go on beneath it. Null pins the member below the ladder.',
        tags,
        params: memberParams,
        body: Type.Object({
          level_id: Nullable(
            Type.String({
              minLength: 1,
              maxLength: 64,
              description: 'The `id` of the tier.',
              examples: ['captain'],
            }),
          ),
          reason,
        }),
        response: { 200: MemberPageSchema },
      },
      turn: { write: memberTurn },
      refusals: { 400: 'The program has no such tier, or the person is erased.', ...unknownMember },
      act: async (tx, request) => {
        const { commerceId, body } = request;
        const memberId = await readStoredId(tx, request);
        const pin = { commerceId, memberId, tierId: body.level_id, reason: body.reason };
        const { entry } = await pinTier(tx, pin);
        return { answer: await readPageWire(tx, request), entry };
      },
    }),

    unpinLevel: adminAct({
      role: 'manager',
      schema: {
        operationId: 'unpinLevel',
        summary: 'Let the tier of a member move again',
        description: 'The member holds the tier that the rules give at this instant.',
        tags,
        params: memberParams,
        response: { 200: MemberPageSchema },
      },
      turn: { write: memberTurn },
      refusals: unknownMember,
      act: async (tx, request) => {
        const { commerceId } = request;
        const { entry } = await unpinTier(tx, { commerceId, memberId: await readStoredId(tx, request) });
        return { answer: await readPageWire(tx, request), entry };
      },
    }),

    giveBackVoucher: adminAct({
      role: 'manager',
      schema: {
        operationId: 'giveBackVoucher',
        summary: 'Give the points of a code back',
        description:
          'The code was bought and not used. It can then no longer be used. The member reads the reason.',
        tags,
        params: voucherParams,
        body: Type.Object({ reason }),
        response: { 200: GivenBackSchema },
      },
      turn: { write: voucherTurn },
      refusals: {
        400: 'The code was used or given back before, or it was not bought with points.',
        404: 'There is no such code here.',
      },
      act: async (tx, request) => {
        const { commerceId, body } = request;
        const { answer, entry } = await giveBackVoucher(tx, {
          commerceId,
          code: codeIn(request),
          reason: body.reason,
        });
        const { points, balance } = answer;
        return { answer: { voucher: await readVoucherWire(tx, request), points, balance }, entry };
      },
    }),
  };
}
