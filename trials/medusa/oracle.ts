/** What the service must know at the end, worked out from the shop's own orders, without any code of the plugin. */
import type { Caller } from './shop-api.ts';

interface ShopOrder {
  id: string;
  email: string;
  status: string;
  total: number;
  payment_collections: {
    payments: { captures: { amount: number }[]; refunds: { amount: number }[] }[];
  }[];
  promotions: { code: string }[] | null;
  items: Discounted[] | null;
  shipping_methods: Discounted[] | null;
}

interface Discounted {
  adjustments: { code: string | null }[] | null;
}

/** What an order must have earned, and which codes it must have used. */
export interface Expected {
  readonly orderId: string;
  readonly email: string;
  readonly status: 'open' | 'paid' | 'cancelled';
  readonly points: number;
  readonly usedCodes: readonly number[];
}

const FIELDS =
  'id,email,status,total,*payment_collections.payments.captures,*payment_collections.payments.refunds,promotions.code,items.adjustments.code,shipping_methods.adjustments.code';

export async function expectedOrders(admin: Caller): Promise<Expected[]> {
  const all: Expected[] = [];
  for (let offset = 0; ; offset += 50) {
    const { orders } = await admin.get<{ orders: ShopOrder[] }>(
      `/admin/orders?limit=50&offset=${offset}&order=id&fields=${FIELDS}`,
    );
    all.push(...orders.map(expectedOf));
    if (orders.length < 50) return all;
  }
}

/** One point for each whole euro that is kept. Sums are in cents here, the plugin's are not. */
function expectedOf(order: ShopOrder): Expected {
  const payments = order.payment_collections.flatMap((collection) => collection.payments);
  const paid = cents(payments.flatMap(({ captures }) => captures));
  const refunded = cents(payments.flatMap(({ refunds }) => refunds));
  const codes = codesOf(order);
  const isCancelled = order.status === 'canceled';
  const isSettled = paid > 0 || order.total === 0 || codes.length > 0;
  return {
    orderId: order.id,
    email: order.email,
    status: isCancelled ? 'cancelled' : isSettled ? 'paid' : 'open',
    points: isCancelled ? 0 : Math.floor(Math.max(0, paid - refunded) / 100),
    usedCodes: isCancelled ? [] : codes,
  };
}

/**
 * A code is used if its discount is in the order. A shop that is killed while it places an order stores the discount, and may never link the
 * promotion to the order.
 */
function codesOf({ promotions, items, shipping_methods: shipping }: ShopOrder): number[] {
  const adjustments = [...(items ?? []), ...(shipping ?? [])].flatMap((one) => one.adjustments ?? []);
  const names = [...(promotions ?? []), ...adjustments].flatMap(({ code }) => code ?? []);
  return [...new Set(names.map(Number))].toSorted((one, other) => one - other);
}

function cents(parts: readonly { amount: number }[]): number {
  return parts.reduce((all, { amount }) => all + Math.round(amount * 100), 0);
}
