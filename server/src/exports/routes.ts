import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { Type, type TSchema } from 'typebox';
import type { Caps } from '#caps.ts';
import type { Database } from '#db/database.ts';
import { createGate } from '#http/gate.ts';
import { route } from '#http/route.ts';
import { refuseBackwardRange } from '#http/sent-range.ts';
import { SentInstant, StrEnum } from '#http/schema.ts';
import { Overloaded } from '#problems/problem.ts';
import { exportMembers, type Part } from './export-members.ts';
import { exportMovements } from './export-movements.ts';
import { ExportedMemberSchema, ExportedMovementSchema, MEMBER_COLUMNS, MOVEMENT_COLUMNS } from './wire.ts';
import { FORMATS, writeHeader, writeRows, type Format } from './write-rows.ts';

/** Pages of exports that are read at the same time, each on a connection of its own. */
const MOST_AT_ONCE = 2;
const LONGEST_WAIT_MS = 2_000;

const format = Type.Optional(
  StrEnum(FORMATS, { description: '`csv` by default; `jsonl` has one JSON object on each line.' }),
);

/**
 * A shop gets its data as a stream. Each page is one statement, so no transaction waits for a caller who reads slowly. A
 * commerce has one export at a time, and exports wait in a line of their own.
 */
export function exportRoutes({ db, caps }: { db: Database; caps: Caps }) {
  const commerces = createGate(1);
  const pages = createGate(MOST_AT_ONCE);
  const running = new Set<Readable>();

  return {
    /** Ends the exports that are running. Their callers notice, because the end of the stream is missing. */
    stop() {
      for (const stream of running) stream.destroy();
    },

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
      config: { turn: 'none', credential: 'key', document: 'extensions' },
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
      config: { turn: 'none', credential: 'key', document: 'extensions' },
      exposeHeadRoute: false,
      handler: ({ commerceId, query: { format, from, to } }, reply) => {
        refuseBackwardRange(from, to);
        const parts = exportMovements(db, commerceId, { from, to });
        return send(reply, commerceId, 'movements', MOVEMENT_COLUMNS, format, parts);
      },
    }),
  };

  /** The first page is read before the answer begins, so that a failure still has a status. */
  async function send(
    reply: FastifyReply,
    commerceId: number,
    name: string,
    columns: readonly string[],
    format: Format = 'csv',
    parts: AsyncGenerator<Part, void>,
  ): Promise<never> {
    const commerce = String(commerceId);
    if (!(await commerces.enter(commerce, performance.now() + LONGEST_WAIT_MS))) {
      caps.refused('calls-of-a-commerce');
      throw new Overloaded('an export of this commerce is running');
    }
    let stream: Readable;
    try {
      const first = await readPage(parts);
      stream = Readable.from(write(first, parts, columns, format), { objectMode: false });
    } catch (error) {
      commerces.leave(commerce);
      throw error;
    }
    running.add(stream);
    stream.once('close', () => {
      running.delete(stream);
      commerces.leave(commerce);
    });
    void reply
      .type(format === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson; charset=utf-8')
      .header('content-disposition', `attachment; filename="${name}.${format}"`)
      .header('cache-control', 'no-store');
    // Returning the reply would count as handling the call until all of the stream is sent.
    return stream as never;
  }

  async function readPage(parts: AsyncGenerator<Part, void>): Promise<Part | null> {
    if (!(await pages.enter('', performance.now() + LONGEST_WAIT_MS))) {
      caps.refused('calls-of-a-commerce');
      throw new Overloaded('too many exports at once');
    }
    try {
      const { value, done } = await parts.next();
      return done === true ? null : value;
    } finally {
      pages.leave('');
    }
  }

  async function* write(
    first: Part | null,
    parts: AsyncGenerator<Part, void>,
    columns: readonly string[],
    format: Format,
  ): AsyncGenerator<string, void> {
    const header = writeHeader(columns, format);
    if (header !== '') yield header;
    for (let part = first; part !== null; part = await readPage(parts)) {
      const text = writeRows(part.rows, format);
      if (text !== '') yield text;
    }
  }
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
