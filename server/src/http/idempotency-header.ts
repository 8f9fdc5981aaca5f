import { Type } from 'typebox';

/** The header that makes a call safe to retry. */
export const idempotencyHeader = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      pattern: '^[ -~]+$',
      description: 'A unique value for each operation. Send the same value when you retry.',
      'x-hint': 'Use 1 to 255 printable ASCII characters, such as a UUID, and a new one for each operation.',
      examples: ['5d1c8e0e-6f0a-4a53-9d2f-2f6f2b8f7a11'],
    }),
  ),
});
