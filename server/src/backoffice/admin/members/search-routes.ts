import { Type, type Static } from 'typebox';
import { readWireIds } from '#batching/wire-ids.ts';
import { exportList } from '#exports/export-list.ts';
import type { ExportSender } from '#exports/send-export.ts';
import { LISTED_COLUMNS } from '#exports/wire.ts';
import { Int64, Nullable, StrEnum } from '#http/schema.ts';
import { createPageCursors } from '#search/page-cursors.ts';
import { searchMembers, type MemberFilter } from '#search/search-members.ts';
import { SORTS } from '#search/step-in-order.ts';
import type { AdminRoutes } from '../admin-routes.ts';
import { foundMemberToWire } from '../till/member-to-wire.ts';
import { MemberStateSchema } from '../till/wire.ts';
import { MemberListSchema } from './wire.ts';
import type { SecretKeys } from '#settings/secret-key.ts';

const day = (description: string) =>
  Type.Optional(Type.String({ format: 'date', description, examples: ['2026-11-01'] }));

/** An unknown condition is refused, because the list without it would have people whom nobody asked for. */
const conditions = {
  text: Type.Optional(
    Type.String({
      maxLength: 255,
      description: 'A code, an address or its beginning, or the beginnings of words of the name.',
      examples: ['eva mar'],
    }),
  ),
  state: Type.Optional(MemberStateSchema),
  level_id: Type.Optional(
    Nullable(
      Type.String({ maxLength: 64, description: 'Null: those without a tier.', examples: ['captain'] }),
    ),
  ),
  min_points: Type.Optional(Int64({ examples: [100] })),
  max_points: Type.Optional(Int64({ examples: [500] })),
  bought_from: day('The first day of the last purchase.'),
  bought_to: day('The last day of the last purchase.'),
  expiring_days: Type.Optional(
    Int64({ minimum: 0, maximum: 3_650, description: 'Points end within so many days.', examples: [30] }),
  ),
  sort: Type.Optional(StrEnum(SORTS, { description: '`newest` by default.' })),
};
const conditionsAlone = Type.Object(conditions, {
  additionalProperties: false,
  'x-hint': 'Known are the conditions of the list and sort.',
});

const tags = ['Members'];

/** A manager lists the members that meet conditions, and gets the list as a file. */
export function memberSearchRoutes({
  admin: { adminRead },
  secret,
  exportSender,
}: {
  admin: AdminRoutes;
  secret: SecretKeys;
  exportSender: ExportSender;
}) {
  return {
    searchMembers: adminRead({
      role: 'manager',
      schema: {
        operationId: 'searchMembers',
        summary: 'List the members that meet all conditions',
        description:
          'Pass `next_cursor` as `cursor`, with the same conditions, to get the next page. The conditions are in the body, so that no name or address appears in logs of URLs.',
        tags,
        body: Type.Object(
          {
            ...conditions,
            cursor: Type.Optional(
              Type.String({ maxLength: 1_024, description: 'Omit it to get the first page.' }),
            ),
            limit: Type.Optional(
              Int64({ minimum: 1, maximum: 100, default: 20, description: 'How many to return at most.' }),
            ),
          },
          {
            additionalProperties: false,
            'x-hint': 'Known are the conditions of the list, sort, cursor and limit.',
          },
        ),
        response: { 200: MemberListSchema },
      },
      read: async (db, request) => {
        const { commerceId, serviceUrl, body } = request;
        const { cursor = '', limit = 20, ...sent } = body;
        const filter = filterOf(sent);
        const memberIds = await readWireIds(db, commerceId, 'member');
        const cursors = createPageCursors(secret, commerceId, filter, memberIds);
        const after = cursor === '' ? null : cursors.open(cursor);
        const { people, next, total } = await searchMembers(db, commerceId, filter, { limit, after });
        const view = { memberIds, serviceUrl, seesEmails: true };
        return {
          results: people.map((person) => ({
            ...foundMemberToWire(person, view),
            enrolled_at: person.member.enrolledAt,
            last_purchase_at: person.lastPurchaseAt,
            amount_spent: person.member.figures.amount,
            purchases: person.member.purchases,
          })),
          next_cursor: next && cursors.seal(next),
          total,
        };
      },
    }),

    exportMembers: adminRead({
      role: 'manager',
      turn: 'none',
      schema: {
        operationId: 'exportMembers',
        summary: 'Export the members that meet all conditions',
        description:
          'CSV that is safe to open in a spreadsheet, as a stream. A commerce has one export at a time.',
        tags,
        body: conditionsAlone,
        response: {
          200: {
            content: {
              'text/csv': {
                schema: {
                  type: 'string',
                  description: 'RFC 4180, UTF-8; the first line names the columns.',
                },
              },
            },
          },
        },
      },
      entry: () => ({ action: 'members.export' }),
      read: (db, { commerceId, body }, reply) =>
        exportSender.send(reply, commerceId, {
          name: 'members',
          columns: LISTED_COLUMNS,
          format: 'csv',
          parts: exportList(db, commerceId, filterOf(body)),
          isForPeople: true,
        }),
    }),
  };
}

function filterOf(sent: Static<typeof conditionsAlone>): MemberFilter {
  return {
    text: sent.text,
    state: sent.state,
    levelId: sent.level_id,
    minPoints: sent.min_points,
    maxPoints: sent.max_points,
    boughtFrom: sent.bought_from,
    boughtTo: sent.bought_to,
    expiringDays: sent.expiring_days,
    sort: sent.sort,
  };
}
