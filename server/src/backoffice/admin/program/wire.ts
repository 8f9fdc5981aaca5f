import { Type, type Static } from 'typebox';
import { Instant, Nullable } from '#http/schema.ts';
import type { Kept } from '#points/line.ts';
import type { Program, ProgramProblem } from '#program/program.ts';
import { writePath } from '#program/write-path.ts';
import { auditActorToWire } from '../audit/audit-actor.ts';
import { CauseSchema } from '../audit/wire.ts';
import { factorsToWire } from '../till/factors-to-wire.ts';
import { FactorSchema } from '../till/wire.ts';
import type { Version } from './read-versions.ts';
import type { TriedPurchase } from './try-purchase.ts';

/** The most bytes of a call that sends a program or a program file. */
export const PROGRAM_BYTES = 1024 * 1024;

/** A whole program. Its fields are those of the program file, every one of them filled in. */
export const ProgramSchema = Type.Unsafe<Program>({
  type: 'object',
  additionalProperties: true,
  description: 'The whole program. Its fields are those of the program file.',
});

/** A program that a caller proposes. The check of the program reads it, so that each problem has its place. */
export const ProposedProgram = Type.Unsafe<Program>({
  type: 'object',
  additionalProperties: true,
  description: 'The whole program that is proposed. A field that is left out gets its default.',
  'x-hint': 'Take the program of GET /admin/v1/program/model, change it, and send all of it.',
});

export const BaseVersion = Type.Integer({
  minimum: 1,
  description: 'The version from which the changes began.',
  examples: [7],
});

const version = Type.Integer({ examples: [8] });
const inForceAt = Instant({ description: 'When it came into force, by the clock of the commerce.' });
const by = Nullable(CauseSchema);
const lines = (description: string) =>
  Type.Array(Type.String({ examples: ['earning.money_per_point: 1 → 2'] }), { description });

const ProgramProblemSchema = Type.Object(
  {
    path: Type.String({
      description: 'The place in the program; empty if the problem concerns all of it.',
      examples: ['benefits[0].cost'],
    }),
    message: Type.String({ examples: ['must be a whole number of at least 0, not -1'] }),
  },
  { title: 'ProgramProblem' },
);

export const ProgramInForceSchema = Type.Object(
  { version, in_force_at: inForceAt, by, program: ProgramSchema },
  { title: 'ProgramInForce' },
);

export const ProgramCheckSchema = Type.Object(
  {
    problems: Type.Array(ProgramProblemSchema, { description: 'Empty if the program can be published.' }),
    changes: lines('What the program changes in its base. Empty while there are problems.'),
    changed_meanwhile: lines('What others have published since the base.'),
    warnings: lines('Parts that have no effect, and changes that earlier purchases do not follow.'),
    current_version: version,
  },
  { title: 'ProgramCheck' },
);

export const PublishedProgramSchema = Type.Object(
  {
    version,
    changes: lines(
      'What was changed, and how many members moved. Empty if the program was in force already.',
    ),
    warnings: lines('Parts that have no effect, and changes that earlier purchases do not follow.'),
  },
  { title: 'PublishedProgram' },
);

const noteSchema = Nullable(
  Type.String({ description: 'What the author wrote about it.', examples: ['Points for the summer'] }),
);

export const ProgramVersionsSchema = Type.Object(
  {
    results: Type.Array(
      Type.Object(
        {
          version,
          in_force_at: inForceAt,
          by,
          note: noteSchema,
          changes: Type.Integer({ description: 'How many, from the version before.', examples: [3] }),
        },
        { title: 'ProgramVersionLine' },
      ),
    ),
    next_cursor: Nullable(Type.String({ description: 'Null on the last page.' })),
  },
  { title: 'ProgramVersions' },
);

export const ProgramVersionSchema = Type.Object(
  {
    version,
    in_force_at: inForceAt,
    by,
    note: noteSchema,
    program: ProgramSchema,
    changes: lines('What it changed in the version before, and how many members moved.'),
    changes_from_now: lines('What going back to it would change.'),
  },
  { title: 'ProgramVersion' },
);

export const ProgramFileSchema = Type.Object(
  { text: Type.String({ description: 'YAML.', examples: ['slug: cafe-luna\nname: Café Luna\n'] }) },
  { title: 'ProgramFile' },
);

export const ProgramFileReadSchema = Type.Object(
  {
    program: Nullable(ProgramSchema),
    problems: Type.Array(
      Type.Object(
        {
          line: Type.Integer({ description: 'Counts from 1.', examples: [12] }),
          column: Type.Integer({ description: 'Counts from 1.', examples: [5] }),
          ...ProgramProblemSchema.properties,
        },
        { title: 'ProgramFileProblem' },
      ),
    ),
  },
  { title: 'ProgramFileRead' },
);

export function versionToWire({ version: number, inForceAt: at, author }: Version) {
  return { version: number, in_force_at: at, by: author && auditActorToWire(author) };
}

export function problemToWire({ path, message }: ProgramProblem): Static<typeof ProgramProblemSchema> {
  return { path: writePath(path), message };
}

export const TriedPurchaseSchema = Type.Object(
  {
    expires_on: Nullable(
      Type.String({
        format: 'date',
        description: 'The last day of the points. Null if they never end.',
        examples: ['2027-05-22'],
      }),
    ),
    levels: Type.Array(
      Type.Object({
        name: Nullable(
          Type.String({ description: 'Null for somebody without a tier.', examples: ['Captain'] }),
        ),
        points: Nullable(
          Type.Integer({ description: 'Null if that is more than can be counted.', examples: [25] }),
        ),
        factors: Type.Array(FactorSchema, { description: 'The steps of the arithmetic, in order.' }),
      }),
    ),
    days: Type.Array(
      Type.Object({
        at: Instant({ description: 'The same time of a day, in the time zone of the program.' }),
        points: Type.Array(Nullable(Type.Integer({ examples: [25] })), {
          description: 'On each of `levels`, in their order.',
        }),
      }),
      { description: 'Seven days, of which the first is that of the purchase.' },
    ),
  },
  { title: 'TriedPurchase' },
);

export function triedPurchaseToWire(
  { expiresOn, tiers, days, locale }: TriedPurchase,
  whole: Kept,
): Static<typeof TriedPurchaseSchema> {
  return {
    expires_on: expiresOn,
    levels: tiers.map(({ tier, earned }) => ({
      name: tier?.name ?? null,
      points: earned?.points ?? null,
      factors: earned === null ? [] : factorsToWire({ ...whole, factors: earned.factors }, locale),
    })),
    days: days.map(({ at, points }) => ({ at, points: [...points] })),
  };
}
