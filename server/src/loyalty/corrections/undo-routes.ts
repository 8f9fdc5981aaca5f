import { Type } from 'typebox';
import type { Caps } from '#base/caps.ts';
import { transaction, type Database } from '#db/database.ts';
import { clientNetworkOf } from '#http/client-network.ts';
import { route } from '#http/route.ts';
import { Int64, Message } from '#http/schema.ts';
import { TooManyRequests } from '#problems/problem.ts';
import { CartId } from '#vouchers/cart-id.ts';
import { VOUCHER_CODE } from '#vouchers/voucher-code.ts';
import { undoRedemption } from './undo-redemption.ts';

const UNDO_ALL = 'Send {} to undo all uses that the external_id names.';

/** A shop undoes the use of a code. `perDay` is how many uses a key may undo on a day; null means no limit. */
export function undoRoutes({ db, perDay, caps }: { db: Database; perDay: number | null; caps: Caps }) {
  return {
    undoRedemption: route({
      schema: {
        operationId: 'undoRedemption',
        summary: 'Undo the use of a code',
        description:
          'For the days that the program allows in `codes.undo_days`, which are none by default. The code is good until its old date or, where that has passed, for 30 days, once in its life. No points move. A code of a tier that a return took away meanwhile is void. The `external_id` and the `Idempotency-Key` of the redemption are used up: redeeming with them again is a 409. Repeating the call returns the same answer.',
        tags: ['Benefits'],
        params: Type.Object({ external_id: CartId('The shop’s own id of the redemption.') }),
        // A misspelled code would undo all of them.
        querystring: Type.Object({}, { additionalProperties: false, 'x-hint': UNDO_ALL }),
        body: Type.Object(
          {
            client_benefit_code: Type.Optional(
              Int64({
                description:
                  'The code whose use is undone. By default, all that were used with the `external_id`.',
                examples: [52840917364015],
                'x-hint': VOUCHER_CODE,
                'x-error-codes': { wrong: 'not_a_voucher_code' },
              }),
            ),
          },
          { additionalProperties: false, 'x-hint': UNDO_ALL },
        ),
        response: { 200: Message },
      },
      config: {
        turn: { write: ({ params }) => `redemption ${(params as { external_id: string }).external_id}` },
        credential: 'key',
        scope: 'undo',
        document: 'extensions',
        addedHeaders: { 'Idempotency-Replayed': '`true` if the use was undone before.' },
        refusals: {
          400: 'It is too late, the code was not used with this id, or its member was erased.',
          404: 'No redemption has this id.',
        },
      },
      handler: async (request, reply) => {
        const { commerceId, key, params, body, ip } = request;
        const undo = {
          commerceId,
          externalId: params.external_id,
          code: body.client_benefit_code ?? null,
          keyId: key!.keyId!,
          network: clientNetworkOf(ip),
        };
        const { replayed } = await transaction(db, (tx) => undoRedemption(tx, undo, perDay)).catch(
          (error: unknown) => {
            if (error instanceof TooManyRequests) caps.refused('undos-of-a-key');
            throw error;
          },
        );
        if (replayed) reply.header('idempotency-replayed', 'true');
        return { message: 'redemption undone' };
      },
    }),
  };
}
