/** What keeps a member signed in. */
export interface Tokens {
  access: string;
  refresh: string;
  /** When `access` ends, in milliseconds since 1970 by the clock of this machine. */
  expires_at: number;
}

/** Where the tokens of one member are kept. */
export interface TokenStorage {
  get(): Tokens | null | Promise<Tokens | null>;
  /** null forgets them. */
  set(tokens: Tokens | null): void | Promise<void>;
  /** Set where several tabs share what is kept, so that one of them renews for all. */
  readonly lockName?: string;
}

/** Tokens that live as long as the program. */
export function memoryTokens(tokens: Tokens | null = null): TokenStorage {
  return {
    get: () => tokens,
    set(next) {
      tokens = next;
    },
  };
}

/**
 * Tokens that stay in the browser and are shared by its tabs.
 * @param key one for each commerce: a member's sessions are apart
 */
export function webTokens(key: string, storage: Storage = localStorage): TokenStorage {
  return {
    lockName: key,
    get() {
      try {
        return JSON.parse(storage.getItem(key) ?? 'null') as Tokens | null;
      } catch {
        return null;
      }
    },
    set(tokens) {
      if (tokens === null) storage.removeItem(key);
      else storage.setItem(key, JSON.stringify(tokens));
    },
  };
}
