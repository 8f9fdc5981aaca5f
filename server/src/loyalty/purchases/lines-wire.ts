/** Lines of purchases and orders on the wire. */
import { Type, type TSchema } from 'typebox';
import { ONE_LINE } from '#text/plain-text.ts';
import { Int64, Nullable } from '#http/schema.ts';

export const MOST_LINES = 100;
export const MOST_UNITS = 999;
export const MOST_CATEGORIES = 20;

/** Bodies with lines are larger than others. */
export const BODY_WITH_LINES_BYTES = 64 * 1024;

const WHOLE_UNITS = 'Amounts are whole currency units: 18, not "18.00" or 18.50.';

export function Amount(description: string, example: number) {
  return Int64({ minimum: 0, description, examples: [example], 'x-hint': WHOLE_UNITS });
}

function Word(description: string, example: string) {
  return Type.String({
    minLength: 1,
    maxLength: 64,
    pattern: ONE_LINE,
    description,
    examples: [example],
    'x-hint': 'Use 1 to 64 printable characters in one line.',
  });
}

export const Channel = Type.Optional(
  Nullable(Word('Where it was sold, such as `web` or `app`, for rules by channel.', 'web')),
);

export const lineFields = {
  id: Word('The shop’s own id of the line, unique within its list.', '1'),
  product: Type.Optional(Nullable(Word('The shop’s own id of the product.', 'mug-blue'))),
  categories: Type.Optional(
    Nullable(
      Type.Array(Word('A category of the product.', 'kitchen'), {
        maxItems: MOST_CATEGORIES,
        description: 'The categories of the product.',
      }),
    ),
  ),
  units: Type.Optional(
    Nullable(
      Int64({
        minimum: 1,
        maximum: MOST_UNITS,
        description: 'How many. 1 if it is left out.',
        examples: [2],
      }),
    ),
  ),
  amount: Amount('What was paid for the line, in whole currency units.', 18),
  discounted: Type.Optional(
    Nullable(Type.Boolean({ description: 'True if the line was sold at a reduced price.' })),
  ),
};

const LineSchema = Type.Object(lineFields, { title: 'PurchaseLine' });

export const ReturnedLineSchema = Type.Object(
  {
    id: lineFields.id,
    amount: Amount('What of the line came back, in whole currency units.', 6),
    units: Type.Optional(
      Nullable(
        Int64({
          minimum: 0,
          maximum: MOST_UNITS,
          description: 'How many came back. In proportion to the amount if it is left out.',
          examples: [1],
        }),
      ),
    ),
  },
  { title: 'ReturnedLine' },
);

export function listOfLines<Line extends TSchema>(line: Line, most: number, added: object = {}) {
  return Type.Array(line, {
    maxItems: most,
    description: `What was sold, at most ${most} lines; shipping is a line too. The amounts are whole currency units and add up to the whole. \`allocateLines\` of the SDK shares out a total.`,
    ...added,
  });
}

export function Lines(most: number) {
  return Type.Optional(Nullable(listOfLines(LineSchema, most)));
}

/** The contract has no such fields in its calls, so only the other document describes them. */
export const addedToCalls = {
  lines: Type.Optional(Nullable(listOfLines(LineSchema, MOST_LINES, { 'x-extension': true }))),
  channel: Type.Optional(
    Nullable({
      ...Word('Where it was sold, such as `web` or `app`, for rules by channel.', 'web'),
      'x-extension': true,
    }),
  ),
};
