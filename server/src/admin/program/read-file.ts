import { Worker } from 'node:worker_threads';
import type { ReadProgram } from '#program/read-program.ts';

/** A file of 1,000 benefits takes a second, and the worst that fits a few, on a machine that is not busy. */
const LONGEST_MS = 20_000;

/**
 * Reads a program file, without keeping other calls waiting. A text of 1 MiB that is made for it takes YAML seconds of a
 * processor, so it is read on a thread of its own, which is ended if it takes too long.
 */
export async function readFile(text: string): Promise<ReadProgram> {
  const worker = new Worker(new URL('./read-file-worker.ts', import.meta.url), {
    workerData: text,
    resourceLimits: { maxOldGenerationSizeMb: 512 },
  });
  const { promise, resolve, reject } = Promise.withResolvers<ReadProgram>();
  const giveUp = setTimeout(resolve, LONGEST_MS, refuse('takes too long to read'));
  worker.on('message', resolve);
  worker.on('error', (error) =>
    isOutOfMemory(error) ? resolve(refuse('is too much to read')) : reject(error),
  );
  worker.on('exit', () => reject(new Error('the thread that reads a program file has ended')));
  try {
    return await promise;
  } finally {
    clearTimeout(giveUp);
    await worker.terminate();
  }
}

function isOutOfMemory(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY';
}

function refuse(why: string): ReadProgram {
  return { ok: false, problems: [{ line: 1, column: 1, path: '', message: `the file ${why}` }] };
}
