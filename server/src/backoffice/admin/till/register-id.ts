import { Type } from 'typebox';
import { Int64, Nullable } from '#http/schema.ts';

/** A register or a branch in the body of a call. */
export const registerId = Type.Optional(
  Nullable(
    Int64({
      description: 'The id of the register. It is chosen once for each device.',
      examples: [3],
      'x-hint': 'Leave it out if your registers have no numbers.',
    }),
  ),
);
