import type { Fetch } from '@loyalty/sdk/admin';
import { createStore } from './store.ts';

/** A call waits until the person has signed in again, or has typed a fresh code. */
export interface Interruption {
  readonly kind: 'signed-out' | 'fresh-code';
  /** Ends it. With true, the waiting calls are repeated; with false, they fail as they had. */
  readonly end: (repeat: boolean) => void;
}

/** The interruption that now stands between a call and its answer. A dialog shows it above everything else. */
export const interruption = createStore<Interruption | null>(null);

/** Calls that wait for the same thing share one dialog. */
const waiting = new Map<Interruption['kind'], Promise<boolean>>();

/**
 * Like the browser's `fetch`, for calls of somebody who is signed in. If the session has ended or a fresh code is needed,
 * asks for it in a dialog and then repeats the call, so nothing that was typed is lost. The call had no effect: the service
 * refuses it before it does anything.
 */
export const fetchPatiently: Fetch = async (url, init) => {
  for (;;) {
    const response = await fetch(url, init);
    const kind = neededFor(response);
    if (kind === null || !(await waitFor(kind))) return response;
    // The time limit of the first attempt has passed while the person typed.
    init = { ...init, signal: AbortSignal.timeout(60_000) };
  }
};

function neededFor({ status, headers }: Response): Interruption['kind'] | null {
  if (status === 401) return 'signed-out';
  return status === 403 && headers.get('x-error-code') === 'fresh_code_needed' ? 'fresh-code' : null;
}

function waitFor(kind: Interruption['kind']): Promise<boolean> {
  const shared = waiting.get(kind);
  if (shared !== undefined) return shared;
  const before = interruption.get();
  const ended = new Promise<boolean>((resolve) => {
    interruption.set({
      kind,
      end(repeat) {
        waiting.delete(kind);
        interruption.set(before);
        resolve(repeat);
      },
    });
  });
  waiting.set(kind, ended);
  return ended;
}
