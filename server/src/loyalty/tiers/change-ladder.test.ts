import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coverStanding } from '#members/cover-standing.ts';
import type { Standing } from '#members/member.ts';
import type { Rules } from '#program/rules.ts';
import { standingOnNewLadder } from './change-ladder.ts';
import { climbOf, climbRecord } from './climb-record.ts';
import { standingAfterReturn } from './standing-after-return.ts';
import { climb, noTier, settle } from './standing.ts';

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

function withValidity(validMonths: number): Rules {
  return { ...before, tiers: { ...before.tiers, validMonths } };
}

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

test('where a shorter validity is over already, only what is earned from the change on renews the tier', () => {
  const after = withValidity(1);
  const earned = (points: number) => ({ points, amount: 0 });
  const { standing } = changed({ ...silver, periodBase: earned(150) }, 260, after);
  assert.deepEqual([standing.periodFrom, standing.expiresOn], ['2026-06-01', '2026-07-01']);
  const ended = (points: number) =>
    settle(standing, earned(points), after.tiers, new Date('2026-07-05T12:00:00Z'), after.timeZone);
  // 110 were earned after the tier was reached and before the change.
  assert.deepEqual([ended(260).expired, ended(320).tierId, ended(320).expired], [true, 'bronze', false]);
  assert.deepEqual([ended(360).tierId, ended(360).expiresOn], ['silver', '2026-08-01']);
  // A period that is not over goes on, and so does its count.
  const longer = changed({ ...silver, periodBase: earned(150) }, 260, withValidity(6)).standing;
  assert.deepEqual([longer.expiresOn, longer.periodBase], ['2026-08-01', earned(150)]);
});

test('a return that leads back to a tier whose validity has become shorter gives it a period of its own', () => {
  const after = withValidity(1);
  const earned = (points: number) => ({ points, amount: 0 });
  const boughtAt = new Date('2026-03-01T12:00:00Z');
  const held = { ...silver, periodBase: earned(150) };
  const climbed = climb(held, earned(1200), before.tiers, boughtAt, before.timeZone);
  const record = climbRecord(held, climbed, before.tiers);
  const own = climbOf(record, boughtAt, before.tiers, after, [], now);
  const returned = standingAfterReturn(climbed.standing, [own], [], earned(260), after, now).standing;
  assert.deepEqual(
    [returned.tierId, returned.periodFrom, returned.expiresOn, returned.periodBase],
    ['silver', '2026-06-01', '2026-07-01', earned(260)],
  );
});
