import { Type } from 'typebox';
import { transaction, type Database } from '#db/database.ts';
import { route } from '#http/route.ts';
import { Instant, Int64, Message } from '#http/schema.ts';
import { MOST_HOLD_MINUTES } from '#program/program.ts';
import { CartId } from './cart-id.ts';
import { holdVoucher } from './hold-voucher.ts';
import { releaseCart, releaseCode } from './holds.ts';
import { VOUCHER_CODE } from './voucher-code.ts';

const HoldSchema = Type.Object(
  {
    external_id: Type.String({ description: 'The id of the cart.', examples: ['cart-77'] }),
    expires_at: Instant({ description: 'When the hold ends by itself.' }),
  },
  { title: 'Hold' },
);

/** An unknown field is refused, because without it the cart would let go of everything. */
const whatToRelease = Type.Object(
  {
    client_benefit_code: Type.Optional(
      Int64({
        description: 'The 14-digit code to let go of. Without it, the cart lets go of all that it holds.',
        examples: [52840917364015],
        'x-hint': VOUCHER_CODE,
        'x-error-codes': { wrong: 'not_a_voucher_code' },
      }),
    ),
  },
  { additionalProperties: false, 'x-hint': 'Known is client_benefit_code.' },
);

/** A cart of an online shop holds a code until it pays, and lets go of it. */
export function holdRoutes({ db }: { db: Database }) {
  return {
    holdVoucher: route({
      schema: {
        operationId: 'holdVoucher',
        summary: 'Hold a code for a cart',
        description:
          'No other cart can hold the code until the hold ends. A till can use it all the same, and then the cart learns at its redemption. The same cart again extends the hold, up to four times the minutes of the program, and seven days, from the first. A hold counts for nothing else.',
        tags: ['Benefits'],
        body: Type.Object({
          client_benefit_code: Int64({
            description: 'The 14-digit code of a benefit that the member has bought.',
            examples: [52840917364015],
            'x-hint': VOUCHER_CODE,
            'x-error-codes': { wrong: 'not_a_voucher_code' },
          }),
          external_id: CartId('The shop’s own id of the cart. A cart can hold several codes.'),
          minutes: Type.Optional(
            Int64({
              minimum: 1,
              maximum: MOST_HOLD_MINUTES,
              description:
                'For how long, at most `codes.hold_minutes` of the program. By default, as long as that.',
              examples: [30],
            }),
          ),
        }),
        response: { 200: HoldSchema, 201: HoldSchema },
      },
      config: {
        turn: {
          write: ({ body }) => `hold ${(body as { client_benefit_code: number }).client_benefit_code}`,
        },
        credential: 'key',
        scope: 'redeem',
        document: 'extensions',
        refusals: {
          400: 'The benefit was already used, or is past its due date, void or given back.',
          404: 'The benefit does not exist.',
          409: 'Another cart holds the code, or carts hold 20 codes of the member.',
        },
      },
      handler: async (request, reply) => {
        const { client_benefit_code: code, external_id: externalId, minutes = null } = request.body;
        const { expiresAt, isNew } = await transaction(db, (tx) =>
          holdVoucher(tx, { commerceId: request.commerceId, code, externalId, minutes }),
        );
        reply.code(isNew ? 201 : 200);
        return { external_id: externalId, expires_at: expiresAt };
      },
    }),

    releaseHold: route({
      schema: {
        operationId: 'releaseHold',
        summary: 'Release the codes of a cart, or one of them',
        description:
          'All codes that the cart holds, or the one that is named. Repeating it, or releasing what the cart does not hold, is fine.',
        tags: ['Benefits'],
        params: Type.Object({ external_id: CartId('The shop’s own id of the cart.') }),
        querystring: whatToRelease,
        response: { 200: Message },
      },
      config: {
        turn: { write: ({ params }) => `cart ${(params as { external_id: string }).external_id}` },
        credential: 'key',
        scope: 'redeem',
        document: 'extensions',
        refusals: { 404: 'The address is malformed, such as a lone percent sign.' },
      },
      handler: async ({ commerceId, params: { external_id: externalId }, query }) => {
        const { client_benefit_code: code } = query;
        await transaction(db, (tx) =>
          code === undefined
            ? releaseCart(tx, commerceId, externalId)
            : releaseCode(tx, { commerceId, externalId, code }),
        );
        return { message: 'hold released' };
      },
    }),
  };
}
