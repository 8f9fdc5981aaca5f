import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Children } from './children.ts';
import { chooseLead, type Lead } from './lead.ts';
import type { ToChild } from './messages.ts';

/** Processes that only note what they are told. */
function makeProcesses(processes = 2): { lead: Lead; ready: Set<number>; told: [number, ToChild][] } {
  const ready = new Set<number>();
  const told: [number, ToChild][] = [];
  const children = {
    readyOnes: () => [...ready],
    tell: (number: number, message: ToChild) => void told.push([number, message]),
    counts: () => ({ wanted: 2, ready: ready.size, restarts: 0 }),
  } as unknown as Children;
  return { lead: chooseLead(processes, () => children), ready, told };
}

test('one process leads, and when it leaves another one does at once', () => {
  const { lead, ready, told } = makeProcesses();
  for (const number of [2, 1]) {
    ready.add(number);
    lead.ready(number);
  }
  const leading = () => told.splice(0).filter(([, message]) => 'lead' in message);
  assert.deepEqual(leading(), [[2, { lead: true }]]);
  ready.delete(2);
  lead.left(2);
  assert.deepEqual(leading(), [[1, { lead: true }]]);
  ready.add(2);
  lead.ready(2);
  lead.left(2);
  assert.deepEqual(leading(), []);
});

test('if the last process leaves, the first that is ready again leads', () => {
  const { lead, ready, told } = makeProcesses();
  ready.add(1);
  lead.ready(1);
  ready.delete(1);
  lead.left(1);
  ready.add(2);
  lead.ready(2);
  assert.deepEqual(
    told.findLast(([, message]) => 'lead' in message),
    [2, { lead: true }],
  );
});

/** A process that takes calls at a path of its number. */
function start({ lead, ready }: ReturnType<typeof makeProcesses>, number: number): void {
  lead.hear(number, { writes: `/tmp/${number}` });
  ready.add(number);
  lead.ready(number);
}

function end({ lead, ready }: ReturnType<typeof makeProcesses>, number: number): void {
  ready.delete(number);
  lead.left(number);
}

/** What a process was told last of where calls are taken. */
function heard({ told }: ReturnType<typeof makeProcesses>, number: number): readonly (string | null)[] {
  const said = told.filter(([to, message]) => to === number && 'writers' in message);
  return (said.at(-1)![1] as { writers: readonly (string | null)[] }).writers;
}

test('one of two or three processes writes for all, and another one as soon as it has left', () => {
  for (const count of [2, 3]) {
    const processes = makeProcesses(count);
    start(processes, 1);
    start(processes, 2);
    assert.deepEqual([heard(processes, 1), heard(processes, 2)], [['/tmp/1'], ['/tmp/1']]);
    end(processes, 1);
    assert.deepEqual(heard(processes, 2), ['/tmp/2']);
    start(processes, 1);
    assert.deepEqual([heard(processes, 1), heard(processes, 2)], [['/tmp/2'], ['/tmp/2']]);
  }
});

test('half of many processes write, and who takes the place of one that left gets its shops alone', () => {
  const processes = makeProcesses(5);
  start(processes, 4);
  assert.deepEqual(heard(processes, 4), ['/tmp/4', null]);
  for (const number of [2, 1, 3]) start(processes, number);
  for (const number of [1, 2, 3, 4]) assert.deepEqual(heard(processes, number), ['/tmp/4', '/tmp/2']);
  end(processes, 4);
  for (const number of [1, 2, 3]) assert.deepEqual(heard(processes, number), ['/tmp/1', '/tmp/2']);
  end(processes, 2);
  end(processes, 1);
  assert.deepEqual(heard(processes, 3), [null, '/tmp/3'], 'nobody writes twice');
});

test('a process that cannot take calls does not write', () => {
  const processes = makeProcesses();
  processes.ready.add(1);
  processes.lead.ready(1);
  start(processes, 2);
  assert.deepEqual([heard(processes, 1), heard(processes, 2)], [['/tmp/2'], ['/tmp/2']]);
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
