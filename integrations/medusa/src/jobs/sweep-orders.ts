import type { MedusaContainer } from '@medusajs/framework/types';
import { releaseTakenOut } from '../lib/cart-codes';
import { sqlOf } from '../lib/database';
import { followerOf } from '../lib/follower';
import { forgetOldWebhooks } from '../lib/handled-webhooks';

/** Finds the orders whose event was lost and the codes that were taken out of their carts, every five minutes. */
export default async function sweepOrders(container: MedusaContainer): Promise<void> {
  await followerOf(container).sweep();
  await releaseTakenOut(container);
  await forgetOldWebhooks(sqlOf(container));
}

export const config = { name: 'loyalty-sweep-orders', schedule: '*/5 * * * *' };
