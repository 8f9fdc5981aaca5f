import { Type, type Static } from 'typebox';
import { BenefitSchema, benefitToWire } from '#benefits/wire.ts';
import { Instant, Int64, Nullable, StrEnum } from '#http/schema.ts';
import type { Activity } from './read-history.ts';

export const ActivityItemSchema = Type.Object(
  {
    type: StrEnum(['consumption', 'benefit_exchange', 'benefit_usage', 'points_special_reward']),
    date: Nullable(Instant()),
    points: Nullable(Int64({ description: 'Added or subtracted', examples: [17] })),
    benefit: Nullable(BenefitSchema),
    amount: Nullable(Type.Number({ description: 'Of a consumption', examples: [1750] })),
    event: Nullable(Type.String({ description: 'Of a points_special_reward', examples: ['welcome'] })),
    additional_note: Nullable(Type.String({ description: 'For the member to read' })),
  },
  { title: 'ActivityItem' },
);

export const ActivityPageSchema = Type.Object(
  {
    results: Type.Array(ActivityItemSchema),
    next_cursor: Nullable(Type.String({ description: 'Of the older page; null where there is none' })),
    previous_cursor: Nullable(Type.String({ description: 'Of the newer page; null where there is none' })),
  },
  { title: 'ActivityPage' },
);

/** The ledger's kinds of movement in the four of the contract; a return is a purchase with negative figures. */
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

export function activityItemToWire(activity: Activity, locale: string): Static<typeof ActivityItemSchema> {
  const type = wireTypes[activity.type];
  return {
    type,
    date: activity.at,
    points: type === 'benefit_usage' ? null : activity.points,
    benefit: activity.benefit && benefitToWire(activity.benefit),
    amount: activity.amount,
    event: activity.event,
    additional_note: activity.type === 'expiry' ? expiredNote(locale) : activity.note,
  };
}

/** Returns the note beside points that expired, in the commerce's language. */
function expiredNote(locale: string): string {
  return locale.startsWith('es') ? 'Estos puntos vencieron sin usarse.' : 'These points expired unused.';
}
