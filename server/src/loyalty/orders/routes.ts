import { Type, type Static } from 'typebox';
import type { Caps } from '#base/caps.ts';
import { fingerprintOfBody } from '#batching/keyed-request.ts';
import { readWireIds } from '#batching/wire-ids.ts';
import { transaction, type Database } from '#db/database.ts';
import { clientNetworkOf } from '#http/client-network.ts';
import { route } from '#http/route.ts';
import type { InvitationLimit } from '#members/invite-people.ts';
import { InvalidRequest } from '#problems/invalid-request.ts';
import { CartId } from '#vouchers/cart-id.ts';
import { OrderConflict } from './decide-order.ts';
import { putOrder, type OrderCall } from './put-order.ts';
import { readOrderAnswer } from './read-order-answer.ts';
import type { OrderRef } from './store-orders.ts';
import { OrderBody, orderToWire, OrderSchema } from './wire.ts';

/** 422: the buyer is one person, named in one way. */
export class OneBuyer extends InvalidRequest {
  constructor() {
    super(
      [
        {
          loc: ['body', 'client_code'],
          msg: 'Value error, exactly one of client_code and client_email is needed',
          type: 'value_error',
        },
      ],
      'invalid',
      'Send client_code or client_email, not both and not neither.',
    );
  }
}

/** 422: something is named twice. */
export class NamedTwice extends InvalidRequest {
  constructor(field: 'codes' | 'lines') {
    super(
      [{ loc: ['body', field], msg: 'Value error, each can be named once', type: 'value_error' }],
      'invalid',
      field === 'codes' ? 'Send each code once.' : 'Give each line an id of its own.',
    );
  }
}

/** Bodies with lines are larger than others. */
export const BODY_WITH_LINES_BYTES = 64 * 1024;

const orderId = Type.Object({ external_id: CartId('The shop’s own id of the order.') });

interface OrderDeps {
  readonly db: Database;
  readonly invitations: InvitationLimit;
  readonly caps: Caps;
  /** How many uses of codes a key may undo on a day; null means no limit. */
  readonly undosPerDay: number | null;
}

/** An online shop says what its orders are. */
export function orderRoutes({ db, invitations, caps, undosPerDay }: OrderDeps) {
  return {
    putOrder: route({
      schema: {
        operationId: 'putOrder',
        summary: 'Say what an order is',
        description:
          'Send the whole state whenever anything about the order changes, as often as you like. The service records the difference to what it knows: the purchase, its growth, its returns, and what becomes of codes. Anything that cannot be done, such as using a code that the till has used meanwhile, refuses only itself and is named in the answer. The same version again changes nothing; a lower one is answered with what stands.',
        tags: ['Orders'],
        params: orderId,
        querystring: Type.Object({}, { additionalProperties: false, 'x-hint': 'Send the state in the body.' }),
        body: OrderBody,
        response: { 200: OrderSchema, 201: OrderSchema },
      },
      bodyLimit: BODY_WITH_LINES_BYTES,
      config: {
        turn: { write: ({ params }) => `order ${(params as { external_id: string }).external_id}` },
        credential: 'key',
        scope: 'orders',
        document: 'extensions',
        addedHeaders: { 'Idempotency-Replayed': '`true` if this version was sent before.' },
        refusals: {
          400: 'The amounts do not fit, it is in another currency, or it was paid too long ago.',
          403: 'The buyer has left the program or is blocked, and nothing else was left to do.',
          404: 'The client code does not exist.',
          409: 'The state contradicts what stands, which is `order` in the body; the order was cancelled, is another person’s, or another purchase has its id.',
        },
      },
      handler: async (request, reply) => {
        const call = callOf(request, request.params.external_id, request.body, undosPerDay);
        const ids = await readWireIds(db, request.commerceId, 'purchase');
        const put = await transaction(db, (tx) => putOrder(tx, call, invitations)).catch((error: unknown) =>
          withWhatStands(error, call),
        );
        if (put.order.codes.some(({ reason }) => reason === 'rate_limited')) caps.refused('undos-of-a-key');
        if (put.replayed) reply.header('idempotency-replayed', 'true');
        return reply
          .code(put.isNew ? 201 : 200)
          .send(orderToWire(await readOrderAnswer(db, call), ids, put.stale));
      },
    }),

    getOrder: route({
      schema: {
        operationId: 'getOrder',
        summary: 'Look up an order',
        description: 'Returns what stands of the order, with its codes as they are now.',
        tags: ['Orders'],
        params: orderId,
        response: { 200: OrderSchema },
      },
      config: {
        turn: 'read',
        credential: 'key',
        scope: 'read',
        document: 'extensions',
        refusals: { 404: 'The order does not exist.' },
      },
      handler: async ({ commerceId, params }) =>
        orderToWire(
          await readOrderAnswer(db, { commerceId, externalId: params.external_id }),
          await readWireIds(db, commerceId, 'purchase'),
        ),
    }),
  };

  /** Adds what stands to a conflict, which its caller compares with what it has. */
  async function withWhatStands(error: unknown, ref: OrderRef): Promise<never> {
    if (!(error instanceof OrderConflict)) throw error;
    const ids = await readWireIds(db, ref.commerceId, 'purchase');
    throw error.with(orderToWire(await readOrderAnswer(db, ref), ids));
  }
}

interface Caller {
  readonly commerceId: number;
  readonly ip: string;
  readonly key: { readonly keyId?: number; readonly scopes: readonly string[] } | null;
}

/** @throws OneBuyer, NamedTwice */
function callOf(
  { commerceId, ip, key }: Caller,
  externalId: string,
  body: Static<typeof OrderBody>,
  undosPerDay: number | null,
): OrderCall {
  const { client_code: code = null, client_email: email = null, version, codes, lines = null } = body;
  if ((code === null) === (email === null)) throw new OneBuyer();
  if (new Set(codes).size < codes.length) throw new NamedTwice('codes');
  if (lines !== null && new Set(lines.map(({ id }) => id)).size < lines.length) throw new NamedTwice('lines');
  const content = { ...body, client_code: null, client_email: null, version: null };
  return {
    commerceId,
    externalId,
    buyer: code === null ? { email: email! } : { code },
    status: body.status,
    paid: body.paid,
    refunded: body.refunded,
    codes,
    version,
    content: fingerprintOfBody({ ...content, codes: codes.toSorted((one, other) => one - other) }),
    paidAt: body.paid_at ?? null,
    currency: body.currency ?? null,
    branchId: body.id_suc ?? null,
    registerId: body.counter_id ?? null,
    lines,
    undoer: {
      keyId: key!.keyId!,
      network: clientNetworkOf(ip),
      mayUndo: key!.scopes.includes('undo'),
      undosPerDay,
    },
  };
}
