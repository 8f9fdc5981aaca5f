import type { Keywords } from '#request/compile-reader.ts';
import { Type, type Static, type TSchema, type TString, type TUnsafe } from 'typebox';

/**
 * `T | null`, written as `type: [x, 'null']`. It works for validation and OpenAPI 3.1, and serialises measurably faster
 * than `anyOf`. A schema without a single type becomes a union with null.
 */
export function Nullable<T extends TSchema>(schema: T): TUnsafe<Static<T> | null> {
  const { type, enum: values } = schema as { type?: unknown; enum?: unknown[] };
  if (type === undefined) return Type.Unsafe<Static<T> | null>({ anyOf: [schema, { type: 'null' }] });
  return Type.Unsafe<Static<T> | null>({
    ...schema,
    type: [...(Array.isArray(type) ? type : [type]), 'null'],
    ...(values && { enum: [...values, null] }),
  });
}

/** One of a fixed set of strings. */
export function StrEnum<const V extends readonly string[]>(
  values: V,
  options: object = {},
): TUnsafe<V[number]> {
  return Type.Unsafe<V[number]>({ ...options, type: 'string', enum: [...values] });
}

/**
 * A string that the contract does not limit. It is limited all the same, because the work that it makes must be; the
 * documents do not show the limit. The default is what fits in a body, for calls that answer the same to any text.
 */
export function Text(
  options: { description?: string; examples?: string[]; 'x-hint'?: string } = {},
  most = BODY_BYTES,
): TString {
  return Type.String({ ...options, 'x-max-length': most });
}

/** The most bytes that a body can have. */
export const BODY_BYTES = 16 * 1024;

/** The most characters that a parameter in a path can have. A longer one is a 404. */
export const PATH_PARAMETER_CHARACTERS = 1_024;

/** An ID, a code or a number of points. Every incoming integer is checked to be a safe integer. */
export function Int64(
  options: {
    minimum?: number;
    maximum?: number;
    default?: number;
    description?: string;
    examples?: number[];
    'x-hint'?: string;
    'x-error-codes'?: Keywords['x-error-codes'];
  } = {},
) {
  return Type.Integer({ ...options, format: 'int64' });
}

/** An instant: a Date in the code, and ISO 8601 with milliseconds and `Z` on the wire. */
export function Instant(options: { description?: string; examples?: string[] } = {}): TUnsafe<Date> {
  return Type.Unsafe<Date>({
    examples: ['2026-03-05T14:30:00.000Z'],
    ...options,
    type: 'string',
    format: 'date-time',
  });
}

/** An instant in a query. */
export function SentInstant(description: string): TUnsafe<Date> {
  return Type.Unsafe<Date>({
    type: 'string',
    format: 'date-time',
    maxLength: 64,
    description,
    examples: ['2026-11-01T00:00:00Z'],
    'x-hint': 'Send an instant such as 2026-11-01T00:00:00Z. Write + as %2B.',
  });
}

/** The response of a call that returns no data, and of every error except 422. */
export const Message = Type.Object(
  {
    message: Type.String({
      description: 'For developers. May change without notice.',
      examples: ['what happened, in a sentence'],
    }),
  },
  { title: 'Message' },
);

/** The response to a request that is not valid. */
export const Problem422 = Type.Object(
  {
    detail: Type.Array(
      Type.Object({
        loc: Type.Array(Type.Union([Type.String(), Type.Integer()]), {
          description: '`body`, `query`, `header` or `path`, then the path to the field.',
          examples: [['body', 'amount']],
        }),
        msg: Type.String({ examples: ['Field required'] }),
        type: Type.String({
          description: 'The kind of issue, for programs to compare.',
          examples: ['missing'],
        }),
      }),
    ),
  },
  { title: 'ValidationProblem' },
);
