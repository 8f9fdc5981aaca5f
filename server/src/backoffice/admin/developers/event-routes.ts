import { Type } from 'typebox';
import type { Database } from '#db/database.ts';
import { EVENT_TYPE_NAMES } from '#events/event-types.ts';
import { readFeed, type EventIds } from '#events/feed.ts';
import { readEvent, readLatestEvents, type StoredEvent } from '#events/read-events.ts';
import { EventSchema, eventToWire, type Sight } from '#events/wire.ts';
import { Instant, Int64, Nullable, StrEnum } from '#http/schema.ts';
import { NotFound } from '#problems/problem.ts';
import type { AdminRoutes } from '../admin-routes.ts';

class UnknownEvent extends NotFound {
  constructor() {
    super('the commerce has no event with this id');
  }
}

const EVENT_ID = '^evt_[0-9]{15}$';
const eventId = Type.String({
  pattern: EVENT_ID,
  description: 'The id of the event.',
  examples: ['evt_446165214474872'],
});

const ListedEventSchema = Type.Object(
  {
    event_id: eventId,
    type: StrEnum(EVENT_TYPE_NAMES, { examples: ['voucher.used'] }),
    at: Instant({ description: 'When it was recorded.' }),
    client_code: Nullable(
      Int64({ description: 'The code of the member that it is about.', examples: [482915374] }),
    ),
    client_email: Nullable(
      Type.String({
        description: 'Their address. Null once they are erased.',
        examples: ['eva@example.com'],
      }),
    ),
  },
  { title: 'ListedEvent' },
);

const ListedEventsSchema = Type.Object(
  {
    results: Type.Array(ListedEventSchema),
    next_cursor: Nullable(
      Type.String({
        description: 'Null on the last page. A page of rare types may be empty and have a next one.',
      }),
    ),
  },
  { title: 'ListedEvents' },
);

/** What a reader with all scopes gets. */
const ALL: Sight = { people: true, codes: true };
const tags = ['Developers'];
const unknown = { 404: 'The commerce has no event with this id.' };

/** The owner looks at the events that other systems get. */
export function eventLookRoutes({ adminRead }: AdminRoutes, { db: database }: { readonly db: Database }) {
  return {
    listShopEvents: adminRead({
      role: 'owner',
      schema: {
        operationId: 'listShopEvents',
        summary: 'List the latest events',
        description:
          'Newest first. Systems of the shop follow the feed in the other direction, and miss nothing.',
        tags,
        querystring: Type.Object({
          type: Type.Optional(StrEnum(EVENT_TYPE_NAMES, { description: 'Only events of this type.' })),
          cursor: Type.Optional(
            Type.String({
              pattern: EVENT_ID,
              description: 'The `next_cursor` of a page. Omit it to get the newest ones.',
            }),
          ),
        }),
        response: { 200: ListedEventsSchema },
      },
      refusals: unknown,
      read: async (db, { commerceId, query: { type, cursor } }) => {
        const { ids } = await readFeed(database, commerceId);
        const { events, next } = await readLatestEvents(db, commerceId, {
          before: cursor === undefined ? null : knownId(cursor, ids),
          types: type === undefined ? null : new Set([type]),
        });
        return {
          results: events.map((event) => listed(event, ids)),
          next_cursor: next === null ? null : wireId(next, ids),
        };
      },
    }),

    getShopEvent: adminRead({
      role: 'owner',
      schema: {
        operationId: 'getShopEvent',
        summary: 'Get an event',
        description: 'As a system with all scopes reads it in the feed.',
        tags,
        params: Type.Object({ event_id: eventId }),
        response: { 200: EventSchema },
      },
      refusals: unknown,
      read: async (db, { commerceId, params }) => {
        const { ids } = await readFeed(database, commerceId);
        const event = await readEvent(db, commerceId, knownId(params.event_id, ids));
        if (event === null) throw new UnknownEvent();
        return eventToWire(event, commerceId, ids, ALL);
      },
    }),
  };
}

function wireId(id: number, ids: EventIds): string {
  return `evt_${ids.event(id)}`;
}

/** @throws UnknownEvent */
function knownId(text: string, ids: EventIds): number {
  const id = ids.showEvent(Number(text.slice('evt_'.length)));
  if (id === null) throw new UnknownEvent();
  return id;
}

function listed({ id, type, recordedAt, person }: StoredEvent, ids: EventIds) {
  return {
    event_id: wireId(id, ids),
    type,
    at: recordedAt,
    client_code: person?.code ?? null,
    client_email: person?.email ?? null,
  };
}
