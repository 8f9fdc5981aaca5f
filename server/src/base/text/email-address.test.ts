import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '#test/random.ts';
import { normaliseEmail, whyNoEmail } from './email-address.ts';

const ACCEPTED: [given: string, normal: string][] = [
  ['ana@example.com', 'ana@example.com'],
  [' Ana.B+tag@Example.COM\n', 'ana.b+tag@example.com'],
  ["o'hara@sub.example.co", "o'hara@sub.example.co"],
  ['ana@bücher.example', 'ana@xn--bcher-kva.example'],
  ['ana@BÜCHER.example', 'ana@xn--bcher-kva.example'],
  ['ana@例え。テスト', 'ana@xn--r8jz45g.xn--zckzah'],
  [`${'a'.repeat(64)}@example.com`, `${'a'.repeat(64)}@example.com`],
];
for (const [given, normal] of ACCEPTED) {
  test(`${JSON.stringify(given)} is normalised to ${normal}`, () =>
    assert.equal(normaliseEmail(given), normal));
}

const REFUSED = [
  '',
  'ana',
  '@',
  '@example.com',
  'ana@',
  'ana@localhost',
  'ana@example.com.',
  'ana@.com',
  'ana@a..b',
  '.ana@example.com',
  'ana.@example.com',
  'a..b@example.com',
  '"a b"@example.com',
  '"a@evil.com" @example.com',
  'a@evil.com@example.com',
  'ana@[127.0.0.1]',
  'ana@127.0.0.1',
  'ana@0x7f.1',
  'ana@ex%61mple.com',
  'ana@exa_mple.com',
  'ana@-a.com',
  'ana (x)@example.com',
  'ana@example.com, bob@example.com',
  'ana@example.com\nbcc: x@y.z',
  'Kana@\u212aelvin',
  '\u212aana@example.com',
  'İana@example.com',
  'ana@example.com\0',
  'ana<b@example.com>',
  'group:ana@example.com;',
  `${'a'.repeat(65)}@example.com`,
  `ana@${'a'.repeat(64)}.com`,
  `ana@${'a.'.repeat(125)}com`,
];
for (const given of REFUSED) {
  test(`${JSON.stringify(given.slice(0, 60))} is not a valid address`, () =>
    assert.equal(normaliseEmail(given), null));
}

test('a normalised address is printable ASCII, lower case, and stays the same when normalised again', () => {
  const part = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 });
  const anyText = fc.tuple(part, part, part).map(([local, domain, end]) => `${local}@${domain}.${end}`);
  const addressLike = fc.stringMatching(
    /^[A-Za-z0-9+.]{1,12}@[A-Za-z0-9\u00e0-\u00ff-]{1,9}\.[A-Za-z]{2,5}$/u,
  );
  fc.assert(
    fc.property(fc.oneof(anyText, addressLike), (text) => {
      const normal = normaliseEmail(text);
      if (normal === null) return;
      assert.match(normal, /^[!-~]+$/);
      assert.equal(normal, normal.toLowerCase());
      assert.equal(normaliseEmail(normal), normal);
    }),
    { numRuns: 5_000 },
  );
});

test('a text of 16,000 characters is refused with no more work than an address of ordinary length', () => {
  const han = (length: number) =>
    Array.from({ length }, (_, i) => String.fromCodePoint(0x4e00 + ((i * 7_919) % 20_000))).join('');
  const long = [
    `a@${han(5_300)}.com`,
    `a@${han(1_000)}.com`,
    `a@${han(63)}.${han(63)}.${han(63)}.com`,
    `a@${'漢.'.repeat(2_600)}com`,
    `${'a'.repeat(16_000)}@example.com`,
    `${'a.'.repeat(8_000)}@example.com`,
    `a@${'a'.repeat(16_000)}`,
    `${' '.repeat(8_000)}a@${han(2_000)}.com`,
    '@'.repeat(16_000),
  ];
  const short = measureWork(() => readBoth('ana@bücher.example'));
  for (const text of long) {
    assert.equal(normaliseEmail(text), null);
    const work = measureWork(() => readBoth(text));
    // Labels of 63 characters take 50 µs, and without bounds the longest domain takes 40 ms.
    assert.ok(
      work < short * 20 + 200_000,
      `${work} µs for ${text.slice(0, 20)}, ${short} µs for a short one`,
    );
  }
});

test('no bound refuses the longest address that is valid', () => {
  // 63 characters of the domain before IDNA are the most that one label can have.
  const label = 'a'.repeat(63);
  const domain = `${label}.${label}.${'a'.repeat(61)}`;
  assert.equal(normaliseEmail(`${'l'.repeat(64)}@${domain}`), `${'l'.repeat(64)}@${domain}`);
  // Full-width letters become ASCII letters, so the domain is as long after IDNA as before it.
  assert.equal(normaliseEmail(`l@${'\uff41'.repeat(63)}.com`), `l@${label}.com`);
});

function readBoth(text: string): void {
  if (normaliseEmail(text) === null) whyNoEmail(text);
}

/** Returns the processor time of a thousand calls in microseconds. */
function measureWork(work: () => void): number {
  for (let i = 0; i < 20; i += 1) work();
  const before = process.cpuUsage();
  for (let i = 0; i < 1_000; i += 1) work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}
