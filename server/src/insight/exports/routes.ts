import type { FastifyReply } from 'fastify';
import { Type, type TSchema } from 'typebox';
import type { Database } from '#db/database.ts';
import { route } from '#http/route.ts';
import { refuseBackwardRange } from '#http/sent-range.ts';
import { SentInstant, StrEnum } from '#http/schema.ts';
import { exportMembers, type Part } from './export-members.ts';
import { exportMovements } from './export-movements.ts';
import { ExportedMemberSchema, ExportedMovementSchema, MEMBER_COLUMNS, MOVEMENT_COLUMNS } from './wire.ts';
import type { ExportSender } from './send-export.ts';
import { FORMATS, type Format } from './write-rows.ts';

const format = Type.Optional(
  StrEnum(FORMATS, { description: '`csv` by default; `jsonl` has one JSON object on each line.' }),
);

/** A shop gets its data as a stream. */
export function exportRoutes({ db, exportSender }: { db: Database; exportSender: ExportSender }) {
  const send = (
    reply: FastifyReply,
    commerceId: number,
    name: string,
    columns: readonly string[],
    format: Format = 'csv',
    parts: AsyncGenerator<Part, void>,
  ) => exportSender.send(reply, commerceId, { name, columns, format, parts });

  return {
    exportMembers: route({
      schema: {
        operationId: 'exportMembers',
        summary: 'Export the clients',
        description:
          'All clients in the order of enrolment, as a stream. Everyone who was a client when it began is in it once, with what they hold when their part is read. A commerce has one export at a time.',
        tags: ['Exports'],
        querystring: Type.Object({ format }),
        response: { 200: fileOf(ExportedMemberSchema) },
      },
      config: { turn: 'none', credential: 'key', scope: 'members', document: 'extensions' },
      exposeHeadRoute: false,
      handler: ({ commerceId, query }, reply) =>
        send(reply, commerceId, 'members', MEMBER_COLUMNS, query.format, exportMembers(db, commerceId)),
    }),

    exportMovements: route({
      schema: {
        operationId: 'exportMovements',
        summary: 'Export the movements of points',
        description:
          'All purchases, reversals, exchanges, redemptions, rewards, adjustments and expiries in the order in which they were recorded, as a stream. Everything recorded before it began is in it once. A commerce has one export at a time.',
        tags: ['Exports'],
        querystring: Type.Object({
          format,
          from: Type.Optional(SentInstant('Movements made at this instant or later.')),
          to: Type.Optional(SentInstant('Movements made before this instant.')),
        }),
        response: { 200: fileOf(ExportedMovementSchema) },
      },
      config: { turn: 'none', credential: 'key', scope: 'reports', document: 'extensions' },
      exposeHeadRoute: false,
      handler: ({ commerceId, query: { format, from, to } }, reply) => {
        refuseBackwardRange(from, to);
        const parts = exportMovements(db, commerceId, { from, to });
        return send(reply, commerceId, 'movements', MOVEMENT_COLUMNS, format, parts);
      },
    }),
  };
}

function fileOf(row: TSchema): TSchema {
  const content = {
    'text/csv': {
      schema: { type: 'string', description: 'RFC 4180, UTF-8; the first line names the columns.' },
    },
    'application/x-ndjson': { schema: row },
  };
  return { content };
}
