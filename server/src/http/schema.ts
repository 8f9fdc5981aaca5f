import { Type, type Static, type TSchema, type TUnsafe } from 'typebox';

/**
 * `T | null` as `type: [x, 'null']`: one schema for validation, OpenAPI 3.1 and a serialiser that is measurably
 * faster with it than with `anyOf`. A schema that has no single type becomes a union with null.
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

/** One of a few words. */
export function StrEnum<const V extends readonly string[]>(
  values: V,
  options: object = {},
): TUnsafe<V[number]> {
  return Type.Unsafe<V[number]>({ ...options, type: 'string', enum: [...values] });
}

/** An id, a code or a number of points. Every integer that comes in is checked to be a safe one. */
export function Int64(
  options: {
    minimum?: number;
    maximum?: number;
    default?: number;
    description?: string;
    examples?: number[];
  } = {},
) {
  return Type.Integer({ ...options, format: 'int64' });
}

/** An instant: a Date inside, ISO 8601 with milliseconds and `Z` on the wire, in both directions. */
export function Instant(options: { description?: string; examples?: string[] } = {}): TUnsafe<Date> {
  return Type.Unsafe<Date>({
    examples: ['2026-03-05T14:30:00.000Z'],
    ...options,
    type: 'string',
    format: 'date-time',
  });
}

/** The answer of what has nothing to show but that it was done, and of every error but 422. */
export const Message = Type.Object(
  { message: Type.String({ description: 'For developers; it may change.' }) },
  { title: 'Message' },
);

/** The answer to a request that does not have the promised shape. */
export const Problem422 = Type.Object(
  {
    detail: Type.Array(
      Type.Object({
        loc: Type.Array(Type.Union([Type.String(), Type.Integer()]), {
          description: 'body, query, header or path, then the way to the field',
          examples: [['body', 'amount']],
        }),
        msg: Type.String({ examples: ['Field required'] }),
        type: Type.String({ description: 'Kind of problem', examples: ['missing'] }),
      }),
    ),
  },
  { title: 'ValidationProblem' },
);
