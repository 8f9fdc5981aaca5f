import { call, type Answer, type Call, type Connection } from './call.ts';
import { ApiError } from './errors.ts';
import type { Tokens, TokenStorage } from './tokens.ts';
import type { RefreshedSession } from './wire.ts';

/** A token that ends sooner is renewed before it is used. */
const MARGIN_MS = 30_000;
/** Browsers keep a copy of local storage in each process. */
const SEEN_BY_ALL_TABS_MS = 100;

export interface Session {
  /** Makes a call as the member, with a token renewed before, or once after a 401. */
  call(request: Call): Promise<Answer>;
  /** Renews the access token now, at most once at a time for all who ask, across tabs too. */
  renew(stale: Tokens): Promise<Tokens>;
  start(session: RefreshedSession): Promise<void>;
}

export interface SessionOptions {
  readonly connection: Connection;
  readonly commerceId: number;
  readonly tokens: TokenStorage;
  readonly onSignedOut: (() => void) | undefined;
}

/** What a signed-in member's calls have in common. */
export function openSession({ connection, commerceId, tokens, onSignedOut }: SessionOptions): Session {
  let renewal: Promise<Tokens> | null = null;
  return { call: callAsMember, renew, start };

  async function callAsMember(request: Call): Promise<Answer> {
    const kept = await tokens.get();
    if (kept === null) throw notSignedIn();
    const fresh = kept.expires_at - Date.now() < MARGIN_MS ? await renew(kept) : kept;
    try {
      return await callWith(fresh, request);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 401) throw error;
      // Nothing was done, so that whatever it was may be sent again.
      return await callWith(await renew(fresh), request);
    }
  }

  function callWith({ access }: Tokens, request: Call): Promise<Answer> {
    const headers = { ...request.headers, authorization: `Bearer ${access}` };
    return call(connection, { ...request, headers });
  }

  function renew(stale: Tokens): Promise<Tokens> {
    renewal ??= locked(() => renewUnlessDone(stale)).finally(() => {
      renewal = null;
    });
    return renewal;
  }

  async function renewUnlessDone(stale: Tokens): Promise<Tokens> {
    const kept = await tokens.get();
    if (kept === null) throw notSignedIn();
    // Two access tokens of one second may be the same text.
    if (kept.access !== stale.access || kept.expires_at !== stale.expires_at) return kept;
    try {
      const { body } = await call(connection, {
        method: 'POST',
        path: '/v1/auth/refresh',
        headers: { 'x-commerce-id': String(commerceId) },
        body: { refresh: kept.refresh },
        // The service takes the replaced token again until its successor was used.
        repeatable: true,
      });
      const next = tokensOf(body as RefreshedSession);
      // Unless the member has signed out meanwhile.
      if ((await tokens.get())?.refresh === kept.refresh) await tokens.set(next);
      return next;
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) {
        await tokens.set(null);
        onSignedOut?.();
      }
      throw error;
    }
  }

  async function start(session: RefreshedSession): Promise<void> {
    await tokens.set(tokensOf(session));
  }

  async function locked<T>(work: () => Promise<T>): Promise<T> {
    const locks = tokens.lockName === undefined ? undefined : globalThis.navigator?.locks;
    if (locks === undefined) return work();
    const name = `renew ${tokens.lockName}`;
    const done = await locks.request(name, { ifAvailable: true }, async (lock) =>
      lock === null ? null : { result: await work() },
    );
    if (done !== null) return done.result;
    return locks.request(name, async () => {
      // What another tab has just stored is seen here a moment later.
      await new Promise((resolve) => setTimeout(resolve, SEEN_BY_ALL_TABS_MS));
      return work();
    });
  }
}

function tokensOf({ access, refresh, expires_in: seconds }: RefreshedSession): Tokens {
  return { access, refresh, expires_at: Date.now() + seconds * 1000 };
}

function notSignedIn(): ApiError {
  return new ApiError(401, 'nobody is signed in');
}
