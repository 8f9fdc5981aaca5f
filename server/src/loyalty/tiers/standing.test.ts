import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '#test/random.ts';
import type { Rules, Tier, TierRules } from '#program/rules.ts';
import { coverStanding } from '#members/cover-standing.ts';
import type { Standing } from '#members/member.ts';
import { withNewValidity } from './change-ladder.ts';
import { standingAfterReturn, countingWithout, type Climb } from './standing-after-return.ts';
import { nextTier, tierHeld, tierThatCounts } from './ladder.ts';
import { climb, nothing, noTier, settle, standingAt, type Climber } from './standing.ts';

const timeZone = 'America/Argentina/Buenos_Aires'; // UTC-3 all year: a local day ends at 02:59:59.999Z
const day = (date: string) => new Date(`${date}T12:00:00Z`);
const earned = (points: number) => ({ points, amount: 0 });
const multiplierOf = (standing: Standing, tiers: TierRules) =>
  tierThatCounts(standing, tiers)?.multiplierThousandths ?? 1000;

/** The standing of a new member: the first tier if the ladder starts at 0, else none. */
const firstStanding = (tiers: TierRules, at: Date, zone: string) =>
  climb(noTier, nothing, tiers, at, zone).standing;

const IDS = ['bronze', 'silver', 'gold', 'platinum', 'diamond'];

function rankOf(standing: Standing, tiers: TierRules): number | null {
  return tierHeld(standing, tiers)?.rank ?? null;
}

function ladder(thresholds: number[], validMonths: number | null = null): TierRules {
  const tiers = thresholds.map((threshold, i): Tier => ({
    id: IDS[i]!,
    rank: i + 1,
    name: ['Bronze', 'Silver', 'Gold', 'Platinum', 'Diamond'][i]!,
    threshold,
    multiplierThousandths: 1000 + 250 * i,
    iconUrl: null,
    benefitId: null,
  }));
  return { thresholdType: 'points', validMonths, ladder: tiers };
}

const fromZero = ladder([0, 1000, 5000]);
const aboveZero = ladder([100, 1000, 5000]);

const climbs: [tiers: TierRules, points: number, rank: number | null, reached: string[], why: string][] = [
  [fromZero, 0, 1, [], 'reached by enrolling'],
  [fromZero, 999, 1, [], '999 < 1000'],
  [fromZero, 1000, 2, ['silver'], '1000 ≥ 1000'],
  [fromZero, 5000, 3, ['silver', 'gold'], 'two at once'],
  [aboveZero, 99, null, [], '99 < 100: no tier'],
  [aboveZero, 100, 1, ['bronze'], '100 ≥ 100'],
  [aboveZero, 9000, 3, ['bronze', 'silver', 'gold'], 'three at once'],
  [ladder([]), 9000, null, [], 'no tiers in the program'],
];
for (const [tiers, points, rank, reached, why] of climbs) {
  test(`with ${points} points the tier is ${rank}: ${why}`, () => {
    const first = firstStanding(tiers, day('2026-01-01'), timeZone);
    const result = climb(first, earned(points), tiers, day('2026-02-01'), timeZone);
    assert.equal(rankOf(result.standing, tiers), rank);
    assert.deepEqual(result.reached, reached);
  });
}

test('enrolling reaches a tier with threshold 0, at that instant', () => {
  const at = day('2026-01-01');
  assert.deepEqual(firstStanding(fromZero, at, timeZone).reachedAt, at);
  assert.equal(firstStanding(aboveZero, at, timeZone).reachedAt, null);
});

test('a ladder by amount spent looks at the amount alone', () => {
  const byAmount: TierRules = { ...fromZero, thresholdType: 'amount' };
  const first = firstStanding(byAmount, day('2026-01-01'), timeZone);
  const at = day('2026-02-01');
  const after = (points: number, amount: number) =>
    climb(first, { points, amount }, byAmount, at, timeZone).standing.tierId;
  assert.equal(after(9000, 999), 'bronze');
  assert.equal(after(0, 1000), 'silver');
});

