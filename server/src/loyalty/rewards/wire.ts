import { Type, type Static } from 'typebox';
import type { Benefit as CatalogBenefit } from '#benefits/benefit.ts';
import { BenefitSchema, benefitToWire } from '#benefits/wire.ts';
import { Int64, Nullable, StrEnum } from '#http/schema.ts';

export const AutomaticRewardSchema = Type.Object(
  {
    event: StrEnum(['welcome', 'birthday', 'monthly_top'], {
      description: 'What is rewarded: joining, a birthday, or the highest spending of a month.',
    }),
    reward_type: StrEnum(['benefit', 'points'], { description: 'Which of the next two fields is set.' }),
    benefit: Nullable(BenefitSchema),
    points: Nullable(Int64({ description: 'Set if `reward_type` is `points`, else null.', examples: [50] })),
  },
  { title: 'AutomaticReward' },
);

export function automaticRewardToWire(
  event: 'welcome' | 'birthday' | 'monthly_top',
  reward: { readonly points: number } | { readonly benefit: CatalogBenefit },
  serviceUrl: string,
): Static<typeof AutomaticRewardSchema> {
  return 'points' in reward
    ? { event, reward_type: 'points', benefit: null, points: reward.points }
    : { event, reward_type: 'benefit', benefit: benefitToWire(reward.benefit, serviceUrl), points: null };
}
