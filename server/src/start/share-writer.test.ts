import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { Batch } from '#batching/batch.ts';
import { toPlainProblem } from '#problems/plain-problem.ts';
import { OutcomeUnknown, Overloaded, Problem } from '#problems/problem.ts';
import { until } from '#test/processes/several.ts';
import { readFrames, sendFrame, type FrameFromWriter, type FrameToWriter } from './call-frames.ts';
import { shareWriter } from './share-writer.ts';

const folder = await mkdtemp(join(tmpdir(), 'writer-'));
after(() => rm(folder, { recursive: true, force: true }));

interface Call {
  readonly commerceId: number;
  readonly name: string;
  readonly at?: Date;
  readonly note?: string | undefined;
}
type Outcome = { readonly by: string; readonly call: Call } | { readonly problem: Problem };

/** A batch that runs calls when it is told to. */
function makeBatch(by: string) {
  const waiting: { call: Call; settle: PromiseWithResolvers<Outcome> }[] = [];
  const taken: string[] = [];
  let holds = false;
  const run = (): void => {
    for (const { call, settle } of waiting.splice(0)) {
      if (call.name === 'refused') settle.resolve({ problem: new Overloaded('too much at once') });
      else if (call.name === 'failed') settle.reject(new Overloaded('the database is busy'));
      else if (call.name === 'defect') settle.reject(new TypeError('a defect'));
      else settle.resolve({ by, call });
    }
  };
  const batch: Batch<Call, Outcome> = {
    submit(call) {
      const settle = Promise.withResolvers<Outcome>();
      taken.push(call.name);
      waiting.push({ call, settle });
      if (!holds) run();
      return settle.promise;
    },
    drained: () => Promise.resolve(),
    load: () => ({ waiting: waiting.length, oldestMs: 0, aside: 0, calls: 0, batches: 0, refused: 0 }),
  };
  return {
    batch,
    taken,
    hold: () => (holds = true),
    go() {
      holds = false;
      run();
    },
  };
}

let numbers = 0;

/** A process, with what the supervisor would pass on to the others. */
function makeProcess(by: string) {
  const writes = Promise.withResolvers<string>();
  const own = makeBatch(by);
  const shared = shareWriter(
    folder,
    { number: ++numbers, tell: (message) => 'writes' in message && writes.resolve(message.writes) },
    (error) => (error instanceof Problem ? error : null),
  );
  const batch = shared.for('purchases', own.batch);
  const buy = (name: string, more: Partial<Call> = {}) => batch.submit({ commerceId: 1, name, ...more });
  return { ...own, shared, buy, writes: writes.promise };
}

/** Two processes, of which the first writes. */
async function makeTwo() {
  const [writer, other] = [makeProcess('writer'), makeProcess('other')];
  await writer.shared.open();
  for (const { shared } of [writer, other]) shared.hear({ writers: [await writer.writes] });
  await handsOver(other);
  return { writer, other };
}

async function handsOver(process: ReturnType<typeof makeProcess>): Promise<void> {
  await until(async () => byOf(await process.buy('first')) === 'writer');
}

function byOf(outcome: Outcome): string | null {
  return 'by' in outcome ? outcome.by : null;
}

test('calls run where it is written, together, and come back as they would there', async () => {
  const { writer, other } = await makeTwo();
  const at = new Date('2026-11-26T10:00:00Z');
  const note = 'ä'.repeat(3_000_000);
  const outcomes = await Promise.all([
    other.buy('a', { at, note: undefined }),
    other.buy('b', { note }),
    writer.buy('c'),
  ]);
  assert.deepEqual(outcomes, [
    { by: 'writer', call: { commerceId: 1, name: 'a', at, note: undefined } },
    { by: 'writer', call: { commerceId: 1, name: 'b', note } },
    { by: 'writer', call: { commerceId: 1, name: 'c' } },
  ]);
  assert.equal(writer.taken.filter((name) => name === 'a').length, 1);
  const refused = await other.buy('refused');
  assert.ok('problem' in refused && refused.problem instanceof Problem);
  assert.deepEqual(toPlainProblem(refused.problem), toPlainProblem(new Overloaded('too much at once')));
  const failed = await other.buy('failed').catch((error: unknown) => error);
  assert.ok(failed instanceof Problem);
  assert.deepEqual(toPlainProblem(failed), toPlainProblem(new Overloaded('the database is busy')));
  await assert.rejects(other.buy('defect'), /in the process that writes: TypeError: a defect/);
  await Promise.all([other.shared.close(), writer.shared.close()]);
});

