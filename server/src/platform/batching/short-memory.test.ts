import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { test, type TestContext } from 'node:test';
import { forgetRemembered, rememberBriefly } from './short-memory.ts';

const db = { memory: new Map<symbol, unknown>() };

/** Creates a set of values, and a read of them that stays open until the test ends it. */
function heldReads(held = false) {
  const there = new Map<string, string>();
  const open: (() => void)[] = [];
  let reads = 0;
  const find = rememberBriefly(db, async (key: string) => {
    reads += 1;
    const seen = there.get(key) ?? null;
    if (held) await new Promise<void>((resolve) => open.push(resolve));
    return seen;
  });
  return { there, find, reads: () => reads, letGo: () => open.splice(0).forEach((go) => go()) };
}

/** Creates a clock that stands still until the test advances it. The cache checks the time once a millisecond. */
function clockOf(t: TestContext) {
  let now = 1_000;
  t.mock.method(performance, 'now', () => now);
  return async (ms: number) => {
    now += ms;
    await setTimeout(5);
  };
}

test('a value that was found is not read again, and is returned without a promise', async () => {
  const { there, find, reads } = heldReads();
  there.set('key', 'shop');
  assert.equal(await find('key'), 'shop');
  assert.equal(find('key'), 'shop');
  assert.equal(reads(), 1);
});

test('a value that was missing is found as soon as it exists', async () => {
  const { there, find } = heldReads();
  assert.equal(await find('key'), null);
  there.set('key', 'shop');
  assert.equal(await find('key'), 'shop');
});

test('many concurrent calls make one read', async () => {
  const { there, find, reads, letGo } = heldReads(true);
  there.set('key', 'shop');
  const asked = Array.from({ length: 50 }, () => find('key'));
  letGo();
  assert.deepEqual(await Promise.all(asked.map(async (one) => one)), Array(50).fill('shop'));
  assert.equal(reads(), 1);
});

test('a call that joins a read which started too early still finds a value created meanwhile', async () => {
  const { there, find, letGo } = heldReads(true);
  const early = find('key');
  there.set('key', 'shop');
  const joined = find('key');
  letGo();
  assert.equal(await early, null);
  letGo();
  assert.equal(await joined, 'shop');
});

test('a read that ran before a revocation is not remembered after it', async () => {
  const { there, find, letGo } = heldReads(true);
  there.set('key', 'shop');
  const early = find('key');
  there.delete('key');
  forgetRemembered(db);
  const later = find('key');
  letGo();
  assert.equal(await early, 'shop');
  assert.equal(await later, null);
  const after = find('key');
  letGo();
  assert.equal(await after, null);
});

test('a value in use is read again before it expires, and is gone once it no longer exists', async (t) => {
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

test('a remembered value is gone after five seconds in any case', async (t) => {
  const pass = clockOf(t);
  const { there, find, reads } = heldReads();
  there.set('key', 'shop');
  await find('key');
  there.delete('key');
  await pass(5_001);
  assert.equal(await find('key'), null);
  assert.equal(reads(), 2);
});

test('a remembered value is returned until it expires while it is read again, and no longer', async (t) => {
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
  assert.equal(reads(), 2, 'one read, which they all wait for');
  letGo();
  assert.equal(await late, 'shop');
});

test('if a read fails, the remembered value stays until it expires, and the next call gets the error', async (t) => {
  const pass = clockOf(t);
  let fails = false;
  const find = rememberBriefly(db, () =>
    fails ? Promise.reject(new Error('away')) : Promise.resolve('shop'),
  );
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

test('the five seconds count from the start of the read, however long it takes', async (t) => {
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
