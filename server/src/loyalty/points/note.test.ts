import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tellNote, type StoredNote } from './note.ts';

const told = (stored: Partial<StoredNote>, locale = 'en') =>
  tellNote({ type: 'adjustment', sentence: null, typed: null, facts: null, ...stored }, locale);
const bought = { of: 'return', bought: '2027-01-10', whole: true } as const;

test('what is stored as facts is told in the language of whoever reads', () => {
  for (const [stored, english, spanish] of [
    [{}, 'Adjusted by the shop', 'Ajustado por el comercio'],
    [{ facts: { of: 'opening' } }, 'Opening balance', 'Saldo inicial'],
    [{ facts: { of: 'erasure' } }, 'Account erased', 'Cuenta borrada'],
    [{ type: 'give_back' }, 'Code given back', 'Código devuelto'],
    [
      { type: 'reversal', facts: bought },
      'Return of the purchase of Jan 10, 2027',
      'Devolución de la compra del 10 ene 2027',
    ],
    [
      { type: 'reversal', facts: { ...bought, whole: false } },
      'Partial return of the purchase of Jan 10, 2027',
      'Devolución parcial de la compra del 10 ene 2027',
    ],
  ] satisfies [Partial<StoredNote>, string, string][]) {
    assert.equal(told(stored), english);
    assert.equal(told(stored, 'es-AR'), spanish);
  }
});

test('what a person typed is told as it was typed; of a return it follows the sentence', () => {
  assert.equal(told({ typed: 'Sorry for the cold coffee' }, 'es'), 'Sorry for the cold coffee');
  assert.equal(told({ type: 'give_back', typed: 'Sold out' }), 'Sold out');
  assert.equal(
    told({ type: 'reversal', facts: bought, typed: 'Wrong size' }),
    'Return of the purchase of Jan 10, 2027: Wrong size',
  );
});

test('the sentences of earlier releases stay as they are, and so does what was typed with them', () => {
  const sentence = 'Devolución de la compra del 10 ene 2027';
  assert.equal(told({ type: 'reversal', sentence }), sentence);
  assert.equal(
    told({ type: 'reversal', sentence, typed: `${sentence}: se rompió` }),
    `${sentence}: se rompió`,
  );
  assert.equal(told({ sentence: 'Opening balance' }, 'es'), 'Opening balance');
});

test('a movement without a note has none, and a purchase or a reward never gets one', () => {
  assert.equal(tellNote(null, 'en'), null);
  assert.equal(told({ type: 'reversal' }), null);
  assert.equal(told({ type: 'reward' }), null);
});

test('facts that nobody knows are told as nothing, and never break a history', () => {
  for (const facts of [
    { of: 'return', bought: 'yesterday', whole: true },
    { of: 'return', bought: null, whole: true },
    { of: 'constructor' },
    {},
  ] as unknown[] as NonNullable<StoredNote['facts']>[]) {
    assert.equal(told({ type: 'reversal', facts }), null);
    assert.equal(told({ type: 'reversal', facts, typed: 'Wrong size' }), 'Wrong size');
  }
});
