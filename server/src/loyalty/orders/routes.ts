import { Type, type Static } from 'typebox';
import type { Caps } from '#base/caps.ts';
import { fingerprintOfBody } from '#batching/keyed-request.ts';
import { readWireIds } from '#batching/wire-ids.ts';
import { transaction, type Database } from '#db/database.ts';
import { clientNetworkOf } from '#http/client-network.ts';
import { route } from '#http/route.ts';
import type { InvitationLimit } from '#members/invite-people.ts';
import { NOWHERE } from '#points/purchase-facts.ts';
import { InvalidRequest } from '#problems/invalid-request.ts';
import { CartId } from '#vouchers/cart-id.ts';
import { Int64, SentInstant, StrEnum } from '#http/schema.ts';
import { refuseBackwardRange } from '#http/sent-range.ts';
import { ConsumptionPreviewSchema, consumptionPreviewToWire } from '#purchases/wire.ts';
import type { SecretKeys } from '#settings/secret-key.ts';
import { listOrders } from './list-orders.ts';
import { ORDER_STATUSES } from './order.ts';
import { createOrderPlaces } from './order-places.ts';
import { BODY_WITH_LINES_BYTES } from '#purchases/lines-wire.ts';
import { assertNamedOnce, NamedTwice } from '#purchases/said-lines.ts';
import { previewForVisitor, previewOrder } from './preview-order.ts';
import { OrderConflict } from './decide-order.ts';
import { putOrder, type OrderCall } from './put-order.ts';
import { readOrderAnswer } from './read-order-answer.ts';
import type { OrderRef } from './store-orders.ts';
import {
  AskedByVisitorSchema,
  OrderBody,
  OrderConflictSchema,
  OrderPageSchema,
  OrderToPreview,
  orderToWire,
  OrderSchema,
} from './wire.ts';

/** 422: a buyer is one person, named in one way. */
export class OneBuyer extends InvalidRequest {
  constructor(how: 'exactly' | 'at most', hint: string) {
    super(
      [
        {
          loc: ['body', 'client_code'],
          msg: `Value error, ${how} one of client_code and client_email is needed`,
          type: 'value_error',
        },
      ],
      'invalid',
      hint,
    );
  }
}

const orderId = Type.Object({ external_id: CartId('The shop’s own id of the order.') });

/** An unknown condition is refused, because the list without it would have orders that nobody asked for. */
const conditions = Type.Object(
  {
    client_code: Type.Optional(
      Int64({
        description: 'Orders of this client only.',
        'x-hint': 'It is the 9 digits of the card of the member.',
        'x-error-codes': { wrong: 'not_a_client_code' },
      }),
    ),
    status: Type.Optional(StrEnum(ORDER_STATUSES, { description: 'Orders in this state only.' })),
    from: Type.Optional(SentInstant('Orders whose first state came at this instant or later.')),
    to: Type.Optional(SentInstant('Orders whose first state came before this instant.')),
    cursor: Type.Optional(Type.String({ maxLength: 512, description: 'Omit it to get the first page.' })),
  },
  { additionalProperties: false, 'x-hint': 'Known are client_code, status, from, to and cursor.' },
);

interface OrderDeps {
  readonly secret: SecretKeys;
  readonly db: Database;
  readonly invitations: InvitationLimit;
  readonly caps: Caps;
  /** How many uses of codes a key may undo on a day; null means no limit. */
  readonly undosPerDay: number | null;
}

