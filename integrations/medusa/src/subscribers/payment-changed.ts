import type { SubscriberArgs, SubscriberConfig } from '@medusajs/framework';
import { ContainerRegistrationKeys } from '@medusajs/framework/utils';
import { followerOf } from '../lib/follower';

/** Money of an order came or went back. The payment of an order that is being placed has no order yet; `order.placed` follows. */
export default async function paymentChanged({
  event: { data },
  container,
}: SubscriberArgs<{ id: string }>): Promise<void> {
  const query = container.resolve(ContainerRegistrationKeys.QUERY);
  const { data: payments } = await query.graph({
    entity: 'payment',
    fields: ['id', 'payment_collection.order.id'],
    filters: { id: data.id },
  });
  const [payment] = payments as unknown as {
    payment_collection?: { order?: { id: string } | null } | null;
  }[];
  const orderId = payment?.payment_collection?.order?.id;
  if (orderId === undefined) return;
  const follower = followerOf(container);
  await follower.note(orderId);
  await follower.send({ forMs: 0 });
}

export const config: SubscriberConfig = { event: ['payment.captured', 'payment.refunded'] };
