import type { EventIds } from '#events/feed.ts';

/**
 * The id of a delivery as receivers know it, in `webhook-id`: that of the event, which is the same in the feed. A test is no event, and has a
 * negative id in the database.
 */
export function deliveryIdOf(eventId: number, ids: EventIds): string {
  return eventId < 0 ? `test_${ids.event(-eventId)}` : `evt_${ids.event(eventId)}`;
}

export const DELIVERY_ID = '^(evt|test)_[0-9]{15}$';

/** Returns null if no delivery of this commerce can have this id. */
export function eventIdOf(deliveryId: string, ids: EventIds): number | null {
  const [kind, hidden] = deliveryId.split('_');
  const id = ids.showEvent(Number(hidden));
  return id === null ? null : kind === 'test' ? -id : id;
}
