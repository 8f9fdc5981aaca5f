import { Type } from 'typebox';

/** The header of calls that may be repeated without repeating their effect. */
export const idempotencyHeader = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      pattern: '^[ -~]+$',
      description: 'One value for each call that is meant once; a retry sends the same again.',
      examples: ['5d1c8e0e-6f0a-4a53-9d2f-2f6f2b8f7a11'],
    }),
  ),
});
