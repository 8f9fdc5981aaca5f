import { Type, type Static } from 'typebox';
import type { Benefit as CatalogBenefit } from '#benefits/benefit.ts';
import { Benefit, benefitOf } from '#benefits/wire.ts';
import { Int64, Nullable, StrEnum } from '#http/schema.ts';

export const AutomaticReward = Type.Object(
  {
    event: StrEnum(['welcome', 'birthday', 'monthly_top']),
    reward_type: StrEnum(['benefit', 'points']),
    benefit: Nullable(Benefit),
    points: Nullable(Int64({ description: 'Set if reward_type is points, otherwise null', examples: [400] })),
  },
  { title: 'AutomaticReward' },
);

export function automaticRewardOf(
  event: 'welcome' | 'birthday' | 'monthly_top',
  reward: { readonly points: number } | { readonly benefit: CatalogBenefit },
): Static<typeof AutomaticReward> {
  return 'points' in reward
    ? { event, reward_type: 'points', benefit: null, points: reward.points }
    : { event, reward_type: 'benefit', benefit: benefitOf(reward.benefit), points: null };
}
