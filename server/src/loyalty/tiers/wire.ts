import { Type, type Static } from 'typebox';
import { endOfDay } from '#calendar/calendar.ts';
import type { Commerce } from '#commerces/commerce.ts';
import { Instant, Int64, Nullable, StrEnum } from '#http/schema.ts';
import { awaySince } from '#members/away-since.ts';
import type { Member, Standing } from '#members/member.ts';
import { pictureUrl } from '#pictures/picture-url.ts';
import type { Holder } from '#points/holder-reader.ts';
import type { Rules } from '#program/rules.ts';
import { nextTier, tierHeld } from './ladder.ts';
import { standingAt } from './standing.ts';

export const LevelSchema = Type.Object(
  {
    name: Nullable(
      Type.String({ description: 'The name that the shop gave the tier.', examples: ['Captain'] }),
    ),
    rank: Nullable(Int64({ description: 'The position on the ladder, from 1.', examples: [2] })),
    points_multiplier: Nullable(
      Type.Number({ description: 'Each purchase earns its points times this.', examples: [1.5] }),
    ),
    icon_url: Nullable(
      Type.String({ description: 'The URL of its icon.', examples: ['https://harbour.example/captain.svg'] }),
    ),
    reached_at: Nullable(Instant({ description: 'When the member reached it.' })),
    expiration_date: Nullable(
      Instant({
        description:
          'When it is decided again. Null if it never ends, and once the day has passed for somebody who has left: their tier stands still.',
      }),
    ),
    is_expired: Nullable(
      Type.Boolean({
        description: 'True if it has ended: the multiplier no longer counts.',
        examples: [false],
      }),
    ),
    next_level: Nullable(
      Type.Object(
        {
          name: Nullable(Type.String({ examples: ['Admiral'] })),
          rank: Nullable(Int64({ examples: [3] })),
          threshold_type: Nullable(
            StrEnum(['points', 'amount'], {
              description: 'Which figure counts: `total_earned_points` or `total_spent_amount`.',
            }),
          ),
          threshold: Nullable(
            Type.Number({ description: 'The lifetime figure at which it is reached.', examples: [1500] }),
          ),
        },
        { title: 'NextLevel' },
      ),
    ),
    total_earned_points: Nullable(
      Int64({ description: 'All points ever earned, also those spent since.', examples: [870] }),
    ),
    total_spent_amount: Nullable(Type.Number({ description: 'All that was ever spent.', examples: [640] })),
    total_consumptions_count: Nullable(Int64({ description: 'All purchases ever made.', examples: [31] })),
  },
  { title: 'Level' },
);

/**
 * Returns when a tier is decided again; null if it never is. The tier of somebody who has left or is blocked stands still, so a day
 * that has passed meanwhile decides nothing. One that has expired shows when.
 */
export function nextDecision(
  member: Member,
  { expiresOn, expired }: Standing,
  { timeZone }: Rules,
  { today }: Pick<Commerce, 'today'>,
): Date | null {
  const hasPassed = expiresOn !== null && !expired && expiresOn < today;
  if (expiresOn === null || (hasPassed && awaySince(member) !== null)) return null;
  return endOfDay(expiresOn, timeZone);
}

/** Returns null if the person has no tier. The tier of anyone who has left or is blocked does not change. */
export function levelToWire(
  { member, commerce }: Holder,
  serviceUrl: string,
): Static<typeof LevelSchema> | null {
  if (member === null) return null;
  const { rules, now } = commerce;
  const { standing } = standingAt(member, rules, now);
  const tier = tierHeld(standing, rules.tiers);
  if (tier === null) return null;
  const next = nextTier(standing, rules.tiers);
  return {
    name: tier.name,
    rank: tier.rank,
    points_multiplier: tier.multiplierThousandths / 1000,
    icon_url: pictureUrl(tier.iconUrl, serviceUrl),
    reached_at: standing.reachedAt,
    expiration_date: nextDecision(member, standing, rules, commerce),
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
