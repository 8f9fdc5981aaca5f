import { Type } from 'typebox';
import { Instant, Int64, Nullable, StrEnum } from '#http/schema.ts';
import { memberId } from '../till/wire.ts';

export const CauseSchema = Type.Union(
  [
    Type.Object({
      kind: StrEnum(['staff']),
      name: Type.String({ examples: ['Marta'] }),
      email: Nullable(Type.String({ examples: ['marta@example.com'] })),
    }),
    Type.Object({
      kind: StrEnum(['key']),
      name: Nullable(
        Type.String({
          description: 'Null for a key of the contract, which movements do not keep.',
          examples: ['nightly script'],
        }),
      ),
    }),
    Type.Object({ kind: StrEnum(['member']) }),
    Type.Object({ kind: StrEnum(['command_line']) }),
    Type.Object({ kind: StrEnum(['program']) }),
  ],
  { description: 'Who or what caused it.' },
);

const values = (description: string) =>
  Type.Unsafe<Record<string, unknown> | null>({
    type: ['object', 'null'],
    additionalProperties: true,
    description,
  });

const AuditLineSchema = Type.Object(
  {
    id: Int64({ examples: [431870012345678] }),
    at: Instant(),
    action: Type.String({ examples: ['points.adjust'] }),
    by: CauseSchema,
    network: Nullable(
      Type.String({ description: 'The client network of the call.', examples: ['203.0.113.7'] }),
    ),
    member_id: Nullable(memberId),
    member_name: Nullable(
      Type.String({
        description:
          'The name of the member, or else the e-mail address, as it is now. Null for a person who is erased.',
        examples: ['Nora'],
      }),
    ),
    subject: Nullable(
      Type.String({
        description: 'What it was done to, if that is no member: a code, a purchase, a person of the staff.',
      }),
    ),
    before: values('What was.'),
    after: values('What became.'),
    reason: Nullable(Type.String()),
  },
  { title: 'AuditLine' },
);

export const AuditPageSchema = Type.Object(
  {
    results: Type.Array(AuditLineSchema),
    next_cursor: Nullable(Type.String({ description: 'Null on the last page.' })),
  },
  { title: 'AuditPage' },
);

export const AuditActorsSchema = Type.Object(
  {
    staff: Type.Array(
      Type.Object({
        staff_id: Int64({ examples: [281474976710663] }),
        name: Type.String({ examples: ['Marta'] }),
        email: Type.String({ examples: ['marta@example.com'] }),
        is_removed: Type.Boolean({ description: 'Whether the person does not work here any more.' }),
      }),
    ),
    keys: Type.Array(
      Type.Object({
        key_id: Int64({ examples: [281474976710691] }),
        name: Type.String({ examples: ['Nightly export'] }),
        prefix: Type.String({ examples: ['lk_admin_3fG'] }),
      }),
    ),
  },
  { title: 'AuditActors' },
);
