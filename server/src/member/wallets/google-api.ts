import { importPKCS8, SignJWT } from 'jose';
import type { GoogleSettings } from '#settings/wallet-settings.ts';

/** Stores shops and cards at Google. */
export interface GoogleApi {
  /** Changes a class or an object, or creates it if Google does not know it yet. @throws if Google did not take it */
  store(kind: 'loyaltyClass' | 'loyaltyObject', id: string, content: object): Promise<void>;
}

/** Where Google listens. Tests pass addresses of their own. */
export interface GoogleServer {
  readonly tokens: string;
  readonly wallets: string;
}

export const GOOGLE: GoogleServer = {
  tokens: 'https://oauth2.googleapis.com/token',
  wallets: 'https://walletobjects.googleapis.com/walletobjects/v1',
};

const SCOPE = 'https://www.googleapis.com/auth/wallet_object.issuer';
const TIMEOUT_MS = 10_000;
/** A token is renewed this long before it ends, and a refused one is not asked for again for as long. */
const MARGIN_MS = 60_000;

/** Google refused a call. Its answer is not repeated, because it may contain the card. */
class GoogleRefused extends Error {
  constructor(what: string, status: number) {
    super(`Google refused ${what} with ${status}`);
    this.name = 'GoogleRefused';
  }
}

/**
 * Signs in as the service account when it is first needed, and keeps the token while it is valid. Calls fail once
 * `stopping` is aborted.
 */
export function createGoogleApi(
  google: GoogleSettings,
  server: GoogleServer,
  stopping: AbortSignal,
): GoogleApi {
  let token: { readonly value: Promise<string>; goodUntil: number } | null = null;

  return {
    async store(kind, id, content) {
      const path = `${server.wallets}/${kind}`;
      const changed = await call('PATCH', `${path}/${encodeURIComponent(id)}`, content);
      if (changed === 200) return;
      if (changed !== 404) throw new GoogleRefused(`a change of a ${kind}`, changed);
      const created = await call('POST', path, content);
      if (created !== 200) throw new GoogleRefused(`a new ${kind}`, created);
    },
  };

  async function call(method: string, url: string, content: object): Promise<number> {
    const response = await fetch(url, {
      method,
      redirect: 'error',
      headers: { authorization: `Bearer ${await readToken()}`, 'content-type': 'application/json' },
      body: JSON.stringify(content),
      signal: AbortSignal.any([AbortSignal.timeout(TIMEOUT_MS), stopping]),
    });
    await response.body?.cancel();
    if (response.status === 401) token = null;
    return response.status;
  }

  function readToken(): Promise<string> {
    if (token !== null && performance.now() < token.goodUntil) return token.value;
    const asked = { value: Promise.resolve(''), goodUntil: performance.now() + MARGIN_MS };
    asked.value = askForToken().then(({ value, seconds }) => {
      asked.goodUntil = performance.now() + seconds * 1000 - MARGIN_MS;
      return value;
    });
    token = asked;
    return asked.value;
  }

  async function askForToken(): Promise<{ value: string; seconds: number }> {
    const assertion = await new SignJWT({ scope: SCOPE })
      .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: google.keyId })
      .setIssuer(google.email)
      .setAudience(server.tokens)
      .setIssuedAt()
      .setExpirationTime('5m')
      .sign(await importPKCS8(google.key, 'RS256'));
    const response = await fetch(server.tokens, {
      method: 'POST',
      redirect: 'error',
      body: new URLSearchParams({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion }),
      signal: AbortSignal.any([AbortSignal.timeout(TIMEOUT_MS), stopping]),
    });
    if (response.status !== 200) {
      await response.body?.cancel();
      throw new GoogleRefused('the service account', response.status);
    }
    const { access_token: value, expires_in: seconds } = (await response.json()) as Record<string, unknown>;
    if (typeof value !== 'string') throw new GoogleRefused('the service account', response.status);
    return { value, seconds: typeof seconds === 'number' ? seconds : 300 };
  }
}
