import { once } from 'node:events';
import { unlink } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import type { Batch } from '#batching/batch.ts';
import type { BatchName } from '#batching/writer.ts';
import { toPlainProblem } from '#problems/plain-problem.ts';
import type { Problem } from '#problems/problem.ts';
import {
  packOutcome,
  readFrames,
  sendFrame,
  type FrameToWriter,
  type HandedAnswer,
  type HandedCall,
} from './call-frames.ts';

/** Runs the calls of other processes in the batches of this one. */
export interface CallTaker {
  /** Resolves once callers who were just answered could call again, or after `mostMs`. Null if nobody was. */
  callersElsewhere(mostMs: number): Promise<void> | null;
  /** Tells the others to hand over nothing more. What they have handed over is still answered. */
  leave(): void;
  /** Leaves, and resolves once the others have gone. */
  close(): Promise<void>;
}

/** The others go as soon as they have their answers. One that hangs is not waited for. */
const LONGEST_GOODBYE_MS = 20_000;

/**
 * Listens at a path of the file system.
 * @param problemOf what a caller is told of an error, or null for a defect
 */
export async function takeCalls(
  path: string,
  batches: ReadonlyMap<BatchName, Batch<unknown, object>>,
  problemOf: (error: unknown) => Problem | null,
): Promise<CallTaker> {
  const sockets = new Map<Socket, Echoes>();
  let isLeaving = false;
  const server = createServer((socket) => {
    const echoes = new Echoes();
    sockets.set(socket, echoes);
    socket.once('close', () => {
      sockets.delete(socket);
      echoes.end();
    });
    // The other side notices as well, and a process that ends breaks off.
    socket.on('error', () => {});
    sendFrame(socket, isLeaving ? { leaving: true } : { hello: true });
    const answer = answerTo(socket, echoes);
    readFrames(socket, (frame: FrameToWriter) => {
      if ('isThere' in frame) sendFrame(socket, { answers: [] });
      else {
        for (const call of frame.calls) void run(call).then(answer);
        echoes.hear(frame.heard);
      }
    });
  });
  // A process of before may have had the same number and ended without a word.
  await unlink(path).catch(() => {});
  server.listen(path);
  await once(server, 'listening');

  return {
    leave,

    callersElsewhere(mostMs) {
      const waits = Array.from(sockets.values(), (echoes) => echoes.wait(mostMs)).filter(
        (wait) => wait !== null,
      );
      return waits.length === 0 ? null : allOf(waits);
    },

    async close() {
      leave();
      const late = setTimeout(() => {
        for (const socket of sockets.keys()) socket.destroy();
      }, LONGEST_GOODBYE_MS);
      await Promise.all(
        Array.from(sockets.keys(), (socket) => new Promise((resolve) => socket.once('close', resolve))),
      );
      clearTimeout(late);
    },
  };

  function leave(): void {
    if (isLeaving) return;
    isLeaving = true;
    server.close();
    for (const socket of sockets.keys()) sendFrame(socket, { leaving: true });
  }

  async function run([id, name, call]: HandedCall): Promise<HandedAnswer> {
    try {
      return [id, 'outcome', packOutcome(await batches.get(name)!.submit(call))];
    } catch (error) {
      const problem = problemOf(error);
      if (problem !== null) return [id, 'problem', toPlainProblem(problem)];
      return [id, 'defect', error instanceof Error ? (error.stack ?? error.message) : String(error)];
    }
  }
}

async function allOf(waits: readonly Promise<void>[]): Promise<void> {
  await Promise.all(waits);
}

/** Sends the answers of one turn of the event loop together. */
function answerTo(socket: Socket, echoes: Echoes): (answer: HandedAnswer) => void {
  let answers: HandedAnswer[] = [];
  return (answer) => {
    answers.push(answer);
    if (answers.length > 1) return;
    setImmediate(() => {
      const all = answers;
      answers = [];
      echoes.sent();
      sendFrame(socket, { answers: all });
    });
  };
}

/** Which answers another process has heard, and passed on to callers who have had a moment to call again. */
class Echoes {
  #sent = 0;
  #heard = 0;
  /** It did not say so in time once, and is not waited for until it has. */
  #isLate = false;
  #waiting: (() => void)[] = [];

  sent(): void {
    this.#sent += 1;
  }

  hear(count: number): void {
    this.#heard = count;
    if (this.#heard < this.#sent) return;
    this.#isLate = false;
    this.end();
  }

  end(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  wait(mostMs: number): Promise<void> | null {
    if (this.#heard === this.#sent || this.#isLate) return null;
    return new Promise((resolve) => {
      const late = setTimeout(() => {
        this.#isLate = true;
        resolve();
      }, mostMs);
      this.#waiting.push(() => {
        clearTimeout(late);
        resolve();
      });
    });
  }
}
