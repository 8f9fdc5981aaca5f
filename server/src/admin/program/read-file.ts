import { Worker } from 'node:worker_threads';
import { createGate } from '#http/gate.ts';
import { Overloaded } from '#problems/problem.ts';
import type { ReadProgram } from '#program/read-program.ts';

/** A file of 1,000 benefits takes a second, and the worst that fits a few, on a machine that is not busy. */
const LONGEST_MS = 20_000;

/** Each file has a thread of its own. */
const MOST_AT_ONCE = 2;
const LONGEST_WAIT_MS = 2_000;

const commerces = createGate(1);
const all = createGate(MOST_AT_ONCE);

/**
 * Reads a program file of a commerce. Files wait only for each other: one of a commerce is read at a time, and two of all.
 * @throws Overloaded
 */
export async function readFile(commerceId: number, text: string): Promise<ReadProgram> {
  const commerce = String(commerceId);
  const until = performance.now() + LONGEST_WAIT_MS;
  if (!(await commerces.enter(commerce, until)))
    throw new Overloaded('a program file of this commerce is being read');
  try {
    if (!(await all.enter('', until))) throw new Overloaded('program files of other shops are being read');
    try {
      return await readInThread(text);
    } finally {
      all.leave('');
    }
  } finally {
    commerces.leave(commerce);
  }
}

/**
 * Reads a program file, without keeping other calls waiting. A text of 1 MiB that is made for it takes YAML seconds of a
 * processor, so it is read on a thread of its own, which is ended if it takes too long.
 */
async function readInThread(text: string): Promise<ReadProgram> {
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
