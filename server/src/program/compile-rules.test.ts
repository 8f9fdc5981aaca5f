import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkProgram } from './check-program.ts';
import { rulesOf } from './compile-rules.ts';

const least = { slug: 'a', name: 'A', currency: 'EUR', time_zone: 'Europe/Madrid' };

test('decimals become exact thousandths, instants become dates, tiers get their rank', () => {
  const checked = checkProgram({
    ...least,
    earning: {
      money_per_point: 1.005,
      double_points: [{ from: '2026-11-27T00:00:00+01:00', to: '2026-11-28T00:00:00+01:00' }],
    },
    points_expiration: { mode: 'rolling', months: 12 },
    levels: {
      valid_months: 6,
      ladder: [
        { id: 'one', name: 'One', threshold: 5 },
        { id: 'two', name: 'Two', threshold: 9, points_multiplier: 1.255, benefit: 'gift' },
      ],
    },
    benefits: [{ id: 'gift', benefit_type: 'level', type: 'absolute_discount', title: 'Gift', value: 5 }],
    rewards: { welcome: { points: 5 }, monthly_top: { points: 9 } },
  });
  assert.ok(checked.ok, JSON.stringify(checked));
  assert.partialDeepStrictEqual(rulesOf(checked.program, 3), {
    version: 3,
    timeZone: 'Europe/Madrid',
    earning: {
      moneyPerPointThousandths: 1005,
      maxAmount: 1_000_000_000,
      returns: 'negative',
      doublePoints: [{ from: new Date('2026-11-26T23:00:00Z'), to: new Date('2026-11-27T23:00:00Z') }],
    },
    expiration: { mode: 'rolling', months: 12 },
    tiers: {
      thresholdType: 'points',
      validMonths: 6,
      ladder: [
        {
          id: 'one',
          rank: 1,
          name: 'One',
          threshold: 5,
          multiplierThousandths: 1000,
          iconUrl: null,
          benefitId: null,
        },
        {
          id: 'two',
          rank: 2,
          name: 'Two',
          threshold: 9,
          multiplierThousandths: 1255,
          iconUrl: null,
          benefitId: 'gift',
        },
      ],
    },
    rewards: { welcome: { points: 5 }, birthday: null, monthlyTop: { points: 9, settleDays: 3 } },
  });
});

test('every number with three decimals is exact in thousandths', () => {
  for (let thousandths = 1; thousandths < 1_000_000; thousandths += 7) {
    const checked = checkProgram({ ...least, earning: { money_per_point: thousandths / 1000 } });
    assert.ok(checked.ok);
    assert.equal(rulesOf(checked.program, 1).earning.moneyPerPointThousandths, thousandths);
    if (thousandths > 20_000) thousandths += 1009;
  }
});

test('points that never expire have no months', () => {
  const checked = checkProgram({
    ...least,
    earning: { money_per_point: 1 },
    points_expiration: { mode: 'none', months: 12 },
  });
  assert.ok(checked.ok);
  assert.deepEqual(rulesOf(checked.program, 1).expiration, { mode: 'none', months: 0 });
});
