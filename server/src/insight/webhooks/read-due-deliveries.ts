import { sql, type Db } from '#db/database.ts';
import { readListedEvents, type StoredEvent } from '#events/read-events.ts';
import type { TakenWebhook } from './take-webhooks.ts';

/** A delivery that waits and whose time has come. */
export interface DueDelivery {
  readonly eventId: number;
  readonly attempts: number;
  readonly createdAt: Date;
  /** Null for a test. */
  readonly event: StoredEvent | null;
}

/**
 * Returns the deliveries of an endpoint that have been due for longest, in the order of the feed, with their events as they are now. However
 * many wait, it reads no more than it returns.
 */
export async function readDueDeliveries(
  db: Db,
  { commerceId, id }: Pick<TakenWebhook, 'commerceId' | 'id'>,
  most: number,
): Promise<DueDelivery[]> {
  const { rows } = await sql<Omit<DueDelivery, 'event'>>`-- read-due-deliveries
    select event_id as "eventId", attempts, created_at as "createdAt"
      from webhook_deliveries
     where commerce_id = ${commerceId} and webhook_id = ${id} and state = 'waiting' and next_at <= now()
     order by next_at
     limit ${most}`.execute(db);
  const ids = rows.flatMap(({ eventId }) => (eventId < 0 ? [] : [eventId]));
  const events = new Map((await readListedEvents(db, commerceId, ids)).map((event) => [event.id, event]));
  return rows
    .toSorted((a, b) => a.eventId - b.eventId)
    .flatMap((row) => {
      const event = row.eventId < 0 ? null : events.get(row.eventId);
      return event === undefined ? [] : [{ ...row, event }];
    });
}
