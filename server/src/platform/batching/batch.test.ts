import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { Unavailable } from '#problems/problem.ts';
import { createBatch, type BatchOptions } from './batch.ts';
import { SetAside } from './waiting.ts';

interface Call {
  readonly commerceId: number;
  readonly name: string;
}

/** Creates a batch whose runs stay open until the test ends them. */
function heldBatch(options: Partial<BatchOptions<Call, string>> = {}) {
  const runs: { names: string[]; finish: () => void; fail: (error: Error) => void }[] = [];
  const batch = createBatch<Call, string>({
    run: (calls) =>
      new Promise((resolve, reject) => {
        const names = calls.map((call) => call.name);
        runs.push({ names, finish: () => resolve(names.map((name) => `done ${name}`)), fail: reject });
      }),
    commerceOf: (call) => call.commerceId,
    mayRepeat: (error) => error instanceof Error && error.message === 'repeat',
    inFlight: 1,
    ...options,
  });
  return { runs, batch, submit: (name: string, commerceId = 1) => batch.submit({ commerceId, name }) };
}

/** The next batch starts at once beside the one that runs. */
const TWO = { inFlight: 2, aloneMs: 0 };

const oneTurn = () => new Promise((resolve) => setImmediate(resolve));

/** Waits until every batch that can begin has begun: after a batch, that takes one turn more. */
const turn = async () => {
  for (let i = 0; i < 3; i++) await oneTurn();
};

/** Stops the clock that batches read. Returns a function that moves it on. */
function stopClock(t: TestContext): (ms: number) => void {
  let now = performance.now();
  t.mock.method(performance, 'now', () => now);
  return (ms) => void (now += ms);
}

test('calls that arrive while a batch is running go together in the next one, and each gets its own outcome', async () => {
  const { runs, submit } = heldBatch();
  const first = submit('a');
  await turn();
  const later = [submit('b'), submit('c'), submit('d')];
  await turn();
  assert.deepEqual(
    runs.map((run) => run.names),
    [['a']],
  );
  runs[0]!.finish();
  assert.equal(await first, 'done a');
  await turn();
  assert.deepEqual(runs[1]!.names, ['b', 'c', 'd']);
  runs[1]!.finish();
  assert.deepEqual(await Promise.all(later), ['done b', 'done c', 'done d']);
});

test('a caller who calls again at once goes with those that waited', async () => {
  const { runs, submit } = heldBatch();
  const again = submit('a')
    .then(oneTurn)
    .then(() => submit('a again'));
  await turn();
  const waiting = submit('b');
  await turn();
  runs[0]!.finish();
  await turn();
  assert.deepEqual(
    runs.map((run) => run.names.join(' ')),
    ['a', 'b a again'],
  );
  runs[1]!.finish();
  await Promise.all([again, waiting]);
});

test('callers of other processes who were just answered go with those that waited', async (t) => {
  const pass = stopClock(t);
  const elsewhere = Promise.withResolvers<void>();
  const most: number[] = [];
  const { runs, submit, batch } = heldBatch({
    callersElsewhere: (mostMs) => {
      most.push(mostMs);
      return most.length === 1 ? elsewhere.promise : null;
    },
  });
  const calls = [submit('a')];
  await turn();
  calls.push(submit('b'));
  pass(8);
  runs[0]!.finish();
  await turn();
  assert.deepEqual(most, [4], 'half of the time that the batch took');
  assert.equal(runs.length, 1);
  calls.push(submit('from elsewhere', 2));
  await turn();
  assert.equal(runs.length, 1);
  elsewhere.resolve();
  await turn();
  assert.deepEqual(runs[1]!.names, ['b', 'from elsewhere']);
  runs[1]!.finish();
  await Promise.all(calls);
  await batch.drained();
  assert.equal(most.length, 1, 'nobody waits after a batch that took no time');
});

