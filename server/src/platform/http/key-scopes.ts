/**
 * The scopes of an API key: what a server of the shop may do with it. The catalog is open to every key. A key that leaks is
 * worth to a thief what its scopes open, so each server gets those that it needs.
 */
export const KEY_SCOPES = [
  'read',
  'purchases',
  'redeem',
  'orders',
  'undo',
  'sign_in',
  'adjust',
  'members',
  'reports',
  'events',
] as const;

export type KeyScope = (typeof KEY_SCOPES)[number];

/** In no key unless somebody asks for them: they give value back or speak for a member. */
const ASKED_FOR: ReadonlySet<KeyScope> = new Set(['undo', 'sign_in', 'adjust']);

/** The scopes of a key if nobody chooses. */
export const DEFAULT_SCOPES: readonly KeyScope[] = KEY_SCOPES.filter((scope) => !ASKED_FOR.has(scope));

/** The words that choose scopes: `default` stands for all that a key has if nobody chooses. */
export const SCOPE_WORDS = ['default', ...KEY_SCOPES] as const;

/** Returns the scopes that some words choose, each once and in the order of the list. */
export function scopesOf(words: readonly (typeof SCOPE_WORDS)[number][]): KeyScope[] {
  const chosen = new Set(words.flatMap((word) => (word === 'default' ? DEFAULT_SCOPES : [word])));
  return KEY_SCOPES.filter((scope) => chosen.has(scope));
}
