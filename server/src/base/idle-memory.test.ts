import assert from 'node:assert/strict';
import { constants, PerformanceObserver } from 'node:perf_hooks';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { getHeapStatistics } from 'node:v8';
import { releaseIdleMemory } from './idle-memory.ts';

test('memory goes back once the process is idle, and not while it works', async (t) => {
  const releases = countReleases();
  const held = () => getHeapStatistics().total_heap_size;
  let kept: number[][] = Array.from({ length: 400 }, () => Array.from({ length: 30_000 }, Math.random));
  const most = held();

  const release = releaseIdleMemory({ lookEveryMs: 50, apartMs: 100 });
  const work = setInterval(() => {
    for (const until = performance.now() + 5; performance.now() < until;);
  }, 10);
  t.after(() => {
    release.stop();
    clearInterval(work);
    releases.stop();
  });
  await wait(500);
  assert.equal(releases.count(), 0, 'a process that works is not held up');

  assert.equal(kept.length, 400);
  kept = [];
  clearInterval(work);
  // An observer is told of a collection a moment after it, and V8 may have given the memory back by itself before.
  const isReleased = () => held() <= most - 80e6 && releases.count() > 0;
  for (let tries = 0; !isReleased() && tries < 200; tries++) await wait(50);
  const first = releases.count();
  assert.ok(isReleased(), `${held()} of ${most} are still held after ${first} releases`);
  await wait(500);
  assert.equal(releases.count(), first, 'not again before there is as much to give back');
});

type Collection = PerformanceEntry & { readonly detail: { readonly flags: number } };

/** Counts the collections that V8 does only where memory has run out, or where somebody asks for them. */
function countReleases() {
  let count = 0;
  const observer = new PerformanceObserver((list) => {
    for (const { detail } of list.getEntries() as Collection[]) {
      if ((detail.flags & constants.NODE_PERFORMANCE_GC_FLAGS_ALL_AVAILABLE_GARBAGE) !== 0) count += 1;
    }
  });
  observer.observe({ entryTypes: ['gc'] });
  return { count: () => count, stop: () => observer.disconnect() };
}
