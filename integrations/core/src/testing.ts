/** The tests that every outbox must pass: `checkOutbox` in a test file of the plugin, with its own database. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Outbox } from './outbox.ts';

const START = Date.parse('2026-11-01T10:00:00Z');
const at = (seconds: number) => new Date(START + seconds * 1_000);

/** @param make returns an outbox that is empty. It is called once for each test. */
export function checkOutbox(make: () => Promise<Outbox> | Outbox): void {
  test('an order that is noted twice is taken once', async () => {
    const outbox = await make();
    await outbox.note(['a'], at(0));
    await outbox.note(['a'], at(1));
    const taken = await outbox.take(10, at(2), at(60));
    assert.deepEqual(
      taken.map(({ orderId, attempts }) => ({ orderId, attempts })),
      [{ orderId: 'a', attempts: 0 }],
    );
    assert.deepEqual(await outbox.take(10, at(3), at(60)), []);
  });

  test('whoever waited longest is taken first, and no more than asked for', async () => {
    const outbox = await make();
    await outbox.note(['b'], at(2));
    await outbox.note(['a'], at(1));
    await outbox.note(['c'], at(3));
    assert.deepEqual(idsOf(await outbox.take(2, at(9), at(60))), ['a', 'b']);
    assert.deepEqual(idsOf(await outbox.take(2, at(9), at(60))), ['c']);
  });

  test('an order that was sent is gone', async () => {
    const outbox = await make();
    await outbox.note(['a'], at(0));
    const [taken] = await outbox.take(1, at(0), at(60));
    await outbox.sent(taken!);
    assert.deepEqual(await outbox.counts(), { waiting: 0, failed: 0, oldest: null });
    assert.deepEqual(await outbox.take(1, at(100), at(160)), []);
  });

  test('a change while an order is sent is sent too', async () => {
    const outbox = await make();
    await outbox.note(['a'], at(0));
    const [first] = await outbox.take(1, at(0), at(60));
    await outbox.note(['a'], at(1));
    await outbox.sent(first!);
    const [second] = await outbox.take(1, at(2), at(62));
    assert.ok(second!.version > first!.version);
    await outbox.sent(second!);
    assert.equal((await outbox.counts()).waiting, 0);
  });

  test('an order of a process that died is due again when its time is over, under a higher version', async () => {
    const outbox = await make();
    await outbox.note(['a'], at(0));
    const [first] = await outbox.take(1, at(0), at(60));
    assert.deepEqual(await outbox.take(1, at(59), at(120)), []);
    const [second] = await outbox.take(1, at(60), at(120));
    assert.ok(second!.version > first!.version);
    // The first sender lives after all, and has read the order before.
    await outbox.sent(first!);
    await outbox.failed(first!, { error: 'late', nextTry: null });
    assert.deepEqual(await outbox.counts(), { waiting: 1, failed: 0, oldest: at(0) });
  });

  test('versions are milliseconds of now, and rise when the clock does not', async () => {
    const outbox = await make();
    await outbox.note(['a'], at(10));
    const [first] = await outbox.take(1, at(10), at(11));
    assert.ok(first!.version >= at(10).getTime() && first!.version < at(11).getTime());
    await outbox.note(['a'], at(0));
    const [second] = await outbox.take(1, at(11), at(20));
    assert.ok(second!.version > first!.version);
  });

  test('a failure is counted and tried again at its time', async () => {
    const outbox = await make();
    await outbox.note(['a'], at(0));
    const [first] = await outbox.take(1, at(0), at(60));
    await outbox.failed(first!, { error: 'no answer', nextTry: at(5) });
    assert.deepEqual(await outbox.take(1, at(4), at(64)), []);
    assert.deepEqual(await outbox.listFailed(10), [
      { orderId: 'a', error: 'no answer', notedAt: at(0), nextTry: at(5) },
    ]);
    const [second] = await outbox.take(1, at(5), at(65));
    assert.equal(second!.attempts, 1);
    assert.deepEqual(await outbox.counts(), { waiting: 1, failed: 0, oldest: at(0) });
  });

  test('an order that was given up is listed with its words until it is noted again', async () => {
    const outbox = await make();
    await outbox.note(['a'], at(0));
    const [first] = await outbox.take(1, at(0), at(60));
    await outbox.failed(first!, { error: 'currency: in another one', nextTry: null });
    assert.deepEqual(await outbox.take(1, at(900), at(960)), []);
    assert.deepEqual(await outbox.listFailed(10), [
      { orderId: 'a', error: 'currency: in another one', notedAt: at(0), nextTry: null },
    ]);
    assert.deepEqual(await outbox.counts(), { waiting: 0, failed: 1, oldest: null });
    await outbox.note(['a'], at(901));
    const [second] = await outbox.take(1, at(902), at(960));
    assert.equal(second!.attempts, 0);
    await outbox.sent(second!);
    assert.deepEqual(await outbox.listFailed(10), []);
  });

  test('the mark goes forward only', async () => {
    const outbox = await make();
    assert.equal(await outbox.readMark(), null);
    await outbox.writeMark(at(10));
    await outbox.writeMark(at(5));
    assert.deepEqual(await outbox.readMark(), at(10));
  });

  test('many at once note and take a hundred orders, and each is taken once', async () => {
    const outbox = await make();
    const ids = Array.from({ length: 100 }, (_, index) => `order-${index}`);
    await Promise.all([0, 1, 2, 3].map(() => outbox.note(ids, at(0))));
    const taken = await Promise.all(Array.from({ length: 20 }, () => outbox.take(10, at(1), at(61))));
    assert.deepEqual(idsOf(taken.flat()).toSorted(), ids.toSorted());
    await Promise.all(taken.flat().map((one) => outbox.sent(one)));
    assert.equal((await outbox.counts()).waiting, 0);
  });
}

function idsOf(taken: readonly { orderId: string }[]): string[] {
  return taken.map(({ orderId }) => orderId);
}
