import { Type, type Static } from 'typebox';
import type { WireIds } from '#batching/wire-ids.ts';
import { Instant, Int64, Nullable, StrEnum } from '#http/schema.ts';
import type { OrderLine } from '#orders/order.ts';
import { ORDER_STATUSES } from '#orders/order.ts';
import type { OrderAnswer } from '#orders/read-order-answer.ts';
import { OrderSchema, orderToWire } from '#orders/wire.ts';
import { memberId } from '../till/wire.ts';
import type { OrderContext } from './read-order-context.ts';
import { ORDER_WRITE_KINDS, type OrderWrite } from './read-order-writes.ts';

const { external_id, status, version, points, purchase, codes } = OrderSchema.properties;
const title = Nullable(
  Type.String({ description: 'The benefit. Null if there is no such code.', examples: ['A coffee on us'] }),
);

const shopOrder = {
  external_id,
  status,
  version,
  paid: Int64({ description: 'What was paid in the end, in whole currency units.', examples: [64] }),
  refunded: Int64({ description: 'What of it went back.', examples: [0] }),
  points,
  placed_at: Instant({ description: 'When its first state came.' }),
  paid_at: Nullable(Instant({ description: 'When it was paid. Null as long as it is not.' })),
  member: Nullable(
    Type.Object(
      {
        member_id: memberId,
        client_code: Nullable(Int64({ examples: [482915374] })),
        username: Nullable(Type.String({ examples: ['Eva'] })),
        email: Nullable(Type.String({ examples: ['eva@example.com'] })),
      },
      {
        title: 'OrderBuyer',
        description: 'The buyer. Null if nobody here has the address that was sent.',
      },
    ),
  ),
  purchase,
  codes: Type.Array(Type.Object({ ...codes.items.properties, title })),
};

const ShopOrderSchema = Type.Object(shopOrder, { title: 'ShopOrder' });

export const ShopOrderPageSchema = Type.Object(
  {
    results: Type.Array(ShopOrderSchema),
    next_cursor: Nullable(Type.String({ description: 'Null on the last page.' })),
  },
  { title: 'ShopOrderPage' },
);

const OrderWriteSchema = Type.Object(
  {
    kind: StrEnum(ORDER_WRITE_KINDS, {
      description:
        '`state`: what the shop said. `purchase`, `correction` (more was paid) and `reversal`: the movements of its purchase, also those that a till made. `held`, `released`, `used` and `undone`: what became of a code.',
    }),
    at: Instant({ description: 'By the commerce’s clock.' }),
    movement_id: Nullable(
      Int64({
        description: 'The movement in the member’s history. Null if it is none.',
        examples: [446165214474872],
      }),
    ),
    status: Nullable(StrEnum(ORDER_STATUSES, { description: 'Of a `state`.' })),
    version: Nullable(Int64({ examples: [3] })),
    paid: Nullable(Int64({ examples: [64] })),
    refunded: Nullable(Int64({ examples: [0] })),
    amount: Nullable(Int64({ description: 'The change of what was spent.', examples: [64] })),
    points: Nullable(Int64({ description: 'The change of the balance.', examples: [64] })),
    client_benefit_code: Nullable(Int64({ examples: [52840917364015] })),
    title,
    held_until: Nullable(Instant({ description: 'When a hold ends by itself, in real time.' })),
  },
  { title: 'OrderWrite' },
);

const OrderedLineSchema = Type.Object(
  {
    id: Type.String({ examples: ['1'] }),
    product: Nullable(Type.String({ examples: ['mug-blue'] })),
    units: Nullable(Int64({ examples: [2] })),
    amount: Int64({ description: 'Whole currency units.', examples: [18] }),
    returned_units: Nullable(Int64({ examples: [0] })),
    returned_amount: Nullable(Int64({ examples: [0] })),
  },
  { title: 'OrderedLine' },
);

export const WholeShopOrderSchema = Type.Object(
  {
    ...shopOrder,
    lines: Nullable(
      Type.Array(OrderedLineSchema, {
        description: 'What it consists of. Null if the shop does not say, or it was deleted since.',
      }),
    ),
    writes: Type.Array(OrderWriteSchema, { description: 'What was written for it, newest first.' }),
    has_older_writes: Type.Boolean({ description: 'True if older ones are left out.' }),
  },
  { title: 'WholeShopOrder' },
);

/** The ids that hide those of the database. */
export interface OrderIds {
  readonly purchases: WireIds;
  readonly members: WireIds;
}

export function shopOrderToWire(
  order: OrderAnswer,
  { buyers, titles }: OrderContext,
  ids: OrderIds,
): Static<typeof ShopOrderSchema> {
  const {
    stale: _,
    points_balance: _balance,
    points_waiting: _waiting,
    ...wire
  } = orderToWire(order, ids.purchases);
  const buyer = order.memberId === null ? undefined : buyers.get(order.memberId);
  return {
    ...wire,
    paid: order.paid,
    refunded: order.refunded,
    placed_at: order.placedAt,
    paid_at: order.paidAt,
    member:
      buyer === undefined
        ? null
        : {
            member_id: ids.members.toWire(buyer.id),
            client_code: buyer.code,
            username: buyer.username,
            email: buyer.email,
          },
    codes: wire.codes.map((code) => ({ ...code, title: titles.get(code.client_benefit_code) ?? null })),
  };
}

export function orderWriteToWire(
  write: OrderWrite,
  { purchases }: OrderIds,
): Static<typeof OrderWriteSchema> {
  const { facts } = write;
  return {
    kind: write.kind,
    at: write.at,
    movement_id: write.isMovement ? purchases.toWire(write.id) : null,
    status: facts.status ?? null,
    version: facts.version ?? null,
    paid: facts.paid ?? null,
    refunded: facts.refunded ?? null,
    amount: write.amount,
    points: write.points,
    client_benefit_code: write.code,
    title: write.title,
    held_until: facts.held_until === undefined ? null : new Date(facts.held_until),
  };
}

export function orderLineToWire(line: OrderLine): Static<typeof OrderedLineSchema> {
  return {
    id: line.id,
    product: line.product ?? null,
    units: line.units ?? null,
    amount: line.amount,
    returned_units: line.returned_units ?? null,
    returned_amount: line.returned_amount ?? null,
  };
}
