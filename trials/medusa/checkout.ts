/** What customers and the people of the shop do, over the shop's own interface. */
import type { Seeded } from './seed.ts';
import { createCaller, signIn, type Caller } from './shop-api.ts';
import type { World } from './world.ts';

/** A placed order, as its customer and the admin need it. */
export interface Placed {
  readonly orderId: string;
  readonly total: number;
}

/** What is put into a cart. */
export interface Wanted {
  readonly email: string;
  readonly items: readonly { variantId: string; quantity: number }[];
  readonly codes?: readonly string[];
}

/** Makes a cart with items, an address and a way of shipping. */
export async function makeCart(store: Caller, seeded: Seeded, { email, items }: Wanted): Promise<string> {
  const address = {
    first_name: 'Eva',
    last_name: 'Luna',
    address_1: 'Calle Mayor 2',
    city: 'Madrid',
    postal_code: '28001',
    country_code: 'es',
  };
  const { cart } = await store.post<{ cart: { id: string } }>('/store/carts', {
    region_id: seeded.regionId,
    email,
    shipping_address: address,
    billing_address: address,
  });
  for (const { variantId, quantity } of items)
    await store.post(`/store/carts/${cart.id}/line-items`, { variant_id: variantId, quantity });
  await store.post(`/store/carts/${cart.id}/shipping-methods`, { option_id: seeded.shippingOptionId });
  return cart.id;
}

/** Pays a cart in the way that the shop's own provider has: the money is captured by hand later. */
export async function placeOrder(store: Caller, cartId: string): Promise<Placed> {
  const { payment_collection: collection } = await store.post<{ payment_collection: { id: string } }>(
    '/store/payment-collections',
    { cart_id: cartId },
  );
  await store.post(`/store/payment-collections/${collection.id}/payment-sessions`, {
    provider_id: 'pp_system_default',
  });
  const completed = await store.post<{
    type: string;
    order?: { id: string; total: number };
    error?: unknown;
  }>(`/store/carts/${cartId}/complete`);
  if (completed.order === undefined)
    throw new Error(`the cart became no order: ${JSON.stringify(completed)}`);
  return { orderId: completed.order.id, total: completed.order.total };
}

/** Makes an order at once. */
export async function order({ store, seeded }: World, wanted: Wanted): Promise<Placed> {
  const cartId = await makeCart(store, seeded, wanted);
  for (const code of wanted.codes ?? []) await store.post(`/store/carts/${cartId}/loyalty-codes`, { code });
  return placeOrder(store, cartId);
}

/** Captures what is due of an order. */
export async function capture(admin: Caller, orderId: string): Promise<void> {
  for (const { id } of await paymentsOf(admin, orderId)) await admin.post(`/admin/payments/${id}/capture`);
}

/** Pays an amount back. */
export async function refund(admin: Caller, orderId: string, amount: number): Promise<void> {
  const [payment] = await paymentsOf(admin, orderId);
  await admin.post(`/admin/payments/${payment!.id}/refund`, { amount });
}

export async function cancel(admin: Caller, orderId: string): Promise<void> {
  await admin.post(`/admin/orders/${orderId}/cancel`);
}

/** Adds an item to an order that was placed. */
export async function addItem(
  admin: Caller,
  orderId: string,
  { variantId, quantity }: { variantId: string; quantity: number },
): Promise<void> {
  await admin.post('/admin/order-edits', { order_id: orderId });
  const edit = `/admin/order-edits/${orderId}`;
  await admin.post(`${edit}/items`, { items: [{ variant_id: variantId, quantity }] });
  await admin.post(`${edit}/request`);
  await admin.post(`${edit}/confirm`);
}

/** Marks what is open of an order as paid, as for a transfer. */
export async function payRest(admin: Caller, orderId: string): Promise<void> {
  const { order } = await admin.get<{
    order: { payment_collections: { id: string; status: string }[] };
  }>(`/admin/orders/${orderId}?fields=id,*payment_collections`);
  const open = order.payment_collections.find(({ status }) => status === 'not_paid');
  if (open === undefined) throw new Error(`nothing is open: ${JSON.stringify(order.payment_collections)}`);
  await admin.post(`/admin/payment-collections/${open.id}/mark-as-paid`, { order_id: orderId });
}

async function paymentsOf(admin: Caller, orderId: string): Promise<{ id: string }[]> {
  const { order } = await admin.get<{ order: { payment_collections: { payments: { id: string }[] }[] } }>(
    `/admin/orders/${orderId}?fields=id,*payment_collections.payments`,
  );
  return order.payment_collections.flatMap(({ payments }) => payments);
}

/** Registers a customer at the shop, and returns their token. */
export async function register({ shop, seeded }: World, email: string): Promise<string> {
  const person = { email, password: 'a-password-of-eva' };
  const { token } = await createCaller(shop.base, {}).post<{ token: string }>(
    '/auth/customer/emailpass/register',
    person,
  );
  const registering = createCaller(shop.base, {
    'x-publishable-api-key': seeded.publishableKey,
    authorization: `Bearer ${token}`,
  });
  await registering.post('/store/customers', { email });
  return signIn(shop.base, 'customer', person);
}
