import { Type } from 'typebox';
import { readWireIds, type WireIds } from '#calls/wire-ids.ts';
import type { Database } from '#db/database.ts';
import { createCursors, type Position } from '#http/cursor.ts';
import { route } from '#http/route.ts';
import type { HolderReader } from '#points/holder-reader.ts';
import { EXPIRY_ID, readActivity } from './read-history.ts';
import { ActivityPageSchema, activityItemToWire } from './wire.ts';

/** Shows a signed-in person their history at one commerce. */
export function historyRoutes({
  db,
  holderOf,
  secret,
}: {
  db: Database;
  holderOf: HolderReader;
  secret: string;
}) {
  return {
    listMyActivity: route({
      schema: {
        operationId: 'listMyActivity',
        summary: 'List my history',
        description:
          'Newest first. Pass `next_cursor` as `cursor` to get the next page. It is null on the last page.',
        tags: ['My account'],
        querystring: Type.Object({
          cursor: Type.Optional(
            Type.String({ maxLength: 512, description: 'Omit it to get the first page.' }),
          ),
        }),
        response: { 200: ActivityPageSchema },
      },
      config: { turn: 'read', credential: 'user', document: 'contract' },
      handler: async (request) => {
        const { commerceId, userId, query } = request;
        const cursors = createCursors(secret, `activity/${commerceId}/${userId}`);
        const ids = await readWireIds(db, 'purchase');
        const position =
          query.cursor === undefined || query.cursor === '' ? null : showId(ids, cursors.open(query.cursor));
        const { commerce, member } = await holderOf({ commerceId, userId });
        if (member === null) return { results: [], next_cursor: null, previous_cursor: null };
        const page = await readActivity(db, commerce, member.id, position);
        return {
          results: page.items.map((activity) =>
            activityItemToWire(activity, commerce.program.locale, request.serviceUrl),
          ),
          next_cursor: page.next && cursors.seal(hideId(ids, page.next)),
          previous_cursor: page.previous && cursors.seal(hideId(ids, page.previous)),
        };
      },
    }),
  };
}

/** The owner of a cursor can read its content, and the ids of movements count up over all shops. */
function hideId(ids: WireIds, position: Position): Position {
  return position.id === EXPIRY_ID ? position : { ...position, id: ids.toWire(position.id) };
}

function showId(ids: WireIds, position: Position): Position {
  return { ...position, id: ids.fromWire(position.id) ?? position.id };
}
