import type { ApiError } from '@loyalty/sdk/admin';
import { createStore } from './store.ts';

/** Calls wait until the person has signed in again, or has typed a fresh code. */
export interface Interruption {
  readonly kind: 'signed-out' | 'fresh-code';
  /** Ends it. With true, the waiting calls are repeated; with false, they fail as they had. */
  readonly end: (repeat: boolean) => void;
  /** The value that it was ended with. */
  readonly ended: Promise<boolean>;
}

/** The interruption that now stands between a call and its answer. A dialog shows it above everything else. */
export const interruption = createStore<Interruption | null>(null);

/** Calls that wait for the same thing share one dialog. The last one is shown. */
const waiting = new Map<Interruption['kind'], Interruption>();

const showLast = () => interruption.set([...waiting.values()].at(-1) ?? null);

/**
 * If a call was refused because the session has ended or a fresh code is needed, asks for it in a dialog. Returns true if the call
 * is to be repeated then, so nothing that was typed is lost. The call had no effect: the service refuses it before it does anything.
 */
export async function askForWhatIsNeeded(refusal: ApiError): Promise<boolean> {
  const kind = neededFor(refusal);
  return kind !== null && (waiting.get(kind) ?? interrupt(kind)).ended;
}

/**
 * Somebody has signed in, here or in another tab. Calls that wait for the same person to sign in are repeated. Calls of another person
 * fail as they had: they must not be made by this one.
 */
export function goOnAs(isSamePerson: boolean): void {
  for (const { kind, end } of waiting.values())
    if (!isSamePerson) end(false);
    else if (kind === 'signed-out') end(true);
}

function neededFor({ status, code }: ApiError): Interruption['kind'] | null {
  if (status === 401) return 'signed-out';
  return status === 403 && code === 'fresh_code_needed' ? 'fresh-code' : null;
}

function interrupt(kind: Interruption['kind']): Interruption {
  let resolve!: (repeat: boolean) => void;
  const ended = new Promise<boolean>((settle) => (resolve = settle));
  const end = (repeat: boolean) => {
    waiting.delete(kind);
    showLast();
    resolve(repeat);
  };
  const one = { kind, end, ended };
  waiting.set(kind, one);
  showLast();
  return one;
}
