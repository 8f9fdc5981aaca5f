import type { SubscriberArgs, SubscriberConfig } from '@medusajs/framework';
import { followerOf } from '../lib/follower';
import { readGraph } from '../lib/graph';

/** Money of an order came or went back. The payment of an order that is being placed has no order yet; `order.placed` follows. */
export default async function paymentChanged({
  event: { data },
  container,
}: SubscriberArgs<{ id: string }>): Promise<void> {
  const [payment] = await readGraph<{ payment_collection?: { order?: { id: string } | null } | null }>(
    container,
    {
      entity: 'payment',
      fields: ['id', 'payment_collection.order.id'],
      filters: { id: data.id },
    },
  );
  const orderId = payment?.payment_collection?.order?.id;
  if (orderId === undefined) return;
  const follower = followerOf(container);
  await follower.note(orderId);
  await follower.send({ forMs: 0 });
}

export const config: SubscriberConfig = { event: ['payment.captured', 'payment.refunded'] };
