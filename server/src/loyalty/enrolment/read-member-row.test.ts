import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '#test/random.ts';
import { readMemberRow } from './read-member-row.ts';

const TODAY = '2026-11-21';

test('a row is read with its address normalised, and its missing fields stay empty', () => {
  assert.deepEqual(readMemberRow({ email: 'Ana.Luz@Exámple.com' }, TODAY), {
    email: 'ana.luz@xn--exmple-qta.com',
    username: 'ana.luz',
    birthDate: null,
    phone: null,
    openingPoints: null,
    leftOut: [],
  });
  assert.deepEqual(
    readMemberRow(
      { email: 'a@b.cc', username: 'Ana', birth_date: '2024-02-29', phone: '+5491122334455', points: '0120' },
      TODAY,
    ),
    {
      email: 'a@b.cc',
      username: 'Ana',
      birthDate: '2024-02-29',
      phone: '+5491122334455',
      openingPoints: 120,
      leftOut: [],
    },
  );
});

test('a telephone number with a country code may be written with blanks, hyphens and brackets', () => {
  const phoneOf = (phone: string) => {
    const read = readMemberRow({ email: 'a@b.cc', phone }, TODAY);
    return 'email' in read ? read.phone : read.reason;
  };
  assert.equal(phoneOf('+1 (555) 123-4567'), '+15551234567');
  assert.equal(phoneOf('+49 151/23 45.67'), '+49151234567');
  // The zero in brackets must not be dialled after the country code.
  assert.equal(phoneOf('+49 (0)151 2345'), null);
});

const refusals: readonly [Record<string, string>, RegExp][] = [
  [{}, /^email is missing/],
  [{ email: '' }, /^email is missing/],
  [{ email: 'ana' }, /^email "ana": .*@-sign/],
  [{ email: 'ana@b' }, /^email "ana@b": .*period/],
  [{ email: 'a@b.cc', points: '-1' }, /^points/],
  [{ email: 'a@b.cc', points: '1.5' }, /^points/],
  [{ email: 'a@b.cc', points: '1e3' }, /^points/],
  [{ email: 'a@b.cc', points: '1000000000001' }, /^points/],
];

for (const [fields, reason] of refusals) {
  test(`an invalid row is refused with a reason: ${JSON.stringify(fields).slice(0, 60)}`, () => {
    const read = readMemberRow(fields, TODAY);
    assert.match('reason' in read ? read.reason : '', reason);
  });
}

const unusable: readonly [fields: Record<string, string>, warning: string][] = [
  [
    { phone: '0151 123' },
    'phone "0151 123" left out: write it with the country code, such as +5491122334455',
  ],
  [{ phone: '+1234567890123456' }, 'phone "+1234567890123456" left out'],
  [{ birth_date: '29/02/2024' }, 'birth_date "29/02/2024" left out: write a day, such as 1990-12-31'],
  [{ birth_date: '2025-02-29' }, 'birth_date "2025-02-29" left out'],
  [{ birth_date: '1899-12-31' }, 'birth_date "1899-12-31" left out'],
  [{ birth_date: '2026-11-22' }, 'birth_date "2026-11-22" left out'],
  [{ username: 'two\nlines' }, 'username "two\\nlines" left out: write one line of at most 100 characters'],
  [{ username: 'x'.repeat(101) }, `username "${'x'.repeat(60)}…" left out`],
];

for (const [fields, warning] of unusable) {
  test(`an optional field that cannot be used is left out with a warning: ${JSON.stringify(fields).slice(0, 60)}`, () => {
    const read = readMemberRow({ email: 'a@b.cc', points: '7', ...fields }, TODAY);
    assert.ok('email' in read);
    const { leftOut, ...person } = read;
    assert.deepEqual(person, {
      email: 'a@b.cc',
      username: 'a',
      birthDate: null,
      phone: null,
      openingPoints: 7,
    });
    assert.equal(leftOut.length, 1);
    assert.ok(leftOut[0]?.startsWith(warning), leftOut.join());
  });
}

test('any texts give either a person that the database accepts or a reason', () => {
  const texts = fc.record(
    {
      email: fc.oneof(fc.emailAddress(), fc.string()),
      username: fc.string({ unit: 'binary' }),
      birth_date: fc.oneof(fc.string(), fc.stringMatching(/^\d{4}-\d\d-\d\d$/)),
      phone: fc.oneof(fc.string(), fc.stringMatching(/^\+\d{1,16}$/)),
      points: fc.oneof(fc.string(), fc.nat().map(String)),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(texts, (fields) => {
      const read = readMemberRow(fields, TODAY);
      if ('reason' in read) return;
      assert.match(read.email, /^[!-~]+$/);
      assert.ok(read.username !== '' && !read.username.includes('\0'));
      const { openingPoints } = read;
      assert.ok(openingPoints === null || (Number.isSafeInteger(openingPoints) && openingPoints >= 0));
    }),
  );
});
