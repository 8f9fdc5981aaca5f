import { Type } from 'typebox';

/** The header that makes a call safe to retry. */
export const idempotencyHeader = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      pattern: '^[ -~]+$',
      description: 'A unique value for each operation. Send the same value when you retry.',
      examples: ['5d1c8e0e-6f0a-4a53-9d2f-2f6f2b8f7a11'],
    }),
  ),
});
