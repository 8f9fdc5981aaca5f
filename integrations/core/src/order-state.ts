import { allocateLines, type OrderLine, type OrderState } from '@loyalty/sdk';
import type { ShopLine, ShopOrder } from './shop-order.ts';

/** The most that the service accepts: lines and codes of an order, categories of a line, units of a line, characters of a name. */
const MOST = { lines: 100, codes: 20, categories: 20, units: 999, characters: 64 };
const THE_REST = 'rest';

/** A state, and the order that it is of. */
type SentState = OrderState & { external_id: string };

/**
 * Returns what `PUT /v1/orders/{external_id}` says about an order. Pure: the same order gives the same state. The cents of the total are
 * dropped, not those of each line, so whole units that come back are those that the total loses. Lines beyond the hundredth become one
 * without a product.
 * @param version rises with each state that is sent
 */
export function orderState(order: ShopOrder, version: number): SentState {
  return stateOf(order, version, whole(order.paid) - whole(keptOf(order)));
}

/**
 * Returns the state of an order of which something else stands, without what could contradict that. The first time of payment stays, so none
 * is said. What came back never becomes less, but an order that grows changes by its cents how many whole units that were: of 26.40 less 5.50
 * they are 6, of 29.60 less 5.50 they are 5. So it is rounded up, and `paid` is what leaves as much as before.
 */
export function laterState(order: ShopOrder, version: number): SentState {
  return withoutPaidAt(stateOf(order, version, Math.ceil(order.refunded - 1e-6)));
}

/** Returns the state of an order that counts from now on. */
export function withoutPaidAt({ paid_at: _paidAt, ...state }: SentState): SentState {
  return state;
}

function stateOf(order: ShopOrder, version: number, cameBack: number): SentState {
  const isPaid = order.state !== 'placed';
  const refunded = isPaid ? Math.max(0, cameBack) : 0;
  const paid = isPaid ? whole(keptOf(order)) + refunded : 0;
  const codes = [...new Set(order.codes)].slice(0, MOST.codes);
  return {
    external_id: order.externalId,
    client_email: order.email,
    status: statusOf(order),
    paid,
    refunded,
    codes,
    ...(order.cartId && codes.length > 0 && { cart_id: order.cartId }),
    version,
    currency: order.currency.toUpperCase(),
    ...(order.state === 'paid' && paid > 0 && order.paidAt && { paid_at: order.paidAt.toISOString() }),
    ...(order.confirmed === true && order.state === 'paid' && { confirmed: true }),
    ...(order.channel && { channel: nameOf(order.channel) }),
    ...linesOf(order.lines, paid, refunded),
  };
}

/** Returns what a cart would earn points for: the part of a state that a preview needs. */
export function cartToPreview(
  cart: Pick<ShopOrder, 'currency' | 'channel' | 'lines'> & { total: number },
): Pick<OrderState, 'paid' | 'currency' | 'channel' | 'lines'> {
  const paid = whole(cart.total);
  return {
    paid,
    currency: cart.currency.toUpperCase(),
    ...(cart.channel && { channel: nameOf(cart.channel) }),
    ...linesOf(cart.lines, paid, 0),
  };
}

/** `open` only holds codes. `paid` uses them, also as long as nothing is paid, and then it is no purchase yet. */
function statusOf({ state, codes }: ShopOrder): OrderState['status'] {
  if (state === 'placed') return codes.length > 0 ? 'paid' : 'open';
  return state;
}

/** Of 26.40, 5.50 come back: 20.90 are left, so of 26 whole units 6 come back. */
function keptOf({ paid, refunded }: ShopOrder): number {
  return Math.max(0, paid - refunded);
}

/** Drops the cents. A sum of decimals such as 20.999999999 is 21. */
function whole(money: number): number {
  return Math.max(0, Math.floor(money + 1e-6));
}

function linesOf(
  lines: readonly ShopLine[],
  paid: number,
  refunded: number,
): { lines: OrderLine[] } | Record<string, never> {
  const sold = atMost(lines.filter(({ units, total }) => units > 0 && total >= 0));
  const prices = sold.map(({ total }) => total);
  // Without lines, the service counts the whole as one.
  if (sold.length === 0 || (paid > 0 && !prices.some((price) => price > 0))) return {};
  const amounts = allocateLines(paid, prices);
  const returned = returnedOf(sold, amounts, refunded);
  return {
    lines: sold.map((line, index) => ({
      id: line.id,
      ...(line.product && line.product.length <= MOST.characters && { product: line.product }),
      ...(line.categories?.length && { categories: categoriesOf(line.categories) }),
      units: unitsOf(line.units),
      amount: amounts[index]!,
      ...(line.discounted === true && { discounted: true }),
      ...((returned[index]! > 0 || (line.returnedUnits ?? 0) > 0) && {
        returned_units: Math.min(unitsOf(line.units), Math.max(0, Math.round(line.returnedUnits ?? 0))),
        returned_amount: returned[index]!,
      }),
    })),
  };
}

/**
 * Shares what was refunded out over the lines: first over what came back, by its price, then over the rest, because money can go back
 * without goods.
 */
function returnedOf(lines: readonly ShopLine[], amounts: readonly number[], refunded: number): number[] {
  const came = lines.map(({ units, returnedUnits = 0 }, index) =>
    Math.floor((amounts[index]! * Math.min(units, Math.max(0, returnedUnits))) / units),
  );
  const forGoods = Math.min(refunded, sumOf(came));
  const first = allocateLines(forGoods, came);
  const left = amounts.map((amount, index) => amount - first[index]!);
  const second = allocateLines(refunded - forGoods, left);
  return first.map((amount, index) => amount + second[index]!);
}

function atMost(lines: readonly ShopLine[]): readonly ShopLine[] {
  if (lines.length <= MOST.lines) return lines;
  const kept = lines.slice(0, MOST.lines - 1);
  const rest = lines.slice(MOST.lines - 1);
  return [...kept, { id: THE_REST, units: 1, total: sumOf(rest.map(({ total }) => total)) }];
}

function categoriesOf(names: readonly string[]): string[] {
  const known = new Set(names.filter((name) => name.length > 0 && name.length <= MOST.characters));
  return [...known].slice(0, MOST.categories);
}

function unitsOf(units: number): number {
  return Math.min(MOST.units, Math.max(1, Math.round(units)));
}

function nameOf(text: string): string {
  return text.slice(0, MOST.characters);
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}