test('a busy commerce gets at most half a batch while others wait', async () => {
  const { runs, submit } = heldBatch({ largest: 8 });
  void submit('first');
  await turn();
  for (let i = 0; i < 20; i++) void submit(`busy ${i}`, 1);
  void submit('quiet', 2);
  runs[0]!.finish();
  await turn();
  await turn();
  assert.equal(runs[1]!.names.filter((name) => name.startsWith('busy')).length, 4);
  assert.ok(runs[1]!.names.includes('quiet'));
});

test('calls that wait for a single busy commerce run in an extra batch', async () => {
  const { runs, batch, submit } = heldBatch(TWO);
  const names = () => runs.map((run) => run.names.join(' '));
  const calls = [submit('busy 1'), submit('busy 2')];
  await turn();
  calls.push(submit('busy 3'), submit('busy 4'));
  await turn();
  calls.push(submit('busy 5'), submit('quiet 1', 2), submit('quiet 2', 3));
  await turn();
  assert.deepEqual(names(), ['busy 1 busy 2', 'busy 3 busy 4', 'quiet 1 quiet 2']);

  calls.push(submit('quiet 3', 2));
  await turn();
  assert.equal(runs.length, 3, 'one extra batch at a time');
  runs[2]!.finish();
  await turn();
  assert.deepEqual(names().slice(3), ['quiet 3']);

  for (const run of [0, 1, 3]) runs[run]!.finish();
  await turn();
  assert.deepEqual(names().slice(4), ['busy 5']);
  runs[4]!.finish();
  await Promise.all(calls);
  await batch.drained();
});

test('the next batch starts when the one before it has ended, or beside it if it takes long', async (t) => {
  const pass = stopClock(t);
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { runs, submit } = heldBatch({ inFlight: 2, aloneMs: 40 });
  const names = () => runs.map((run) => run.names.join(' '));
  const calls = [submit('a', 1), submit('b', 2)];
  await turn();
  calls.push(submit('c', 1), submit('d', 2));
  await turn();
  assert.deepEqual(names(), ['a b']);
  runs[0]!.finish();
  await turn();
  assert.deepEqual(names().slice(1), ['c d']);

  calls.push(submit('e', 1));
  await turn();
  assert.equal(runs.length, 2);
  pass(41);
  t.mock.timers.tick(41);
  await turn();
  assert.deepEqual(names().slice(2), ['e']);
  for (const run of runs) run.finish();
  await Promise.all(calls);
});

test('there is no extra batch while the running batches belong to several commerces', async () => {
  const { runs, submit } = heldBatch(TWO);
  void submit('a', 1);
  await turn();
  void submit('b', 2);
  await turn();
  void submit('c', 3);
  await turn();
  assert.equal(runs.length, 2);
});

