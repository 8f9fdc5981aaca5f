import { Type, type Static } from 'typebox';
import { Int64, Message, Nullable, StrEnum } from '#http/schema.ts';
import type { WireIds } from '#batching/wire-ids.ts';
import {
  Amount,
  Channel,
  lineFields,
  Lines,
  listOfLines,
  MOST_LINES,
  MOST_UNITS,
} from '#purchases/lines-wire.ts';
import { CartId } from '#vouchers/cart-id.ts';
import { VOUCHER_CODE } from '#vouchers/voucher-code.ts';
import { CODE_STATES, ORDER_STATUSES } from './order.ts';
import type { OrderAnswer } from './read-order-answer.ts';

/** Codes that one order can name. */
export const MOST_CODES = 20;

/** A line of an order, of which some may have come back. */
const OrderLineSchema = Type.Object(
  {
    ...lineFields,
    returned_units: Type.Optional(
      Nullable(
        Int64({
          minimum: 0,
          maximum: MOST_UNITS,
          description:
            'How many came back. In proportion to the money that went back, if it is left out. Say 0 if money went back without goods.',
          examples: [0],
        }),
      ),
    ),
    returned_amount: Type.Optional(Nullable(Amount('What of the amount went back.', 0))),
  },
  { title: 'OrderLine' },
);

export const OrderLines = Type.Optional(Nullable(listOfLines(OrderLineSchema, MOST_LINES)));

const common = {
  status: StrEnum(ORDER_STATUSES, {
    description: '`open` until it is paid, `paid` from then on, `cancelled` for ever.',
    examples: ['paid'],
  }),
  paid: Amount(
    'What was paid in money in the end, before refunds, in whole currency units. 0 for an order that only codes paid.',
    64,
  ),
  refunded: Amount('What of `paid` went back to the buyer so far. It never becomes less.', 0),
  version: Int64({
    minimum: 0,
    description:
      'A number that rises with each change of the order. Above 1000000000000 it is read as milliseconds since 1970, and a new one must then be within five minutes of now.',
    examples: [3],
    'x-hint': 'Count the changes of the order, or send the milliseconds of now.',
  }),
};

export const OrderBody = Type.Object({
  client_code: Type.Optional(
    Nullable(
      Int64({
        description: 'The member’s 9-digit code. Send this or `client_email`.',
        examples: [482915374],
        'x-hint': 'It is the 9 digits of the card of the member.',
        'x-error-codes': { wrong: 'not_a_client_code' },
      }),
    ),
  ),
  client_email: Type.Optional(
    Nullable(
      Type.String({
        format: 'email',
        description: 'The buyer’s e-mail address. Send this or `client_code`.',
        examples: ['eva@example.com'],
        'x-hint': 'With the 9 digits of the card, send client_code.',
      }),
    ),
  ),
  ...common,
  codes: Type.Array(
    Int64({
      description: 'The 14-digit code of a benefit that the member has bought.',
      examples: [52840917364015],
      'x-hint': VOUCHER_CODE,
      'x-error-codes': { wrong: 'not_a_voucher_code' },
    }),
    {
      maxItems: MOST_CODES,
      description: `The codes that the order uses, at most ${MOST_CODES}, each once.`,
      'x-hint': 'Send [] for an order without codes.',
    },
  ),
  cart_id: Type.Optional(
    Nullable(
      CartId(
        'The id of the cart that the order was, if it holds codes under that. The order takes over the holds of its `codes`.',
        { examples: ['cart-77'] },
      ),
    ),
  ),
  paid_at: Type.Optional(
    Nullable(
      Type.Unsafe<Date>({
        type: 'string',
        format: 'date-time',
        maxLength: 64,
        description:
          'When it was paid; now by default. It is fixed by the first paid state, and at most 72 hours before the first state of the order. Clocks differ: up to five minutes ahead of the service it counts as now.',
        examples: ['2026-11-01T10:30:00Z'],
        'x-hint': 'Send an instant with a time zone, such as 2026-11-01T10:30:00Z.',
      }),
    ),
  ),
  confirmed: Type.Optional(
    Nullable(
      Type.Boolean({
        description:
          'True once the order cannot be returned any more: its points wait no longer, if they waited for the shop.',
      }),
    ),
  ),
  currency: Type.Optional(
    Nullable(
      Type.String({
        pattern: '^[A-Z]{3}$',
        description: 'The currency of the amounts. Another one than that of the commerce is refused.',
        examples: ['EUR'],
        'x-hint': 'Send the three letters of ISO 4217, such as EUR.',
      }),
    ),
  ),
  id_suc: Type.Optional(Nullable(Int64({ description: 'The id of the branch.', examples: [12] }))),
  counter_id: Type.Optional(Nullable(Int64({ description: 'The id of the register.', examples: [3] }))),
  channel: Channel,
  lines: OrderLines,
});