test('who was answered elsewhere has had a moment to call again, or is not waited for', async () => {
  const { writer, other } = await makeTwo();
  const nobody = () => writer.shared.callersElsewhere(60_000) === null;
  await until(nobody);
  void other.buy('a').then(() => other.buy('a again'));
  while (nobody()) await turn();
  await writer.shared.callersElsewhere(60_000);
  assert.ok(writer.taken.includes('a again'), 'the call came before the word that nothing more comes');
  await until(nobody);
  await other.shared.close();

  // It hears its answers and never says so.
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  const stranger = connect(await writer.writes);
  readFrames(stranger, (frame: FrameFromWriter) => 'answers' in frame && answer());
  sendFrame(stranger, { calls: [[1, 'purchases', { name: 'of a stranger' }]], heard: 0 });
  await answered;
  await writer.shared.callersElsewhere(5);
  assert.ok(nobody(), 'once is enough');
  sendFrame(stranger, { calls: [[2, 'purchases', { name: 'of a stranger, again' }]], heard: 1 });
  while (nobody()) await turn();
  const waits = writer.shared.callersElsewhere(60_000);
  stranger.destroy();
  await waits;
  await writer.shared.close();
});

test('a writer that leaves answers what it has, and the others run what comes after', async () => {
  const { writer, other } = await makeTwo();
  writer.hold();
  const before = other.buy('before');
  await until(() => writer.taken.includes('before'));
  writer.shared.leave();
  await until(async () => byOf(await other.buy('after')) === 'other');
  const closed = Promise.all([writer.shared.close(), other.shared.close()]);
  writer.go();
  assert.equal(byOf(await before), 'writer');
  await closed;
});

test('the next writer gets the calls, and the last one still answers its own', async () => {
  const { writer, other } = await makeTwo();
  const next = makeProcess('next');
  await next.shared.open();
  writer.hold();
  const before = other.buy('before');
  await until(() => writer.taken.includes('before'));
  other.shared.hear({ writers: [null] });
  assert.equal(byOf(await other.buy('between')), 'other');
  other.shared.hear({ writers: [await next.writes] });
  await until(async () => byOf(await other.buy('after')) === 'next');
  writer.go();
  assert.equal(byOf(await before), 'writer');
  await Promise.all([other, writer, next].map(({ shared }) => shared.close()));
});

test('the calls of a commerce run in one place, and those of all are divided among who writes', async () => {
  const processes = [makeProcess('first'), makeProcess('second'), makeProcess('third')];
  for (const { shared } of processes) await shared.open();
  const writers = await Promise.all(processes.slice(0, 2).map((one) => one.writes));
  for (const { shared } of processes) shared.hear({ writers });
  const ranBy = async (commerceId: number) =>
    Promise.all(processes.map(async (one) => byOf(await one.buy('call', { commerceId }))));
  await until(async () => new Set(await ranBy(7)).size === 1 && new Set(await ranBy(8)).size === 1);
  assert.deepEqual(await ranBy(7), ['second', 'second', 'second']);
  assert.deepEqual(await ranBy(8), ['first', 'first', 'first']);
  // Each of both has calls of the other when they end.
  const [first, second] = [processes[0]!, processes[1]!];
  for (const one of [first, second]) one.hold();
  const late = [first.buy('late', { commerceId: 7 }), second.buy('late', { commerceId: 8 })];
  await until(() => [first, second].every(({ taken }) => taken.includes('late')));
  const closed = Promise.all(processes.map(({ shared }) => shared.close()));
  for (const one of [first, second]) one.go();
  await closed;
  assert.deepEqual((await Promise.all(late)).map(byOf), ['second', 'first']);
});