/** Silver, reached on 15 January 2026 by a purchase that led to 1200 points; valid for 12 months. */
const yearly = ladder([0, 1000, 5000], 12);
const silver = climb(
  firstStanding(yearly, day('2026-01-01'), timeZone),
  earned(1200),
  yearly,
  day('2026-01-15'),
  timeZone,
).standing;

test('the period ends with the local day, not before', () => {
  assert.equal(silver.expiresOn, '2027-01-15');
  const lastInstant = new Date('2027-01-16T02:59:59.999Z');
  assert.equal(settle(silver, earned(1200), yearly, lastInstant, timeZone), silver);
  assert.notEqual(settle(silver, earned(1200), yearly, new Date('2027-01-16T03:00:00Z'), timeZone), silver);
});

const ends: [
  tiers: TierRules,
  held: number,
  earnedBy: number,
  earnedNow: number,
  now: string,
  rank: number,
  expired: boolean,
  expiresOn: string,
  why: string,
][] = [
  [yearly, 2, 1200, 2200, '2027-02-01', 2, false, '2028-01-15', '2200 - 1200 = 1000 ≥ 1000: renewed'],
  [yearly, 2, 1200, 2199, '2027-02-01', 1, false, '2028-01-15', '2199 - 1200 = 999 < 1000: down to 0'],
  [yearly, 3, 6000, 7500, '2027-02-01', 2, false, '2028-01-15', '1500: below 5000, meets 1000'],
  [yearly, 3, 6000, 7500, '2028-02-01', 1, false, '2029-01-15', '1500, then 0 in the second year'],
  [yearly, 2, 1200, 2200, '2028-02-01', 1, false, '2029-01-15', '1000: renewed; then 0: down'],
  [
    ladder([100, 1000], 12),
    2,
    1200,
    1299,
    '2027-02-01',
    2,
    true,
    '2027-01-15',
    '99 < 100: meets none, expired',
  ],
  [ladder([100, 1000], 12), 2, 1200, 1300, '2027-02-01', 1, false, '2028-01-15', '100 ≥ 100: down'],
  [ladder([100, 1000], 12), 2, 1200, 1300, '2028-02-01', 1, true, '2028-01-15', '100: down; then 0: expired'],
  [ladder([100, 1000], 12), 2, 1200, 1100, '2027-02-01', 2, true, '2027-01-15', 'a return: 1100 - 1200 < 0'],
  [yearly, 1, 0, -50, '2027-02-01', 1, false, '2028-01-15', 'a tier from 0 on stays even then'],
];
for (const [tiers, rank, at, now, date, rankThen, expired, expiresOn, why] of ends) {
  test(`rank ${rank} is rank ${rankThen}${expired ? ', expired,' : ''} on ${date}: ${why}`, () => {
    const held: Standing = { ...silver, tierId: IDS[rank - 1]!, periodBase: earned(at) };
    const settled = settle(held, earned(now), tiers, day(date), timeZone);
    assert.deepEqual(
      [rankOf(settled, tiers), settled.expired, settled.expiresOn],
      [rankThen, expired, expiresOn],
    );
  });
}

test('a move down starts a new period at the end of the previous one, and climbing counts from there', () => {
  const moved = settle(silver, earned(1700), yearly, day('2027-03-01'), timeZone);
  assert.deepEqual(moved, {
    tierId: 'bronze',
    reachedAt: new Date('2027-01-16T02:59:59.999Z'),
    periodFrom: '2027-01-15',
    expiresOn: '2028-01-15',
    expired: false,
    beneath: null,
    periodBase: earned(1700),
    climbBase: earned(1700),
    climbFrom: new Date('2027-01-16T02:59:59.999Z'),
  });
  assert.deepEqual(nextTier(moved, yearly), { id: 'silver', name: 'Silver', rank: 2, threshold: 2700 }); // 1700 + 1000
  assert.deepEqual(climb(moved, earned(2699), yearly, day('2027-03-02'), timeZone).reached, []);
  assert.deepEqual(climb(moved, earned(2700), yearly, day('2027-03-02'), timeZone).reached, ['silver']);
});

