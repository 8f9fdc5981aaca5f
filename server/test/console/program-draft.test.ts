/** The pure parts of a draft of the program: what differs, what is put back, what two people's changes come to. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { array, assert as check, nat, property, tuple } from '#test/random.ts';
import {
  differencesBetween,
  laterPlaceOf,
  withoutDifference,
} from '../../../console/src/program/differences.ts';
import { mergePrograms, withoutChange } from '../../../console/src/program/merge.ts';
import { readNumber, writeNumber } from '../../../console/src/program/numbers.ts';
import { isSame, withValueAt } from '../../../console/src/program/paths.ts';
import { instantOf, localTimeOf } from '../../../console/src/program/zone.ts';

const base = {
  name: 'Harbour',
  earning: {
    money_per_point: 1,
    max_amount: 1000,
    double_points: [{ from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' }],
  },
  points_expiration: { mode: 'rolling', months: 6 },
  levels: {
    ladder: [
      { id: 'first', name: 'First', threshold: 0, benefit: null },
      { id: 'second', name: 'Second', threshold: 100, benefit: null },
      { id: 'third', name: 'Third', threshold: 500, benefit: 'cake' },
    ],
  },
  benefits: [
    { id: 'coffee', title: 'Coffee', cost: 10 },
    { id: 'cake', title: 'Cake', cost: 20 },
    { id: 'bread', title: 'Bread', cost: 30 },
  ],
  rewards: { welcome: null as object | null },
};
type Model = typeof base;
type Benefit = Model['benefits'][number];
const byId = (a: Benefit, b: Benefit) => a.id.localeCompare(b.id);

/** One thing that a person does in the forms, in the part of the program that is theirs. */
const edits: readonly ((program: Model, n: number) => Model)[] = [
  (program, n) => withValueAt(program, 'name', `Shop ${n % 100}`),
  (program, n) => withValueAt(program, 'earning.money_per_point', (n % 9) + 2),
  (program, n) => withValueAt(program, 'points_expiration', { mode: 'rolling', months: (n % 5) + 7 }),
  (program, n) => withValueAt(program, 'rewards.welcome', { points: (n % 50) + 1, benefit: null }),
  (program) => withValueAt(program, 'earning.double_points[0]', undefined),
  (program, n) =>
    withValueAt(program, `earning.double_points[${program.earning.double_points.length}]`, {
      from: `2027-0${(n % 9) + 1}-01T00:00:00Z`,
      to: '2028-01-01T00:00:00Z',
    }),
  (program, n) => edited(program, 'benefits', 'cost', n),
  (program, n) => edited(program, 'levels.ladder', 'threshold', n),
  (program, n) =>
    withValueAt(program, `benefits[${program.benefits.length}]`, {
      id: `new-${n % 1_000_000}`,
      title: 'New',
      cost: 5,
    }),
  (program, n) => withValueAt(program, `benefits[${n % program.benefits.length}]`, undefined),
  (program) => ({ ...program, benefits: program.benefits.toReversed() }),
];

function edited(program: Model, list: 'benefits' | 'levels.ladder', field: string, n: number): Model {
  const { length } = list === 'benefits' ? program.benefits : program.levels.ladder;
  return length === 0 ? program : withValueAt(program, `${list}[${n % length}].${field}`, n % 10_000);
}

/** The edits that somebody makes to the program in one to five steps. */
const drafts = array(tuple(nat(edits.length - 1), nat()), { minLength: 1, maxLength: 5 }).map((steps) =>
  steps.reduce(
    (program, [which, n]) => (program.benefits.length > 1 ? edits[which]!(program, n) : program),
    base,
  ),
);

test('each difference can be put back by itself, and without all of them the program is the one before', () => {
  check(
    property(drafts, nat(), (draft, n) => {
      let program = draft;
      let left = differencesBetween(base, program);
      while (left.length > 0) {
        program = withoutDifference(program, left[n % left.length]!, base);
        const next = differencesBetween(base, program);
        assert.ok(next.length < left.length, JSON.stringify(left));
        left = next;
      }
      assert.ok(isSame(program, base));
    }),
  );
});

test('the changes of two people are merged: nothing of either is lost, and what both changed is asked for', () => {
  check(
    property(drafts, drafts, (mine, theirs) => {
      const kept = mergePrograms(base, mine, theirs, () => true);
      const ids = kept.conflicts.map(({ id }) => id);
      assert.equal(new Set(ids).size, ids.length);
      assert.deepEqual(
        mergePrograms(base, mine, theirs, () => false).conflicts.map(({ id }) => id),
        ids,
      );
      // With nothing to choose, it does not matter who merges, but for the order of the lists.
      if (ids.length === 0)
        assert.deepEqual(sorted(kept.program), sorted(mergePrograms(base, theirs, mine, () => true).program));
      assert.ok(isSame(mergePrograms(base, mine, base, () => false).program, mine));
      assert.ok(isSame(mergePrograms(base, base, theirs, () => true).program, theirs));
      assert.ok(isSame(mergePrograms(base, mine, mine, () => false).program, mine));
    }),
  );
});

