/**
 * A process that only sends calls at a fixed rate (`paced.ts`). It is one of its own, so that nothing else delays a call, and it asks
 * for a better priority than the service, as a caller on another machine would have.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setPriority } from 'node:os';

/** The calls to send. */
export interface PacedCalls {
  readonly port: number;
  readonly connections: number;
  readonly perSecond: number;
  /** Whole HTTP requests, in the order in which they are due. */
  readonly requests: readonly string[];
}

/** Milliseconds of each call: from when it was due to its answer, and to when this process noticed that it was due. */
export interface PacedTimes {
  readonly took: readonly number[];
  readonly late: readonly number[];
  /** An answer that is not 2xx ends the calls. */
  readonly refused?: string;
}

process.once('message', (calls) => {
  void send(calls as PacedCalls).then((times) => process.send!(times, () => process.disconnect!()));
});

async function send({ port, connections, perSecond, requests }: PacedCalls): Promise<PacedTimes> {
  raisePriority();
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(port)));
  const idle = [...sockets];
  const waiting: number[] = [];
  const [took, late]: [number[], number[]] = [[], []];
  const sentBy = new Map<Socket, number>();
  const { promise, resolve, reject } = Promise.withResolvers<PacedTimes>();
  const total = requests.length;
  let answered = 0;
  const start = performance.now();
  const dueAt = (call: number) => start + (call * 1000) / perSecond;

  const sendOn = (socket: Socket, call: number) => {
    sentBy.set(socket, call);
    socket.write(requests[call]!);
  };
  for (const socket of sockets) {
    socket.on('error', reject);
    // The answer to a purchase is small and is written at once, so it comes in one piece.
    socket.on('data', (answer: Buffer) => {
      const call = sentBy.get(socket)!;
      if (answer[STATUS] !== TWO) return resolve({ took, late, refused: answer.toString('latin1', 0, 300) });
      took[call] = performance.now() - dueAt(call);
      answered += 1;
      if (answered === total) return resolve({ took, late });
      const next = waiting.shift();
      if (next === undefined) idle.push(socket);
      else sendOn(socket, next);
    });
  }
  let due = 0;
  const timer = setInterval(() => {
    for (const now = performance.now(); due < total && dueAt(due) <= now; due++) {
      late.push(now - dueAt(due));
      // Connections take turns, because the service closes one that sends nothing for too long.
      const socket = idle.shift();
      if (socket === undefined) waiting.push(due);
      else sendOn(socket, due);
    }
  }, 1);
  try {
    return await promise;
  } finally {
    clearInterval(timer);
    for (const socket of sockets) socket.destroy();
  }
}

/** Where the status of an answer is: `HTTP/1.1 2…`. */
const STATUS = 9;
const TWO = '2'.charCodeAt(0);

function raisePriority(): void {
  try {
    setPriority(-5);
  } catch {
    // Only root may do it. Without it the calls are a little later, which is shown.
  }
}

async function open(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').setNoDelay(true);
  await once(socket, 'connect');
  return socket;
}
