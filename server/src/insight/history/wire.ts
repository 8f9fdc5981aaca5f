import { languageOf } from '#text/language.ts';
import { Type, type Static } from 'typebox';
import { BenefitSchema, benefitToWire } from '#benefits/wire.ts';
import { Instant, Int64, Nullable, StrEnum } from '#http/schema.ts';
import { tellNote } from '#points/note.ts';
import { nameFactors } from '#purchases/explain-purchase.ts';
import type { Activity } from './read-history.ts';

const activityItem = {
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
      examples: ['Partial return of the purchase of May 2, 2027'],
    }),
  ),
};

export const ActivityItemSchema = Type.Object(activityItem, { title: 'ActivityItem' });

const KINDS = [
  'purchase',
  'correction',
  'return',
  'exchange',
  'give_back',
  'usage',
  'undo',
  'reward',
  'adjustment',
  'expiry',
] as const;

export const HistoryItemSchema = Type.Object(
  {
    kind: StrEnum(KINDS, { description: 'What happened. Finer than `type`.' }),
    ...activityItem,
    factors: Nullable(
      Type.String({
        description:
          'What increased the points of a purchase, in the language of the commerce. Null if nothing did.',
        examples: ['double points, Captain × 1.5'],
      }),
    ),
  },
  { title: 'HistoryItem' },
);

const cursors = {
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
};

export const ActivityPageSchema = Type.Object(
  { results: Type.Array(ActivityItemSchema), ...cursors },
  { title: 'ActivityPage' },
);

export const HistoryPageSchema = Type.Object(
  { results: Type.Array(HistoryItemSchema), ...cursors },
  { title: 'HistoryPage' },
);

const kinds = {
  purchase: 'purchase',
  correction: 'correction',
  reversal: 'return',
  exchange: 'exchange',
  give_back: 'give_back',
  usage: 'usage',
  undo: 'undo',
  reward: 'reward',
  adjustment: 'adjustment',
  expiry: 'expiry',
} as const satisfies Record<Activity['type'], (typeof KINDS)[number]>;

/** Maps the ledger's types of movement to the four of the API contract. A return is a purchase with negative figures, and the growth of a purchase is one with positive figures. */
const wireTypes = {
  purchase: 'consumption',
  correction: 'consumption',
  reversal: 'consumption',
  exchange: 'benefit_exchange',
  give_back: 'benefit_exchange',
  usage: 'benefit_usage',
  undo: 'points_special_reward',
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
    // Only what was bought and used carries one, by the contract ("Fields carried per type").
    benefit: type === 'points_special_reward' ? null : benefitOf(activity, serviceUrl),
    amount: activity.amount,
    event: activity.event,
    additional_note: activity.type === 'expiry' ? expiredNote(locale) : tellNote(activity.note, locale),
  };
}

export function historyItemToWire(
  activity: Activity,
  locale: string,
  serviceUrl: string,
): Static<typeof HistoryItemSchema> {
  return {
    kind: kinds[activity.type],
    ...activityItemToWire(activity, locale, serviceUrl),
    benefit: benefitOf(activity, serviceUrl),
    factors: nameFactors({ ...activity, amount: activity.amount ?? 0 }, locale),
  };
}

function benefitOf({ benefit }: Activity, serviceUrl: string) {
  return benefit && benefitToWire(benefit, serviceUrl);
}

/** Returns the note for expired points, in the commerce's language. */
function expiredNote(locale: string): string {
  return languageOf(locale) === 'es' ? 'Estos puntos vencieron sin usarse.' : 'These points expired unused.';
}
