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
  const sockets = new Set<Socket>();
  let isLeaving = false;
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    // The other side notices as well, and a process that ends breaks off.
    socket.on('error', () => {});
    sendFrame(socket, isLeaving ? { leaving: true } : { hello: true });
    const answer = answerTo(socket);
    readFrames(socket, (frame: FrameToWriter) => {
      if ('isThere' in frame) sendFrame(socket, { answers: [] });
      else for (const call of frame.calls) void run(call).then(answer);
    });
  });
  // A process of before may have had the same number and ended without a word.
  await unlink(path).catch(() => {});
  server.listen(path);
  await once(server, 'listening');

  return {
    leave,
    async close() {
      leave();
      const late = setTimeout(() => {
        for (const socket of sockets) socket.destroy();
      }, LONGEST_GOODBYE_MS);
      await Promise.all(
        Array.from(sockets, (socket) => new Promise((resolve) => socket.once('close', resolve))),
      );
      clearTimeout(late);
    },
  };

  function leave(): void {
    if (isLeaving) return;
    isLeaving = true;
    server.close();
    for (const socket of sockets) sendFrame(socket, { leaving: true });
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

/** Sends the answers of one turn of the event loop together. */
function answerTo(socket: Socket): (answer: HandedAnswer) => void {
  let answers: HandedAnswer[] = [];
  return (answer) => {
    answers.push(answer);
    if (answers.length > 1) return;
    setImmediate(() => {
      const all = answers;
      answers = [];
      sendFrame(socket, { answers: all });
    });
  };
}
