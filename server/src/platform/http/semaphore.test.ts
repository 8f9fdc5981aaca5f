import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSemaphore } from './semaphore.ts';

const soon = () => performance.now() + 10_000;

test('a semaphore lets so many calls of a name in at once, and the next ones in the order in which they came', async () => {
  const semaphore = createSemaphore(2);
  assert.deepEqual(
    [semaphore.enterAtOnce('a'), semaphore.enterAtOnce('a'), semaphore.enterAtOnce('a')],
    [true, true, false],
  );
  assert.equal(semaphore.enterAtOnce('b'), true, 'another name has room of its own');
  const order: string[] = [];
  const first = semaphore.enter('a', soon()).then(() => order.push('first'));
  const second = semaphore.enter('a', soon()).then(() => order.push('second'));
  semaphore.leave('a');
  assert.equal(semaphore.enterAtOnce('a'), false, 'the place that became free belongs to who waited');
  await first;
  semaphore.leave('a');
  await second;
  assert.deepEqual(order, ['first', 'second']);
});

test('who waits too long is turned away, and leaves nothing behind', async () => {
  const semaphore = createSemaphore(1);
  semaphore.enterAtOnce('a');
  assert.equal(await semaphore.enter('a', performance.now() + 5), false);
  semaphore.leave('a');
  assert.equal(semaphore.enterAtOnce('a'), true);
});
