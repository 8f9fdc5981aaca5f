import type { EventIds } from '#events/feed.ts';
import type { StoredEvent } from '#events/read-events.ts';
import { eventToWire, sightOf } from '#events/wire.ts';
import type { KeyScope } from '#http/key-scopes.ts';
import { deliveryIdOf } from './delivery-ids.ts';

/** The specification asks for less. */
const MOST_BYTES = 20_000;

/** A request as it is signed. */
export interface Payload {
  /** The same in each attempt, so that a receiver recognises a repeat. */
  readonly id: string;
  readonly body: string;
}

/** Writes an event as an endpoint with these scopes gets it. */
export function writePayload(
  event: StoredEvent,
  commerceId: number,
  ids: EventIds,
  scopes: readonly KeyScope[],
): Payload {
  const data = eventToWire(event, commerceId, ids, sightOf(scopes));
  const body = write(data.type, data.at, data);
  if (Buffer.byteLength(body) <= MOST_BYTES) return { id: data.id, body };
  // Only the points of very many days are so long.
  const { dates: _, ...short } = data.data;
  return { id: data.id, body: write(data.type, data.at, { ...data, data: short }) };
}

/** The type of a test, which is in no feed. */
export const TEST_TYPE = 'webhook.test';

/** Writes a test. */
export function writeTest(eventId: number, commerceId: number, at: Date, ids: EventIds): Payload {
  const id = deliveryIdOf(eventId, ids);
  const data = { id, type: TEST_TYPE, at, program_at: at, commerce_id: commerceId, data: {}, sealed: null };
  return { id, body: write(TEST_TYPE, at, data) };
}

function write(type: string, timestamp: Date, data: object): string {
  return JSON.stringify({ type, timestamp, data });
}
