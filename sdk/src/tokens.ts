/** The tokens that keep a member signed in. */
export interface Tokens {
  access: string;
  refresh: string;
  /** The expiry of `access`, in milliseconds since 1970 by this machine's clock. */
  expires_at: number;
}

/** Stores the tokens of one member. */
export interface TokenStorage {
  get(): Tokens | null | Promise<Tokens | null>;
  /** Null deletes them. */
  set(tokens: Tokens | null): void | Promise<void>;
  /** Set this if several tabs share the storage, so that only one of them renews the tokens. */
  readonly lockName?: string;
}

/** Stores tokens in memory, until the program ends. */
export function memoryTokens(tokens: Tokens | null = null): TokenStorage {
  return {
    get: () => tokens,
    set(next) {
      tokens = next;
    },
  };
}

/**
 * Stores tokens in the browser, shared by all its tabs.
 * @param key a different key for each commerce, because each has its own session
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
