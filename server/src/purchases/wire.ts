import { Type, type Static } from 'typebox';
import { Instant, Int64, Nullable } from '#http/schema.ts';
import type { PointsForPurchase } from '#points/points-for-purchase.ts';
import type { PurchaseRead } from './read-purchase.ts';
import type { Reversed } from './reverse-purchase.ts';

const computation = {
  base_points: Int64({ description: 'Points before double points and tier' }),
  double_points: Type.Boolean({ description: 'Whether double points were running' }),
  level_multiplier: Type.Number({ description: 'Multiplier of the tier that was held' }),
  explanation: Type.String({ description: 'The computation as a sentence, in the language of the commerce' }),
};

export const ConsumptionPreview = Type.Object(
  { points: Int64(), ...computation },
  { title: 'ConsumptionPreview' },
);

export const Consumption = Type.Object(
  {
    id: Int64({ description: 'The consumption_id' }),
    client_code: Nullable(
      Int64({ description: 'null while the points wait for a person without an account' }),
    ),
    date: Instant(),
    amount: Int64({ description: 'Whole currency units' }),
    points: Int64({ description: 'Points that it earned' }),
    counter_id: Nullable(Int64()),
    id_suc: Nullable(Int64()),
    ...computation,
    reversed_amount: Int64({ description: 'How much of the amount was taken back' }),
    reversed_points: Int64({ description: 'How many of its points were taken back' }),
  },
  { title: 'Consumption' },
);

export const ConsumptionReversal = Type.Object(
  {
    message: Type.String(),
    amount: Int64({ description: 'Whole currency units that were taken back' }),
    points: Int64({
      description: 'Points that left the balance; what had expired unspent is taken back from nobody',
    }),
  },
  { title: 'ConsumptionReversal' },
);

export function consumptionPreviewOf(
  preview: PointsForPurchase & { explanation: string },
): Static<typeof ConsumptionPreview> {
  return {
    points: preview.points,
    base_points: preview.base,
    double_points: preview.double,
    level_multiplier: preview.multiplierThousandths / 1000,
    explanation: preview.explanation,
  };
}

export function consumptionOf(purchase: PurchaseRead): Static<typeof Consumption> {
  const { snapshot } = purchase;
  return {
    id: purchase.id,
    client_code: purchase.code,
    date: purchase.at,
    amount: purchase.amount,
    points: purchase.points,
    counter_id: purchase.registerId,
    id_suc: purchase.branchId,
    base_points: snapshot.base,
    double_points: snapshot.double,
    level_multiplier: snapshot.multiplier / 1000,
    explanation: purchase.explanation,
    reversed_amount: purchase.reversedAmount,
    reversed_points: purchase.reversedPoints,
  };
}

export function consumptionReversalOf({ amount, points }: Reversed): Static<typeof ConsumptionReversal> {
  return { message: 'consumption reversed', amount, points };
}
