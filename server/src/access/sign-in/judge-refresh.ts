/** A refresh token of a session as it is stored when a call arrives. */
export interface KeptToken {
  readonly hash: Buffer;
  /** True if it was used and replaced by a successor. */
  readonly isReplaced: boolean;
  /** True if it was replaced at most 10 s ago. */
  readonly isFreshlyReplaced: boolean;
  /** True for the last token that was replaced: none of its successors was used. */
  readonly isUsedLast: boolean;
  /** True if it was issued more than 2 s ago, so not to a call made at the same time as this one. */
  readonly isSettled: boolean;
}

export type Judgement =
  /**
   * Issue a new token. `replaced` is true if this call uses the token for the first time; the tokens in `voided` are no
   * longer valid.
   */
  | { readonly good: true; readonly replaced: boolean; readonly voided: readonly Buffer[] }
  /** A used token was presented again: two clients share the session, and one of them stole the token. */
  | { readonly good: false };

/**
 * Decides whether a refresh token of a live session may be used. A token is valid once, with two exceptions, so that
 * neither a lost response nor a client that keeps its first token signs a person out. A replaced token stays valid for
 * 10 s, and until its successor is used. Using it again voids its unused successors, except those issued to calls at
 * the same time: the first of those to be used voids the others.
 */
export function judgeRefresh(tokens: readonly KeptToken[], presented: Buffer): Judgement {
  const token = tokens.find(({ hash }) => hash.equals(presented));
  if (token === undefined) return { good: false };
  const unused = tokens.filter(({ isReplaced }) => !isReplaced);
  if (!token.isReplaced) {
    return { good: true, replaced: true, voided: hashesOf(unused.filter((other) => other !== token)) };
  }
  if (!token.isUsedLast && !token.isFreshlyReplaced) return { good: false };
  return { good: true, replaced: false, voided: hashesOf(unused.filter((other) => other.isSettled)) };
}

function hashesOf(tokens: readonly KeptToken[]): Buffer[] {
  return tokens.map(({ hash }) => hash);
}
