import { Type } from 'typebox';
import { keyedRequest } from '#batching/keyed-request.ts';
import type { Database } from '#db/database.ts';
import { idempotencyHeader } from '#http/idempotency-header.ts';
import { route } from '#http/route.ts';
import { Text } from '#http/schema.ts';
import type { BenefitExchanger } from './benefit-exchanger.ts';
import { readHoldsOf } from './holds.ts';
import { createPastPages, pastPageQuery } from './past-page.ts';
import { readVouchersOf } from './voucher.ts';
import {
  MyHoldSchema,
  PastBenefitsPageSchema,
  RedeemableBenefitSchema,
  redeemableBenefitToWire,
} from './wire.ts';
import type { HolderReader } from '#points/holder-reader.ts';
import type { SecretKeys } from '#settings/secret-key.ts';

/** A signed-in person buys benefits with points and lists the ones they have bought. */
export function myVoucherRoutes({
  db,
  holderOf,
  exchanger,
  secret,
}: {
  db: Database;
  holderOf: HolderReader;
  exchanger: BenefitExchanger;
  secret: SecretKeys;
}) {
  const readPastPage = createPastPages({ db, secret });
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
          benefit_id: Text({
            description: 'The `id` from the list of available benefits.',
            examples: ['coffee'],
            'x-hint': 'It is the id of a benefit from GET /v1/me/benefits/available, such as "coffee".',
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
        return redeemableBenefitToWire({ ...voucher, usedAt: null }, request.serviceUrl);
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
      config: { turn: 'list', credential: 'user', document: 'contract' },
      handler: async (request) => {
        const { commerceId, userId, serviceUrl } = request;
        const { commerce, member } = await holderOf({ commerceId, userId });
        request.commerceTime = commerce.now;
        if (member === null) return [];
        const vouchers = await readVouchersOf(db, commerceId, member.id);
        return vouchers.map((voucher) => redeemableBenefitToWire(voucher, serviceUrl));
      },
    }),

    listMyHolds: route({
      schema: {
        operationId: 'listMyHolds',
        summary: 'List my codes that are in a cart',
        description:
          'The codes that a cart of the online shop holds now. A till uses them all the same, and each hold ends by itself.',
        tags: ['My account'],
        response: { 200: Type.Array(MyHoldSchema) },
      },
      config: { turn: 'read', credential: 'user', document: 'extensions' },
      handler: async ({ commerceId, userId }) => {
        const { member } = await holderOf({ commerceId, userId });
        if (member === null) return [];
        const held = await readHoldsOf(db, commerceId, member.id);
        return held.map(({ code, expiresAt }) => ({ client_benefit_code: code, expires_at: expiresAt }));
      },
    }),

    listMyPastBenefits: route({
      schema: {
        operationId: 'listMyPastBenefits',
        summary: 'List my past benefits',
        description:
          'The benefits that were used or have expired, newest first, in pages. The list of my benefits shows the newest 1,000 of them.',
        tags: ['My account'],
        querystring: pastPageQuery,
        response: { 200: PastBenefitsPageSchema },
      },
      config: { turn: 'read', credential: 'user', document: 'extensions' },
      handler: async (request) => {
        const { commerceId, userId, query } = request;
        const { commerce, member } = await holderOf({ commerceId, userId });
        request.commerceTime = commerce.now;
        return member === null
          ? { results: [], next_cursor: null }
          : readPastPage(request, member.id, query.cursor);
      },
    }),
  };
}
