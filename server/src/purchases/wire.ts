import { Type, type Static } from 'typebox';
import { Instant, Int64, Nullable } from '#http/schema.ts';
import { stepOf, type PointsForPurchase, type Step } from '#points/points-for-purchase.ts';
import type { PurchaseRead } from './read-purchase.ts';
import type { Reversed } from './reverse-purchase.ts';

const computation = {
  base_points: Int64({ description: 'Points before double points and the tier multiplier' }),
  double_points: Type.Boolean({ description: 'True if double points applied' }),
  level_multiplier: Type.Number({ description: 'The multiplier of the member’s tier' }),
  explanation: Type.String({ description: 'The computation in a sentence, in the language of the commerce' }),
};

export const ConsumptionPreviewSchema = Type.Object(
  { points: Int64(), ...computation },
  { title: 'ConsumptionPreview' },
);

export const ConsumptionSchema = Type.Object(
  {
    id: Int64({ description: 'The consumption_id' }),
    client_code: Nullable(
      Int64({ description: 'Null while the points wait for a person without an account' }),
    ),
    date: Instant(),
    amount: Int64({ description: 'Whole currency units' }),
    points: Int64({ description: 'The points it earned' }),
    counter_id: Nullable(Int64()),
    id_suc: Nullable(Int64()),
    external_id: Nullable(
      Type.String({
        description: 'The shop’s own id of the purchase, if it gave one',
        examples: ['order-2026-000123'],
      }),
    ),
    ...computation,
    reversed_amount: Int64({ description: 'How much of the amount was reversed' }),
    reversed_points: Int64({ description: 'How many of its points were taken back' }),
  },
  { title: 'Consumption' },
);

export const ConsumptionReversalSchema = Type.Object(
  {
    message: Type.String(),
    amount: Int64({ description: 'Whole currency units that were reversed' }),
    points: Int64({
      description: 'The points taken from the balance. Points that expired unspent are not taken back',
    }),
  },
  { title: 'ConsumptionReversal' },
);

export function consumptionPreviewToWire(
  preview: PointsForPurchase & { explanation: string },
): Static<typeof ConsumptionPreviewSchema> {
  return {
    points: preview.points,
    ...computationToWire(preview.factors),
    explanation: preview.explanation,
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
  const [, base] = stepOf(factors, 'money')!;
  const [, , multiplierThousandths] = stepOf(factors, 'tier') ?? ['tier', 0, 1000];
  return {
    base_points: base,
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
