import { startProcess } from '#aside/start-process.ts';
import type { Database, DatabaseAddress } from '#db/database.ts';
import type { OnProgress, Progress, Question, WhatIf } from './what-if.ts';

/** The messages to the process, and from it. */
export interface Asked {
  readonly address: DatabaseAddress;
  readonly question: Question;
}
export type Told =
  | { readonly progress: Progress }
  | { readonly whatIf: WhatIf }
  | { readonly failure: string };

/** The heap of the process. A replay of any length takes some 100 MB. */
const MOST_MEGABYTES = 320;

/**
 * Asks in a process of its own with a connection of its own, because a replay takes seconds of a processor, and purchases must not
 * wait for it. Returns null if the signal aborted: the process and its transaction are ended at once.
 */
export function askInProcess(
  database: Database,
  question: Question,
  signal: AbortSignal,
  onProgress: OnProgress,
): Promise<WhatIf | null> {
  if (signal.aborted) return Promise.resolve(null);
  const answer = Promise.withResolvers<WhatIf | null>();
  const child = startProcess(new URL('./what-if-process.ts', import.meta.url), { megabytes: MOST_MEGABYTES });
  const stop = () => {
    answer.resolve(null);
    child.kill('SIGKILL');
  };
  signal.addEventListener('abort', stop);
  child.on('message', (told: Told) => {
    if ('progress' in told) onProgress(told.progress);
    else if ('whatIf' in told) answer.resolve(told.whatIf);
    else answer.reject(new Error(`the what-if failed: ${told.failure}`));
  });
  child.on('error', (error) => answer.reject(error));
  child.on('exit', () => answer.reject(new Error('the process of a what-if has ended')));
  const asked: Asked = { address: database.address, question };
  child.send(asked, (error) => error !== null && answer.reject(error));
  return answer.promise.finally(() => {
    signal.removeEventListener('abort', stop);
    if (child.connected) child.disconnect();
  });
}
