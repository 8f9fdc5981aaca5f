/** Random histories of a few people at a commerce. */
import * as fc from '#test/random.ts';
import { reported, type Reported } from '#test/random-purchases.ts';
import { TIER_IDS } from '#test/model/ladder-histories.ts';
import { changing, ZONES } from '#test/model/programs.ts';

export type Happening =
  | { readonly does: 'buy'; readonly who: number; readonly what: Reported; readonly daysAgo: number }
  | { readonly does: 'join'; readonly who: number }
  | { readonly does: 'exchange'; readonly who: number; readonly offer: number }
  /** Vouchers and purchases count from the newest, 0. */
  | { readonly does: 'give back'; readonly voucher: number }
  | { readonly does: 'return'; readonly purchase: number; readonly amount: number | undefined }
  | { readonly does: 'adjust'; readonly who: number; readonly points: number }
  | {
      readonly does: 'go';
      readonly who: number;
      readonly how: 'block' | 'leave' | 'pin' | 'erase';
      readonly tier: string | null;
    }
  | { readonly does: 'run the jobs'; readonly at: 'first' | 'second' }
  | { readonly does: 'wait'; readonly hours: number };

const who = fc.nat(3);

const happening: fc.Arbitrary<Happening> = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.record({
      does: fc.constant('buy' as const),
      who,
      what: reported(150),
      daysAgo: fc.constantFrom(0, 0, 0, 0, 0, 0, 3),
    }),
  },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('join' as const), who }) },
  { weight: 5, arbitrary: fc.record({ does: fc.constant('exchange' as const), who, offer: fc.nat(2) }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('give back' as const), voucher: fc.nat(5) }) },
  {
    weight: 5,
    arbitrary: fc.record({
      does: fc.constant('return' as const),
      purchase: fc.nat(8),
      amount: fc.option(fc.integer({ min: 1, max: 60 }), { nil: undefined }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constant('adjust' as const),
      who,
      points: fc.integer({ min: -60, max: 80 }).filter((points) => points !== 0),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constant('go' as const),
      who,
      how: fc.constantFrom('block' as const, 'leave' as const, 'pin' as const, 'erase' as const),
      tier: fc.option(fc.constantFrom(...TIER_IDS)),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constant('run the jobs' as const),
      at: fc.constantFrom('first' as const, 'second' as const),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      does: fc.constant('wait' as const),
      hours: fc.oneof(fc.nat(72), fc.nat(24 * 40)),
    }),
  },
);

const happenings = fc.array(happening, { minLength: 5, maxLength: 22, size: 'max' });

/** A program, another one, and what happens before, between and after the second begins. */
const anyHistory = fc.record({
  zone: fc.constantFrom(...ZONES),
  /** Days after 1 January 2027. */
  beginsOn: fc.nat(420),
  doubles: fc.tuple(fc.boolean(), fc.boolean()),
  first: changing,
  changed: fc.option(changing),
  proposed: changing,
  otherZone: fc.option(fc.constantFrom(...ZONES), { freq: 4 }),
  early: happenings,
  middle: happenings,
  late: happenings,
  later: fc.array(happening, { maxLength: 8 }),
});

/**
 * The lines of a person are deleted with them, and then nobody knows what a proposed rule would have seen in them. Where somebody is erased
 * in the range, no purchase of it says lines.
 */
export const history = anyHistory.map((one) => {
  const inRange = [...one.late, ...one.later];
  if (!inRange.some((happening) => happening.does === 'go' && happening.how === 'erase')) return one;
  return { ...one, late: one.late.map(withoutLines), later: one.later.map(withoutLines) };
});

function withoutLines(happening: Happening): Happening {
  return happening.does === 'buy' ? { ...happening, what: { ...happening.what, lines: null } } : happening;
}
