/** Random schedules of calls, rows that are locked elsewhere, and runs that fail. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Conflict, Overloaded } from '#problems/problem.ts';
import * as fc from '#test/random.ts';
import { createBatch } from './batch.ts';
import { HeldRows } from './held-rows.ts';
import { Queues } from './queues.ts';
import { SetAside, type WaitFor } from './waiting.ts';

interface Planned {
  readonly commerceId: number;
  readonly rows: readonly string[];
  readonly names: readonly string[];
  /** When it is submitted, in milliseconds. */
  readonly at: number;
  /**
   * `refused`: any run with it fails. `lost`: so does one that may have been committed. `key`: its key is in use elsewhere. A number:
   * so often its row is locked.
   */
  readonly fate: 'done' | 'refused' | 'lost' | 'key' | number;
}

/** Rows and names are of one commerce, as in the service. */
const ofCommerce = <T extends Pick<Planned, 'commerceId' | 'rows' | 'names'>>(call: T): T => ({
  ...call,
  rows: call.rows.map((row) => `${call.commerceId}/${row}`),
  names: call.names.map((name) => `${call.commerceId}/${name}`),
});
const rowsOfThis = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), {
  minLength: 1,
  maxLength: 3,
});
const planned: fc.Arbitrary<Planned> = fc
  .record({
    commerceId: fc.integer({ min: 1, max: 4 }),
    rows: rowsOfThis,
    names: fc.uniqueArray(fc.constantFrom('k1', 'k2', 'k3'), { maxLength: 1 }),
    at: fc.integer({ min: 0, max: 25 }),
    fate: fc.oneof(
      { weight: 8, arbitrary: fc.constant('done' as const) },
      { weight: 1, arbitrary: fc.constantFrom('refused' as const, 'lost' as const, 'key' as const) },
      { weight: 2, arbitrary: fc.integer({ min: 1, max: 3 }) },
    ),
  })
  .map(ofCommerce);
const schedule = fc.record({
  calls: fc.array(planned, { minLength: 1, maxLength: 40 }),
  /** How long the runs take, one after the other, and then again from the beginning. */
  runMs: fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 1, maxLength: 8 }),
  largest: fc.integer({ min: 1, max: 8 }),
});

class Refused extends Error {}
class Lost extends Error {}

/** Runs calls as PostgreSQL would, and notes whatever it is asked to do that it must never be asked. */
function createWorld(runMs: readonly number[]) {
  const wrong: string[] = [];
  const inUse = new Map<string, number>();
  const locked = new Map<Planned, number>();
  const rowAside = new Map<Planned, string>();
  const effects = new Map<Planned, number>();
  const mayBeDone = new Set<Planned>();
  const lockedOut = new Set<Planned>();
  let runs = 0;

  /** The rows that nobody else may use while the call runs. PostgreSQL keeps others from the rows of a call that waits for a lock. */
  const uses = (call: Planned): readonly string[] => {
    if (lockedOut.has(call)) return call.names;
    const row = rowAside.get(call);
    return [...(row === undefined ? call.rows : [row]), ...call.names];
  };

  async function run(calls: Planned[], waitFor: WaitFor): Promise<(string | SetAside)[]> {
    const own = runs++;
    const used = new Set(calls.flatMap((call) => uses(call)));
    for (const name of used) {
      if (inUse.has(name)) wrong.push(`${name} is in the runs ${inUse.get(name)} and ${own} at once`);
      inUse.set(name, own);
    }
    const names = calls.flatMap((call) => call.names);
    if (new Set(names).size < names.length) wrong.push(`run ${own} has two calls of one name`);
    for (const call of calls) {
      if (mayBeDone.has(call)) wrong.push('a call runs again that may have been done');
      if (effects.has(call)) wrong.push('a call runs again that was done');
    }
    await pause(runMs[own % runMs.length]);
    for (const name of used) inUse.delete(name);
    if (calls.some(({ fate }) => fate === 'lost')) {
      for (const call of calls) mayBeDone.add(call);
      throw new Lost();
    }
    if (calls.some(({ fate }) => fate === 'refused')) throw new Refused();
    if (waitFor !== 'all' && calls.some(({ fate }) => fate === 'key')) {
      if (calls.length === 1) lockedOut.add(calls[0]!);
      throw new Conflict('its key is in use');
    }
    return calls.map((call, i) => {
      const left = locked.get(call) ?? (typeof call.fate === 'number' ? call.fate : 0);
      if (left > 0 && waitFor !== 'all' && !(waitFor === 'first' && i === 0)) {
        locked.set(call, left - 1);
        rowAside.set(call, call.rows[0]!);
        return new SetAside(call.rows[0]!);
      }
      effects.set(call, (effects.get(call) ?? 0) + 1);
      return `done ${own}`;
    });
  }

  return { run, wrong, effects, mayBeDone };
}

