import { Type } from 'typebox';
import type { Aside } from '#aside/aside.ts';
import { checkDraft, placeDraft } from '#apply/check-draft.ts';
import { readCommerce, readProgram } from '#commerces/commerce.ts';
import { createCursors } from '#http/cursor.ts';
import { Int64, Nullable } from '#http/schema.ts';
import { wholeOf } from '#points/line.ts';
import { changesBetween } from '#program/changes.ts';
import { writeProgram } from '#program/write-program.ts';
import { Channel, Lines, MOST_LINES } from '#purchases/lines-wire.ts';
import { assertAddUp, assertNamedOnce } from '#purchases/said-lines.ts';
import { ONE_LINE } from '#text/plain-text.ts';
import type { AdminRoutes } from '../admin-routes.ts';
import { registerId } from '../till/register-id.ts';
import { ProgramNotValid, publishDraft } from './publish-draft.ts';
import { readChanges, readVersion, readVersions } from './read-versions.ts';
import { tryPurchase } from './try-purchase.ts';
import {
  BaseVersion,
  problemToWire,
  PROGRAM_BYTES,
  ProgramCheckSchema,
  ProgramFileReadSchema,
  ProgramFileSchema,
  ProgramInForceSchema,
  ProgramVersionSchema,
  ProgramVersionsSchema,
  ProposedProgram,
  PublishedProgramSchema,
  TriedPurchaseSchema,
  triedPurchaseToWire,
  versionToWire,
} from './wire.ts';
import type { SecretKeys } from '#settings/secret-key.ts';

const tags = ['Program'];
const LONGEST_NOTE = 500;
const amount = Type.Integer({
  minimum: 1,
  maximum: 1_000_000_000_000,
  description: 'Whole units of the currency of the commerce.',
  examples: [17],
});

/** A program that is proposed is checked beside the event loop, before the call takes its turn. */
const checkedProgram = {
  bytes: PROGRAM_BYTES,
  work: (aside: Aside, { commerceId, body }: { commerceId: number; body: { program: unknown } }) =>
    aside.checkProgram(commerceId, body.program),
};

