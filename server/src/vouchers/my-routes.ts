import { Type } from 'typebox';
import { keyedRequest } from '#calls/keyed-request.ts';
import type { Database } from '#db/database.ts';
import { idempotencyHeader } from '#http/idempotency-header.ts';
import { route } from '#http/route.ts';
import type { BenefitExchanger } from './benefit-exchanger.ts';
import { readVouchersOf } from './voucher.ts';
import { RedeemableBenefitSchema, redeemableBenefitToWire } from './wire.ts';
import type { HolderReader } from '#points/holder-reader.ts';

/** A signed-in person buys benefits with points and lists the ones they have bought. */
export function myVoucherRoutes({
  db,
  holderOf,
  exchanger,
}: {
  db: Database;
  holderOf: HolderReader;
  exchanger: BenefitExchanger;
}) {
  return {
    exchangeBenefit: route({
      schema: {
        operationId: 'exchangeBenefit',
        summary: 'Buy a benefit with points',
        description:
          'Sending the same `Idempotency-Key` again does not repeat the purchase. It returns the first answer.',
        tags: ['My account'],
        headers: idempotencyHeader,
        body: Type.Object({
          benefit_id: Type.String({
            description: 'The id from the list of available benefits.',
            examples: ['flat-white'],
          }),
        }),
        response: { 200: RedeemableBenefitSchema },
      },
      config: {
        turn: 'none',
        credential: 'user',
        document: 'contract',
        refusals: { 400: 'The benefit does not exist or is not valid, or there are not enough points.' },
      },
      handler: async (request, reply) => {
        const { voucher, replayed } = await exchanger.exchange({
          commerceId: request.commerceId,
          userId: request.userId,
          benefitId: request.body.benefit_id,
          request: keyedRequest(request),
        });
        if (replayed) reply.header('idempotency-replayed', 'true');
        // Always unused, as it was issued, so that a repeat gets exactly the first answer.
        return redeemableBenefitToWire({ ...voucher, usedAt: null });
      },
    }),

    listMyBenefits: route({
      schema: {
        operationId: 'listMyBenefits',
        summary: 'List my benefits',
        description: 'The benefits that I have bought or received, newest first.',
        tags: ['My account'],
        response: { 200: Type.Array(RedeemableBenefitSchema) },
      },
      config: { turn: 'read', credential: 'user', document: 'contract' },
      handler: async (request) => {
        const { commerceId, userId } = request;
        const { member } = await holderOf({ commerceId, userId });
        return member === null
          ? []
          : (await readVouchersOf(db, commerceId, member.id)).map(redeemableBenefitToWire);
      },
    }),
  };
}
