import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createGate } from './gate.ts';

const soon = () => performance.now() + 10_000;

test('a gate lets so many calls of a name in at once, and the next ones in the order in which they came', async () => {
  const gate = createGate(2);
  assert.deepEqual(
    [gate.enterAtOnce('a'), gate.enterAtOnce('a'), gate.enterAtOnce('a')],
    [true, true, false],
  );
  assert.equal(gate.enterAtOnce('b'), true, 'another name has room of its own');
  const order: string[] = [];
  const first = gate.enter('a', soon()).then(() => order.push('first'));
  const second = gate.enter('a', soon()).then(() => order.push('second'));
  gate.leave('a');
  assert.equal(gate.enterAtOnce('a'), false, 'the place that became free belongs to who waited');
  await first;
  gate.leave('a');
  await second;
  assert.deepEqual(order, ['first', 'second']);
});

test('who waits too long is turned away, and leaves nothing behind', async () => {
  const gate = createGate(1);
  gate.enterAtOnce('a');
  assert.equal(await gate.enter('a', performance.now() + 5), false);
  gate.leave('a');
  assert.equal(gate.enterAtOnce('a'), true);
});