test('an expired tier keeps its name, multiplies nothing and climbs from the bottom', () => {
  const tiers = ladder([100, 1000], 12);
  const expired = settle(silver, earned(1250), tiers, day('2027-03-01'), timeZone);
  assert.equal(tierHeld(expired, tiers)?.name, 'Silver');
  assert.equal(multiplierOf(silver, tiers), 1250);
  assert.equal(multiplierOf(expired, tiers), 1000);
  assert.deepEqual(nextTier(expired, tiers), { id: 'bronze', name: 'Bronze', rank: 1, threshold: 1350 }); // 1250 + 100
  const again = climb(expired, earned(1350), tiers, day('2027-03-02'), timeZone);
  assert.deepEqual(again.reached, ['bronze']);
  assert.equal(again.standing.expired, false);
  assert.equal(again.standing.expiresOn, '2028-03-02');
  assert.equal(nextTier(again.standing, tiers)?.threshold, 2250); // 1250 + 1000
});

test('a tier pinned by staff neither ends nor climbs, and the rules go on beneath it', () => {
  const pinned = coverStanding(silver, 'silver', day('2026-02-01'));
  assert.equal(settle(pinned, earned(0), yearly, day('2026-02-02'), timeZone), pinned);
  const settled = settle(pinned, earned(0), yearly, day('2040-01-01'), timeZone);
  assert.deepEqual([settled.tierId, settled.expiresOn], ['silver', null]);
  assert.deepEqual(settled.beneath, settle(silver, earned(0), yearly, day('2040-01-01'), timeZone));
  const climbed = climb(pinned, earned(9000), yearly, day('2026-03-01'), timeZone);
  assert.deepEqual([climbed.standing.tierId, climbed.standing.reachedAt], ['silver', day('2026-02-01')]);
  assert.deepEqual(
    { standing: climbed.standing.beneath, reached: climbed.reached },
    climb(silver, earned(9000), yearly, day('2026-03-01'), timeZone),
  );
  assert.equal(nextTier(pinned, yearly), null);
  assert.equal(multiplierOf(pinned, yearly), 1250);
});

test('the next tier is given as a lifetime figure, and there is none at the top', () => {
  const first = firstStanding(aboveZero, day('2026-01-01'), timeZone);
  assert.deepEqual(nextTier(first, aboveZero), { id: 'bronze', name: 'Bronze', rank: 1, threshold: 100 });
  const top = climb(first, earned(5000), aboveZero, day('2026-01-01'), timeZone).standing;
  assert.equal(nextTier(top, aboveZero), null);
});

const falls: [left: number, countedAt: string, rank: number, why: string][] = [
  [5000, '2026-02-01', 3, '5000 still meets Gold'],
  [4999, '2026-02-01', 2, '4999 < 5000, meets 1000'],
  [999, '2026-02-01', 1, '999 < 1000: as before the purchase'],
  [999, '2026-01-20', 3, 'another purchase had reached it'],
];
for (const [left, countedAt, rank, why] of falls) {
  test(`a return that leaves ${left} points leaves rank ${rank}: ${why}`, () => {
    const before = firstStanding(fromZero, day('2026-01-01'), timeZone);
    const gold = climb(before, earned(6000), fromZero, day('2026-02-01'), timeZone).standing;
    const purchase = { countedAt: day(countedAt), reached: ['silver', 'gold'], before };
    const rules = { tiers: fromZero, timeZone };
    const { standing, lost } = standingAfterReturn(
      gold,
      [purchase],
      [],
      earned(left),
      rules,
      day('2026-03-01'),
    );
    assert.equal(rankOf(standing, fromZero), rank);
    if (rank === 1) assert.deepEqual(standing, before);
    assert.deepEqual(
      lost.map(({ tierId }) => tierId),
      ['silver', 'gold'].slice(rank - 1),
    );
  });
}

