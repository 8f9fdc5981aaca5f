import type { MedusaContainer } from '@medusajs/framework/types';
import { followerOf } from '../lib/follower';

/** Sends the orders that wait, every ten seconds. */
export default async function sendOrders(container: MedusaContainer): Promise<void> {
  await followerOf(container).send();
}

export const config = { name: 'loyalty-send-orders', schedule: '*/10 * * * * *' };
