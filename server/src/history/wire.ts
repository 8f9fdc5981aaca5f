import { Type, type Static } from 'typebox';
import { BenefitSchema, benefitToWire } from '#benefits/wire.ts';
import { Instant, Int64, Nullable, StrEnum } from '#http/schema.ts';
import { nameFactors } from '#purchases/explain-purchase.ts';
import type { Activity } from './read-history.ts';

export const ActivityItemSchema = Type.Object(
  {
    type: StrEnum(['consumption', 'benefit_exchange', 'benefit_usage', 'points_special_reward'], {
      description: 'A purchase, a bought benefit, a redeemed one, or anything else that changed the balance.',
    }),
    date: Nullable(Instant({ description: 'When it happened.' })),
    points: Nullable(Int64({ description: 'Points added, or subtracted if negative.', examples: [39] })),
    benefit: Nullable(BenefitSchema),
    amount: Nullable(Type.Number({ description: 'The amount of the purchase.', examples: [26] })),
    event: Nullable(
      Type.String({
        description: 'The reward that gave the points, of a `points_special_reward`.',
        examples: ['welcome'],
      }),
    ),
    additional_note: Nullable(
      Type.String({
        description: 'A sentence for the member.',
        examples: ['26 ÷ 1 = 26 points; Captain × 1.5 = 39 points.'],
      }),
    ),
  },
  { title: 'ActivityItem' },
);

export const ActivityPageSchema = Type.Object(
  {
    results: Type.Array(ActivityItemSchema),
    next_cursor: Nullable(
      Type.String({
        description: 'The `cursor` of the next, older page. Null on the last page.',
        examples: ['bzo1Mg'],
      }),
    ),
    previous_cursor: Nullable(
      Type.String({
        description: 'The `cursor` of the previous, newer page. Null on the first page.',
        examples: ['bjo3Mg'],
      }),
    ),
  },
  { title: 'ActivityPage' },
);

/** Maps the ledger's types of movement to the four of the API contract. A return is a purchase with negative figures. */
const wireTypes = {
  purchase: 'consumption',
  reversal: 'consumption',
  exchange: 'benefit_exchange',
  give_back: 'benefit_exchange',
  usage: 'benefit_usage',
  reward: 'points_special_reward',
  adjustment: 'points_special_reward',
  expiry: 'points_special_reward',
} as const satisfies Record<Activity['type'], string>;

export function activityItemToWire(
  activity: Activity,
  locale: string,
  serviceUrl: string,
): Static<typeof ActivityItemSchema> {
  const type = wireTypes[activity.type];
  return {
    type,
    date: activity.at,
    points: type === 'benefit_usage' ? null : activity.points,
    benefit: activity.benefit && benefitToWire(activity.benefit, serviceUrl),
    amount: activity.amount,
    event: activity.event,
    additional_note: noteOf(activity, locale),
  };
}

function noteOf(activity: Activity, locale: string): string | null {
  if (activity.type === 'expiry') return expiredNote(locale);
  return activity.note ?? nameFactors(activity.factors, locale);
}

/** Returns the note for expired points, in the commerce's language. */
function expiredNote(locale: string): string {
  return locale.startsWith('es') ? 'Estos puntos vencieron sin usarse.' : 'These points expired unused.';
}
