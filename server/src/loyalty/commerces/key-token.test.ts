import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '#test/random.ts';
import { hashOfKey, isKeyToken, newKeyToken, prefixOfKey } from './key-token.ts';

test('a key shows its kind, has a fixed length and is never issued twice', () => {
  const live = Array.from({ length: 200 }, () => newKeyToken('live'));
  const trial = newKeyToken('test');
  assert.equal(new Set(live).size, 200);
  for (const key of live) assert.match(key, /^lk_live_[0-9A-Za-z]{49}$/);
  assert.match(trial, /^lk_test_[0-9A-Za-z]{49}$/);
  assert.ok([...live, trial].every(isKeyToken));
});

test('a key with a wrong character, two swapped characters or the other prefix is not valid', () => {
  const key = newKeyToken('live');
  const place = fc.nat({ max: key.length - 1 });
  fc.assert(
    fc.property(place, fc.stringMatching(/^[0-9A-Za-z]$/), (at, char) => {
      fc.pre(key[at] !== char);
      assert.equal(isKeyToken(key.slice(0, at) + char + key.slice(at + 1)), false);
    }),
  );
  for (let at = 0; at + 1 < key.length; at++) {
    if (key[at] === key[at + 1]) continue;
    assert.equal(isKeyToken(key.slice(0, at) + key[at + 1] + key[at] + key.slice(at + 2)), false);
  }
  assert.equal(isKeyToken(key.replace('live', 'test')), false);
});

test('no other text is a valid key', () => {
  fc.assert(fc.property(fc.string(), (text) => assert.equal(isKeyToken(text), false)));
  const key = newKeyToken('live');
  for (const text of ['', `${key}\n`, ` ${key}`, key.slice(1), `${key}0`])
    assert.equal(isKeyToken(text), false);
});

test('the stored hash and the prefix do not reveal the key', () => {
  const key = newKeyToken('live');
  assert.equal(hashOfKey(key).length, 32);
  assert.notDeepEqual(hashOfKey(key), hashOfKey(newKeyToken('live')));
  assert.equal(prefixOfKey(key), key.slice(0, 12));
});