/** An online shop says what its orders are. */
export function orderRoutes({ db, secret, invitations, caps, undosPerDay }: OrderDeps) {
  return {
    putOrder: route({
      schema: {
        operationId: 'putOrder',
        summary: 'Say what an order is',
        description:
          'Send the whole state whenever anything about the order changes, as often as you like. The service records the difference to what it knows: the purchase, its growth, its returns, and what becomes of codes. Anything that cannot be done, such as using a code that the till has used meanwhile, refuses only itself and is named in the answer. The same version again changes nothing; a lower one is answered with what stands.',
        tags: ['Orders'],
        params: orderId,
        querystring: Type.Object(
          {},
          { additionalProperties: false, 'x-hint': 'Send the state in the body.' },
        ),
        body: OrderBody,
        response: { 200: OrderSchema, 201: OrderSchema },
      },
      bodyLimit: BODY_WITH_LINES_BYTES,
      config: {
        longOnlyWith: 'lines',
        turn: { write: ({ params }) => `order ${(params as { external_id: string }).external_id}` },
        credential: 'key',
        scope: 'orders',
        document: 'extensions',
        addedHeaders: { 'Idempotency-Replayed': '`true` if this version was sent before.' },
        refusalBodies: { 409: OrderConflictSchema },
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

    listOrders: route({
      schema: {
        operationId: 'listOrders',
        summary: 'List orders',
        description:
          'By the time of their first state, newest first. All conditions count together, and an unknown one is refused. Pass `next_cursor` as `cursor`, with the same conditions, to get the next page; it is null on the last page.',
        tags: ['Orders'],
        querystring: conditions,
        response: { 200: OrderPageSchema },
      },
      config: { turn: 'read', credential: 'key', scope: 'read', document: 'extensions' },
      handler: async ({ commerceId, query }) => {
        const { client_code: code, status, from, to, cursor = '' } = query;
        refuseBackwardRange(from, to);
        const scope = JSON.stringify([code, status, from, to]);
        const places = createOrderPlaces(secret, `orders/${commerceId}/${scope}`);
        const page = await listOrders(
          db,
          commerceId,
          { code, status, from, to },
          cursor === '' ? null : places.open(cursor),
        );
        const ids = await readWireIds(db, commerceId, 'purchase');
        return {
          results: page.orders.map((order) => orderToWire(order, ids)),
          next_cursor: page.next && places.seal(page.next),
        };
      },
    }),

    previewOrder: route({
      schema: {
        operationId: 'previewOrder',
        summary: 'Preview what an order would earn',
        description:
          'Uses the same rules as an order that is paid now. Nothing is recorded, and nobody is created. Without a buyer it is the order of a visitor: rules that are not public or depend on the buyer are left out. Such calls count by the key, so a shop’s server can make them for all its visitors.',
        tags: ['Orders'],
        body: OrderToPreview,
        response: { 200: ConsumptionPreviewSchema },
      },
      bodyLimit: BODY_WITH_LINES_BYTES,
      config: {
        longOnlyWith: 'lines',
        turn: 'read',
        credential: 'key',
        scope: 'purchases',
        document: 'extensions',
        refusals: {
          400: 'The order could not be recorded.',
          403: 'The client exists but is not eligible for consumptions.',
          404: 'The client code does not exist.',
        },
      },
      handler: async ({ commerceId, body }) => {
        const {
          lines = null,
          channel = null,
          currency = null,
          id_suc: branchId = null,
          counter_id: registerId = null,
        } = body;
        assertNamedOnce(lines);
        const order = { paid: body.paid, currency, lines, channel, branchId, registerId };
        const buyer = buyerIn(body);
        return consumptionPreviewToWire(
          buyer === null
            ? await previewForVisitor(db, commerceId, { ...order, level: null })
            : await previewOrder(db, { commerceId, ...buyer }, order),
        );
      },
    }),

    previewEarning: route({
      schema: {
        operationId: 'previewEarning',
        summary: 'Tell a visitor what an amount would earn',
        description:
          'For product and cart pages: what a purchase of this amount would earn now, by the same rules. Nothing is recorded.',
        tags: ['Public'],
        body: AskedByVisitorSchema,
        response: { 200: ConsumptionPreviewSchema },
      },
      config: {
        turn: 'read',
        credential: 'header',
        limitsCommerce: true,
        document: 'extensions',
        refusals: { 400: 'The amounts do not fit, the program is paused, or it has no such level.' },
      },
      handler: async ({ commerceId, body: { amount, lines = null, level = null } }) => {
        assertNamedOnce(lines);
        const order = { ...NOWHERE, paid: amount, currency: null, lines, level };
        return consumptionPreviewToWire(await previewForVisitor(db, commerceId, order));
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

interface NamedBuyer {
  readonly client_code?: number | null;
  readonly client_email?: string | null;
}

/** Returns the buyer; null if none is named. @throws OneBuyer */
function buyerIn({ client_code: code, client_email: email }: NamedBuyer) {
  if (code != null && email != null)
    throw new OneBuyer('at most', 'Send client_code or client_email, not both.');
  if (code != null) return { code };
  return email == null ? null : { email };
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
  const { version, codes, lines = null } = body;
  if (new Set(codes).size < codes.length) throw new NamedTwice('codes');
  assertNamedOnce(lines);
  const buyer = buyerIn(body);
  if (buyer === null)
    throw new OneBuyer('exactly', 'Send client_code or client_email, so that the order has a buyer.');
  const content = { ...body, client_code: null, client_email: null, version: null };
  return {
    commerceId,
    externalId,
    buyer,
    status: body.status,
    paid: body.paid,
    refunded: body.refunded,
    codes,
    version,
    content: fingerprintOfBody({ ...content, codes: codes.toSorted((one, other) => one - other) }),
    isConfirmed: body.confirmed === true,
    paidAt: body.paid_at ?? null,
    currency: body.currency ?? null,
    branchId: body.id_suc ?? null,
    registerId: body.counter_id ?? null,
    channel: body.channel ?? null,
    lines,
    cartId: body.cart_id ?? null,
    undoer: {
      keyId: key!.keyId!,
      network: clientNetworkOf(ip),
      mayUndo: key!.scopes.includes('undo'),
      undosPerDay,
    },
  };
}