test('a call that makes its batch fail does not affect the other calls', async () => {
  const batch = createBatch<Call, string>({
    run: (calls) => {
      if (calls.some((call) => call.name === 'poison')) return Promise.reject(new Error('repeat'));
      return Promise.resolve(calls.map((call) => call.name));
    },
    commerceOf: (call) => call.commerceId,
    mayRepeat: () => true,
  });
  const settled = await Promise.allSettled(
    ['a', 'poison', 'b'].map((name) => batch.submit({ commerceId: 1, name })),
  );
  assert.deepEqual(
    settled.map((outcome) => outcome.status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
});

test('a batch that may have been committed is never run again', async () => {
  const { runs, submit } = heldBatch();
  const calls = [submit('a'), submit('b')];
  await turn();
  runs[0]!.fail(new Error('lost'));
  const settled = await Promise.allSettled(calls);
  assert.deepEqual(
    settled.map((outcome) => outcome.status),
    ['rejected', 'rejected'],
  );
  assert.equal(runs.length, 1);
});

test('calls that must be kept apart are never in one batch', async () => {
  const sizes: number[] = [];
  const batch = createBatch<Call, string>({
    run: (calls) => {
      sizes.push(calls.length);
      return Promise.resolve(calls.map((call) => call.name));
    },
    commerceOf: (call) => call.commerceId,
    apartBy: (call) => [call.name],
  });
  await Promise.all(['twin', 'twin', 'twin'].map((name) => batch.submit({ commerceId: 1, name })));
  assert.deepEqual(sizes, [1, 1, 1]);
});

test('a call beyond the queue limit is told to retry, and the calls already accepted are still done', async () => {
  const { runs, batch, submit } = heldBatch({ longestQueue: 3 });
  const taken = [submit('a')];
  await turn();
  taken.push(submit('b'), submit('c'), submit('d'));
  await assert.rejects(submit('e'), Unavailable);
  runs[0]!.finish();
  await turn();
  await turn();
  runs[1]!.finish();
  assert.equal((await Promise.all(taken)).length, 4);
  await batch.drained();
});

test('a commerce whose calls fail slowly does not hold up the others, and is told to retry', async (t) => {
  const pass = stopClock(t);
  const { runs, submit } = heldBatch({ longestRepeatMs: 20 });
  const calls = [submit('slow 1'), submit('slow 2'), submit('quick 1', 2), submit('quick 2', 3)];
  await turn();
  runs[0]!.fail(new Error('repeat'));
  await turn();
  assert.deepEqual(
    runs.slice(1).map((run) => run.names),
    [['slow 1', 'slow 2'], ['quick 1']],
    'two commerces at a time',
  );
  runs[2]!.finish();
  await turn();
  runs[3]!.finish();
  assert.deepEqual(await Promise.all(calls.slice(2)), ['done quick 1', 'done quick 2']);

  runs[1]!.fail(new Error('repeat'));
  await turn();
  pass(30);
  runs[4]!.fail(new Error('the first call failed'));
  await assert.rejects(calls[0]!, /the first call failed/);
  await assert.rejects(calls[1]!, Unavailable);
  assert.equal(runs.length, 5);
});

test('when the queue is too long, only the commerces that fill it are refused', async () => {
  const { submit } = heldBatch({ longestQueue: 4 });
  void submit('under way');
  await turn();
  for (const name of ['a', 'b', 'c', 'd']) void submit(name);
  await assert.rejects(submit('e'), Unavailable);
  for (const name of ['quiet 1', 'quiet 2']) void submit(name, 2);
  await assert.rejects(submit('quiet 3', 2), Unavailable);
});

test('two batches never work on the same row, and other calls of the commerce overtake those that wait', async () => {
  const { runs, submit } = heldBatch({ ...TWO, rowsOf: ({ name }) => [name.split(' ')[0]!] });
  const names = () => runs.map((run) => run.names.join(', '));
  const calls = [submit('eva 1')];
  await turn();
  calls.push(submit('eva 2'), submit('eva 3'), submit('max 1'));
  await turn();
  assert.deepEqual(names(), ['eva 1', 'max 1']);
  runs[0]!.finish();
  await turn();
  assert.deepEqual(names().slice(2), ['eva 2, eva 3']);
  for (const run of runs.slice(1)) run.finish();
  await Promise.all(calls);
});

test('a call whose row is locked elsewhere is run again beside the batches, which go on', async () => {
  const locked = new Set(['eva']);
  const waits: string[] = [];
  const batch = createBatch<Call, string>({
    run: async (calls, waitFor) => {
      await turn();
      waits.push(`${waitFor}: ${calls.map(({ name }) => name).join(' ')}`);
      if (waitFor === 'first' && locked.has(calls[0]!.name)) {
        throw Object.assign(new Error('canceling statement due to lock timeout'), { code: '55P03' });
      }
      return calls.map(({ name }) => (locked.has(name) ? new SetAside(name) : `done ${name}`));
    },
    commerceOf: (call) => call.commerceId,
    rowsOf: ({ name }) => [name],
    mayRepeat: () => true,
  });
  const eva = batch.submit({ commerceId: 1, name: 'eva' });
  const others = await Promise.all(
    ['max', 'ana', 'leo'].map((name) => batch.submit({ commerceId: 1, name })),
  );
  assert.deepEqual(others, ['done max', 'done ana', 'done leo']);
  locked.clear();
  assert.equal(await eva, 'done eva');
  assert.ok(waits.includes('first: eva'));
  await batch.drained();
});

test('a call whose row stays locked is told to retry, and its row is free for the next call', async () => {
  let isLocked = true;
  const batch = createBatch<Call, string>({
    run: async (calls) => {
      await new Promise((resolve) => setTimeout(resolve, 1));
      return calls.map(({ name }) => (isLocked ? new SetAside(name) : `done ${name}`));
    },
    commerceOf: (call) => call.commerceId,
    rowsOf: ({ name }) => [name],
    longestRepeatMs: 20,
  });
  await assert.rejects(batch.submit({ commerceId: 1, name: 'eva' }), Unavailable);
  isLocked = false;
  assert.equal(await batch.submit({ commerceId: 1, name: 'eva' }), 'done eva');
  await batch.drained();
});

test('a call that waits too long for another batch is refused before anything is done', async (t) => {
  const pass = stopClock(t);
  const { runs, submit } = heldBatch({ ...TWO, longestQueuedMs: 10, rowsOf: () => ['eva'] });
  const first = submit('first');
  await turn();
  const second = submit('second');
  await turn();
  pass(20);
  runs[0]!.finish();
  assert.equal(await first, 'done first');
  await assert.rejects(second, Unavailable);
  assert.equal(runs.length, 1);
});

test('a call whose row is free again does not wait for the rows of others that stay locked', async () => {
  const locked = new Set(['eva', 'max']);
  const ended: string[] = [];
  const endRun: (() => void)[] = [];
  const batch = createBatch<Call, string>({
    run: async (calls, waitFor) => {
      if (waitFor === 'first') await new Promise<void>((resolve) => endRun.push(resolve));
      return calls.map(({ name }) => {
        const row = name.split(' ')[0]!;
        return locked.has(row) ? new SetAside(row) : `done ${name}`;
      });
    },
    commerceOf: (call) => call.commerceId,
    rowsOf: ({ name }) => [name.split(' ')[0]!],
  });
  const submit = (name: string) =>
    batch.submit({ commerceId: 1, name }).then((outcome) => ended.push(outcome));
  const calls = [submit('eva 1'), submit('max 1')];
  await turn();
  calls.push(submit('eva 2'));
  await turn();
  locked.delete('eva');
  endRun[0]!();
  for (let i = 0; i < 3; i++) await turn();
  assert.deepEqual(ended, ['done eva 1', 'done eva 2']);
  locked.clear();
  endRun[1]!();
  await Promise.all(calls);
});

test('a call that is set aside at the moment when the last one before it ends is run all the same', async () => {
  for (let steps = 0; steps < 12; steps++) {
    const held = new Map<string, (outcomes: (string | SetAside)[]) => void>();
    const batch = createBatch<Call, string>({
      run: (calls, waitFor) =>
        new Promise((resolve) => held.set(`${calls.map(({ name }) => name).join()} ${waitFor}`, resolve)),
      commerceOf: (call) => call.commerceId,
      rowsOf: ({ name }) => [name],
    });
    const calls = [batch.submit({ commerceId: 1, name: 'eva' })];
    await turn();
    held.get('eva none')!([new SetAside('eva')]);
    calls.push(batch.submit({ commerceId: 1, name: 'max' }));
    await turn();
    await turn();
    held.get('eva first')!(['done eva']);
    for (let step = 0; step < steps; step++) await Promise.resolve();
    held.get('max none')!([new SetAside('max')]);
    await turn();
    await turn();
    assert.ok(held.has('max first'), `max was forgotten after ${steps} steps`);
    held.get('max first')!(['done max']);
    assert.deepEqual(await Promise.all(calls), ['done eva', 'done max']);
    await batch.drained();
  }
});

test('a queue whose calls were all refused for being late is drained', async (t) => {
  const pass = stopClock(t);
  const { batch, submit } = heldBatch({ longestQueuedMs: 5 });
  const late = assert.rejects(submit('late'), Unavailable);
  const drained = batch.drained();
  pass(10);
  await late;
  await drained;
});

test('calls for a row that stays locked wait in the queue, whatever other rows the first one needs', async () => {
  let isLocked = true;
  const runs: string[] = [];
  const batch = createBatch<Call, string>({
    run: async (calls, waitFor) => {
      await new Promise((resolve) => setTimeout(resolve, 1));
      runs.push(`${waitFor}: ${calls.map(({ name }) => name).join(' ')}`);
      if (isLocked && waitFor === 'first')
        throw Object.assign(new Error('canceling statement due to lock timeout'), { code: '55P03' });
      return calls.map(({ name }) => (isLocked ? new SetAside('coffee') : `done ${name}`));
    },
    commerceOf: (call) => call.commerceId,
    rowsOf: ({ name }) => [name, 'coffee'],
  });
  const runsOfEva = async (count: number) => {
    while (runs.filter((run) => run === 'first: eva').length < count)
      await new Promise((resolve) => setTimeout(resolve, 1));
  };
  const eva = batch.submit({ commerceId: 1, name: 'eva' });
  await runsOfEva(1);
  const max = batch.submit({ commerceId: 1, name: 'max' });
  await runsOfEva(2);
  assert.ok(!runs.includes('none: max'));
  isLocked = false;
  assert.deepEqual(await Promise.all([eva, max]), ['done eva', 'done max']);
});

test('on a cluster a batch is of one shard, and the shards take turns', async () => {
  const { runs, submit } = heldBatch({ shardOf: (commerceId) => commerceId % 2 });
  const calls = [submit('first', 1)];
  await turn();
  for (const [name, commerceId] of [
    ['even a', 2],
    ['odd a', 3],
    ['even b', 4],
    ['odd b', 1],
    ['even c', 2],
  ] as const)
    calls.push(submit(name, commerceId));
  runs[0]!.finish();
  await turn();
  assert.deepEqual(runs[1]!.names, ['even a', 'even b', 'even c']);
  calls.push(submit('even d', 2));
  runs[1]!.finish();
  await turn();
  assert.deepEqual(runs[2]!.names, ['odd a', 'odd b']);
  runs[2]!.finish();
  await turn();
  runs[3]!.finish();
  await Promise.all(calls);
});

test('a machine of a cluster that hangs holds up the batches of no other', async () => {
  const { runs, batch, submit } = heldBatch({
    machineOf: (commerceId) => (commerceId === 1 ? 'hangs' : null),
  });
  const held = [submit('a', 1), submit('b', 1)];
  await turn();
  const others = [submit('c', 2), submit('d', 3)];
  await turn();
  assert.deepEqual(
    runs.map(({ names }) => names),
    [
      ['a', 'b'],
      ['c', 'd'],
    ],
  );
  const { calls, batches, waiting } = batch.load();
  assert.deepEqual({ calls, batches, waiting }, { calls: 4, batches: 2, waiting: 0 });
  let isDrained = false;
  const drained = batch.drained().then(() => (isDrained = true));
  runs[1]!.finish();
  assert.deepEqual(await Promise.all(others), ['done c', 'done d']);
  await turn();
  assert.equal(isDrained, false);
  runs[0]!.finish();
  await Promise.all([...held, drained]);
});

test('calls that were set aside run again shard by shard', async () => {
  const seen: string[][] = [];
  const batch = createBatch<Call, string>({
    run: async (calls, waitFor) => {
      if (waitFor === 'first') seen.push(calls.map(({ name }) => name));
      return calls.map(({ name }) => (waitFor === 'none' ? new SetAside(name) : `done ${name}`));
    },
    commerceOf: (call) => call.commerceId,
    shardOf: (commerceId) => commerceId % 2,
    inFlight: 1,
  });
  const names = ['a', 'b', 'c', 'd'];
  await Promise.all(names.map((name, i) => batch.submit({ commerceId: i + 1, name })));
  assert.deepEqual(seen.flat().sort(), names);
  for (const run of seen)
    assert.equal(
      new Set(run.map((name) => names.indexOf(name) % 2)).size,
      1,
      `${run.join(' ')} share a shard`,
    );
});
