import { sql, type Db } from '#db/database.ts';
import { readEvents, type StoredEvent } from '#events/read-events.ts';
import type { TakenWebhook } from './take-webhooks.ts';

/** A delivery that waits and whose time has come. */
export interface DueDelivery {
  readonly eventId: number;
  readonly attempts: number;
  readonly createdAt: Date;
  /** Null for a test. */
  readonly event: StoredEvent | null;
}

/** Returns the deliveries of an endpoint that are due, in the order of the feed, with their events as they are now. */
export async function readDueDeliveries(
  db: Db,
  { commerceId, id }: Pick<TakenWebhook, 'commerceId' | 'id'>,
  most: number,
): Promise<DueDelivery[]> {
  const { rows } = await sql<Omit<DueDelivery, 'event'>>`-- read-due-deliveries
    select event_id as "eventId", attempts, created_at as "createdAt"
      from webhook_deliveries
     where commerce_id = ${commerceId} and webhook_id = ${id} and state = 'waiting' and next_at <= now()
     order by event_id
     limit ${most}`.execute(db);
  const due: DueDelivery[] = [];
  for (const row of rows) {
    const { eventId } = row;
    if (eventId < 0) due.push({ ...row, event: null });
    else {
      const [event] = await readEvents(db, commerceId, { after: eventId - 1, through: eventId, most: 1 });
      if (event !== undefined) due.push({ ...row, event });
    }
  }
  return due;
}
