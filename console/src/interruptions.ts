import type { Fetch } from '@loyalty/sdk/admin';
import { SERVICE } from './place.ts';
import { createStore } from './store.ts';

/** A call waits until the person has signed in again, or has typed a fresh code. */
export interface Interruption {
  readonly kind: 'signed-out' | 'fresh-code';
  /** Ends it. With true, the waiting calls are repeated; with false, they fail as they had. */
  readonly end: (repeat: boolean) => void;
}

/** What stands between a call and its answer now. A dialog shows it above everything else. */
export const interruption = createStore<Interruption | null>(null);

/** Calls that wait for the same thing share one dialog. */
const waiting = new Map<Interruption['kind'], Promise<boolean>>();

/** The calls of signing in answer for themselves. */
const OWN_ANSWERS = /^\/admin\/v1\/(session|auth\/(otp|link)\/\w+|auth\/logout)$/;

/** The dialog's own answers say whether the code was right. */
const STEP_UP = /^\/admin\/v1\/auth\/step-up\//;

/**
 * Like the browser's `fetch`, for all calls to the back office. If the session has ended or a fresh code is needed, asks
 * for it in a dialog and then repeats the call, so nothing that was typed is lost. The call had no effect: the service
 * refuses it before it does anything.
 */
export const fetchPatiently: Fetch = async (url, init) => {
  const path = url.slice(SERVICE.length).split('?')[0] ?? '';
  for (;;) {
    const response = await fetch(url, init);
    const kind = OWN_ANSWERS.test(path) ? null : neededFor(response, path);
    if (kind === null || !(await waitFor(kind))) return response;
    // The time limit of the first attempt has passed while the person typed.
    init = { ...init, signal: AbortSignal.timeout(10_000) };
  }
};

function neededFor(response: Response, path: string): Interruption['kind'] | null {
  if (response.status === 401) return 'signed-out';
  const code = response.headers.get('x-error-code');
  return response.status === 403 && code === 'fresh_code_needed' && !STEP_UP.test(path) ? 'fresh-code' : null;
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
