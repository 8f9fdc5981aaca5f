import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { looksRandom } from './secret-strength.ts';

/** The same bytes in every run, because one random key in some 100,000 looks like words. */
const bytes = (n: number, seed: number) => createHash('sha256').update(`key ${seed}`).digest().subarray(0, n);

const GENERATORS: Record<string, (seed: number) => string> = {
  'openssl rand -base64 32': (seed) => bytes(32, seed).toString('base64'),
  'openssl rand -base64 24': (seed) => bytes(24, seed).toString('base64'),
  'openssl rand -hex 32': (seed) => bytes(32, seed).toString('hex'),
  'openssl rand -hex 16': (seed) => bytes(16, seed).toString('hex'),
  'base64url of 32 bytes': (seed) => bytes(32, seed).toString('base64url'),
};

for (const [name, generate] of Object.entries(GENERATORS)) {
  test(`5,000 keys of \`${name}\` look random`, () => {
    for (let seed = 0; seed < 5_000; seed++) {
      const key = generate(seed);
      assert.ok(looksRandom(key), key);
    }
  });
}

test('words, repetitions and sequences do not look random, however long', () => {
  const weak = [
    'a'.repeat(4096),
    'abc'.repeat(1000),
    'secret'.repeat(10),
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ abcdefghijklmnopqrstuvwxyz 0123456789',
    'zyxwvutsrqponmlkjihgfedcba9876543210',
    'the quick brown fox jumps over the lazy dog',
    'MySuperSecretLoyaltyProductionKey2026!',
  ];
  for (const key of weak) assert.ok(!looksRandom(key), key);
});