test('a tier that only another returned purchase had reached falls with the one above it, in any order', () => {
  const rules = { tiers: fromZero, timeZone };
  const bronze = firstStanding(fromZero, day('2026-01-01'), timeZone);
  const silver = climb(bronze, earned(1200), fromZero, day('2026-02-01'), timeZone);
  const gold = climb(silver.standing, earned(6000), fromZero, day('2026-03-01'), timeZone);
  const first: Climb = { countedAt: day('2026-02-01'), reached: silver.reached, before: bronze };
  const second: Climb = { countedAt: day('2026-03-01'), reached: gold.reached, before: silver.standing };
  const now = day('2026-04-01');

  const keptByFirst = standingAfterReturn(gold.standing, [second], [], earned(1200), rules, now);
  assert.deepEqual([keptByFirst.standing, keptByFirst.lost.length], [silver.standing, 1]);
  const firstReturned = standingAfterReturn(gold.standing, [first], [], earned(4800), rules, now);
  assert.deepEqual([firstReturned.standing, firstReturned.lost], [gold.standing, []]);
  const bothReturned = standingAfterReturn(gold.standing, [second], [first], earned(0), rules, now);
  assert.deepEqual(bothReturned.standing, bronze);
  assert.deepEqual(bothReturned.lost, [
    { tierId: 'gold', reachedAt: second.countedAt },
    { tierId: 'silver', reachedAt: first.countedAt },
  ]);
});

test('after a move down, a return of an older purchase does not change how much is still to be earned', () => {
  const moved = settle(silver, earned(1700), yearly, day('2027-03-01'), timeZone);
  const toEarn = (standing: Standing, points: number) => nextTier(standing, yearly)!.threshold - points;
  assert.equal(toEarn(moved, 1700), 1000);
  const older = countingWithout(moved, day('2026-12-01'), earned(500));
  assert.equal(toEarn(older, 1200), 1000);
  const later = countingWithout(moved, day('2027-02-01'), earned(500));
  assert.equal(later, moved);
});

const absences: [what: string, away: Partial<Climber>][] = [
  ['left', { state: 'left', leftAt: day('2026-06-01') }],
  ['is blocked', { blockedAt: day('2026-06-01') }],
  ['left and is blocked since', { state: 'left', leftAt: day('2026-06-01'), blockedAt: day('2028-01-01') }],
  ['is blocked and left since', { state: 'left', leftAt: day('2028-01-01'), blockedAt: day('2026-06-01') }],
];
for (const [what, away] of absences) {
  test(`the tier of someone who ${what} does not change until they come back, even if they qualify for another`, () => {
    const present = { state: 'member', leftAt: null, blockedAt: null } as const;
    const member: Climber = { ...present, standing: silver, figures: earned(9000) };
    const rules = { tiers: yearly, timeZone } as Rules;
    for (const at of ['2026-07-01', '2027-01-16', '2040-01-01'])
      assert.deepEqual(standingAt({ ...member, ...away }, rules, day(at)), { standing: silver, reached: [] });
    assert.equal(standingAt(member, rules, day('2026-07-01')).standing.tierId, 'gold');
    const back = { ...member, figures: earned(1300) };
    assert.equal(standingAt(back, rules, day('2027-01-16')).standing.tierId, 'bronze');
  });
}

test('a program without a validity ends no tier, even one that had a last day', () => {
  assert.equal(settle(silver, earned(0), fromZero, day('2040-01-01'), timeZone), silver);
});

test('a program that sets a validity ends no tier at once', () => {
  const forEver: Standing = { ...silver, expiresOn: null };
  const ends = (at: string) =>
    withNewValidity(forEver, earned(1200), fromZero, { tiers: yearly, timeZone }, day(at)).expiresOn;
  assert.equal(ends('2026-06-01'), '2027-01-15'); // reached on 15 January 2026, plus 12 months
  assert.equal(ends('2027-01-15'), '2027-01-15'); // its last day
  assert.equal(ends('2029-06-01'), '2030-06-01'); // passed: 12 months from the change
  const lifted = withNewValidity(
    silver,
    earned(1200),
    yearly,
    { tiers: fromZero, timeZone },
    day('2026-06-01'),
  );
  assert.equal(lifted.expiresOn, null);
});

