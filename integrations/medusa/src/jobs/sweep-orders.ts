import type { MedusaContainer } from '@medusajs/framework/types';
import { forgetOldWebhooks } from '../lib/webhooks-seen';
import { sqlOf } from '../lib/database';
import { followerOf } from '../lib/follower';

/** Finds the orders whose event was lost, every five minutes. */
export default async function sweepOrders(container: MedusaContainer): Promise<void> {
  await followerOf(container).sweep();
  await forgetOldWebhooks(sqlOf(container));
}

export const config = { name: 'loyalty-sweep-orders', schedule: '*/5 * * * *' };
