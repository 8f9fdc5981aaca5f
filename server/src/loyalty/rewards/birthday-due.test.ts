import assert from 'node:assert/strict';
import { test } from 'node:test';
import { birthdayDue, birthdaysBetween, catchUpFrom, type BirthdayFacts } from './birthday-due.ts';

const examples: [born: string, entered: string | null, today: string, year: number | null, why: string][] = [
  ['1990-05-10', '2026-01-01', '2027-05-09', null, 'the day before'],
  ['1990-05-10', '2026-01-01', '2027-05-10', 2027, 'the day'],
  ['1990-05-10', '2026-01-01', '2027-05-17', 2027, 'caught up 7 days later'],
  ['1990-05-10', '2026-01-01', '2027-05-18', null, '8 days later is too late'],
  ['1990-12-28', '2026-01-01', '2028-01-03', 2027, 'rewarded late in the new year, for the old year'],
  ['1992-02-29', '2026-01-01', '2027-02-28', 2027, '28 February in a year without a 29th'],
  ['1992-02-29', '2026-01-01', '2028-02-28', null, 'not before the 29th in a leap year'],
  ['1992-02-29', '2026-01-01', '2028-02-29', 2028, 'the 29th itself'],
  ['1990-05-10', '2027-05-10', '2027-05-10', null, 'entered on the day: next year'],
  ['1990-05-10', '2027-05-12', '2027-05-13', null, 'entered after the day: next year'],
  ['1990-05-10', '2027-05-09', '2027-05-10', 2027, 'entered the day before'],
  ['1990-05-10', '2027-05-10', '2028-05-10', 2028, 'entered on the day a year ago'],
  ['1990-05-10', null, '2027-05-10', 2027, 'entered at an unknown time'],
  ['2027-05-10', '2027-05-10', '2027-05-10', null, 'the day of birth is not a birthday'],
];
for (const [born, entered, today, year, why] of examples) {
  test(`born ${born}, on ${today}: ${why}`, () =>
    assert.equal(birthdayDue(facts(born, entered), catchUpFrom(today, null), today), year));
}

const rewarded: [years: string[], last: string, today: string, year: number | null, why: string][] = [
  [['2027'], '2027-05-10', '2027-05-11', null, 'rewarded this year'],
  [['2026'], '2026-05-10', '2027-05-10', 2027, 'rewarded a year ago'],
  [['2026'], '2026-07-14', '2027-05-10', 2027, 'rewarded 300 days ago'],
  [['2026'], '2026-07-15', '2027-05-10', null, 'rewarded 299 days ago'],
  [['2026'], '2026-07-15', '2027-05-11', 2027, 'rewarded 300 days ago, one day late'],
];
for (const [years, last, today, year, why] of rewarded) {
  test(`born on a 10 May, rewarded on ${last}, on ${today}: ${why}`, () => {
    const known = { ...facts('1990-05-10', null), yearsGiven: years, lastGivenOn: last };
    assert.equal(birthdayDue(known, catchUpFrom(today, null), today), year);
  });
}

const failures: [since: string | null, today: string, from: string][] = [
  [null, '2027-05-10', '2027-05-03'],
  ['2027-05-10', '2027-05-10', '2027-05-03'],
  ['2027-04-20', '2027-05-10', '2027-04-13'],
  ['2027-01-01', '2027-05-10', '2027-03-11'],
];
for (const [since, today, from] of failures) {
  test(`on ${today} birthdays since ${from} are rewarded if the job has failed since ${since}`, () =>
    assert.equal(catchUpFrom(today, since), from));
}

test('candidates are the birthdays of today and of the last 7 days, and 29 February in years without it', () => {
  assert.deepEqual(
    birthdaysBetween('2027-02-23', '2027-03-02'),
    [302, 301, 228, 227, 226, 225, 224, 223, 229],
  );
  assert.deepEqual(birthdaysBetween('2028-02-27', '2028-03-01'), [301, 229, 228, 227]);
});

function facts(birthDate: string, enteredOn: string | null): BirthdayFacts {
  return { birthDate, enteredOn, yearsGiven: [], lastGivenOn: null };
}
