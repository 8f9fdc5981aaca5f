import type { MedusaContainer } from '@medusajs/framework/types';
import { readGraph } from './graph';

/** Where an order can change, the field that says when, and the path from there to the order's id. */
const PLACES = [
  { entity: 'order', when: 'updated_at', path: ['id'] },
  { entity: 'order_change', when: 'updated_at', path: ['order_id'] },
  { entity: 'return', when: 'updated_at', path: ['order_id'] },
  { entity: 'payment', when: 'updated_at', path: ['payment_collection', 'order', 'id'] },
  { entity: 'capture', when: 'created_at', path: ['payment', 'payment_collection', 'order', 'id'] },
  { entity: 'refund', when: 'created_at', path: ['payment', 'payment_collection', 'order', 'id'] },
] as const;
const PAGE = 200;

/** Yields the ids of the orders that have changed since then, by themselves or by their payments and returns. */
export async function* changedOrders(container: MedusaContainer, since: Date): AsyncGenerator<string> {
  for (const { entity, when, path } of PLACES)
    for (let skip = 0; ; skip += PAGE) {
      const rows = await readGraph<Record<string, unknown>>(container, {
        entity,
        fields: ['id', path.join('.')],
        filters: { [when]: { $gte: since } },
        pagination: { skip, take: PAGE, order: { id: 'ASC' } },
      });
      for (const row of rows) {
        const id = path.reduce<unknown>(
          (value, key) => (value as Record<string, unknown> | null)?.[key],
          row,
        );
        if (typeof id === 'string') yield id;
      }
      if (rows.length < PAGE) break;
    }
}
