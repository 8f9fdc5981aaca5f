import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { test } from 'node:test';
import { keepLedger } from './keep-ledger.ts';
import { keepSockets } from './keep-sockets.ts';
import { shareLedger, type SharedLedger } from './share-ledger.ts';

/** Processes that share a ledger, on a clock that stands still between two calls of `pass`. */
function makeProcesses(count: number) {
  let time = 1_000;
  let isFrozen = false;
  let messages = 0;
  const later: (() => void)[] = [];
  const now = () => time;
  const shared: SharedLedger[] = [];
  const sockets = keepSockets({ total: 0, perNetwork: 0 }, { processes: count, tell: () => {} });
  const kept = keepLedger(
    count,
    (process, answers) => shared[process]!.hear(structuredClone(answers)),
    sockets,
    now,
  );
  for (let process = 0; process < count; process += 1)
    shared.push(
      shareLedger({
        processes: count,
        now,
        tell(entries) {
          messages += 1;
          const hear = () => kept.hear(process, structuredClone(entries));
          if (isFrozen) later.push(hear);
          else hear();
        },
      }),
    );
  return {
    shared,
    kept,
    pass: (ms: number) => void (time += ms),
    freeze: () => void (isFrozen = true),
    thaw: () => {
      isFrozen = false;
      for (const hear of later.splice(0)) hear();
    },
    messages: () => messages,
  };
}

const PROCESSES = 4;

test('a caller who floods all processes gets its limit, to the call', async () => {
  const { shared, pass } = makeProcesses(PROCESSES);
  const buckets = shared.map((ledger) => ledger.buckets('keys', 100, 200));
  let taken = 0;
  const seconds = 3;
  for (let ms = 0; ms < seconds * 1000; ms += 10) {
    const waits = await Promise.all(
      buckets.flatMap((of) => Array.from({ length: 20 }, async () => of.take('a key'))),
    );
    taken += waits.filter((wait) => wait === 0).length;
    pass(10);
  }
  assert.ok(taken <= 200 + 100 * seconds, `${taken}`);
  assert.ok(taken >= (200 + 100 * seconds) * 0.9, `${taken}`);
});

test('a caller on one connection gets all of its limit, at once and after a pause', async () => {
  const { shared, pass, messages } = makeProcesses(PROCESSES);
  const [own] = shared.map((ledger) => ledger.buckets('keys', 100, 200));
  const burst = async () => {
    let taken = 0;
    while ((await own!.take('a key')) === 0) taken += 1;
    return taken;
  };
  assert.equal(await burst(), 200);
  pass(500);
  assert.equal(await burst(), 50);
  // One call a second takes more in advance than it needs, and gives none of it to others for long.
  for (let second = 0; second < 10; second += 1) {
    pass(1_000);
    assert.equal(await own!.take('a key'), 0);
  }
  pass(1_000);
  assert.equal(await burst(), 200);
  assert.ok(messages() < 400, 'most calls of a caller who is far from its limit need no question');
});

test('ten thousand callers whom nobody knows, over all processes, get what one of their network may have', async () => {
  const { shared } = makeProcesses(PROCESSES);
  const buckets = shared.map((ledger) => ledger.buckets('failures', 20, 100));
  const waits = await Promise.all(
    Array.from({ length: 10_000 }, async (_, i) => buckets[i % PROCESSES]!.take('198.51.100.7')),
  );
  assert.equal(waits.filter((wait) => wait === 0).length, 100);
});

test('what is charged or given back in one process counts in all', async () => {
  const { shared } = makeProcesses(2);
  const [one, other] = shared.map((ledger) => ledger.buckets('members', 10, 10));
  for (let call = 0; call < 8; call += 1) assert.equal(await one!.take(7), 0);
  one!.charge(7, 5, 1);
  await nextTurn();
  assert.ok((await other!.take(7)) > 0.2);
  for (let back = 0; back < 5; back += 1) one!.giveBack(7);
  await nextTurn();
  other!.giveBack(7);
  assert.equal(await other!.take(7), 0);
});

test('a refusal is remembered for as long as it lasts, without a question', async () => {
  const { shared, pass, messages } = makeProcesses(2);
  const buckets = shared[0]!.buckets('members', 10, 10);
  for (let call = 0; call < 10; call += 1) assert.equal(await buckets.take(7), 0);
  assert.equal(await buckets.take(7), 0.1);
  const asked = messages();
  for (let call = 0; call < 1_000; call += 1) assert.equal(buckets.take(7), 0.1);
  await nextTurn();
  assert.equal(messages(), asked);
  pass(100);
  assert.equal(await buckets.take(7), 0);
});

test('while the supervisor does not answer, each process goes on with its share, and then all together again', async () => {
  const { shared, pass, freeze, thaw } = makeProcesses(PROCESSES);
  const buckets = shared.map((ledger) => ledger.buckets('keys', 100, 200));
  await nextTurn();
  freeze();
  const first = buckets.map(async (of) => of.take('a key'));
  pass(1_000);
  assert.deepEqual(await Promise.all(first), [0, 0, 0, 0]);
  const waits = await Promise.all(
    buckets.flatMap((of) => Array.from({ length: 200 }, async () => of.take('a key'))),
  );
  assert.equal(waits.filter((wait) => wait === 0).length, 200 - PROCESSES);
  thaw();
  let taken = 0;
  while ((await buckets[0]!.take('a key')) === 0) taken += 1;
  // What the answers that came too late had taken is lost until the bucket fills up.
  assert.ok(taken <= 200 - PROCESSES && taken >= 160, `${taken}`);
});

test('a semaphore counts over processes, hands on in order, and forgets a process that ended', async () => {
  const { shared, kept } = makeProcesses(3);
  const semaphores = shared.map((ledger) => ledger.semaphore('exports', 1));
  const soon = () => performance.now() + 60_000;
  assert.equal(await semaphores[0]!.enter('luna', soon()), true);
  assert.equal(await semaphores[0]!.enter('sol', soon()), true, 'another shop has its own place');
  assert.equal(await semaphores[1]!.enter('luna', performance.now()), false);
  const second = semaphores[1]!.enter('luna', soon());
  const third = semaphores[2]!.enter('luna', soon());
  await nextTurn();
  kept.forget(0);
  assert.equal(await second, true);
  semaphores[1]!.leave('luna');
  assert.equal(await third, true);
  const orphaned = semaphores[0]!.enter('luna', soon());
  await nextTurn();
  kept.forget(0);
  semaphores[2]!.leave('luna');
  await nextTurn();
  assert.equal(await semaphores[1]!.enter('luna', soon()), true, 'what an ended process waited for is free');
  void orphaned;
});
