import { Type, type Static } from 'typebox';
import { Instant, Int64, Nullable, StrEnum } from '#http/schema.ts';
import { pictureUrl } from '#pictures/picture-url.ts';
import type { Reward } from '#program/rules.ts';
import { whyEnded } from './benefit.ts';
import type { Shelf } from './shelf-reader.ts';
import { BenefitSchema, benefitToWire } from './wire.ts';

const RewardSchema = Type.Object(
  {
    points: Nullable(Int64({ description: 'null if the reward is a benefit', examples: [50] })),
    benefit: Nullable(BenefitSchema),
  },
  { title: 'PublicReward' },
);

const LevelSchema = Type.Object(
  {
    id: Type.String({ examples: ['media-luna'] }),
    rank: Int64({ description: 'Position in the ladder, from 1', examples: [2] }),
    name: Type.String({ examples: ['Media luna'] }),
    threshold: Int64({ description: 'The lifetime figure at which a member reaches it', examples: [1500] }),
    points_multiplier: Type.Number({ examples: [1.25] }),
    icon_url: Nullable(Type.String({ description: 'The URL of its icon.' })),
    benefit: Nullable(BenefitSchema),
  },
  { title: 'PublicLevel' },
);

export const PublicProgramSchema = Type.Object(
  {
    tagline: Nullable(Type.String({ examples: ['Breakfast pays you back'] })),
    cover: Nullable(Type.String({ description: 'The URL of a large picture' })),
    color: Nullable(Type.String({ description: 'Brand color, hexadecimal', examples: ['#4b2e83'] })),
    locale: Type.String({ description: 'BCP 47', examples: ['es-AR'] }),
    time_zone: Type.String({ description: 'IANA', examples: ['America/Argentina/Buenos_Aires'] }),
    earning: Type.Object({
      money_per_point: Type.Number({ description: 'Currency units for one point', examples: [100] }),
      double_points: Type.Array(
        Type.Object(
          {
            from: Instant(),
            to: Instant({ description: 'This instant is no longer part of the period' }),
            is_open: Type.Boolean({ description: 'Whether purchases earn double points now' }),
          },
          { title: 'DoublePoints' },
        ),
        { description: 'The periods that have not ended, the earliest first' },
      ),
      has_rules: Type.Boolean({
        description: 'Whether some purchases earn more or less: `GET /v1/public/earning`',
        examples: [true],
      }),
      points_wait: Type.Boolean({
        description:
          'Whether points wait before they can be spent, or some still do since an earlier program: `GET /v1/me/points/pending`',
        examples: [false],
      }),
      has_stamps: Type.Boolean({
        description: 'Whether purchases stamp cards: `GET /v1/me/stamps`',
        examples: [false],
      }),
    }),
    points_expiration: Type.Object({
      mode: StrEnum(['none', 'rolling', 'accumulated']),
      months: Nullable(Int64({ description: 'null if points do not expire', examples: [12] })),
    }),
    levels: Nullable(
      Type.Object(
        {
          threshold_type: StrEnum(['points', 'amount']),
          ladder: Type.Array(LevelSchema, { description: 'The tiers, lowest first' }),
        },
        { title: 'PublicLevels', description: 'null if the program has no tiers' },
      ),
    ),
    rewards: Type.Object({
      welcome: Nullable(RewardSchema),
      birthday: Nullable(RewardSchema),
      monthly_top: Nullable(RewardSchema),
    }),
  },
  { title: 'PublicProgram' },
);

/**
 * Returns the rules of a program, as visitors see them at this instant. A reward whose benefit has ended is left out,
 * because it hands out nothing.
 */
export function publicProgramToWire(
  { program, rules, pointsWait, all, now }: Shelf,
  serviceUrl: string,
): Static<typeof PublicProgramSchema> {
  const { tagline, cover, color, locale, time_zone, earning } = program;
  const { mode, months } = rules.expiration;
  const { thresholdType, ladder } = rules.tiers;
  const { welcome, birthday, monthlyTop } = rules.rewards;
  const given = new Map(
    all.offers.filter((offer) => whyEnded(offer, now) === null).map((offer) => [offer.id, offer]),
  );
  const benefitOf = (id: string | null) => {
    const offer = id === null ? undefined : given.get(id);
    return offer === undefined ? null : benefitToWire(offer, serviceUrl);
  };
  const rewardOf = (reward: Reward | null) => {
    if (reward === null) return null;
    if ('points' in reward) return { points: reward.points, benefit: null };
    const benefit = benefitOf(reward.benefitId);
    return benefit && { points: null, benefit };
  };
  return {
    tagline,
    cover: pictureUrl(cover, serviceUrl),
    color,
    locale,
    time_zone,
    earning: {
      money_per_point: earning.money_per_point,
      double_points: rules.earning.doublePoints
        .filter(({ to }) => now < to)
        .toSorted((a, b) => a.from.getTime() - b.from.getTime())
        .map(({ from, to }) => ({ from, to, is_open: from <= now })),
      has_rules: rules.earning.rules.some(({ isPublic }) => isPublic),
      points_wait: rules.earning.pending !== null || pointsWait,
      has_stamps: rules.stamps.length > 0,
    },
    points_expiration: { mode, months: mode === 'none' ? null : months },
    levels:
      ladder.length === 0
        ? null
        : {
            threshold_type: thresholdType,
            ladder: ladder.map((tier) => ({
              id: tier.id,
              rank: tier.rank,
              name: tier.name,
              threshold: tier.threshold,
              points_multiplier: tier.multiplierThousandths / 1000,
              icon_url: pictureUrl(tier.iconUrl, serviceUrl),
              benefit: benefitOf(tier.benefitId),
            })),
          },
    rewards: {
      welcome: rewardOf(welcome),
      birthday: rewardOf(birthday),
      monthly_top: rewardOf(monthlyTop),
    },
  };
}

/**
 * Returns a name that changes whenever the response does. Besides the version, the response depends only on which
 * instants of the program have passed, and their number says which.
 */
export function nameOfPublicProgram({ id, version, rules, pointsWait, all, now }: Shelf): string {
  const windows = rules.earning.doublePoints;
  const passed =
    windows.filter(({ from }) => from <= now).length +
    windows.filter(({ to }) => to <= now).length +
    all.offers.filter((offer) => whyEnded(offer, now) !== null).length;
  return `program ${id}/${version}/${passed}${pointsWait ? '/waits' : ''}`;
}
