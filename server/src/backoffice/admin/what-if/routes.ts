import { Type } from 'typebox';
import { placeDraft } from '#apply/check-draft.ts';
import { readCommerce } from '#commerces/commerce.ts';
import { readWireIds } from '#batching/wire-ids.ts';
import { Nullable } from '#http/schema.ts';
import { InvalidRequest } from '#problems/invalid-request.ts';
import { whyNoRange, type AskedRange } from '#what-if/range.ts';
import type { AdminRoutes } from '../admin-routes.ts';
import { ProgramNotValid } from '../program/publish-draft.ts';
import { PROGRAM_BYTES, ProposedProgram } from '../program/wire.ts';
import type { WhatIfStreams } from './what-if-stream.ts';
import { WhatIfLineSchema } from './wire.ts';

/** 422: the range is empty, or far too long. */
class NotARange extends InvalidRequest {
  constructor(field: 'from' | 'to', reason: string, next: string) {
    super(
      [{ loc: ['body', field], msg: `Value error, ${reason}`, type: 'value_error' }],
      'invalid',
      `"${field}" in the body: ${next}.`,
    );
  }
}

const day = (description: string) =>
  Type.Optional(Nullable(Type.String({ format: 'date', description, examples: ['2026-11-01'] })));

/** An owner asks what a program would have done, before publishing it. */
export function whatIfRoutes({
  admin: { adminRead },
  whatIfs,
}: {
  admin: AdminRoutes;
  whatIfs: WhatIfStreams;
}) {
  return {
    whatIf: adminRead({
      role: 'owner',
      turn: 'none',
      large: {
        bytes: PROGRAM_BYTES,
        work: (aside, { commerceId, body }) => aside.checkProgram(commerceId, body.program),
      },
      schema: {
        operationId: 'whatIf',
        summary: 'What a program would have done, over the real ledger',
        description:
          'The answer is a stream with one JSON object on each line: its place in the line while other shops come first, then progress, then one result. Close the connection to stop it. Nothing is changed and nothing waits for it. A commerce runs one at a time.',
        tags: ['Program'],
        body: Type.Object({
          program: ProposedProgram,
          from: day('The first day. Twelve months ago by default.'),
          to: day('The last day. By default, everything up to this moment counts.'),
        }),
        response: { 200: { content: { 'application/x-ndjson': { schema: WhatIfLineSchema } } } },
      },
      refusals: { 503: 'A what-if of this commerce is running or waiting, or many of others are waiting.' },
      read: async (db, { commerceId, body, log }, reply, checked) => {
        const commerce = (await readCommerce(db, commerceId))!;
        const draft = placeDraft(commerce.program, checked);
        if (!draft.ok) throw new ProgramNotValid(draft.problems);
        const range = { from: body.from ?? undefined, to: body.to ?? undefined };
        refuseRange(range, commerce.today);
        const memberIds = await readWireIds(db, commerceId, 'member');
        const stream = await whatIfs.open({ commerceId, program: draft.program, ...range }, memberIds, log);
        void reply.type('application/x-ndjson; charset=utf-8').header('cache-control', 'no-store');
        // Returning the reply would count as handling the call until all of the stream is sent.
        return stream as never;
      },
    }),
  };
}

function refuseRange(range: AskedRange, today: string): void {
  const wrong = whyNoRange(range, today);
  if (wrong !== null) throw new NotARange(wrong.field, wrong.reason, wrong.next);
}
