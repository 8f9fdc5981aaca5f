import { Type, type Static } from 'typebox';
import { Instant, Int64, Nullable } from '#http/schema.ts';
import { basePointsOf, stepOf, type PointsForPurchase, type Step } from '#points/points-for-purchase.ts';
import { PreviewedStampsSchema, previewedStampsToWire } from '#stamps/wire.ts';
import type { Preview } from './preview-purchase.ts';
import type { PurchaseRead } from './read-purchase.ts';
import type { Confirmed } from './confirm-purchase.ts';
import type { Reversed } from './reverse-purchase.ts';

const computation = {
  base_points: Int64({
    description: 'Points before double points and the tier’s multiplier.',
    examples: [26],
  }),
  double_points: Type.Boolean({ description: 'True if double points applied.', examples: [false] }),
  level_multiplier: Type.Number({ description: 'The multiplier of the member’s tier.', examples: [1.5] }),
  explanation: Type.String({
    description: 'The computation in a sentence, in the language of the commerce.',
    examples: ['26 ÷ 1 = 26 points; Captain × 1.5 = 39 points.'],
  }),
};

export const ConsumptionPreviewSchema = Type.Object(
  {
    points: Int64({ description: 'The points that the purchase would earn.', examples: [39] }),
    ...computation,
    stamps: Type.Optional(
      Type.Array(PreviewedStampsSchema, {
        description:
          'What it would stamp on each kind of card. Left out for visitors, and if it stamps none.',
      }),
    ),
  },
  { title: 'ConsumptionPreview' },
);

export const ConsumptionSchema = Type.Object(
  {
    id: Int64({ description: 'The consumption_id.', examples: [446165214474872] }),
    client_code: Nullable(
      Int64({
        description: 'The member’s code. Null while the points wait for a person without an account.',
        examples: [482915374],
      }),
    ),
    date: Instant({ description: 'When it was recorded.' }),
    amount: Int64({ description: 'Whole currency units.', examples: [26] }),
    points: Int64({ description: 'The points it earned.', examples: [39] }),
    counter_id: Nullable(Int64({ description: 'The id of the register.', examples: [3] })),
    id_suc: Nullable(Int64({ description: 'The id of the branch.', examples: [12] })),
    external_id: Nullable(
      Type.String({
        description: 'The shop’s own id of the purchase, if it gave one.',
        examples: ['order-2026-000123'],
      }),
    ),
    ...computation,
    reversed_amount: Int64({
      description:
        'How much of the amount was reversed, less what the order of the purchase grew by since. The amount less this is what counts.',
      examples: [6],
    }),
    reversed_points: Int64({
      description: 'How many of its points were taken back, less those of its growth.',
      examples: [9],
    }),
  },
  { title: 'Consumption' },
);

export const ConsumptionPageSchema = Type.Object(
  {
    results: Type.Array(ConsumptionSchema),
    next_cursor: Nullable(Type.String({ description: 'Null on the last page' })),
  },
  { title: 'ConsumptionPage' },
);

export const ConsumptionReversalSchema = Type.Object(
  {
    message: Type.String({ examples: ['consumption reversed'] }),
    amount: Int64({ description: 'Whole currency units that were reversed.', examples: [6] }),
    points: Int64({
      description:
        'The points taken back: first those that waited, then those of the balance. Points that expired unspent are not taken back.',
      examples: [9],
    }),
  },
  { title: 'ConsumptionReversal' },
);

export const ConsumptionConfirmationSchema = Type.Object(
  {
    message: Type.String({ examples: ['consumption confirmed'] }),
    points_waiting: Int64({
      description: 'The points of the purchase that wait still: those that wait for a day.',
      examples: [0],
    }),
    points_balance: Int64({ description: 'The balance of the member right after it.', examples: [120] }),
  },
  { title: 'ConsumptionConfirmation' },
);

export function consumptionConfirmationToWire({
  waiting,
  balance,
}: Confirmed): Static<typeof ConsumptionConfirmationSchema> {
  return { message: 'consumption confirmed', points_waiting: waiting, points_balance: balance };
}

export function consumptionPreviewToWire(
  preview: PointsForPurchase & Pick<Preview, 'explanation' | 'stamps'>,
): Static<typeof ConsumptionPreviewSchema> {
  return {
    points: preview.points,
    ...computationToWire(preview.factors),
    explanation: preview.explanation,
    ...(preview.stamps.length > 0 && { stamps: previewedStampsToWire(preview.stamps) }),
  };
}

/** `id` is the consumption_id by which the shop knows the purchase. */
export function consumptionToWire(purchase: PurchaseRead, id: number): Static<typeof ConsumptionSchema> {
  return {
    id,
    client_code: purchase.code,
    date: purchase.at,
    amount: purchase.amount,
    points: purchase.points,
    counter_id: purchase.registerId,
    id_suc: purchase.branchId,
    external_id: purchase.externalId,
    ...computationToWire(purchase.factors),
    explanation: purchase.explanation,
    reversed_amount: purchase.reversedAmount,
    reversed_points: purchase.reversedPoints,
  };
}

/** Returns the factors that the API has fields for. The explanation names all factors. */
function computationToWire(factors: readonly Step[]) {
  const [, , multiplierThousandths] = stepOf(factors, 'tier') ?? ['tier', 0, 1000];
  return {
    base_points: basePointsOf(factors),
    double_points: stepOf(factors, 'double') !== undefined,
    level_multiplier: multiplierThousandths / 1000,
  };
}

export function consumptionReversalToWire({
  amount,
  points,
}: Reversed): Static<typeof ConsumptionReversalSchema> {
  return { message: 'consumption reversed', amount, points };
}
