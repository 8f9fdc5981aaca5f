import assert from 'node:assert/strict';
import { test } from 'node:test';
import { guessPlace } from './guess-place.ts';

const guesses: [env: Record<string, string>, zone: string, expected: [string, string, string]][] = [
  [
    { LANG: 'es_AR.UTF-8' },
    'America/Argentina/Buenos_Aires',
    ['America/Argentina/Buenos_Aires', 'es-AR', 'ARS'],
  ],
  [{ LANG: 'en_US.UTF-8' }, 'Europe/Berlin', ['Europe/Berlin', 'en-US', 'EUR']],
  [{ LANG: 'en_US.UTF-8' }, 'America/New_York', ['America/New_York', 'en-US', 'USD']],
  [{ LC_ALL: 'de_CH@euro', LANG: 'C' }, 'UTC', ['UTC', 'de-CH', 'CHF']],
  [{ LANG: 'C.UTF-8' }, 'Etc/UTC', ['UTC', 'en', 'USD']],
  [{ LANG: 'nonsense!' }, 'Asia/Tokyo', ['Asia/Tokyo', 'en', 'JPY']],
  [{}, 'Europe/London', ['Europe/London', 'en', 'GBP']],
];

for (const [env, zone, expected] of guesses) {
  test(`a machine in ${zone} with ${JSON.stringify(env)} is taken to be in ${expected.join(', ')}`, () => {
    const { timeZone, locale, currency } = guessPlace(env, zone);
    assert.deepEqual([timeZone, locale, currency], expected);
  });
}
