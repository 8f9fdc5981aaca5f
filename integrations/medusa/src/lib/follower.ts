import type { MedusaContainer } from '@medusajs/framework/types';
import { followOrders, postgresOutbox, type OrderFollower } from '@loyalty/shop-core';
import { CONNECTION } from '../modules/connection';
import type { ConnectionService } from '../modules/connection/service';
import { changedOrders } from './changed-orders';
import { sqlOf } from './database';
import { readOrder } from './read-order';

/** Returns the connection to the service. */
export function connectionOf(container: MedusaContainer): ConnectionService {
  return container.resolve<ConnectionService>(CONNECTION);
}

/** Returns what makes the orders of this shop follow at the service. It keeps nothing, so each caller makes its own. */
export function followerOf(container: MedusaContainer): OrderFollower {
  const connection = connectionOf(container);
  return followOrders({
    outbox: postgresOutbox(sqlOf(container)),
    readOrder: (orderId) => readOrder(container, orderId),
    changedSince: (since) => changedOrders(container, since),
    client: ({ salesChannelId }) => connection.commerceOf(salesChannelId).client,
  });
}
