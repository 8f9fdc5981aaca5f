import { call, type Answer, type Call, type Connection } from './call.ts';
import { ApiError } from './errors.ts';
import type { Tokens, TokenStorage } from './tokens.ts';
import type { RefreshedSession } from './wire.ts';

/** A token is renewed before a call if it expires sooner than this. */
const MARGIN_MS = 30_000;
/** Each browser process has its own copy of local storage, so a change takes a moment to reach other tabs. */
const STORAGE_DELAY_MS = 100;
const REFRESH = { method: 'POST', path: '/v1/auth/refresh' } as const;

export interface Session {
  /** Makes a call as the member. Renews the token before the call if needed, or once after a 401. */
  call(request: Call): Promise<Answer>;
  /** Renews the access token now. All callers of a sign-in, even in other tabs, share one renewal. */
  renew(stale: Tokens): Promise<Tokens>;
  start(session: RefreshedSession): Promise<void>;
}

export interface SessionOptions {
  readonly connection: Connection;
  readonly commerceId: number;
  readonly tokens: TokenStorage;
  readonly onSignedOut: (() => void) | undefined;
}

/** Opens the session that all calls of a signed-in member share. */
export function openSession({ connection, commerceId, tokens, onSignedOut }: SessionOptions): Session {
  const renewals = new Map<string, Promise<Tokens>>();
  return { call: callAsMember, renew, start };

  async function callAsMember(request: Call): Promise<Answer> {
    const kept = await tokens.get();
    if (kept === null) throw notSignedIn(request);
    const fresh = kept.expires_at - Date.now() < MARGIN_MS ? await renew(kept) : kept;
    try {
      return await callWith(fresh, request);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 401) throw error;
      // After a 401 nothing was done, so any call can be sent again.
      return await callWith(await renew(fresh), request);
    }
  }

  function callWith({ access }: Tokens, request: Call): Promise<Answer> {
    const headers = { ...request.headers, authorization: `Bearer ${access}` };
    return call(connection, { ...request, headers });
  }

  function renew(stale: Tokens): Promise<Tokens> {
    const signIn = signInOf(stale);
    const renewal =
      renewals.get(signIn) ??
      runLocked(() => renewUnlessDone(stale)).finally(() => {
        renewals.delete(signIn);
      });
    renewals.set(signIn, renewal);
    return renewal;
  }

  async function renewUnlessDone(stale: Tokens): Promise<Tokens> {
    const kept = await tokens.get();
    // A call of one person is never sent as another, who has signed in meanwhile.
    if (kept === null || signInOf(kept) !== signInOf(stale)) throw notSignedIn();
    // Both are compared, because two access tokens issued in the same second can be equal.
    if (kept.access !== stale.access || kept.expires_at !== stale.expires_at) return kept;
    try {
      const { body } = await call(connection, {
        ...REFRESH,
        headers: { 'x-commerce-id': String(commerceId) },
        body: { refresh: kept.refresh },
        // The service accepts the replaced token again until its successor is used.
        repeatable: true,
      });
      const next = toTokens(body as RefreshedSession);
      // Not stored if the member has signed out in the meantime.
      if ((await tokens.get())?.refresh === kept.refresh) await tokens.set(next);
      return next;
    } catch (error) {
      const now = await tokens.get();
      const isOver = error instanceof ApiError && error.status === 401;
      if (isOver && now !== null && signInOf(now) === signInOf(kept)) {
        await tokens.set(null);
        onSignedOut?.();
      }
      throw error;
    }
  }

  async function start(session: RefreshedSession): Promise<void> {
    await tokens.set(toTokens(session));
  }

  /** Runs `work` while no other tab does the same. */
  async function runLocked<T>(work: () => Promise<T>): Promise<T> {
    const locks = tokens.lockName === undefined ? undefined : globalThis.navigator?.locks;
    if (locks === undefined) return work();
    const name = `renew ${tokens.lockName}`;
    const done = await locks.request(name, { ifAvailable: true }, async (lock) =>
      lock === null ? null : { result: await work() },
    );
    if (done !== null) return done.result;
    return locks.request(name, async () => {
      // Another tab has just renewed the tokens. Wait until they are visible here.
      await new Promise((resolve) => setTimeout(resolve, STORAGE_DELAY_MS));
      return work();
    });
  }
}

/** The refresh tokens of one sign-in all begin with the same 24 characters, and those of another one with others. */
function signInOf({ refresh }: Tokens): string {
  return refresh.slice(0, 24);
}

function toTokens({ access, refresh, expires_in: seconds }: RefreshedSession): Tokens {
  return { access, refresh, expires_at: Date.now() + seconds * 1000 };
}

/** Made here, so the service never sees the call. */
export function notSignedIn({ method, path }: Pick<Call, 'method' | 'path'> = REFRESH): ApiError {
  return new ApiError(401, 'nobody is signed in', [], null, { method, path });
}
