import { MedusaError } from '@medusajs/framework/utils';
import type { AuthenticatedMedusaRequest, MedusaResponse } from '@medusajs/framework/http';
import type { MedusaContainer } from '@medusajs/framework/types';
import type { z } from '@medusajs/framework/zod';
import type { ToPreview } from '@loyalty/shop-core';
import { findProved } from '../../../../lib/customer';
import { connectionOf } from '../../../../lib/follower';
import { readGraph } from '../../../../lib/graph';
import {
  lineOf,
  shippingLineOf,
  type Amount,
  type MedusaLine,
  type MedusaShipping,
} from '../../../../lib/lines';
import { answer } from '../../../answers';
import type { AskedPreview } from '../../../validators';

interface Cart {
  customer_id: string | null;
  email: string | null;
  currency_code: string;
  total: Amount;
  sales_channel_id: string | null;
  sales_channel: { name: string } | null;
  items: MedusaLine[] | null;
  shipping_methods: MedusaShipping[] | null;
}

type ForCommerce = ToPreview & { salesChannelId: string | null };

/**
 * Says what a cart or a product would earn. Only a customer who has proved the address of the cart is told what that member would get: anybody
 * can write any address into a cart.
 */
export async function POST(
  request: AuthenticatedMedusaRequest<z.infer<typeof AskedPreview>>,
  response: MedusaResponse,
): Promise<void> {
  await answer(response, async () => {
    const asked = request.validatedBody;
    const { salesChannelId, ...cart } =
      'cart_id' in asked
        ? await ofCart(request.scope, asked.cart_id, request.auth_context?.actor_id)
        : await ofProduct(request.scope, asked, channelOf(request));
    const { points, stamps = [] } = await connectionOf(request.scope)
      .commerceOf(salesChannelId)
      .preview(cart);
    return { points, stamps };
  });
}

async function ofCart(
  container: MedusaContainer,
  cartId: string,
  customerId: string | undefined,
): Promise<ForCommerce> {
  const [cart] = await readGraph<Cart>(container, {
    entity: 'cart',
    fields: [
      'customer_id',
      'email',
      'currency_code',
      'total',
      'sales_channel_id',
      'sales_channel.name',
      'items.*',
      'items.product.handle',
      'items.product.categories.handle',
      'shipping_methods.*',
    ],
    filters: { id: cartId },
  });
  if (cart === undefined) throw new MedusaError(MedusaError.Types.NOT_FOUND, 'there is no such cart');
  return {
    email: await buyerOf(container, cart, customerId),
    total: Number(cart.total),
    currency: cart.currency_code,
    channel: cart.sales_channel?.name ?? null,
    lines: [...(cart.items ?? []).map(lineOf), ...(cart.shipping_methods ?? []).map(shippingLineOf)],
    salesChannelId: cart.sales_channel_id,
  };
}

/** The points of an order go to the address of its cart, so nobody is told those of an account with another one. */
async function buyerOf(
  container: MedusaContainer,
  cart: Cart,
  customerId: string | undefined,
): Promise<string | null> {
  const customer = await findProved(container, customerId);
  if (customer === null) return null;
  const isTheirs =
    cart.email === null
      ? cart.customer_id === customer.id
      : cart.email.toLowerCase() === customer.email.toLowerCase();
  return isTheirs ? customer.email : null;
}

async function ofProduct(
  container: MedusaContainer,
  {
    product_id: productId,
    amount,
    currency_code: currency,
  }: { product_id: string; amount: number; currency_code: string },
  salesChannelId: string | null,
): Promise<ForCommerce> {
  const [product] = await readGraph<NonNullable<MedusaLine['product']>>(container, {
    entity: 'product',
    fields: ['id', 'handle', 'categories.handle'],
    filters: { id: productId },
  });
  if (product === undefined) throw new MedusaError(MedusaError.Types.NOT_FOUND, 'there is no such product');
  return {
    email: null,
    total: amount,
    currency,
    channel: null,
    lines: [lineOf({ id: '1', quantity: 1, total: amount, product })],
    salesChannelId,
  };
}

/** The publishable key of the page says which sales channel it is of. */
function channelOf(request: AuthenticatedMedusaRequest): string | null {
  const { publishable_key_context: context } = request as unknown as {
    publishable_key_context?: { sales_channel_ids?: string[] };
  };
  return context?.sales_channel_ids?.[0] ?? null;
}
