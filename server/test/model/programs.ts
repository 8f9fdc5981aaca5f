/** Random programs for the model and the service: a commerce's rules, and what happens at it step by step. */
import { NOWHERE } from '#points/purchase-facts.ts';
import * as fc from '#test/random.ts';
import { reported, type Reported } from '#test/random-purchases.ts';
import { changingEarning } from './earning.ts';
import { ladder, TIER_IDS } from './ladder-histories.ts';
import type { Offer, Rules } from './model.ts';
import { changingStamps } from './stamps.ts';

export const ZONES = [
  'Europe/Madrid',
  'America/Argentina/Buenos_Aires',
  'Pacific/Apia',
  'Asia/Kolkata',
  'America/New_York',
  'Africa/Cairo',
];

export const OFFERS: readonly Offer[] = [
  { id: 'coffee', cost: 15, limit: 5, validDays: 20 },
  { id: 'mug', cost: 60, limit: 0, validDays: null },
  { id: 'gift', cost: 0, limit: 0, validDays: null },
];

export const PEOPLE = 4;

export interface RandomProgram {
  readonly zone: string;
  readonly startsIn: number;
  readonly doubles: boolean;
  readonly rules: Changing;
  readonly steps: readonly Step[];
}

export type Step =
  /** Purchases that arrive at once, where they do not come one by one. */
  | { readonly does: 'earn'; readonly purchases: readonly Bought[] }
  | { readonly does: 'exchange'; readonly who: number; readonly offer: number }
  /** Vouchers and purchases count from the newest, 0. */
  | { readonly does: 'redeem' | 'undo' | 'give back'; readonly voucher: number }
  | { readonly does: 'redeem a gift' | 'redeem a card'; readonly who: number; readonly gift: number }
  | { readonly does: 'reverse'; readonly purchase: number; readonly percent: number | null }
  | { readonly does: 'join' | 'leave' | 'block' | 'erase'; readonly who: number }
  /** A day set by hand counts from today. */
  | { readonly does: 'adjust'; readonly who: number; readonly points: number; readonly days: number | null }
  | { readonly does: 'pin'; readonly who: number; readonly tier: string | null }
  | { readonly does: 'unpin'; readonly who: number }
  | { readonly does: 'expire points' | 'expire tiers' }
  | { readonly does: 'change'; readonly rules: Changing }
  | { readonly does: 'wait'; readonly days: number; readonly hours: number }
  | { readonly does: 'wait for midnight'; readonly side: 'before' | 'after' }
  | { readonly does: 'wait for a month end' };

export interface Bought {
  /** Null for a call that no transaction survives. */
  readonly who: number | null;
  readonly what: Reported;
  readonly byCode: boolean;
  /** Twice by the key that is sent along, or by the shop's own id of the purchase. */
  readonly key: 'none' | 'sent once' | 'sent twice' | 'named twice';
  /** Whether those before it may be under way already. */
  readonly late: boolean;
}

export type Changing = Omit<Rules, 'zone' | 'double'>;

// Most happens to two of them, so that it meets; the others are there to buy together.
const who = fc.oneof({ weight: 4, arbitrary: fc.nat(1) }, { weight: 1, arbitrary: fc.nat(PEOPLE - 1) });
const some = fc.nat(1_000);

export const changing: fc.Arbitrary<Changing> = fc
  .record({
    ...changingEarning,
    ...changingStamps,
    returns: fc.constantFrom('negative' as const, 'clamp' as const, 'refuse' as const),
    mode: fc.constantFrom('none' as const, 'rolling' as const, 'accumulated' as const),
    months: fc.constantFrom(1, 1, 2, 3),
    ladder,
    welcome: fc.constantFrom(null, 20),
    // Longer than a purchase is reported late.
    waits: fc.constantFrom(null, null, 4, 10, 45),
    ceiling: fc.constantFrom(1_000, 1_000, 80),
  })
  .map(({ ladder, ...rules }) => ({ ...rules, ...ladder }));

