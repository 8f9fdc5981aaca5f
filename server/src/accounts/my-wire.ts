import { Type, type Static } from 'typebox';
import { Benefit, benefitOf } from '#benefits/wire.ts';
import type { Benefit as CatalogBenefit } from '#benefits/benefit.ts';
import { endOfDay } from '#calendar/calendar.ts';
import { Commerce, commerceOf } from '#commerces/wire.ts';
import { Instant, Int64, Nullable, StrEnum } from '#http/schema.ts';
import { balanceOn } from '#points/lots.ts';
import { nextTier, standingAt, tierHeld } from '#tiers/standing.ts';
import { expiringOf, type Account, type Expiring } from './my-account.ts';

const PointsExpiration = Type.Object(
  {
    points: Int64({ description: 'Points about to expire', examples: [40] }),
    expiration_date: Nullable(Instant()),
    days_left: Nullable(Int64({ description: 'Local days; 0 on the day', examples: [61] })),
    months_left: Nullable(Int64({ description: 'Whole months', examples: [2] })),
    mode: Nullable(StrEnum(['none', 'rolling', 'accumulated'])),
  },
  { title: 'PointsExpiration' },
);

export const MyAccount = Type.Object(
  {
    username: Nullable(Type.String({ examples: ['eva'] })),
    email: Nullable(Type.String({ examples: ['eva@example.com'] })),
    phone: Nullable(Type.String({ description: 'E.164', examples: ['+5491122334455'] })),
    points: Int64({ description: 'Points at this commerce', examples: [120] }),
    subscribed: Type.Boolean({ description: 'Subscribed to this program' }),
    commerce: Nullable(Commerce),
    points_expiration: Nullable(PointsExpiration),
  },
  { title: 'MyAccount' },
);

export const ExpiringPoints = Type.Object(
  { points: Int64(), expiration_date: Instant(), days_left: Int64(), months_left: Int64() },
  { title: 'ExpiringPoints' },
);

export const Level = Type.Object(
  {
    name: Nullable(Type.String({ description: 'As the commerce calls it', examples: ['Media luna'] })),
    rank: Nullable(Int64({ description: 'Position in the ladder, from 1', examples: [2] })),
    points_multiplier: Nullable(Type.Number({ examples: [1.25] })),
    icon_url: Nullable(Type.String()),
    reached_at: Nullable(Instant()),
    expiration_date: Nullable(Instant()),
    is_expired: Nullable(Type.Boolean()),
    next_level: Nullable(
      Type.Object(
        {
          name: Nullable(Type.String()),
          rank: Nullable(Int64()),
          threshold_type: Nullable(StrEnum(['points', 'amount'])),
          threshold: Nullable(Type.Number({ description: 'The lifetime figure at which it is reached' })),
        },
        { title: 'NextLevel' },
      ),
    ),
    total_earned_points: Nullable(Int64({ description: 'In a lifetime', examples: [1870] })),
    total_spent_amount: Nullable(Type.Number({ description: 'In a lifetime', examples: [187000] })),
    total_consumptions_count: Nullable(Int64({ description: 'In a lifetime', examples: [23] })),
  },
  { title: 'Level' },
);

export const AutomaticReward = Type.Object(
  {
    event: StrEnum(['welcome', 'birthday', 'monthly_top']),
    reward_type: StrEnum(['benefit', 'points']),
    benefit: Nullable(Benefit),
    points: Nullable(Int64({ description: 'Filled when reward_type is points', examples: [400] })),
  },
  { title: 'AutomaticReward' },
);

export const JoinResult = Type.Object(
  { message: Type.String(), welcome_benefit: Nullable(Benefit), welcome_points: Nullable(Int64()) },
  { title: 'JoinResult' },
);

export function myAccountOf(account: Account): Static<typeof MyAccount> {
  const { member, commerce, email } = account;
  return {
    username: member?.username ?? null,
    email,
    phone: member?.phone ?? null,
    points: member === null ? 0 : balanceOn(member.lots, commerce.today),
    subscribed: member?.state === 'member',
    commerce: commerceOf(commerce),
    points_expiration: pointsExpirationOf(account),
  };
}

export function expiringPointsOf(expiring: Expiring): Static<typeof ExpiringPoints> {
  const { points, expiresAt, daysLeft, monthsLeft } = expiring;
  return { points, expiration_date: expiresAt, days_left: daysLeft, months_left: monthsLeft };
}

/** Null where the person has no tier. Tiers of people who left stay as they were. */
export function levelOf({ member, commerce }: Account): Static<typeof Level> | null {
  if (member === null) return null;
  const { rules, now } = commerce;
  const standing = member.state === 'member' ? standingAt(member, rules, now).standing : member.standing;
  const tier = tierHeld(standing, rules.tiers);
  if (tier === null) return null;
  const next = nextTier(standing, rules.tiers);
  return {
    name: tier.name,
    rank: tier.rank,
    points_multiplier: tier.multiplierThousandths / 1000,
    icon_url: tier.iconUrl,
    reached_at: standing.reachedAt,
    expiration_date: standing.expiresOn === null ? null : endOfDay(standing.expiresOn, rules.timeZone),
    is_expired: standing.expired,
    next_level: next && {
      name: next.name,
      rank: next.rank,
      threshold_type: rules.tiers.thresholdType,
      threshold: next.threshold,
    },
    total_earned_points: member.figures.points,
    total_spent_amount: member.figures.amount,
    total_consumptions_count: member.purchases,
  };
}

export function automaticRewardOf(
  event: 'welcome' | 'birthday' | 'monthly_top',
  reward: { readonly points: number } | { readonly benefit: CatalogBenefit },
): Static<typeof AutomaticReward> {
  return 'points' in reward
    ? { event, reward_type: 'points', benefit: null, points: reward.points }
    : { event, reward_type: 'benefit', benefit: benefitOf(reward.benefit), points: null };
}

function pointsExpirationOf(account: Account): Static<typeof PointsExpiration> {
  const { mode } = account.commerce.rules.expiration;
  const next = mode === 'none' ? undefined : expiringOf(account)[0];
  return {
    points: next?.points ?? 0,
    expiration_date: next?.expiresAt ?? null,
    days_left: next?.daysLeft ?? null,
    months_left: next?.monthsLeft ?? null,
    mode,
  };
}
