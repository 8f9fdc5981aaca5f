import { webTokens, type Tokens, type TokenStorage } from '@loyalty/sdk';
import { local } from './storage.ts';

/** The data that a phone keeps about a member at one shop. */
export interface Device {
  readonly tokens: TokenStorage & { get(): Tokens | null };
  /** The commerce's time. It is right even if the phone's clock is wrong. */
  readonly now: () => Date;
  /** Learns the commerce's time from a response. */
  readonly hearTime: (now: Date) => void;
  /** A name for the sign-in of which the tokens are; null if nobody is signed in. Every sign-in has another one. */
  readonly session: () => string | null;
  /** A name for the person who is signed in, the same at every sign-in; null if nobody is. */
  readonly member: () => string | null;
  /** Keeps a value for the time without a network. It is kept only for this sign-in, and only until the next value. */
  readonly keep: (session: string | null, value: object) => void;
  /** Returns the value kept for this sign-in, if it is in the form of this release. */
  readonly kept: () => { value: unknown; asOf: Date } | null;
}

interface Kept {
  readonly session: string;
  readonly build: string;
  readonly asOf: string;
  /** How far the commerce's clock was ahead of the phone's. */
  readonly aheadMs: number;
  readonly value: unknown;
}

/** The name of a built file contains a hash of its content, so a value of another release is never read. */
const BUILD = new URL(import.meta.url).pathname.split('/').at(-1) ?? '';

/**
 * Keeps the tokens and, for the time without a network, what the member saw last. Both are in local storage and belong
 * to one sign-in: when the tokens are deleted or replaced by those of another sign-in, the rest goes with them.
 */
export function openDevice(commerceId: number): Device {
  const key = `loyalty/${commerceId}`;
  const keptKey = `${key}/kept`;
  const web = webTokens(key, local);
  const claims = () => claimsOf(web.get() as Tokens | null);
  const session = () => claims().sid ?? null;
  let aheadMs = readKept()?.aheadMs ?? 0;
  forgetOthers();
  // Another tab may have signed out while this one was writing.
  addEventListener('storage', forgetOthers);

  return {
    tokens: {
      ...web,
      get: () => web.get() as Tokens | null,
      set(tokens) {
        // Deleted first: a phone that is switched off in between keeps nothing of the sign-in before.
        if (tokens === null || claimsOf(tokens).sid !== readKept()?.session) local.removeItem(keptKey);
        return web.set(tokens);
      },
    },
    now: () => new Date(Date.now() + aheadMs),
    hearTime: (now) => {
      aheadMs = now.getTime() - Date.now();
    },
    session,
    member: () => claims().sub ?? null,
    keep(owner, value) {
      if (owner === null || owner !== session()) return;
      const asOf = new Date(Date.now() + aheadMs).toISOString();
      const kept: Kept = { session: owner, build: BUILD, asOf, aheadMs, value };
      try {
        local.setItem(keptKey, JSON.stringify(kept));
      } catch {
        // The storage is full. The portal works without it.
        local.removeItem(keptKey);
      }
    },
    kept() {
      const kept = readKept();
      if (kept === null || kept.session !== session() || kept.build !== BUILD) return null;
      return { value: kept.value, asOf: new Date(kept.asOf) };
    },
  };

  function readKept(): Kept | null {
    try {
      return JSON.parse(local.getItem(keptKey) ?? 'null') as Kept | null;
    } catch {
      return null;
    }
  }

  function forgetOthers(): void {
    if (readKept()?.session !== session()) local.removeItem(keptKey);
  }
}

/** Returns the names of the session and of the person in an access token. Without that of a session, nothing is kept. */
function claimsOf(tokens: Tokens | null): { sid?: string; sub?: string } {
  try {
    const claims = tokens!.access.split('.')[1]!.replaceAll('-', '+').replaceAll('_', '/');
    return JSON.parse(atob(claims)) as { sid?: string; sub?: string };
  } catch {
    return {};
  }
}