const bought = (who: fc.Arbitrary<Bought['who']>, most: number) =>
  fc.record({
    who,
    what: reported(most),
    byCode: fc.boolean(),
    key: fc.constantFrom(
      'none' as const,
      'none' as const,
      'sent once' as const,
      'sent twice' as const,
      'named twice' as const,
    ),
    late: fc.nat(3).map((n) => n === 0),
  });

const alone = fc.tuple(bought(who, 150));
const together = fc.array(bought(fc.option(fc.nat(PEOPLE - 1), { freq: 30 }), 90), {
  minLength: 2,
  maxLength: 6,
  size: 'max',
});

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: alone.map((purchases) => ({ does: 'earn' as const, purchases })) },
  { weight: 3, arbitrary: together.map((purchases) => ({ does: 'earn' as const, purchases })) },
  {
    weight: 6,
    arbitrary: fc.record({ does: fc.constant('exchange' as const), who, offer: fc.nat(OFFERS.length - 1) }),
  },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('redeem' as const), voucher: some }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('undo' as const), voucher: some }) },
  { weight: 4, arbitrary: fc.record({ does: fc.constant('give back' as const), voucher: some }) },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constantFrom('redeem a gift' as const, 'redeem a card' as const, 'redeem a card' as const),
      who,
      gift: some,
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      does: fc.constant('reverse' as const),
      purchase: some,
      percent: fc.option(fc.integer({ min: 1, max: 110 })),
    }),
  },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('join' as const), who }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constantFrom('leave' as const, 'block' as const), who }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constantFrom('block' as const, 'erase' as const), who }) },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant('adjust' as const),
      who,
      points: fc.integer({ min: -80, max: 80 }).filter((points) => points !== 0),
      days: fc.option(fc.integer({ min: -2, max: 60 }), { freq: 3 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constant('pin' as const),
      who,
      tier: fc.option(fc.constantFrom(...TIER_IDS)),
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('unpin' as const), who }) },
  {
    weight: 3,
    arbitrary: fc.record({ does: fc.constantFrom('expire points' as const, 'expire tiers' as const) }),
  },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('change' as const), rules: changing }) },
  {
    weight: 6,
    arbitrary: fc.record({
      does: fc.constant('wait' as const),
      days: fc.integer({ min: 0, max: 45 }),
      hours: fc.nat(23),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constant('wait for midnight' as const),
      side: fc.constantFrom('before' as const, 'after' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('wait for a month end' as const) }) },
);

const plain = { byCode: false, key: 'none', late: false } as const;

/** Steps that seldom come about by chance: points of one day, spent in part, expired, and both purchases returned. */
const expiredAndReturned: fc.Arbitrary<Step[]> = fc
  .record({
    who,
    amounts: fc.tuple(fc.integer({ min: 20, max: 60 }), fc.integer({ min: 20, max: 60 })),
    days: fc.integer({ min: 20, max: 95 }),
  })
  .map(({ who, amounts: [first, second], days }) => [
    { does: 'join', who },
    { does: 'earn', purchases: [{ who, what: { amount: first, ...NOWHERE }, ...plain }] },
    { does: 'earn', purchases: [{ who, what: { amount: second, ...NOWHERE }, ...plain }] },
    { does: 'exchange', who, offer: 0 },
    { does: 'wait', days, hours: 0 },
    { does: 'reverse', purchase: 0, percent: null },
    { does: 'reverse', purchase: 1, percent: 60 },
    { does: 'reverse', purchase: 1, percent: null },
  ]);

const steps = fc.oneof(
  { weight: 25, arbitrary: step.map((step) => [step]) },
  { weight: 1, arbitrary: expiredAndReturned },
);

export const program: fc.Arbitrary<RandomProgram> = fc.record({
  zone: fc.constantFrom(...ZONES),
  // Days after 1 January 2027, a year before a leap year.
  startsIn: fc.nat(420),
  doubles: fc.boolean(),
  rules: changing,
  steps: fc
    .array(steps, { minLength: 40, maxLength: 40, size: 'max' })
    .map((parts) => parts.flat().slice(0, 40)),
});
