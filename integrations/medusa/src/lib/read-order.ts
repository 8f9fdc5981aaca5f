import type { MedusaContainer } from '@medusajs/framework/types';
import { codeIn, isFromBefore, readInstalledAt, type ShopOrder } from '@loyalty/shop-core';
import { sqlOf } from './database';
import { readGraph } from './graph';
import { lineOf, shippingLineOf, type Amount, type MedusaLine, type MedusaShipping } from './lines';

/** The part of an order of Medusa that is read. Amounts have decimals. */
interface MedusaOrder {
  id: string;
  email: string | null;
  status: string;
  is_draft_order: boolean;
  currency_code: string;
  sales_channel_id: string | null;
  total: Amount;
  created_at: string | Date;
  items: (MedusaLine | null)[] | null;
  shipping_methods: (MedusaShipping | null)[] | null;
  payment_collections: ({ payments: (MedusaPayment | null)[] | null } | null)[] | null;
  promotions: ({ code: string | null } | null)[] | null;
  cart: { id: string } | null;
  sales_channel: { name: string } | null;
}

interface MedusaPayment {
  captures: { amount: Amount; created_at: string | Date }[] | null;
  refunds: { amount: Amount }[] | null;
}

const FIELDS = [
  'id',
  'email',
  'status',
  'is_draft_order',
  'currency_code',
  'sales_channel_id',
  'sales_channel.name',
  'created_at',
  'total',
  'items.*',
  'items.detail.*',
  'items.adjustments.*',
  'items.product.handle',
  'items.product.categories.handle',
  'shipping_methods.*',
  'shipping_methods.adjustments.*',
  'payment_collections.payments.captures.*',
  'payment_collections.payments.refunds.*',
  'promotions.code',
  'cart.id',
];

/** An order and its cart are linked a moment after the order is stored. */
const LINKED_AFTER_MS = 60_000;

/** An order, and the sales channel that decides at which commerce it counts. */
export interface ReadOrder extends ShopOrder {
  salesChannelId: string | null;
}

/**
 * Reads an order as it is now. Null for a draft, for one without an address, and for one that is gone.
 * @throws Error for an order with codes that is being placed at this moment; it is tried again
 */
export async function readOrder(container: MedusaContainer, orderId: string): Promise<ReadOrder | null> {
  const [order] = await readGraph<MedusaOrder>(container, {
    entity: 'order',
    fields: FIELDS,
    filters: { id: orderId },
  });
  return order === undefined ? null : shopOrderOf(order, await readInstalledAt(sqlOf(container)));
}

/** Returns an order of Medusa in the words of the core. */
export function shopOrderOf(order: MedusaOrder, installedAt: Date, now: Date = new Date()): ReadOrder | null {
  if (order.is_draft_order || order.status === 'draft' || !order.email) return null;
  const payments = present(order.payment_collections).flatMap(({ payments }) => present(payments));
  const captures = payments.flatMap(({ captures }) => captures ?? []);
  const paid = sumOf(captures);
  const paidAt = firstOf(captures.map(({ created_at: at }) => new Date(at)));
  const items = present(order.items);
  const shipping = present(order.shipping_methods);
  const codes = codesOf(order, items, shipping);
  if (
    codes.length > 0 &&
    !order.cart &&
    now.getTime() - new Date(order.created_at).getTime() < LINKED_AFTER_MS
  )
    throw new Error('the order is so new that the cart that holds its codes may not be linked yet');
  return {
    externalId: order.id,
    cartId: order.cart?.id ?? null,
    email: order.email,
    state:
      order.status === 'canceled' ? 'cancelled' : paid > 0 || Number(order.total) <= 0 ? 'paid' : 'placed',
    currency: order.currency_code,
    paid,
    refunded: Math.min(paid, sumOf(payments.flatMap(({ refunds }) => refunds ?? []))),
    paidAt,
    isFromBefore: isFromBefore(paidAt, installedAt),
    codes,
    confirmed: order.status === 'completed',
    channel: order.sales_channel?.name ?? null,
    lines: [...items.map(lineOf), ...shipping.map(shippingLineOf)],
    salesChannelId: order.sales_channel_id,
  };
}

/** The codes of the service that gave a discount. Each promotion of the plugin is named by its code. */
function codesOf(
  { promotions }: MedusaOrder,
  items: readonly MedusaLine[],
  shipping: readonly MedusaShipping[],
): number[] {
  const names = [
    ...present(promotions).map(({ code }) => code),
    ...[...items, ...shipping].flatMap(({ adjustments }) => present(adjustments).map(({ code }) => code)),
  ];
  const codes = names.flatMap((name) => (name ? (codeIn(name) ?? []) : []));
  return [...new Set(codes)].toSorted((one, other) => one - other);
}

function present<Value>(values: readonly (Value | null)[] | null | undefined): Value[] {
  return (values ?? []).filter((value): value is Value => value !== null && value !== undefined);
}

function sumOf(parts: readonly { amount: Amount }[]): number {
  return parts.reduce((all, { amount }) => all + Number(amount), 0);
}

function firstOf(instants: readonly Date[]): Date | null {
  return instants.toSorted((one, other) => one.getTime() - other.getTime())[0] ?? null;
}
