import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coverStanding } from '#members/cover-standing.ts';
import type { Standing } from '#members/member.ts';
import type { Rules } from '#program/rules.ts';
import { standingOnNewLadder } from './change-ladder.ts';
import { noTier } from './standing.ts';

const enrolledAt = new Date('2026-01-01T12:00:00Z');
const now = new Date('2026-06-01T12:00:00Z');
const silver: Standing = {
  ...noTier,
  tierId: 'silver',
  reachedAt: new Date('2026-02-01T12:00:00Z'),
  periodFrom: '2026-02-01',
  expiresOn: '2027-02-01',
};

/** From [id, threshold] pairs. */
function rules(...ladder: [id: string, threshold: number][]): Rules {
  const tiers = ladder.map(([id, threshold], i) => ({
    id,
    rank: i + 1,
    name: id,
    threshold,
    multiplierThousandths: 1000,
    iconUrl: null,
    benefitId: null,
  }));
  return {
    version: 1,
    timeZone: 'Europe/Madrid',
    tiers: { thresholdType: 'points', validMonths: 12, ladder: tiers },
  } as unknown as Rules;
}

const before = rules(['bronze', 50], ['silver', 100], ['gold', 1000]);

function changed(standing: Standing, points: number, after: Rules) {
  const present = { state: 'member', leftAt: null, blockedAt: null, enrolledAt } as const;
  return standingOnNewLadder({ ...present, standing, figures: { points, amount: 0 } }, before, after, now);
}

test('someone whose tier is gone has the one below it since they had theirs, for the rest of its period', () => {
  const { standing, reached } = changed(silver, 150, rules(['bronze', 50], ['gold', 1000]));
  assert.deepEqual([standing, reached], [{ ...silver, tierId: 'bronze' }, []]);
});

test('someone whose tier is gone climbs at once to what they meet', () => {
  const { standing, reached } = changed(silver, 150, rules(['bronze', 50], ['gold', 120]));
  assert.deepEqual([standing.tierId, standing.reachedAt, reached], ['gold', now, ['gold']]);
});

test('a tier from 0 on was reached by enrolling, whenever it entered the program', () => {
  for (const standing of [noTier, silver]) {
    const after = changed(standing, 0, rules(['start', 0], ['gold', 1000])).standing;
    assert.deepEqual([after.tierId, after.reachedAt], ['start', enrolledAt]);
  }
  const fallen = changed(silver, 150, rules(['bronze', 0], ['gold', 1000])).standing;
  assert.deepEqual([fallen.tierId, fallen.reachedAt], ['bronze', enrolledAt]);
});

test('what staff have pinned neither rises nor ends, and falls only if the tier is gone', () => {
  const pinned = coverStanding(silver, 'silver', enrolledAt);
  assert.deepEqual(changed(pinned, 5000, rules(['silver', 9000], ['gold', 9500])).standing, pinned);
  const fallen = changed(pinned, 5000, rules(['bronze', 50], ['gold', 1000])).standing;
  assert.deepEqual([fallen.tierId, fallen.reachedAt, fallen.beneath?.tierId], ['bronze', enrolledAt, 'gold']);
  const uncovered = changed(pinned, 5000, rules(['gold', 1000])).standing;
  assert.deepEqual([uncovered.tierId, uncovered.beneath], ['gold', null]);
  const none = coverStanding(silver, null, enrolledAt);
  assert.equal(changed(none, 5000, rules(['gold', 1000])).standing.tierId, null);
});

test('a tier that has expired stays expired on the tier below it', () => {
  const expired: Standing = { ...silver, expired: true, climbBase: { points: 150, amount: 0 } };
  const { standing } = changed(expired, 150, rules(['bronze', 50], ['gold', 1000]));
  assert.deepEqual([standing.tierId, standing.expired], ['bronze', true]);
});
