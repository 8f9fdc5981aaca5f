import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { test, type TestContext } from 'node:test';
import { forgetKnown, known } from './short-memory.ts';

const db = { memory: new Map<symbol, unknown>() };

/** A shelf of values to be read, and readers that are kept open until the test lets them go. */
function heldReads(held = false) {
  const there = new Map<string, string>();
  const open: (() => void)[] = [];
  let reads = 0;
  const find = known(db, async (key: string) => {
    reads += 1;
    const seen = there.get(key) ?? null;
    if (held) await new Promise<void>((resolve) => open.push(resolve));
    return seen;
  });
  return { there, find, reads: () => reads, letGo: () => open.splice(0).forEach((go) => go()) };
}

/** A clock that stands still until it is told to pass; the cache looks at it once a millisecond. */
function clockOf(t: TestContext) {
  let now = 1_000;
  t.mock.method(performance, 'now', () => now);
  return async (ms: number) => {
    now += ms;
    await setTimeout(5);
  };
}

test('what was found is not read again, and is given without a promise', async () => {
  const { there, find, reads } = heldReads();
  there.set('key', 'shop');
  assert.equal(await find('key'), 'shop');
  assert.equal(find('key'), 'shop');
  assert.equal(reads(), 1);
});

test('what was not there is found as soon as it is', async () => {
  const { there, find } = heldReads();
  assert.equal(await find('key'), null);
  there.set('key', 'shop');
  assert.equal(await find('key'), 'shop');
});

test('many who ask at once make one reader', async () => {
  const { there, find, reads, letGo } = heldReads(true);
  there.set('key', 'shop');
  const asked = Array.from({ length: 50 }, () => find('key'));
  letGo();
  assert.deepEqual(await Promise.all(asked.map(async (one) => one)), Array(50).fill('shop'));
  assert.equal(reads(), 1);
});

test('who joins a reader that began too early still finds what was made meanwhile', async () => {
  const { there, find, letGo } = heldReads(true);
  const early = find('key');
  there.set('key', 'shop');
  const joined = find('key');
  letGo();
  assert.equal(await early, null);
  letGo();
  assert.equal(await joined, 'shop');
});

test('what a reader saw before a right was taken away is not kept after it', async () => {
  const { there, find, letGo } = heldReads(true);
  there.set('key', 'shop');
  const early = find('key');
  there.delete('key');
  forgetKnown(db);
  const later = find('key');
  letGo();
  assert.equal(await early, 'shop');
  assert.equal(await later, null);
  const after = find('key');
  letGo();
  assert.equal(await after, null);
});

test('what is in use is read again before its time is over, and is gone when it is', async (t) => {
  const pass = clockOf(t);
  const { there, find, reads } = heldReads();
  there.set('key', 'shop');
  await find('key');
  await pass(2_000);
  assert.equal(find('key'), 'shop');
  assert.equal(reads(), 1, 'young');
  await pass(1_000);
  there.delete('key');
  assert.equal(find('key'), 'shop');
  assert.equal(reads(), 2, 'halfway');
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(await find('key'), null);
});

test('what is kept is gone after five seconds, whatever happens', async (t) => {
  const pass = clockOf(t);
  const { there, find, reads } = heldReads();
  there.set('key', 'shop');
  await find('key');
  there.delete('key');
  await pass(5_001);
  assert.equal(await find('key'), null);
  assert.equal(reads(), 2);
});

test('what is kept is given to its end while it is read again, and no longer', async (t) => {
  const pass = clockOf(t);
  const { there, find, reads, letGo } = heldReads(true);
  there.set('key', 'shop');
  const first = find('key');
  letGo();
  await first;
  await pass(3_000);
  for (let i = 0; i < 3; i++) assert.equal(find('key'), 'shop');
  await pass(1_900);
  assert.equal(find('key'), 'shop');
  await pass(200);
  const late = find('key');
  assert.ok(late instanceof Promise);
  assert.equal(reads(), 2, 'one reader, which they all wait for');
  letGo();
  assert.equal(await late, 'shop');
});

test('a reader that fails leaves what is kept to its end, and the next to ask meets the failure', async (t) => {
  const pass = clockOf(t);
  let fails = false;
  const find = known(db, () => (fails ? Promise.reject(new Error('away')) : Promise.resolve('shop')));
  await find('key');
  await pass(3_000);
  fails = true;
  assert.equal(find('key'), 'shop');
  await pass(0);
  assert.equal(find('key'), 'shop');
  await pass(2_100);
  await assert.rejects(async () => find('key'), /away/);
  fails = false;
  assert.equal(await find('key'), 'shop');
});

test('the five seconds count from when it was read, however long the reading took', async (t) => {
  const pass = clockOf(t);
  const { there, find, reads, letGo } = heldReads(true);
  there.set('key', 'shop');
  const slow = find('key');
  await pass(4_000);
  letGo();
  assert.equal(await slow, 'shop');
  await pass(900);
  assert.equal(find('key'), 'shop');
  await pass(200);
  assert.ok(find('key') instanceof Promise);
  assert.equal(reads(), 2);
  letGo();
});
