import { Type } from 'typebox';
import { BenefitSchema, benefitToWire, BenefitV2Schema, benefitV2ToWire } from '#benefits/wire.ts';
import { keyedRequest } from '#batching/keyed-request.ts';
import type { Db } from '#db/database.ts';
import { idempotencyHeader } from '#http/idempotency-header.ts';
import { Int64, Message } from '#http/schema.ts';
import { route } from '#http/route.ts';
import { CartId } from './cart-id.ts';
import { readHeldUntil } from './holds.ts';
import { assertUsable, UnknownVoucher } from './redeem-voucher.ts';
import type { VoucherRedeemer } from './voucher-redeemer.ts';
import { VOUCHER_CODE } from './voucher-code.ts';
import { readVoucher, type Voucher } from './voucher.ts';

const params = Type.Object({
  client_benefit_code: Type.String({
    pattern: '^[0-9]{1,16}$',
    description: 'The 14-digit code of a benefit that the member has bought.',
    examples: ['52840917364015'],
    'x-hint': VOUCHER_CODE,
    'x-error-codes': { wrong: 'not_a_voucher_code' },
  }),
});
const refusals = {
  400: 'The benefit was already used, or is past its due date.',
  404: 'The benefit does not exist.',
};

const addedHeaders = {
  'X-Held-Until':
    'Until when a cart holds the code. A till may use it all the same. Without the header, no cart holds it.',
};

/** A till looks up a code as often as it likes, and redeems it once. */
export function tillRoutes({ db, redeemer }: { db: Db; redeemer: VoucherRedeemer }) {
  return {
    previewRedemptionCode: route({
      schema: {
        operationId: 'previewRedemptionCode',
        summary: 'Look up a code',
        description: 'Changes nothing and can be repeated. Title, value and product are inside `prize`.',
        tags: ['Benefits'],
        params,
        response: { 200: BenefitSchema },
      },
      config: {
        turn: 'read',
        credential: 'key',
        scope: 'redeem',
        document: 'contract',
        refusals,
        addedHeaders,
      },
      handler: async (request, reply) => {
        const { voucher, heldUntil } = await lookUp(
          db,
          request.commerceId,
          request.params.client_benefit_code,
        );
        if (heldUntil !== null) reply.header('x-held-until', heldUntil.toISOString());
        return benefitToWire(voucher.benefit, request.serviceUrl);
      },
    }),

    previewRedemptionCodeV2: route({
      schema: {
        operationId: 'previewRedemptionCodeV2',
        summary: 'Look up a code, version 2',
        description: 'Changes nothing and can be repeated. Title, value and product are at the root.',
        tags: ['Benefits'],
        params,
        response: { 200: BenefitV2Schema },
      },
      config: {
        turn: 'read',
        credential: 'key',
        scope: 'redeem',
        document: 'contract',
        refusals,
        addedHeaders,
      },
      handler: async (request, reply) => {
        const { voucher, heldUntil } = await lookUp(
          db,
          request.commerceId,
          request.params.client_benefit_code,
        );
        if (heldUntil !== null) reply.header('x-held-until', heldUntil.toISOString());
        return benefitV2ToWire(voucher.benefit, request.serviceUrl);
      },
    }),

    redeemBenefit: route({
      schema: {
        operationId: 'redeemBenefit',
        summary: 'Redeem a code',
        description: 'Uses up the code. Call it only once the sale is closed: it cannot be undone.',
        tags: ['Benefits'],
        headers: idempotencyHeader,
        body: Type.Object({
          client_benefit_code: Int64({
            description: 'The 14-digit code of a benefit that the member has bought.',
            examples: [52840917364015],
            'x-hint': VOUCHER_CODE,
            'x-error-codes': { wrong: 'not_a_voucher_code' },
          }),
          external_id: Type.Optional(
            CartId(
              'The shop’s own id of the redemption, such as the number of the order; one id may name several codes. The same id with the same code returns the first answer, and the use can be undone by it. Once it was undone, the id is a 409.',
              { 'x-extension': true },
            ),
          ),
        }),
        response: { 200: Message },
      },
      config: {
        turn: 'none',
        credential: 'key',
        scope: 'redeem',
        document: 'contract',
        refusals,
        addedHeaders: { 'Idempotency-Replayed': '`true` if the same redemption was made before.' },
      },
      handler: async (request, reply) => {
        const { replayed } = await redeemer.redeem({
          commerceId: request.commerceId,
          code: request.body.client_benefit_code,
          externalId: request.body.external_id,
          request: keyedRequest(request),
        });
        if (replayed) reply.header('idempotency-replayed', 'true');
        return { message: 'benefit redeemed' };
      },
    }),
  };
}

async function lookUp(
  db: Db,
  commerceId: number,
  code: string,
): Promise<{ voucher: Voucher; heldUntil: Date | null }> {
  const number = Number(code);
  // A number of 16 digits or more may not be exact, and a code with leading zeros is a different code.
  const voucher = String(number) === code ? await readVoucher(db, commerceId, number) : undefined;
  if (voucher === undefined) throw new UnknownVoucher(number);
  assertUsable(voucher, voucher.now);
  return { voucher, heldUntil: await readHeldUntil(db, commerceId, number) };
}
