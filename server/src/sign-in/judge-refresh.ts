/** A token of a session as the database keeps it, at the moment of a call. */
export interface KeptToken {
  readonly hash: Buffer;
  /** A successor took its place. */
  readonly isReplaced: boolean;
  /** Replaced at most 10 s ago. */
  readonly isFreshlyReplaced: boolean;
  /** Of the replaced ones the last: no successor of it was ever used. */
  readonly isUsedLast: boolean;
  /** Given out more than 2 s ago, so not to a call made at the same time as this one. */
  readonly isSettled: boolean;
}

export type Judgement =
  /** Give a new token. `replaced` has had its use now; what is `voided` will not be taken any more. */
  | { readonly good: true; readonly replaced: boolean; readonly voided: readonly Buffer[] }
  /** A token that was used up comes again: two hold the family, and one of them stole it. */
  | { readonly good: false };

/**
 * Whether a refresh token of a living session may be used. Each is good once, with two exceptions, so that neither
 * a lost answer nor a client that keeps its first token logs a person out: a replaced one is good for 10 s more,
 * and for as long as its successor was never used. The successors that it had are void then, but for those given
 * out to calls at the same time: of them the first one used stays.
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
