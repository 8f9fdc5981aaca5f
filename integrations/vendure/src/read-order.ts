import { isFromBefore, type ShopLine, type ShopOrder } from '@loyalty/shop-core';
import {
  AdjustmentType,
  type ID,
  Order,
  type OrderLine,
  type Payment,
  type Refund,
  type TransactionalConnection,
} from '@vendure/core';
import { IsNull, MoreThan, MoreThanOrEqual, Not } from 'typeorm';
import { codesOf, fieldsOf } from './cart-codes.ts';
import type { LoyaltyPluginOptions } from './options.ts';

/** An order in the core's words, and the sales channels that it belongs to. */
export interface ReadOrder extends ShopOrder {
  channelCodes: string[];
}

/** The sales channels of an order that `readOrder` has read. */
export function channelsOf(order: ShopOrder): string[] {
  return (order as ReadOrder).channelCodes;
}

/** How the shop's orders are read. */
export interface OrderReading {
  connection: TransactionalConnection;
  options: LoyaltyPluginOptions;
  /** How many of Vendure's units of money make one of the currency. */
  perWhole: number;
  /** The promotion of the plugin's own: what it takes off does not make a line a discounted one. */
  promotionId: () => Promise<ID | null>;
  /** When the plugin was installed. */
  installedAt: () => Promise<Date>;
}

/** What the lines of an order need. */
export const WITH_LINES = {
  lines: { productVariant: { collections: true } },
  shippingLines: true,
  surcharges: true,
};

const EVERYTHING = {
  ...WITH_LINES,
  channels: true,
  customer: true,
  payments: { refunds: { lines: true } },
};

/**
 * Reads an order from the shop's database as it is now. While its payment is only authorized it is `placed`: its codes are used, and the
 * purchase is recorded once the money is there. Null for carts, drafts, and the parts of an order that Vendure makes for its sellers.
 */
export async function readOrder(
  { connection, options, perWhole, promotionId, installedAt }: OrderReading,
  orderId: string,
): Promise<ReadOrder | null> {
  const order = await connection.rawConnection.getRepository(Order).findOne({
    where: { id: orderId },
    relations: EVERYTHING,
    relationLoadStrategy: 'query',
  });
  if (!order?.orderPlacedAt || !order.customer || order.aggregateOrderId) return null;
  const settled = order.payments.filter(({ state }) => state === 'Settled');
  const refunds = settled.flatMap((payment) => refundsOf(payment));
  const ownSource = ownSourceOf(await promotionId());
  return {
    externalId: order.code,
    email: fieldsOf(order).loyaltyBuyer ?? order.customer.emailAddress,
    state: order.state === 'Cancelled' ? 'cancelled' : settled.length > 0 ? 'paid' : 'placed',
    currency: order.currencyCode,
    paid: sumOf(settled.map(({ amount }) => amount)) / perWhole,
    refunded: sumOf(refunds.map(({ total }) => total)) / perWhole,
    paidAt: order.orderPlacedAt,
    isFromBefore: isFromBefore(order.orderPlacedAt, await installedAt()),
    codes: codesOf(order).map(({ code }) => code),
    confirmed: options.isFinal?.(order) ?? false,
    channel: options.channel ?? 'web',
    lines: linesOf(order, { perWhole, ownSource, returned: returnedIn(refunds), options }),
    channelCodes: order.channels.map(({ code }) => code),
  };
}

/** Yields the ids of the orders that changed, also by their payments and refunds. */
export async function* changedOrders(
  connection: TransactionalConnection,
  since: Date,
): AsyncGenerator<string, void> {
  const updatedAt = MoreThanOrEqual(since);
  for (const changed of [
    { updatedAt },
    { payments: { updatedAt } },
    { payments: { refunds: { updatedAt } } },
  ])
    for (let after: ID = 0; ;) {
      const orders = await connection.rawConnection.getRepository(Order).find({
        select: { id: true },
        where: { ...changed, orderPlacedAt: Not(IsNull()), ...(after !== 0 && { id: MoreThan(after) }) },
        order: { id: 'ASC' },
        take: PAGE,
        loadEagerRelations: false,
      });
      for (const { id } of orders) yield String(id);
      if (orders.length < PAGE) break;
      after = orders.at(-1)!.id;
    }
}

const PAGE = 500;

function refundsOf(payment: Payment): Refund[] {
  return payment.refunds.filter(({ state }) => state === 'Settled');
}

/** How many units of each line came back. */
function returnedIn(refunds: readonly Refund[]): Map<string, number> {
  const units = new Map<string, number>();
  for (const { orderLineId, quantity } of refunds.flatMap(({ lines }) => lines ?? []))
    units.set(String(orderLineId), (units.get(String(orderLineId)) ?? 0) + quantity);
  return units;
}

interface LineContext {
  perWhole: number;
  /** The source of the adjustments that codes made. */
  ownSource: string | null;
  options: LoyaltyPluginOptions;
  /** How many units of each line came back. */
  returned?: ReadonlyMap<string, number>;
}

/** How the adjustments of a promotion name it. */
export function ownSourceOf(promotionId: ID | null): string | null {
  return promotionId === null ? null : `${AdjustmentType.PROMOTION}:${promotionId}`;
}

/**
 * The lines of a cart or an order, with shipping and surcharges. A line that was cancelled is still one that was paid, until the money
 * goes back.
 */
export function linesOf(order: Order, context: LineContext): ShopLine[] {
  const { perWhole, returned } = context;
  const goods = order.lines.map((line) => ({
    ...lineOf(line, context),
    returnedUnits: returned?.get(String(line.id)) ?? 0,
  }));
  const shipping = order.shippingLines.map((line): ShopLine => ({
    id: `shipping-${line.id}`,
    product: 'shipping',
    categories: ['shipping'],
    units: 1,
    total: line.discountedPriceWithTax / perWhole,
  }));
  const surcharges = order.surcharges.map((one): ShopLine => ({
    id: `surcharge-${one.id}`,
    units: 1,
    total: one.priceWithTax / perWhole,
  }));
  return [...goods, ...shipping, ...surcharges];
}

/** At what its units cost after discounts and with taxes. */
function lineOf(line: OrderLine, { perWhole, ownSource, options }: LineContext): ShopLine {
  const units = Math.max(line.quantity, line.orderPlacedQuantity);
  const price = line.listPrice * units + sumOf(line.adjustments.map(({ amount }) => amount));
  const total = line.listPriceIncludesTax ? price : price * (1 + line.taxRate / 100);
  return {
    id: String(line.id),
    ...namesOf(line, options),
    units,
    total: Math.max(0, total) / perWhole,
    discounted: line.adjustments.some(
      ({ amount, adjustmentSource }) => amount < 0 && adjustmentSource !== ownSource,
    ),
  };
}

/** The names by which the program knows what a line sells. */
export function namesOf(
  line: OrderLine,
  options: LoyaltyPluginOptions,
): Pick<ShopLine, 'product' | 'categories'> {
  return { product: productOf(line, options), categories: categoriesOf(line) };
}

export function productOf(line: OrderLine, { productOf: named }: LoyaltyPluginOptions): string {
  return named?.(line) ?? String(line.productVariant.productId);
}

/** The collections of a line's product, by the slug and by the id: a program may name either. */
export function categoriesOf({ productVariant }: OrderLine): string[] {
  return (productVariant.collections ?? []).flatMap(({ id, slug, translations }) => [
    ...new Set([slug, ...translations.map((one) => one.slug), String(id)].filter(Boolean)),
  ]);
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}