test('whatever the schedule, each call is answered once, and no row is in two runs at a time', async () => {
  await fc.assert(
    fc.asyncProperty(schedule, async ({ calls, runMs, largest }) => {
      const world = createWorld(runMs);
      const batch = createBatch<Planned, string>({
        run: world.run,
        commerceOf: ({ commerceId }) => commerceId,
        rowsOf: ({ rows }) => rows,
        apartBy: ({ names }) => names,
        mayRepeat: (error) => !(error instanceof Lost),
        largest,
        aloneMs: 2,
        longestQueuedMs: 60_000,
        longestRepeatMs: 60_000,
      });
      const answers = await Promise.all(
        calls.map(async (call) => {
          await pause(call.at);
          return batch.submit(call).then(
            () => 'done',
            (error: unknown) => error,
          );
        }),
      );
      await batch.drained();
      assert.deepEqual(world.wrong, []);
      answers.forEach((answer, i) => {
        const call = calls[i]!;
        if (answer === 'done') assert.equal(world.effects.get(call), 1);
        else if (answer instanceof Refused)
          assert.deepEqual([call.fate, world.effects.has(call)], ['refused', false]);
        else {
          assert.ok(answer instanceof Lost, String(answer));
          assert.ok(world.mayBeDone.has(call), 'it was in the run that was lost');
        }
      });
      const { waiting, aside } = batch.load();
      assert.deepEqual([waiting, aside], [0, 0]);
    }),
    { numRuns: 60 },
  );
});

test('whatever the schedule, a call that is refused for being late has changed nothing', async () => {
  await fc.assert(
    fc.asyncProperty(schedule, async ({ calls, runMs, largest }) => {
      const world = createWorld(runMs);
      const batch = createBatch<Planned, string>({
        run: world.run,
        commerceOf: ({ commerceId }) => commerceId,
        rowsOf: ({ rows }) => rows,
        apartBy: ({ names }) => names,
        mayRepeat: (error) => !(error instanceof Lost),
        largest,
        aloneMs: 2,
        longestQueue: 4,
        longestQueuedMs: 5,
        longestRepeatMs: 5,
      });
      const answers = await Promise.all(
        calls.map(async (call) => {
          await pause(call.at);
          return batch.submit(call).then(
            () => 'done',
            (error: unknown) => error,
          );
        }),
      );
      await batch.drained();
      assert.deepEqual(world.wrong, []);
      answers.forEach((answer, i) => {
        if (answer instanceof Overloaded) assert.ok(!world.effects.has(calls[i]!));
      });
    }),
    { numRuns: 30 },
  );
});

const queued = fc
  .record({
    commerceId: fc.integer({ min: 1, max: 5 }),
    since: fc.constant(0),
    rows: fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { maxLength: 2 }),
    names: fc.uniqueArray(fc.constantFrom('k1', 'k2'), { maxLength: 1 }),
  })
  .map(ofCommerce);

test('a batch is fair: every commerce with a call that can run is in it before another has two', () => {
  fc.assert(
    fc.property(fc.array(queued, { maxLength: 60 }), fc.integer({ min: 1, max: 12 }), (calls, largest) => {
      const queues = new Queues<(typeof calls)[number]>();
      const held = new HeldRows();
      for (const call of calls) queues.add(call);
      const taken: (typeof calls)[number][] = [];
      while (queues.size > 0) {
        const waiting = calls.filter((call) => !taken.includes(call));
        const commerces = new Set(waiting.map(({ commerceId }) => commerceId));
        const batch = queues.take(largest, held);
        assert.ok(batch.length > 0 && batch.length <= largest);
        const names = batch.flatMap((call) => call.names);
        assert.equal(names.length, new Set(names).size);
        const counts = Map.groupBy(batch, ({ commerceId }) => commerceId);
        if (commerces.size > 1)
          for (const its of counts.values()) assert.ok(its.length <= Math.ceil(largest / 2));
        const highest = Math.max(...Array.from(counts.values(), (its) => its.length));
        if (highest > 1) assert.equal(counts.size, commerces.size);
        taken.push(...batch);
      }
      assert.equal(new Set(taken).size, calls.length);
    }),
    { numRuns: 300 },
  );
});
