import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Children } from './children.ts';
import { chooseLead, type Lead } from './lead.ts';
import type { ToChild } from './messages.ts';

/** Processes that only note what they are told. */
function makeProcesses(): { lead: Lead; ready: Set<number>; told: [number, ToChild][] } {
  const ready = new Set<number>();
  const told: [number, ToChild][] = [];
  const children = {
    readyOnes: () => [...ready],
    tell: (number: number, message: ToChild) => void told.push([number, message]),
    counts: () => ({ wanted: 2, ready: ready.size, restarts: 0 }),
  } as unknown as Children;
  return { lead: chooseLead(() => children), ready, told };
}

test('one process leads, and when it leaves another one does at once', () => {
  const { lead, ready, told } = makeProcesses();
  for (const number of [2, 1]) {
    ready.add(number);
    lead.ready(number);
  }
  assert.deepEqual(told.splice(0), [[2, { lead: true }]]);
  ready.delete(2);
  lead.left(2);
  assert.deepEqual(told.splice(0), [[1, { lead: true }]]);
  ready.add(2);
  lead.ready(2);
  lead.left(2);
  assert.deepEqual(told, []);
});

test('if the last process leaves, the first that is ready again leads', () => {
  const { lead, ready, told } = makeProcesses();
  ready.add(1);
  lead.ready(1);
  ready.delete(1);
  lead.left(1);
  ready.add(2);
  lead.ready(2);
  assert.deepEqual(told.at(-1), [2, { lead: true }]);
});

test('the others hear where calls are taken, also those that come later, and nobody once it has left', () => {
  const { lead, ready, told } = makeProcesses();
  for (const number of [1, 2]) {
    ready.add(number);
    lead.ready(number);
  }
  lead.hear(1, { writes: '/tmp/1' });
  ready.add(3);
  lead.ready(3);
  assert.deepEqual(told.splice(0), [
    [1, { lead: true }],
    [2, { writer: '/tmp/1' }],
    [3, { writer: '/tmp/1' }],
  ]);
  ready.delete(1);
  lead.left(1);
  assert.deepEqual(told.splice(0), [
    [2, { writer: null }],
    [3, { writer: null }],
    [2, { lead: true }],
  ]);
  // It was said before it left.
  lead.hear(1, { writes: '/tmp/1' });
  assert.deepEqual(told, []);
});

test('a mail that another process queued wakes the one that leads', () => {
  const { lead, ready, told } = makeProcesses();
  ready.add(1).add(2);
  lead.ready(1);
  lead.hear(2, { wake: 'mails' });
  assert.deepEqual(told.at(-1), [1, { wake: 'mails' }]);
});

test('the metrics of all others are gathered, and those of one that leaves meanwhile are left out', async () => {
  const { lead, ready, told } = makeProcesses();
  ready.add(1).add(2).add(3);
  lead.ready(1);
  lead.hear(1, { gatherMetrics: 7 });
  const asked = told.filter(([, message]) => 'readMetrics' in message);
  assert.deepEqual(
    asked.map(([number]) => number),
    [2, 3],
  );
  const { readMetrics } = asked[0]![1] as { readMetrics: number };
  lead.hear(2, { metricsRead: readMetrics, text: 'of the second' });
  ready.delete(3);
  lead.left(3);
  assert.deepEqual(told.at(-1), [
    1,
    {
      metrics: {
        id: 7,
        texts: [{ process: 2, text: 'of the second' }],
        counts: { wanted: 2, ready: 2, restarts: 0 },
      },
    },
  ]);
});
