import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parse } from 'csv-parse/sync';
import {
  addMonths,
  daysBetween,
  endOfDay,
  localDay,
  startOfDay,
  wholeMonthsBetween,
} from '#calendar/calendar.ts';
import type { ExpirationRules, TierRules } from '#program/rules.ts';
import { grantDate } from '#points/expires-on.ts';
import { spend, type Lot } from '#points/lots.ts';
import { pointsByFactors, pointsForPurchase } from '#points/points-for-purchase.ts';
import { tierHeld } from '#tiers/ladder.ts';
import { settle } from '#tiers/standing.ts';
import { earning } from '#test/earning.ts';

type Row = Readonly<Record<string, string>>;

/** One test for each row of a table; its name is the row's own words. */
function each(table: string, check: (row: Row) => void): void {
  const rows: Row[] = parse(readFileSync(new URL(`${table}.csv`, import.meta.url)), { columns: true });
  for (const row of rows) {
    const { because, ...facts } = row;
    test(`${table}: ${Object.values(facts).join(', ')}: ${because}`, () => check(row));
  }
}

each('points', (row) => {
  assert.equal(earnedBy(row).points, Number(row['points']));
});

each('returns', (row) => {
  const { factors } = earnedBy(row);
  let kept = Number(row['amount']);
  const taken = row['returned']!.split(' ').map((returned) => {
    const before = pointsByFactors({ amount: kept, lines: null }, factors);
    kept -= Number(returned);
    return before - pointsByFactors({ amount: kept, lines: null }, factors);
  });
  assert.equal(taken.join(' '), row['points taken back']);
  assert.equal(kept, 0, 'the pieces are the whole purchase');
});

each('expiry', (row) => {
  const rules = { mode: row['mode'] as ExpirationRules['mode'], months: Number(row['months']) };
  const moving = rules.mode === 'accumulated';
  const member = {
    lots: row['points held until'] ? [{ expiresOn: row['points held until'], moving, points: 1 }] : [],
    movedOn: row['last purchase or exchange'] || null,
  };
  const { expiresOn } = grantDate(rules, row['on']!, member, row['what'] as 'purchase' | 'reward');
  assert.equal(expiresOn, row['good until'] === 'never' ? 'infinity' : row['good until']);
});

each('days-left', (row) => {
  const [today, until] = [row['today']!, row['good until']!];
  assert.equal(daysBetween(today, until), Number(row['days left']));
  assert.equal(wholeMonthsBetween(today, until), Number(row['months left']));
});

each('local-days', (row) => {
  const zone = row['zone']!;
  const day = localDay(new Date(row['instant']!), zone);
  assert.equal(day, row['day']);
  assert.equal(endOfDay(day, zone).toISOString(), row['the day ends']);
});

each('spending', (row) => {
  const spent = spend(lotsOf(row['points by last day']!), Number(row['spent']), row['today']!);
  const left = row['left by last day']!;
  assert.deepEqual(spent && spent.lots, left === 'refused' ? null : lotsOf(left));
});

each('tiers', (row) => {
  const tiers: TierRules = {
    thresholdType: 'points',
    validMonths: row['valid months'] === '' ? null : Number(row['valid months']),
    ladder: LADDER,
  };
  const zone = 'Europe/Madrid';
  const noon = (day: string) => new Date(startOfDay(day, zone).getTime() + 12 * 3_600_000);
  const reached = {
    tierId: LADDER.find((tier) => tier.name === row['tier'])!.id,
    reachedAt: noon(row['reached on']!),
    periodFrom: row['reached on']!,
    expiresOn: tiers.validMonths === null ? null : addMonths(row['reached on']!, tiers.validMonths),
    expired: false,
    beneath: null,
    periodBase: { points: Number(row['earned until then']), amount: 0 },
    climbBase: { points: 0, amount: 0 },
    climbFrom: null,
  };
  const figures = { points: Number(row['earned until today']), amount: 0 };
  const then = settle(reached, figures, tiers, noon(row['today']!), zone);
  assert.equal(tierHeld(then, tiers)?.name, row['tier then']);
  assert.equal(then.expiresOn ?? '', row['ends on']);
});

const LADDER = [
  { name: 'Bronze', threshold: 0 },
  { name: 'Silver', threshold: 1000 },
  { name: 'Gold', threshold: 5000 },
].map((tier, i) => ({
  ...tier,
  id: tier.name.toLowerCase(),
  rank: i + 1,
  multiplierThousandths: 1000,
  iconUrl: null,
  benefitId: null,
}));

function earnedBy(row: Row) {
  const thousandths = (column: string) => Math.round(Number(row[column]) * 1000);
  const purchase = earning(Number(row['amount']), {
    moneyPerPoint: thousandths('money per point'),
    double: row['double points'] === 'yes',
    multiplier: thousandths('multiplier'),
  });
  return pointsForPurchase(purchase)!;
}

/** From '2027-04-01: 30; never: 20'. */
function lotsOf(text: string): Lot[] {
  if (text === '') return [];
  return text.split('; ').map((part) => {
    const [day, points] = part.split(': ');
    return { expiresOn: day === 'never' ? 'infinity' : day!, moving: false, points: Number(points) };
  });
}