test('a process that closes waits for what it has handed over', async () => {
  const { writer, other } = await makeTwo();
  writer.hold();
  const handed = other.buy('handed');
  await until(() => writer.taken.includes('handed'));
  let isClosed = false;
  const closed = other.shared.close().then(() => (isClosed = true));
  for (let turns = 0; turns < 20; turns += 1) await turn();
  assert.ok(!isClosed);
  writer.go();
  assert.equal(byOf(await handed), 'writer');
  await closed;
  await writer.shared.close();
});

/** A process at the other end of which the test says what it does. */
async function makeStranger(onConnect: (socket: Socket) => void): Promise<{ path: string; end: () => void }> {
  const path = join(folder, `stranger-${++numbers}`);
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket.on('error', () => {}));
    onConnect(socket);
  }).listen(path);
  await once(server, 'listening');
  return {
    path,
    end: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

test('what was handed to a writer that dies has an unknown outcome, and the next call runs here', async () => {
  const taken: FrameToWriter[] = [];
  const stranger = await makeStranger((socket) => {
    sendFrame(socket, { hello: true });
    readFrames(socket, (frame: FrameToWriter) => taken.push(frame));
  });
  const other = makeProcess('other');
  other.shared.hear({ writers: [stranger.path] });
  const calls: Promise<Outcome>[] = [];
  await until(() => {
    calls.push(other.buy('call'));
    return taken.length > 0;
  });
  stranger.end();
  const outcomes = await Promise.allSettled(calls);
  const lost = outcomes.filter(({ status }) => status === 'rejected');
  assert.ok(lost.length > 0);
  for (const one of lost) assert.ok(one.status === 'rejected' && one.reason instanceof OutcomeUnknown);
  assert.equal(
    other.taken.length + lost.length,
    calls.length,
    'each call ran once or its outcome is unknown',
  );
  assert.equal(byOf(await other.buy('next')), 'other');
  await other.shared.close();
});

test('a writer that hangs gets nothing more until it speaks again', async () => {
  let speak = (): void => {};
  const stranger = await makeStranger((socket) => {
    sendFrame(socket, { hello: true });
    speak = () => sendFrame(socket, { answers: [] });
  });
  const other = makeProcess('other');
  other.shared.hear({ writers: [stranger.path] });
  const pending: Promise<Outcome>[] = [];
  const runsHere = async () => {
    const asked = other.taken.length;
    pending.push(other.buy('call'));
    await turn();
    return other.taken.length > asked;
  };
  await until(async () => !(await runsHere()));
  await until(runsHere);
  speak();
  await until(async () => !(await runsHere()));
  stranger.end();
  await Promise.allSettled(pending);
  await other.shared.close();
});

test('a writer that never greets gets nothing', async () => {
  const stranger = await makeStranger(() => {});
  const other = makeProcess('other');
  other.shared.hear({ writers: [stranger.path] });
  for (let calls = 0; calls < 20; calls += 1) assert.equal(byOf(await other.buy('call')), 'other');
  await other.shared.close();
  stranger.end();
});

test('without a folder, and with a path where nobody is, each process writes by itself', async () => {
  const alone = shareWriter(null, { number: 1, tell: () => assert.fail() }, () => null);
  const own = makeBatch('alone');
  const batch = alone.for('purchases', own.batch);
  await alone.open();
  assert.equal(byOf(await batch.submit({ commerceId: 1, name: 'call' })), 'alone');
  await alone.close();
  const other = makeProcess('other');
  other.shared.hear({ writers: [join(folder, 'nobody')] });
  assert.equal(byOf(await other.buy('call')), 'other');
  await other.shared.close();
});