test('a change is taken back by itself, and what was changed since stays', () => {
  check(
    property(drafts, nat(edits.length - 1), nat(), (before, which, n) => {
      const after = edits[which]!(before, n);
      assert.ok(isSame(withoutChange(before, after, after), before));
      const now = { ...after, name: 'Later', earning: { ...after.earning, max_amount: 7 } };
      const left = withoutChange(before, after, now);
      if (which !== 0)
        assert.ok(isSame(left, { ...before, name: 'Later', earning: { ...before.earning, max_amount: 7 } }));
    }),
  );
  const [coffee, cake, bread] = base.benefits as [Benefit, Benefit, Benefit];
  const benefits = [coffee, bread];
  const later = [{ ...bread, cost: 31 }, coffee, { id: 'tea', title: 'Tea', cost: 5 }];
  assert.deepEqual(
    withoutChange(base, { ...base, benefits }, { ...base, benefits: later }).benefits.toSorted(byId),
    [...later, cake].toSorted(byId),
  );
  // What the change had added goes, even if it was changed since.
  const added = [...base.benefits, { id: 'tea', title: 'Tea', cost: 5 }];
  assert.deepEqual(
    withoutChange(
      base,
      { ...base, benefits: added },
      { ...base, benefits: added.with(3, { ...added[3]!, cost: 6 }) },
    ),
    base,
  );
});

const sorted = ({ benefits, earning, ...rest }: Model) => ({
  ...rest,
  earning: {
    ...earning,
    double_points: earning.double_points.toSorted((a, b) => a.from.localeCompare(b.from)),
  },
  benefits: benefits.toSorted(byId),
});

test('a value is found where it stands later, also if a new tier got another name meanwhile', () => {
  const tiers = (...names: string[]) => ({ levels: { ladder: names.map((name) => ({ id: null, name })) } });
  const place = (now: object, path = 'levels.ladder[1].icon_url') =>
    laterPlaceOf(tiers('One', 'Two'), now, path);
  assert.equal(place(tiers('Two', 'One')), 'levels.ladder[0].icon_url');
  assert.equal(place(tiers('One', 'Second')), 'levels.ladder[1].icon_url');
  assert.equal(place(tiers('One')), null);
  assert.equal(place(tiers('Two', 'Three', 'Four')), 'levels.ladder[0].icon_url');
  assert.equal(laterPlaceOf(tiers('One', 'Two'), tiers('Two'), 'levels.ladder[0].icon_url'), null);
  assert.equal(place(tiers(), 'logo'), 'logo');
});

test('numbers are read as people of each language write them', () => {
  for (const [text, locale, number] of [
    ['0.5', 'en', 0.5],
    ['.5', 'en', 0.5],
    ['0,5', 'en', 0.5],
    ['1,750', 'en', 1750],
    ['1,750.5', 'en', 1750.5],
    ['0,5', 'es', 0.5],
    ['0.5', 'es', 0.5],
    ['1.750', 'es', 1750],
    ['1.750,5', 'es', 1750.5],
    ['1 750', 'fr', 1750],
    ['1,75,0', 'en', null],
    ['a lot', 'en', null],
    ['-1', 'en', null],
    ['', 'en', null],
    ['1e3', 'en', null],
  ] as const)
    assert.equal(readNumber(text, locale), number, `${text} in ${locale}`);
  for (const locale of ['en', 'es', 'es-AR', 'de-CH'])
    for (const number of [0, 0.001, 0.5, 17.25, 1234.5, 1_000_000_000])
      assert.equal(readNumber(writeNumber(number, locale), locale), number, `${number} in ${locale}`);
});

test('a local time stands for the same instant in every zone, on days of 23 and 25 hours too', () => {
  for (const zone of ['Europe/Madrid', 'America/Argentina/Buenos_Aires', 'Pacific/Apia', 'America/St_Johns'])
    for (let hour = 0; hour < 400 * 24; hour += 7) {
      const at = new Date(Date.UTC(2026, 0, 1, hour)).toISOString().replace('.000Z', 'Z');
      const back = instantOf(localTimeOf(at, zone), zone)!;
      assert.equal(localTimeOf(back, zone), localTimeOf(at, zone), `${at} in ${zone}`);
    }
  assert.equal(instantOf('2026-03-29T00:00', 'Europe/Madrid'), '2026-03-28T23:00:00Z');
  assert.equal(instantOf('2026-10-26T00:00', 'Europe/Madrid'), '2026-10-25T23:00:00Z');
  assert.equal(instantOf('not a day', 'Europe/Madrid'), null);
});
