/** The shop as its customers and its staff reach it: over its two GraphQL APIs. */

/** Somebody with a session at one of the APIs. */
export interface Visitor {
  /** @throws ShopError if the shop answers with an error, or not at all */
  ask<T>(query: string, variables?: Readonly<Record<string, unknown>>): Promise<T>;
}

export class ShopError extends Error {
  override name = 'ShopError';
}

/** Returns somebody who has just opened the shop, or one of its sales channels, by the token of that. */
export function visit(base: string, api: 'shop-api' | 'admin-api', channel?: string): Visitor {
  let token: string | null = null;
  return {
    async ask<T>(query: string, variables: Readonly<Record<string, unknown>> = {}) {
      const response = await fetch(`${base}/${api}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(channel !== undefined && { 'vendure-token': channel }),
          ...(token !== null && { authorization: `Bearer ${token}` }),
        },
        body: JSON.stringify({ query, variables }),
        signal: AbortSignal.timeout(60_000),
      }).catch((error: unknown) => {
        throw new ShopError(`the shop did not answer: ${String(error)}`);
      });
      token = response.headers.get('vendure-auth-token') ?? token;
      const { data, errors } = await (
        response.json() as Promise<{ data?: T; errors?: { message: string }[] }>
      ).catch((error: unknown) => {
        throw new ShopError(`the shop broke off: ${String(error)}`);
      });
      if (errors !== undefined) throw new ShopError(errors.map(({ message }) => message).join('; '));
      return data!;
    },
  };
}

const ORDER =
  'id code state couponCodes totalWithTax shippingWithTax subTotalWithTax loyaltyCodes { code title } lines { id quantity proratedLinePriceWithTax productVariant { id sku } }';

export interface CartOrder {
  id: string;
  code: string;
  state: string;
  couponCodes: string[];
  totalWithTax: number;
  shippingWithTax: number;
  subTotalWithTax: number;
  loyaltyCodes: { code: string; title: string }[];
  lines: {
    id: string;
    quantity: number;
    proratedLinePriceWithTax: number;
    productVariant: { id: string; sku: string };
  }[];
}

export type Refused = { errorCode: string; message: string };

export async function signIn(who: Visitor, email: string, password: string): Promise<void> {
  const { login } = await who.ask<{ login: Partial<Refused> }>(
    `mutation ($email: String!, $password: String!) {
      login(username: $email, password: $password) { ... on ErrorResult { errorCode message } }
    }`,
    { email, password },
  );
  if (login.errorCode !== undefined) throw new ShopError(login.errorCode);
}

/** The ids of the variants by their SKU. */
export async function catalog(who: Visitor): Promise<Map<string, string>> {
  const { products } = await who.ask<{
    products: { items: { variants: { id: string; sku: string }[] }[] };
  }>('{ products { items { variants { id sku } } } }');
  return new Map(products.items.flatMap(({ variants }) => variants.map(({ id, sku }) => [sku, id])));
}

export async function addToCart(who: Visitor, variantId: string, quantity: number): Promise<CartOrder> {
  const { addItemToOrder } = await who.ask<{ addItemToOrder: CartOrder | Refused }>(
    `mutation ($id: ID!, $quantity: Int!) {
      addItemToOrder(productVariantId: $id, quantity: $quantity) { ... on Order { ${ORDER} } ... on ErrorResult { errorCode message } }
    }`,
    { id: variantId, quantity },
  );
  return orderIn(addItemToOrder);
}

export async function typeCode(who: Visitor, code: string): Promise<CartOrder | Refused> {
  const { applyCouponCode } = await who.ask<{ applyCouponCode: CartOrder | Refused }>(
    `mutation ($code: String!) {
      applyCouponCode(couponCode: $code) { ... on Order { ${ORDER} } ... on ErrorResult { errorCode message } }
    }`,
    { code },
  );
  return applyCouponCode;
}

export async function removeCode(who: Visitor, code: string): Promise<CartOrder> {
  const { removeCouponCode } = await who.ask<{ removeCouponCode: CartOrder }>(
    `mutation ($code: String!) { removeCouponCode(couponCode: $code) { ${ORDER} } }`,
    { code },
  );
  return removeCouponCode;
}

export async function cartOf(who: Visitor): Promise<CartOrder | null> {
  return (await who.ask<{ activeOrder: CartOrder | null }>(`{ activeOrder { ${ORDER} } }`)).activeOrder;
}

/** Goes from the cart to the payment. */
export async function checkOut(who: Visitor, guest?: { email: string }): Promise<CartOrder> {
  if (guest !== undefined)
    await who.ask(
      `mutation ($email: String!) {
        setCustomerForOrder(input: { firstName: "A", lastName: "Guest", emailAddress: $email }) { ... on ErrorResult { errorCode message } }
      }`,
      { email: guest.email },
    );
  await who.ask(`mutation {
    setOrderShippingAddress(input: { streetLine1: "Calle 1", city: "Madrid", postalCode: "28001", countryCode: "ES" }) {
      ... on ErrorResult { errorCode message }
    }
  }`);
  const { eligibleShippingMethods: methods } = await who.ask<{
    eligibleShippingMethods: { id: string }[];
  }>('{ eligibleShippingMethods { id } }');
  await who.ask(
    'mutation ($id: ID!) { setOrderShippingMethod(shippingMethodId: [$id]) { ... on ErrorResult { errorCode message } } }',
    { id: methods[0]!.id },
  );
  const { transitionOrderToState } = await who.ask<{
    transitionOrderToState: CartOrder | (Refused & { transitionError: string });
  }>(
    `mutation { transitionOrderToState(state: "ArrangingPayment") {
      ... on Order { ${ORDER} } ... on OrderStateTransitionError { errorCode message transitionError }
    } }`,
  );
  if ('transitionError' in transitionOrderToState)
    throw new ShopError(transitionOrderToState.transitionError);
  return orderIn(transitionOrderToState);
}

export async function backToCart(who: Visitor): Promise<void> {
  await who.ask('mutation { transitionOrderToState(state: "AddingItems") { ... on Order { id } } }');
}

/** `card` takes the money at once, `later` only authorizes it. */
export async function pay(who: Visitor, method: 'card' | 'later'): Promise<CartOrder> {
  const { addPaymentToOrder } = await who.ask<{ addPaymentToOrder: CartOrder | Refused }>(
    `mutation ($method: String!) {
      addPaymentToOrder(input: { method: $method, metadata: {} }) { ... on Order { ${ORDER} } ... on ErrorResult { errorCode message } }
    }`,
    { method },
  );
  return orderIn(addPaymentToOrder);
}

function orderIn(answer: CartOrder | Refused): CartOrder {
  if ('errorCode' in answer) throw new ShopError(`${answer.errorCode}: ${answer.message}`);
  return answer;
}

/** What the shop's books say of an order, whatever the plugin thinks. */
export interface BookedOrder {
  id: string;
  code: string;
  state: string;
  orderPlacedAt: string | null;
  customer: { emailAddress: string } | null;
  lines: { id: string; quantity: number }[];
  payments: {
    id: string;
    state: string;
    amount: number;
    refunds: { id: string; state: string; total: number }[];
  }[];
  loyaltyCodes: { code: string }[];
}

const BOOKED =
  'id code state orderPlacedAt customer { emailAddress } lines { id quantity } payments { id state amount refunds { id state total } } loyaltyCodes { code }';

export async function readOrders(staff: Visitor): Promise<BookedOrder[]> {
  const all: BookedOrder[] = [];
  for (;;) {
    const { orders } = await staff.ask<{ orders: { items: BookedOrder[]; totalItems: number } }>(
      `query ($skip: Int!) { orders(options: { take: 100, skip: $skip, sort: { id: ASC } }) { totalItems items { ${BOOKED} } } }`,
      { skip: all.length },
    );
    all.push(...orders.items);
    if (orders.items.length === 0 || all.length >= orders.totalItems) return all;
  }
}

export async function readOrderById(staff: Visitor, id: string): Promise<BookedOrder> {
  return (
    await staff.ask<{ order: BookedOrder }>(`query ($id: ID!) { order(id: $id) { ${BOOKED} } }`, { id })
  ).order;
}

/** Takes the money that was authorized. */
export async function capture(staff: Visitor, paymentId: string): Promise<void> {
  await staff.ask(
    'mutation ($id: ID!) { settlePayment(id: $id) { ... on ErrorResult { errorCode message } } }',
    {
      id: paymentId,
    },
  );
}

/** Gives money back, in cents. */
export async function refund(staff: Visitor, paymentId: string, amount: number): Promise<void> {
  const { refundOrder } = await staff.ask<{ refundOrder: { id: string } & Partial<Refused> }>(
    `mutation ($paymentId: ID!, $amount: Money!) {
      refundOrder(input: { paymentId: $paymentId, amount: $amount, lines: [], shipping: 0, adjustment: 0 }) {
        ... on Refund { id } ... on ErrorResult { errorCode message }
      }
    }`,
    { paymentId, amount },
  );
  if (refundOrder.errorCode !== undefined) throw new ShopError(refundOrder.errorCode);
  await settleRefund(staff, refundOrder.id);
}

/** The payment of the example gives no money back by itself: staff say that it went. */
export async function settleRefund(staff: Visitor, id: string): Promise<void> {
  await staff.ask(
    'mutation ($id: ID!) { settleRefund(input: { id: $id, transactionId: "by hand" }) { ... on ErrorResult { errorCode message } } }',
    { id },
  );
}

export async function cancelOrder(staff: Visitor, id: string): Promise<void> {
  const { cancelOrder: answer } = await staff.ask<{ cancelOrder: Partial<Refused> }>(
    'mutation ($id: ID!) { cancelOrder(input: { orderId: $id, cancelShipping: true }) { ... on ErrorResult { errorCode message } } }',
    { id },
  );
  if (answer.errorCode !== undefined) throw new ShopError(answer.errorCode);
}

/** Opens a sales channel that sells what the shop sells, and returns its token. */
export async function openChannel(
  staff: Visitor,
  code: string,
  currency: 'EUR' | 'USD' = 'EUR',
): Promise<string> {
  const token = `${code}-token`;
  const { zones, products, shippingMethods, paymentMethods, stockLocations } = await staff.ask<
    Record<'zones' | 'products' | 'shippingMethods' | 'paymentMethods' | 'stockLocations', { items: Id[] }>
  >(`{
    zones { items { id } } products { items { id } } shippingMethods { items { id } }
    paymentMethods { items { id } } stockLocations { items { id } }
  }`);
  const { createChannel: channel } = await staff.ask<{ createChannel: Id }>(
    `mutation ($code: String!, $token: String!, $zone: ID!, $currency: CurrencyCode!) {
      createChannel(input: {
        code: $code, token: $token, defaultLanguageCode: en, pricesIncludeTax: true, defaultCurrencyCode: $currency,
        availableCurrencyCodes: [$currency], defaultTaxZoneId: $zone, defaultShippingZoneId: $zone
      }) { ... on Channel { id } ... on ErrorResult { errorCode message } }
    }`,
    { code, token, currency, zone: zones.items[0]!.id },
  );
  const ids = ({ items }: { items: Id[] }) => items.map(({ id }) => id);
  await staff.ask(
    `mutation ($channel: ID!, $products: [ID!]!, $shipping: [ID!]!, $payment: [ID!]!, $stock: [ID!]!) {
      assignProductsToChannel(input: { channelId: $channel, productIds: $products }) { id }
      assignShippingMethodsToChannel(input: { channelId: $channel, shippingMethodIds: $shipping }) { id }
      assignPaymentMethodsToChannel(input: { channelId: $channel, paymentMethodIds: $payment }) { id }
      assignStockLocationsToChannel(input: { channelId: $channel, stockLocationIds: $stock }) { id }
    }`,
    {
      channel: channel.id,
      products: ids(products),
      shipping: ids(shippingMethods),
      payment: ids(paymentMethods),
      stock: ids(stockLocations),
    },
  );
  return token;
}

interface Id {
  id: string;
}

export interface Health {
  serviceError: string | null;
  consoleUrl: string;
  waiting: number;
  failed: number;
  failedOrders: { orderId: string; error: string }[];
  sweptUntil: string | null;
}

export async function readHealth(staff: Visitor): Promise<Health> {
  return (
    await staff.ask<{ loyaltyHealth: Health }>(
      '{ loyaltyHealth { serviceError consoleUrl waiting failed sweptUntil failedOrders { orderId error } } }',
    )
  ).loyaltyHealth;
}
