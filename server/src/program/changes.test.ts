import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Program } from './program.ts';
import { changesBetween } from './changes.ts';
import { withTierIds } from './tier-ids.ts';
import { readProgram } from './read-program.ts';

const before = `
slug: shop
name: Shop
currency: EUR
time_zone: UTC
earning: { money_per_point: 100, double_points: [{ from: 2026-01-01T00:00:00Z, to: 2026-01-02T00:00:00Z }] }
levels: { ladder: [{ name: Bronze, threshold: 0 }, { name: Silver, threshold: 100 }] }
benefits:
  - { id: cake, type: free_product, title: Cake, cost: 10 }
  - { id: tea, type: free_product, title: Tea, cost: 5, product: { name: Tea } }
rewards: { welcome: { points: 5 } }
`;

test('the same program has no changes', () => {
  assert.deepEqual(changesBetween(program(before), program(before)), []);
});

test('a changed field is listed with its old and its new value', () => {
  const after = before
    .replace('money_per_point: 100', 'money_per_point: 50')
    .replace('threshold: 100', 'threshold: 80')
    .replace('cost: 5', 'cost: 6')
    .replace(', product: { name: Tea }', '')
    .replace('points: 5', 'points: 7');
  assert.deepEqual(changesBetween(program(before), program(after)), [
    'earning.money_per_point: 100 → 50',
    'levels.ladder.silver.threshold: 100 → 80',
    'benefits.tea.cost: 5 → 6',
    'benefits.tea.product: name Tea → none',
    'rewards.welcome.points: 5 → 7',
  ]);
});

test('new and missing entries are listed as added, withdrawn or removed', () => {
  const after = before
    .replace('id: cake', 'id: free-coffee')
    .replace(', { name: Silver, threshold: 100 }', '')
    .replace('2026-01-02', '2026-01-03')
    .replace('{ points: 5 }', 'null');
  assert.deepEqual(changesBetween(program(before), program(after)), [
    'earning.double_points.2026-01-01T00:00:00Z to 2026-01-03T00:00:00Z: added',
    'earning.double_points.2026-01-01T00:00:00Z to 2026-01-02T00:00:00Z: removed',
    'levels.ladder.silver: removed',
    'benefits.free-coffee: added',
    'benefits.cake: withdrawn',
    'rewards.welcome: points 5 → none',
  ]);
});

test('stamp cards are told one by one, like the entries of other lists', () => {
  const free = `${before.replace('cost: 10', 'cost: 0, on_sale: false')}stamps:\n`;
  const cards = (...cards: string[]) =>
    program(free + cards.map((card) => `  - { ${card}, per: unit, then: { benefit: cake } }\n`).join(''));
  const none = { ...cards('id: x, title: X, need: 2'), stamps: [] };
  const coffee = 'id: coffee, title: Ten coffees, need: 10, when: { categories: [coffee] }';
  const bread = 'id: bread, title: Five loaves, need: 5, when: { categories: [bread] }';
  assert.deepEqual(changesBetween(none, cards(coffee)), ['stamps.coffee: added']);
  assert.deepEqual(changesBetween(cards(coffee, bread), cards(coffee.replace('need: 10', 'need: 8'))), [
    'stamps.coffee.need: 10 → 8',
    'stamps.bread: removed',
  ]);
  assert.deepEqual(changesBetween(cards(coffee, bread), cards(bread, coffee)), ['stamps: in another order']);
});

test('a new order of the catalog is a change', () => {
  const [first, second] = program(before).benefits;
  assert.ok(first && second);
  const after = { ...program(before), benefits: [second, first] };
  assert.deepEqual(changesBetween(program(before), after), ['benefits: in another order']);
});

test('for a new commerce, every field with a value is listed', () => {
  const changes = changesBetween(null, program(before));
  assert.ok(changes.includes('slug: shop'));
  assert.ok(changes.includes('benefits.cake: added'));
  assert.ok(!changes.some((change) => change.includes('none → ') || change.startsWith('logo')));
});

test('a long text is never cut in the middle of a character, because the database would refuse half of one', () => {
  for (const start of ['', 'a']) {
    const after = { ...program(before), tagline: start + '🥐'.repeat(50) };
    const [line = ''] = changesBetween(program(before), after);
    assert.ok(line.isWellFormed(), line);
  }
});

function program(text: string): Program {
  const read = readProgram(text);
  assert.ok(read.ok, JSON.stringify(read));
  return withTierIds(read.program, null);
}
