import type { FastifyRequest } from 'fastify';
import { Type, type Static } from 'typebox';
import { readWireIds, type WireIds } from '#batching/wire-ids.ts';
import type { Database } from '#db/database.ts';
import { createCursors, type Position } from '#http/cursor.ts';
import { route } from '#http/route.ts';
import type { HistoryReader } from './history-reader.ts';
import { EXPIRY_ID, type Activity } from './read-history.ts';
import { ActivityPageSchema, activityItemToWire, HistoryPageSchema, historyItemToWire } from './wire.ts';
import type { SecretKeys } from '#settings/secret-key.ts';

/** Shows a signed-in person their history at one commerce. */
export function historyRoutes({
  db,
  historyOf,
  secret,
}: {
  db: Database;
  historyOf: HistoryReader;
  secret: SecretKeys;
}) {
  const querystring = Type.Object({
    cursor: Type.Optional(Type.String({ maxLength: 512, description: 'Omit it to get the first page.' })),
  });

  return {
    listMyActivity: route({
      schema: {
        operationId: 'listMyActivity',
        summary: 'List my history',
        description:
          'Newest first. Pass `next_cursor` as `cursor` to get the next page. It is null on the last page.',
        tags: ['My account'],
        querystring,
        response: { 200: ActivityPageSchema },
      },
      config: { turn: 'none', credential: 'user', document: 'contract' },
      handler: (request) => readPage(request, activityItemToWire, { withFactors: false }),
    }),

    listMyHistory: route({
      schema: {
        operationId: 'listMyHistory',
        summary: 'List my history, with what made the points',
        description:
          'The same entries and cursors as `GET /v1/me/activity`. Each also says what happened in one word, and what increased the points of a purchase.',
        tags: ['My account'],
        querystring,
        response: { 200: HistoryPageSchema },
      },
      config: { turn: 'none', credential: 'user', document: 'extensions' },
      handler: (request) => readPage(request, historyItemToWire, { withFactors: true }),
    }),
  };

  async function readPage<Item>(
    request: FastifyRequest,
    toWire: (activity: Activity, locale: string, serviceUrl: string) => Item,
    { withFactors }: { readonly withFactors: boolean },
  ): Promise<{ results: Item[]; next_cursor: string | null; previous_cursor: string | null }> {
    const { commerceId, userId, serviceUrl } = request;
    const { cursor } = request.query as Static<typeof querystring>;
    const cursors = createCursors(secret, `activity/${commerceId}/${userId}`);
    const ids = await readWireIds(db, commerceId, 'purchase');
    const position = cursor === undefined || cursor === '' ? null : showId(ids, cursors.open(cursor));
    const page = await historyOf({ commerceId, whose: 'user', id: userId, position, withFactors });
    request.commerceTime = page.commerce.now;
    const { locale } = page.commerce.program;
    return {
      results: page.items.map((activity) => toWire(activity, locale, serviceUrl)),
      next_cursor: page.next && cursors.seal(hideId(ids, page.next)),
      previous_cursor: page.previous && cursors.seal(hideId(ids, page.previous)),
    };
  }
}

/** The owner of a cursor can read its content, and the ids of movements count up over all shops. */
function hideId(ids: WireIds, position: Position): Position {
  return position.id === EXPIRY_ID ? position : { ...position, id: ids.toWire(position.id) };
}

function showId(ids: WireIds, position: Position): Position {
  return { ...position, id: ids.fromWire(position.id) ?? position.id };
}
