import { Worker } from 'node:worker_threads';
import type { Database, DatabaseAddress } from '#db/database.ts';
import type { OnProgress, Progress, Question, WhatIf } from './what-if.ts';

/** What goes to the thread, and what comes back. */
export interface Asked {
  readonly address: DatabaseAddress;
  readonly question: Question;
}
export type Told =
  | { readonly progress: Progress }
  | { readonly whatIf: WhatIf }
  | { readonly failure: string };

/** The thread is ended past it. A replay of any length takes some 100 MB. */
const MOST_MEGABYTES = 320;

/**
 * Asks on a thread of its own with a connection of its own, because a replay takes seconds of a processor, and purchases must not
 * wait for it. Returns null if the signal aborted: the thread and its transaction are ended at once.
 */
export function askInThread(
  database: Database,
  question: Question,
  signal: AbortSignal,
  onProgress: OnProgress,
): Promise<WhatIf | null> {
  const answer = Promise.withResolvers<WhatIf | null>();
  const asked: Asked = { address: database.address, question };
  const thread = new Worker(new URL('./what-if-thread.ts', import.meta.url), {
    workerData: asked,
    resourceLimits: { maxOldGenerationSizeMb: MOST_MEGABYTES },
  });
  thread.unref();
  const stop = () => {
    answer.resolve(null);
    void thread.terminate();
  };
  thread.on('message', (told: Told) => {
    if ('progress' in told) onProgress(told.progress);
    else if ('whatIf' in told) answer.resolve(told.whatIf);
    else answer.reject(new Error(`the what-if failed: ${told.failure}`));
  });
  thread.on('error', (error) => answer.reject(error as Error));
  thread.on('exit', () => {
    signal.removeEventListener('abort', stop);
    answer.reject(new Error('the thread of a what-if has ended'));
  });
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop);
  return answer.promise;
}
