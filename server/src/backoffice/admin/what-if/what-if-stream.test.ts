/** Whose what-if is computed, and for how long. */
import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import type { FastifyBaseLogger } from 'fastify';
import { createCaps } from '#base/caps.ts';
import { readWireIds } from '#batching/wire-ids.ts';
import type { WhatIf } from '#what-if/what-if.ts';
import { service } from '#test/harness.ts';
import { makeShop } from '#test/make.ts';
import { createWhatIfStreams } from './what-if-stream.ts';

const { db, app } = await service();
const log: FastifyBaseLogger = app.log;
const ids = await readWireIds(db, (await makeShop()).id, 'member');

/** Streams whose replays go on until the test ends them. */
function streams(options: { longestMs?: number } = {}) {
  const running = new Map<number, () => void>();
  const caps = createCaps();
  const made = createWhatIfStreams(db, caps, {
    ...options,
    ask: (_db, { commerceId }, signal) =>
      new Promise<WhatIf | null>((resolve, reject) => {
        running.set(commerceId, () => reject(new Error('ended by the test')));
        signal.addEventListener('abort', () => resolve(null));
      }).finally(() => running.delete(commerceId)),
  });
  const open = (commerceId: number) => {
    const stream = made.open({ commerceId, program: {} as never }, ids, log);
    const lines = stream.then(text).then((all) =>
      all
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>),
    );
    // Those that are stopped at the end of a test say nothing more.
    lines.catch(() => {});
    return { stream, lines };
  };
  return { stop: () => made.stop(), open, running, caps };
}

const runsOf = (running: Map<number, unknown>) => [...running.keys()].toSorted((a, b) => a - b);
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('two large shops that ask again and again keep nobody out: whoever came first is next, and sees its place', async () => {
  const { open, running } = streams();
  open(1);
  open(2);
  const [third, fourth] = [open(3), open(4)];
  await settled();
  assert.deepEqual(runsOf(running), [1, 2]);
  running.get(1)!();
  await settled();
  assert.deepEqual(runsOf(running), [2, 3]);
  const again = open(1);
  running.get(2)!();
  await settled();
  assert.deepEqual(runsOf(running), [3, 4], 'not the shop that has just had its turn');
  running.get(3)!();
  await settled();
  assert.deepEqual(runsOf(running), [1, 4]);
  running.get(4)!();
  running.get(1)!();
  const places = async (one: typeof third) =>
    (await one.lines).map(({ type, place }) => (place === undefined ? type : place));
  assert.deepEqual(await places(third), [1, 'progress', 'failure']);
  assert.deepEqual(await places(fourth), [2, 1, 'progress', 'failure']);
  assert.deepEqual(await places(again), [2, 1, 'progress', 'failure']);
});

test('one that takes too long ends and says so, and the next one begins', async () => {
  const { open, running, stop } = streams({ longestMs: 30 });
  const lines = await Promise.all([1, 2, 3].map((id) => open(id).lines));
  for (const one of lines) {
    const last = one.at(-1)!;
    assert.deepEqual([last['type'], last['reason']], ['failure', 'took_too_long']);
    assert.match(String(last['message']), /choose a shorter range/);
  }
  assert.deepEqual(runsOf(running), []);
  stop();
});

test('a commerce has one, running or waiting, and the line has an end', async () => {
  const { open, running, caps, stop } = streams();
  const opened = Array.from({ length: 22 }, (_, n) => open(n + 1));
  const isOverloaded = { code: 'overloaded' };
  await Promise.all(opened.map(({ stream }) => stream));
  await assert.rejects(open(23).stream, isOverloaded);
  (await opened[21]!.stream).destroy();
  await assert.rejects(opened[21]!.lines);
  await settled();
  await assert.rejects(open(1).stream, {
    ...isOverloaded,
    message: /a what-if of this commerce is running/,
  });
  await assert.rejects(open(21).stream, isOverloaded, 'it waits');
  await open(22).stream;
  await settled();
  assert.equal(caps.counts().get('calls-of-a-commerce'), 3);
  assert.deepEqual(runsOf(running), [1, 2]);
  stop();
});
