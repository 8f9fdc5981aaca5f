import type { Event, EventTypeName, ListedEvents } from '../admin-wire.ts';
import { orNull, queryOf, text, word } from '../arguments.ts';
import type { CallOptions } from '../call.ts';
import type { AdminCalls } from './calls.ts';

/** The events of the shop, as its people look at them. Systems follow the feed, which misses nothing. */
export function createEventMethods({ get }: AdminCalls) {
  return {
    /** Returns a page of the latest events, newest first. Of a rare type a page may be empty and have a next one. */
    listShopEvents: async (
      page: { type?: EventTypeName | null; cursor?: string | null } = {},
      callOptions?: CallOptions,
    ) =>
      get<ListedEvents>(`/events${queryOf(page, { type: orNull(text), cursor: orNull(text) })}`, callOptions),

    /** Returns an event as a system with all scopes reads it. */
    getShopEvent: async (eventId: string, callOptions?: CallOptions) =>
      get<Event>(`/events/${word(eventId)}`, callOptions),
  };
}