export const OrderSchema = Type.Object(
  {
    external_id: Type.String({ description: 'The shop’s own id.', examples: ['order-2026-000123'] }),
    status: common.status,
    version: Int64({ description: 'The version that stands.', examples: [3] }),
    stale: Type.Boolean({ description: 'True if a newer version stands, so that nothing was changed.' }),
    points: Int64({
      description: 'The points that the order has earned, less what was taken back.',
      examples: [64],
    }),
    points_waiting: Int64({
      description: 'Those of them that wait, and are not in the balance.',
      examples: [0],
    }),
    points_balance: Nullable(
      Int64({
        description: 'The balance of the buyer now. Null if the shop does not know the buyer.',
        examples: [120],
      }),
    ),
    purchase: Type.Object({
      state: StrEnum(['recorded', 'none', 'refused'], {
        description: 'Whether the order is a purchase in the books.',
        examples: ['recorded'],
      }),
      id: Nullable(Int64({ description: 'Its consumption_id.', examples: [446165214474872] })),
      reason: Nullable(
        Type.String({
          description:
            'Why what was paid could not be recorded, or why the last change of it could not: a word of `X-Error-Code`.',
          examples: ['paused'],
        }),
      ),
    }),
    codes: Type.Array(
      Type.Object({
        client_benefit_code: Int64({ description: 'The 14-digit code.', examples: [52840917364015] }),
        state: StrEnum(CODE_STATES, { description: 'What became of the code.', examples: ['used'] }),
        reason: Nullable(
          Type.String({
            description:
              'Why it is not what was asked for: a word of `X-Error-Code`, or `with_return` if the program keeps the codes of returned orders used.',
            examples: ['benefit_used'],
          }),
        ),
      }),
    ),
  },
  { title: 'Order' },
);

export const OrderPageSchema = Type.Object(
  {
    results: Type.Array(OrderSchema),
    next_cursor: Nullable(Type.String({ description: 'Null on the last page' })),
  },
  { title: 'OrderPage' },
);

/** An order that is not placed yet. */
export const OrderToPreview = Type.Object({
  client_code: Type.Optional(
    Nullable(
      Int64({
        description: 'The member’s 9-digit code. Leave both out for a visitor.',
        examples: [482915374],
        'x-hint': 'It is the 9 digits of the card of the member.',
        'x-error-codes': { wrong: 'not_a_client_code' },
      }),
    ),
  ),
  client_email: OrderBody.properties.client_email,
  paid: Amount('What would be paid in money, in whole currency units.', 64),
  currency: OrderBody.properties.currency,
  id_suc: OrderBody.properties.id_suc,
  counter_id: OrderBody.properties.counter_id,
  channel: Channel,
  lines: OrderLines,
});

/** Lines that a visitor can ask about. */
const MOST_LINES_OF_VISITORS = 20;

export const AskedByVisitorSchema = Type.Object({
  amount: Amount('What would be paid in money, in whole currency units.', 64),
  lines: Lines(MOST_LINES_OF_VISITORS),
  level: Type.Optional(
    Nullable(
      Type.String({
        maxLength: 64,
        description: 'The id of a level that the visitor would have; none by default.',
        examples: ['silver'],
        'x-hint': 'GET /v1/public/program lists the levels with their ids.',
      }),
    ),
  ),
});

/** A conflict, with what stands if the state contradicts that. */
export const OrderConflictSchema = Type.Object(
  { ...Message.properties, order: Type.Optional(OrderSchema) },
  { title: 'OrderConflict' },
);

/** `ids` are those of purchases. */
export function orderToWire(order: OrderAnswer, ids: WireIds, stale = false): Static<typeof OrderSchema> {
  const { purchaseId, refusal } = order;
  return {
    external_id: order.externalId,
    status: order.status,
    version: order.version,
    stale,
    points: order.points,
    points_waiting: order.waiting,
    points_balance: order.balance,
    purchase: {
      state: purchaseId !== null ? 'recorded' : refusal !== null ? 'refused' : 'none',
      id: purchaseId === null ? null : ids.toWire(purchaseId),
      reason: refusal,
    },
    codes: order.codes.map(({ code, state, reason }) => ({ client_benefit_code: code, state, reason })),
  };
}
