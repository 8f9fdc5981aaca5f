import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { normaliseEmail } from './email-address.ts';

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
