import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { testDatabase } from '#test/database.ts';
import { startDelivery, type DeliveryOptions, type Outgoing } from './start-delivery.ts';

interface Parcel {
  readonly name: string;
  readonly lane: string;
}

const db = await testDatabase();
const MOST_OF_A_LANE = 2;

/** A table of parcels in memory. A parcel that was taken is not due until it failed. */
function createTable(names: readonly string[]) {
  const due: Parcel[] = names.map((name) => ({ name, lane: name[0]! }));
  const table = {
    due,
    sent: [] as string[],
    failed: [] as [name: string, reason: string][],
    atOnce: 0,
    mostAtOnce: 0,
    asked: [] as number[],
    /** The receivers, by lane. */
    receivers: new Map<string, (signal: AbortSignal) => Promise<void>>(),
  };
  const outgoing: Outgoing<Parcel> = {
    takeFailed: 'no parcel could be taken',
    async take(most, underWay) {
      table.asked.push(most);
      await pause(1);
      const counts = new Map(underWay);
      const taken: Parcel[] = [];
      for (const parcel of due) {
        const count = counts.get(parcel.lane) ?? 0;
        if (taken.length === most || count >= MOST_OF_A_LANE) continue;
        counts.set(parcel.lane, count + 1);
        taken.push(parcel);
      }
      for (const parcel of taken) due.splice(due.indexOf(parcel), 1);
      return taken;
    },
    lanesOf: ({ lane }) => [lane],
    async send({ name, lane }, signal) {
      table.atOnce += 1;
      table.mostAtOnce = Math.max(table.mostAtOnce, table.atOnce);
      try {
        await (table.receivers.get(lane) ?? (() => pause(1)))(signal);
        table.sent.push(name);
      } finally {
        table.atOnce -= 1;
      }
    },
    async failed({ name }, error) {
      await pause(1);
      table.failed.push([name, (error as Error).message]);
    },
  };
  return { table, outgoing };
}

const logged: string[] = [];
const log = {
  warn: (_: unknown, message: string) => logged.push(message),
} as unknown as DeliveryOptions['log'];
const options = { db, log, everyMs: 20, atOnce: 4, longestMs: 60_000 };

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await pause(5);
}

test('what is due is sent once, a few at a time, and what becomes due later too', async () => {
  const { table, outgoing } = createTable(['a1', 'b1', 'c1', 'd1', 'e1', 'f1', 'g1']);
  const delivery = startDelivery(outgoing, options);
  await until(() => table.sent.length === 7);
  assert.equal(table.mostAtOnce, 4);
  table.due.push({ name: 'h1', lane: 'h' });
  await until(() => table.sent.length === 8);
  await delivery.stop();
  assert.equal(new Set(table.sent).size, 8);
  assert.ok(table.asked.every((most) => most >= 1 && most <= 4));
});

test('a receiver that does not answer delays nobody else', async () => {
  const { table, outgoing } = createTable(['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'b2', 'b3', 'c1']);
  table.receivers.set('a', () => new Promise(() => {}));
  const delivery = startDelivery(outgoing, options);
  await until(() => table.sent.length === 4);
  assert.deepEqual(table.sent.toSorted(), ['b1', 'b2', 'b3', 'c1']);
  assert.deepEqual(
    table.due.map(({ name }) => name),
    ['a3', 'a4', 'a5'],
  );
  await delivery.stop();
});

test('a failure is recorded, and the others go on', async () => {
  const { table, outgoing } = createTable(['a1', 'b1']);
  table.receivers.set('a', () => Promise.reject(new Error('refused')));
  const delivery = startDelivery(outgoing, options);
  await until(() => table.sent.length === 1 && table.failed.length === 1);
  assert.deepEqual(table.failed, [['a1', 'refused']]);
  await delivery.stop();
});

test('what takes too long is a failure, and is told so by its signal', async () => {
  const { table, outgoing } = createTable(['a1']);
  let wasTold = false;
  table.receivers.set(
    'a',
    (signal) =>
      new Promise(() => {
        signal.addEventListener('abort', () => (wasTold = true));
      }),
  );
  const delivery = startDelivery(outgoing, { ...options, longestMs: 30 });
  await until(() => table.failed.length === 1);
  assert.deepEqual([table.failed, wasTold], [[['a1', 'it took longer than 0.03 s']], true]);
  await delivery.stop();
});

test('a table that cannot be read is said, and read again', async () => {
  const { table, outgoing } = createTable(['a1']);
  let failures = 2;
  const delivery = startDelivery(
    {
      ...outgoing,
      take: (...asked) => (failures-- > 0 ? Promise.reject(new Error('no table')) : outgoing.take(...asked)),
    },
    options,
  );
  await until(() => table.sent.length === 1);
  await delivery.stop();
  assert.deepEqual(logged, ['no parcel could be taken', 'no parcel could be taken']);
});

test('it is prepared before the first round and not with each one', async () => {
  const { table, outgoing } = createTable(Array.from({ length: 20 }, (_, i) => `${i}`));
  let prepared = 0;
  const delivery = startDelivery(
    { ...outgoing, prepare: () => Promise.resolve(void (prepared += 1)) },
    { ...options, atOnce: 1, everyMs: 60_000 },
  );
  await until(() => table.sent.length === 20);
  await delivery.stop();
  assert.equal(prepared, 1);
});

test('when it is woken it looks at once', async () => {
  const { table, outgoing } = createTable([]);
  const delivery = startDelivery(outgoing, { ...options, everyMs: 600_000 });
  await until(() => table.asked.length > 0);
  await pause(20);
  table.due.push({ name: 'a1', lane: 'a' });
  delivery.wake();
  await until(() => table.sent.length === 1);
  await delivery.stop();
});

test('a stop waits as long as it was told to for what is being sent, records no failure, and takes nothing more', async () => {
  const { table, outgoing } = createTable(['a1', 'b1']);
  table.receivers.set('a', () => pause(60));
  table.receivers.set('b', () => new Promise(() => {}));
  const delivery = startDelivery(outgoing, { ...options, graceMs: 500 });
  await until(() => table.atOnce === 2);
  table.due.push({ name: 'c1', lane: 'c' });
  await delivery.stop();
  assert.deepEqual([table.sent, table.failed], [['a1'], []]);
  await pause(50);
  assert.deepEqual(
    table.due.map(({ name }) => name),
    ['c1'],
  );
});
