/** One person's life on random ladders, step by step, for the model and for the service's own functions. */
import * as fc from '#test/random.ts';
import type { LadderRules } from './ladder.ts';

export interface History {
  readonly zone: string;
  readonly startsOn: number;
  readonly ladder: Changing;
  readonly steps: readonly Happening[];
}

/** Multipliers are in thousandths. */
export type Changing = Omit<LadderRules, 'zone' | 'ladder'> & {
  readonly ladder: readonly (LadderRules['ladder'][number] & { readonly multiplier: number })[];
};

export type Happening =
  | { readonly does: 'buy'; readonly amount: number }
  /** Purchases count from the newest, 0. */
  | { readonly does: 'return'; readonly purchase: number; readonly percent: number }
  | { readonly does: 'credit'; readonly points: number }
  | { readonly does: 'join' | 'leave' | 'block' | 'unblock' | 'use a gift' | 'run the job' | 'return all' }
  | { readonly does: 'change'; readonly ladder: Changing }
  | { readonly does: 'wait'; readonly hours: number };

export const TIER_IDS = ['a', 'b', 'c', 'd', 'e'];

/** Tiers of any ids in any order: from one ladder to the next some come, go, move, rise and sink. */
export const ladder: fc.Arbitrary<Changing> = fc
  .record({
    measure: fc.constantFrom('points' as const, 'amount' as const),
    validMonths: fc.constantFrom(null, null, 1, 1, 2, 6),
    ids: fc.shuffledSubarray(TIER_IDS),
    thresholds: fc.uniqueArray(fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 400 })), {
      minLength: TIER_IDS.length,
      maxLength: TIER_IDS.length,
    }),
    gifts: fc.array(fc.boolean(), { minLength: TIER_IDS.length, maxLength: TIER_IDS.length }),
    multipliers: fc.array(fc.constantFrom(1_000, 1_000, 2_000), {
      minLength: TIER_IDS.length,
      maxLength: TIER_IDS.length,
    }),
  })
  .map(({ measure, validMonths, ids, thresholds, gifts, multipliers }) => {
    const steps = thresholds.slice(0, ids.length).sort((a, b) => a - b);
    return {
      measure,
      validMonths: ids.length === 0 ? null : validMonths,
      ladder: ids.map((id, i) => ({
        id,
        threshold: steps[i]!,
        gift: gifts[i]!,
        multiplier: multipliers[i]!,
      })),
    };
  });

const does = <const Word extends string>(word: Word) => fc.constant({ does: word });

const happening: fc.Arbitrary<Happening> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ does: fc.constant('buy' as const), amount: fc.integer({ min: 1, max: 250 }) }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      does: fc.constant('return' as const),
      purchase: fc.nat(6),
      percent: fc.constantFrom(10, 50, 90, 100, 100),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ does: fc.constant('credit' as const), points: fc.integer({ min: 1, max: 120 }) }),
  },
  { weight: 3, arbitrary: does('join') },
  { weight: 1, arbitrary: does('leave') },
  { weight: 1, arbitrary: does('block') },
  { weight: 2, arbitrary: does('unblock') },
  { weight: 2, arbitrary: does('use a gift') },
  { weight: 3, arbitrary: does('run the job') },
  { weight: 1, arbitrary: does('return all') },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('change' as const), ladder }) },
  {
    weight: 6,
    arbitrary: fc.record({
      does: fc.constant('wait' as const),
      hours: fc.oneof(fc.nat(72), fc.nat(24 * 70)),
    }),
  },
);

export const history: fc.Arbitrary<History> = fc.record({
  zone: fc.constantFrom('Europe/Madrid', 'Pacific/Apia', 'America/New_York'),
  // Days after 1 January 2027, a year before a leap year.
  startsOn: fc.nat(420),
  ladder,
  // Nobody is known to a shop before they buy or join.
  steps: fc
    .tuple(
      fc.oneof(
        fc.record({ does: fc.constant('buy' as const), amount: fc.integer({ min: 1, max: 250 }) }),
        does('join'),
      ),
      fc.array(happening, { minLength: 10, maxLength: 45, size: 'max' }),
    )
    .map(([first, others]) => [first, ...others]),
});
