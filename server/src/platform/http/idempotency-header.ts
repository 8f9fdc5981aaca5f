import { Type } from 'typebox';

const key = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: '^[ -~]+$',
  // Without an example: the page at `/docs` would fill it in, and the second try would be a replay.
  description:
    'Makes the call safe to retry: one value for each operation, such as `order-1042`. Send the same value again when you retry.',
  'x-hint': 'Use 1 to 255 printable ASCII characters, such as a UUID, and a new one for each operation.',
});

/** The header that makes a call safe to retry. */
export const idempotencyHeader = Type.Object({ 'idempotency-key': Type.Optional(key) });

/** The same, for calls that must not be made without it. */
export const requiredIdempotencyHeader = Type.Object({ 'idempotency-key': key });