/** The owner changes the program: reads it whole, checks a draft, publishes it, and looks at what was before. */
export function programRoutes({
  admin: { adminRead, adminAct },
  secret,
}: {
  admin: AdminRoutes;
  secret: SecretKeys;
}) {
  return {
    getProgramModel: adminRead({
      role: 'owner',
      schema: {
        operationId: 'getProgramModel',
        summary: 'The whole program that is in force',
        tags,
        response: { 200: ProgramInForceSchema },
      },
      read: async (db, { commerceId }) => {
        const { rules, program } = (await readCommerce(db, commerceId))!;
        return { ...versionToWire(await readVersion(db, commerceId, rules.version)), program };
      },
    }),

    checkProgram: adminRead({
      role: 'owner',
      large: checkedProgram,
      schema: {
        operationId: 'checkProgram',
        summary: 'What publishing a program would change, and what stands in its way',
        description: 'Nothing is changed. How many members would move is not looked up.',
        tags,
        body: Type.Object({ program: ProposedProgram, base_version: BaseVersion }),
        response: { 200: ProgramCheckSchema },
      },
      read: async (db, { commerceId, body }, _reply, proposed) => {
        const draft = { checked: proposed, baseVersion: body.base_version };
        const checked = await checkDraft(db, commerceId, draft);
        return {
          problems: checked.problems.map(problemToWire),
          changes: checked.changes,
          changed_meanwhile: checked.changedMeanwhile,
          warnings: checked.warnings,
          current_version: checked.currentVersion,
        };
      },
    }),

    tryPurchase: adminRead({
      role: 'owner',
      large: checkedProgram,
      schema: {
        operationId: 'tryPurchase',
        summary: 'What a purchase would earn under a proposed program',
        description:
          'On each tier or for one member, at one instant and at the same time of the next days, by the rules that record purchases. Nothing is recorded or changed.',
        tags,
        body: Type.Object({
          program: ProposedProgram,
          amount,
          at: Type.Optional(
            Nullable(
              Type.Unsafe<Date>({
                type: 'string',
                format: 'date-time',
                maxLength: 64,
                description: 'When it is made. Now by default.',
                examples: ['2026-11-01T10:30:00Z'],
                'x-hint': 'Send an instant with a time zone, such as 2026-11-01T10:30:00Z.',
              }),
            ),
          ),
          client_code: Type.Optional(
            Nullable(
              Int64({
                description: 'The card of a member. The answer then has their tier only, as things are now.',
                examples: [482_915_374],
              }),
            ),
          ),
          register_id: registerId,
          branch_id: registerId,
          channel: Channel,
          lines: Lines(MOST_LINES),
        }),
        response: { 200: TriedPurchaseSchema },
      },
      refusals: {
        400: 'The amounts of the lines do not add up to the amount.',
        403: 'The member has left the program or is blocked.',
        404: 'Nobody here has this card.',
      },
      read: async (db, { commerceId, body }, _reply, proposed) => {
        const { amount, lines = null } = body;
        assertNamedOnce(lines);
        assertAddUp(lines, amount, 'amount');
        const tried = await tryPurchase(db, commerceId, proposed, {
          amount,
          at: body.at ?? null,
          code: body.client_code ?? null,
          registerId: body.register_id ?? null,
          branchId: body.branch_id ?? null,
          channel: body.channel ?? null,
          lines,
        });
        return triedPurchaseToWire(tried, wholeOf({ amount, lines }));
      },
    }),

    publishProgram: adminAct({
      role: 'owner',
      large: checkedProgram,
      takesLong: true,
      schema: {
        operationId: 'publishProgram',
        summary: 'Put a program in force',
        description:
          'For everybody at once; members move with it. To go back, publish the program of an old version. Publishing what is in force already changes nothing.',
        tags,
        body: Type.Object({
          program: ProposedProgram,
          base_version: BaseVersion,
          note: Type.Optional(
            Type.String({
              minLength: 1,
              maxLength: LONGEST_NOTE,
              pattern: ONE_LINE,
              description: 'What the list of versions says about it, in one line.',
              examples: ['Points for the summer'],
            }),
          ),
        }),
        response: { 200: PublishedProgramSchema },
      },
      refusals: { 409: 'Somebody else published meanwhile. The message names the version and its author.' },
      turn: { write: () => 'program' },
      act: async (tx, { commerceId, body, staff }, _reply, checked) => {
        const { base_version: baseVersion, note = null } = body;
        const { answer, entry } = await publishDraft(tx, commerceId, {
          checked,
          baseVersion,
          note,
          author: staff!.by,
        });
        const { version, changes, warnings } = answer;
        return { answer: { version, changes, warnings }, entry };
      },
    }),

    listProgramVersions: adminRead({
      role: 'owner',
      schema: {
        operationId: 'listProgramVersions',
        summary: 'The versions of the program, newest first',
        tags,
        querystring: Type.Object({
          cursor: Type.Optional(
            Type.String({ maxLength: 512, description: 'Omit it to get the first page.' }),
          ),
        }),
        response: { 200: ProgramVersionsSchema },
      },
      read: async (db, { commerceId, query: { cursor = '' } }) => {
        const cursors = createCursors(secret, `program-versions/${commerceId}`);
        const below = cursor === '' ? undefined : cursors.open(cursor).id;
        const { versions, hasMore } = await readVersions(db, commerceId, below);
        const last = versions.at(-1);
        return {
          results: versions.map((row) => ({ ...versionToWire(row), note: row.note, changes: row.changes })),
          next_cursor:
            hasMore && last !== undefined
              ? cursors.seal({ direction: 'older', at: last.inForceAt, id: last.version })
              : null,
        };
      },
    }),

    getProgramVersion: adminRead({
      role: 'owner',
      schema: {
        operationId: 'getProgramVersion',
        summary: 'One version of the program, with its differences',
        tags,
        params: Type.Object({ version: Type.Integer({ examples: [7] }) }),
        response: { 200: ProgramVersionSchema },
      },
      refusals: { 404: 'The program has no such version.' },
      read: async (db, { commerceId, params }) => {
        const row = await readVersion(db, commerceId, params.version);
        const program = await readProgram(db, commerceId, row.version);
        const inForce = (await readCommerce(db, commerceId))!.program;
        return {
          ...versionToWire(row),
          note: row.note,
          program,
          changes: await readChanges(db, commerceId, row.version),
          changes_from_now: changesBetween(inForce, program),
        };
      },
    }),

    getProgramFile: adminRead({
      role: 'owner',
      schema: {
        operationId: 'getProgramFile',
        summary: 'The program as a file',
        description: 'The same text as that of `loyalty export`.',
        tags,
        response: { 200: ProgramFileSchema },
      },
      read: async (db, { commerceId }) => ({
        text: writeProgram((await readCommerce(db, commerceId))!.program),
      }),
    }),

    writeProgramFile: adminRead({
      role: 'owner',
      turn: 'none',
      large: {
        bytes: PROGRAM_BYTES,
        work: async (aside, { commerceId, body }, db) => {
          const checked = await aside.checkProgram(commerceId, body.program);
          const draft = placeDraft((await readCommerce(db, commerceId))!.program, checked);
          if (!draft.ok) throw new ProgramNotValid(draft.problems);
          return aside.writeProgram(commerceId, draft.program);
        },
      },
      schema: {
        operationId: 'writeProgramFile',
        summary: 'A proposed program as a file',
        tags,
        body: Type.Object({ program: ProposedProgram }),
        response: { 200: ProgramFileSchema },
      },
      read: (_db, _request, _reply, text) => ({ text }),
    }),

    readProgramFile: adminRead({
      role: 'owner',
      turn: 'none',
      large: {
        bytes: PROGRAM_BYTES,
        work: (aside, { commerceId, body }) => aside.readProgram(commerceId, body.text),
      },
      schema: {
        operationId: 'readProgramFile',
        summary: 'Read a program file',
        description: 'Nothing is changed. The answer has the program, or every problem with its line.',
        tags,
        body: Type.Object({
          text: Type.String({
            'x-max-length': PROGRAM_BYTES,
            description: 'YAML or JSON.',
            examples: ['slug: cafe-luna\nname: Café Luna\n'],
          }),
        }),
        response: { 200: ProgramFileReadSchema },
      },
      read: (_db, _request, _reply, read) =>
        read.ok ? { program: read.program, problems: [] } : { program: null, problems: read.problems },
    }),
  };
}