// Ladders and purchase histories of any shape.
const anyLadder = fc
  .tuple(fc.uniqueArray(fc.nat(2000), { maxLength: 5 }), fc.option(fc.integer({ min: 1, max: 24 })))
  .map(([thresholds, validMonths]) =>
    ladder(
      thresholds.toSorted((a, b) => a - b),
      validMonths,
    ),
  );
const life = fc.array(fc.tuple(fc.nat(400), fc.nat(1500)), { maxLength: 8 });
const start = Date.UTC(2026, 0, 31, 12);
const daysLater = (days: number) => new Date(start + days * 86_400_000);

/** Returns the standing after a list of purchases (days since the last, points earned). */
function live(tiers: TierRules, purchases: [number, number][]) {
  let standing = firstStanding(tiers, daysLater(0), timeZone);
  let points = 0;
  let days = 0;
  for (const [wait, earns] of purchases) {
    days += wait;
    points += earns;
    standing = settle(standing, earned(points - earns), tiers, daysLater(days), timeZone);
    standing = climb(standing, earned(points), tiers, daysLater(days), timeZone).standing;
  }
  return { standing, figures: earned(points), days };
}

test('settling once or often, at any instants in between, gives the same result', () => {
  fc.assert(
    fc.property(
      anyLadder,
      life,
      fc.array(fc.nat(900), { maxLength: 5 }),
      fc.nat(2000),
      (tiers, purchases, stops, last) => {
        const { standing, figures, days } = live(tiers, purchases);
        const at = (days: number, from: Standing) => settle(from, figures, tiers, daysLater(days), timeZone);
        const inOne = at(days + last, standing);
        assert.equal(at(days + last, inOne), inOne);
        const byStops = stops
          .filter((stop) => stop <= last)
          .sort((a, b) => a - b)
          .reduce((from, stop) => at(days + stop, from), standing);
        assert.deepEqual(at(days + last, byStops), inOne);
      },
    ),
  );
});

test('climbing never lowers the tier, takes one step, and stops below the next tier', () => {
  fc.assert(
    fc.property(anyLadder, life, fc.nat(5000), (tiers, purchases, more) => {
      const { standing, figures, days } = live(tiers, purchases);
      const grown = earned(figures.points + more);
      const { standing: after, reached } = climb(standing, grown, tiers, daysLater(days), timeZone);
      if (!standing.expired) assert.ok((rankOf(after, tiers) ?? 0) >= (rankOf(standing, tiers) ?? 0));
      assert.deepEqual(
        reached,
        tiers.ladder.map(({ id }) => id).filter((id) => reached.includes(id)),
      );
      assert.equal(climb(after, grown, tiers, daysLater(days), timeZone).standing, after);
      const next = nextTier(after, tiers);
      if (next) {
        assert.ok(next.threshold > grown.points);
        const there = climb(after, earned(next.threshold), tiers, daysLater(days), timeZone);
        assert.equal(there.reached[0], tiers.ladder[next.rank - 1]!.id);
      }
    }),
  );
});

test('settling never raises, and a tier that has expired multiplies nothing', () => {
  fc.assert(
    fc.property(anyLadder, life, fc.nat(2000), (tiers, purchases, wait) => {
      const { standing, figures, days } = live(tiers, purchases);
      const settled = settle(standing, figures, tiers, daysLater(days + wait), timeZone);
      assert.ok((rankOf(settled, tiers) ?? 0) <= (rankOf(standing, tiers) ?? 0));
      assert.ok(multiplierOf(settled, tiers) <= multiplierOf(standing, tiers));
      if (settled.expired) assert.equal(multiplierOf(settled, tiers), 1000);
      if (tiers.validMonths === null) assert.equal(settled, standing);
    }),
  );
});
