import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, type Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createCaps } from '#base/caps.ts';
import { toyServer } from '#test/http/toy-server.ts';
import type { SocketLimits } from './sockets.ts';

/** More than the kernel buffers of a connection hold. */
const LARGE = 24 * 1024 * 1024;
const HELLO = 'GET /hello HTTP/1.1\r\nHost: x\r\n\r\n';
const GET_LARGE = 'GET /large HTTP/1.1\r\nHost: x\r\n\r\n';
const WAIT = 'GET /wait HTTP/1.1\r\nHost: x\r\n\r\n';

/** Starts a server with these limits, a large file at `/large`, and `/wait`, which answers when the test ends. */
async function start(t: TestContext, sockets: Partial<SocketLimits>, trustProxy: string[] = []) {
  const caps = createCaps();
  const app = await toyServer({
    sockets: { unsentBytes: 0, unsentBytesPerNetwork: 0, ...sockets },
    caps,
    trustProxy,
  });
  const seen = { large: 0, waiting: 0 };
  let finish = () => {};
  const finished = new Promise<void>((resolve) => void (finish = resolve));
  app.get('/large', { config: { credential: 'none' } }, () => {
    seen.large += 1;
    return Buffer.alloc(LARGE, 'x');
  });
  app.get('/wait', { config: { credential: 'none' } }, async () => {
    seen.waiting += 1;
    await finished;
    return {};
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const opened: Socket[] = [];
  t.after(async () => {
    finish();
    for (const socket of opened) socket.destroy();
    await app.close();
  });

  /** Opens a connection from an address of this machine. It reads nothing by itself. */
  async function open(from: string, bytes = ''): Promise<Socket> {
    const socket = connect({ port, host: '127.0.0.1', localAddress: from });
    opened.push(socket);
    socket.on('error', () => {});
    await Promise.race(
      [once(socket, 'connect'), once(socket, 'close')].map((event) => event.catch(() => {})),
    );
    if (bytes !== '') socket.write(bytes);
    return socket;
  }

  /** Opens a connection that has had an answer and keeps it alive. */
  async function openIdle(from: string): Promise<Socket> {
    const socket = await open(from, HELLO);
    assert.match(await answerOn(socket), /^HTTP\/1.1 200 /);
    return socket;
  }

  return { caps, seen, open, openIdle };
}

/** Reads a small answer, or until the connection ends. */
async function answerOn(socket: Socket): Promise<string> {
  let answer = '';
  const read = (chunk: Buffer) => void (answer += String(chunk));
  socket.on('data', read);
  await until(() => socket.destroyed || /\r\n\r\n[^]+$/.test(answer));
  socket.off('data', read);
  return answer;
}

async function until(isTrue: () => boolean): Promise<void> {
  for (let tries = 0; !isTrue(); tries += 1) {
    if (tries === 12_000) throw new Error(`never came true: ${String(isTrue)}`);
    await sleep(5);
  }
}

/**
 * Returns which of these connections the other side has closed, once it has closed so many. It reads what is left, since the
 * end comes after it.
 */
async function closedOf(sockets: readonly Socket[], count: number): Promise<boolean[]> {
  for (const socket of sockets) socket.resume();
  await until(() => sockets.filter((socket) => socket.destroyed).length >= count);
  // One too many would follow at once.
  await sleep(100);
  return sockets.map((socket) => socket.destroyed);
}

test('a socket that asks for a large file thirty times and never reads costs one answer, and is closed', async (t) => {
  const { open, seen, caps } = await start(t, { stalledMs: 300 });
  const socket = await open('127.0.0.1', GET_LARGE.repeat(30));
  await until(() => seen.large > 0);
  await sleep(100);
  assert.equal(seen.large, 1);
  await until(() => (caps.counts().get('unread-answers') ?? 0) > 0);
  socket.resume();
  await until(() => socket.destroyed);
  assert.equal(seen.large, 1);
  assert.ok(socket.bytesRead < LARGE);
});

test('a reader that is slow but goes on gets the whole file', async (t) => {
  const { open } = await start(t, { stalledMs: 3_000 });
  const socket = await open('127.0.0.1', GET_LARGE.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'));
  socket.on('data', () => {
    socket.pause();
    setTimeout(() => socket.resume(), 4);
  });
  await until(() => socket.destroyed);
  assert.ok(socket.bytesRead > LARGE);
});

test('calls that are sent together on one socket are answered one after the other, in order', async (t) => {
  const { open } = await start(t, {});
  const calls = Array.from(
    { length: 40 },
    (_, i) => `GET /v1/list?limit=${i + 1} HTTP/1.1\r\nHost: x\r\nX-Commerce-Id: 7\r\n`,
  );
  const socket = await open('127.0.0.1', `${calls.join('\r\n')}Connection: close\r\n\r\n`);
  let answers = '';
  socket.on('data', (chunk) => void (answers += String(chunk)));
  await until(() => socket.destroyed);
  const limits = [...answers.matchAll(/"limit":(\d+)/g)].map(([, limit]) => Number(limit));
  assert.deepEqual(
    limits,
    calls.map((_, i) => i + 1),
  );
});

test('whole calls that wait on a socket are not read into memory, and all of them are answered', async (t) => {
  const { open } = await start(t, {});
  const body = JSON.stringify({ name: 'x'.repeat(12_000) });
  const head = `POST /v1/wishes HTTP/1.1\r\nHost: x\r\nX-Commerce-Id: 7\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
  const wait = await open('127.0.0.1', WAIT + `${head}\r\n${body}`.repeat(40));
  await sleep(100);
  assert.ok(wait.bytesWritten - wait.writableLength > 0);
  const calls = await open(
    '127.0.0.1',
    `${head}\r\n${body}`.repeat(39) + `${head}Connection: close\r\n\r\n${body}`,
  );
  let answers = '';
  calls.on('data', (chunk) => void (answers += String(chunk)));
  await until(() => calls.destroyed);
  assert.equal(answers.split('HTTP/1.1 ').length - 1, 40);
});

test('nothing that follows an answer with Connection: close is carried out', async (t) => {
  const { open, seen } = await start(t, {});
  const last = HELLO.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n');
  const socket = await open('127.0.0.1', last + GET_LARGE);
  assert.match(await answerOn(socket), /^HTTP\/1.1 200 /);
  assert.deepEqual(await closedOf([socket], 1), [true]);
  assert.equal(seen.large, 0);
});

test('a socket that sends thousands of calls without waiting for an answer is closed', async (t) => {
  const { open, seen, caps } = await start(t, {});
  const socket = await open('127.0.0.1', WAIT.repeat(2_000));
  assert.deepEqual(await closedOf([socket], 1), [true]);
  assert.ok(seen.waiting <= 1);
  assert.equal(caps.counts().get('pipelined-calls'), 1);
});

test('a network that is full closes its own oldest idle socket for a new one', async (t) => {
  const { open, openIdle, caps } = await start(t, { perNetwork: 4 });
  const silent = await open('127.0.0.1');
  const idle = [await openIdle('127.0.0.1'), await openIdle('127.0.0.1'), await openIdle('127.0.0.1')];
  // A socket that is used again is no longer the oldest.
  idle[0]!.write(HELLO);
  await answerOn(idle[0]!);
  await openIdle('127.0.0.1');
  await openIdle('127.0.0.1');
  const closed = await closedOf([silent, ...idle], 2);
  assert.deepEqual(closed, [true, false, true, false]);
  assert.equal(caps.counts().get('sockets-of-a-network'), 2);
});

test('a network whose sockets are all busy gets no more, and the others notice nothing', async (t) => {
  const { open, openIdle, seen, caps } = await start(t, { perNetwork: 3 });
  const neighbour = await openIdle('127.0.0.2');
  const busy = await Promise.all([1, 2, 3].map(() => open('127.0.0.1', WAIT)));
  await until(() => seen.waiting === 3);
  const more = await Promise.all([1, 2, 3, 4].map(() => open('127.0.0.1', HELLO)));
  assert.deepEqual(await closedOf(more, 4), [true, true, true, true]);
  assert.deepEqual(await closedOf([neighbour, ...busy], 0), [false, false, false, false]);
  await openIdle('127.0.0.3');
  assert.equal(caps.counts().get('sockets-of-a-network'), 4);
});

test('if the process is full, the network with the most sockets gives way to a new caller', async (t) => {
  const { openIdle, caps } = await start(t, { total: 6 });
  const one = await openIdle('127.0.0.1');
  const two = await openIdle('127.0.0.2');
  const many = [await openIdle('127.0.0.3'), await openIdle('127.0.0.3')];
  many.push(await openIdle('127.0.0.3'), await openIdle('127.0.0.3'));
  await openIdle('127.0.0.4');
  await openIdle('127.0.0.4');
  assert.deepEqual(await closedOf(many, 2), [true, true, false, false]);
  assert.deepEqual(await closedOf([one, two], 0), [false, false]);
  assert.equal(caps.counts().get('sockets'), 2);
});

test('sockets that send half a call and then nothing give way, and those of small networks stay', async (t) => {
  const { open, openIdle } = await start(t, { total: 12, perNetwork: 5 });
  const owner = await openIdle('127.0.0.1');
  const half = 'POST /hello HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{';
  const attackers = await Promise.all(
    ['127.0.0.2', '127.0.0.3', '127.0.0.4'].flatMap((from) => [1, 2, 3, 4].map(() => open(from, half))),
  );
  await sleep(50);
  await openIdle('127.0.0.5');
  await openIdle('127.0.0.6');
  assert.deepEqual(await closedOf([owner], 0), [false]);
  assert.equal((await closedOf(attackers, 3)).filter(Boolean).length, 3);
});

test('a trusted proxy may have as many sockets as the process has', async (t) => {
  const { openIdle } = await start(t, { perNetwork: 2 }, ['127.0.0.0/30']);
  const proxy = await Promise.all([1, 2, 3, 4, 5].map(() => openIdle('127.0.0.1')));
  assert.ok((await closedOf(proxy, 0)).every((closed) => !closed));
  const stranger = [await openIdle('127.0.0.9'), await openIdle('127.0.0.9'), await openIdle('127.0.0.9')];
  assert.equal((await closedOf(stranger, 1)).filter(Boolean).length, 1);
});

test('bytes that a network does not read are bounded over all its sockets', async (t) => {
  const { open, seen, caps } = await start(t, { unsentBytesPerNetwork: 3 * LARGE });
  const neighbour = await open('127.0.0.2', GET_LARGE);
  const sockets = await Promise.all(Array.from({ length: 8 }, () => open('127.0.0.1', GET_LARGE)));
  await until(() => seen.large === 9);
  await until(() => (caps.counts().get('unread-bytes') ?? 0) >= 4);
  const closed = await closedOf(sockets, 4);
  assert.ok(closed.filter(Boolean).length >= 4);
  neighbour.resume();
  await until(() => neighbour.bytesRead > LARGE);
});

test('bytes that nobody reads are bounded over the whole process', async (t) => {
  const { open, seen, caps } = await start(t, { unsentBytes: 3 * LARGE });
  await Promise.all([2, 3, 4, 5, 6, 7].map((i) => open(`127.0.0.${i}`, GET_LARGE)));
  await until(() => seen.large === 6);
  await until(() => (caps.counts().get('unread-bytes') ?? 0) >= 2);
});

test('a limit of 0 is no limit', async (t) => {
  const { openIdle } = await start(t, { perNetwork: 0, total: 0 });
  const sockets = await Promise.all(Array.from({ length: 20 }, () => openIdle('127.0.0.1')));
  assert.ok((await closedOf(sockets, 0)).every((closed) => !closed));
});
