import { Type } from 'typebox';

/** The header that makes a call safe to retry. */
export const idempotencyHeader = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      pattern: '^[ -~]+$',
      // Without an example: the page at `/docs` would fill it in, and the second try would be a replay.
      description:
        'Makes the call safe to retry: one value for each operation, such as `order-1042`. Send the same value again when you retry.',
      'x-hint': 'Use 1 to 255 printable ASCII characters, such as a UUID, and a new one for each operation.',
    }),
  ),
});
