import type { SubscriberArgs, SubscriberConfig } from '@medusajs/framework';
import { followerOf } from '../lib/follower';

/** An order changed: note it and send it at once. If that fails, the job sends it later. */
export default async function orderChanged({
  event: { data },
  container,
}: SubscriberArgs<{ id?: string; order_id?: string }>): Promise<void> {
  const orderId = data.order_id ?? data.id;
  if (orderId === undefined) return;
  const follower = followerOf(container);
  await follower.note(orderId);
  await follower.send({ forMs: 0 });
}

export const config: SubscriberConfig = {
  event: [
    'order.placed',
    'order.updated',
    'order.canceled',
    'order.completed',
    'order.return_received',
    'order.claim_created',
    'order.exchange_created',
    'order-edit.confirmed',
  ],
};
