import { createHmac, timingSafeEqual } from 'node:crypto';
import { InvalidRequest } from '#problems/invalid-request.ts';
import type { SecretKeys } from '#settings/secret-key.ts';

/** Where a page of a list begins or ends, and in which direction to read. */
export interface Position {
  readonly direction: 'older' | 'newer';
  readonly at: Date;
  readonly id: number;
}

/**
 * Creates cursors for one caller's list. A cursor is opaque text for a position. It is signed with the secret and works only
 * for this `scope`, which names the list and its owner.
 */
export function createCursors(secret: SecretKeys, scope: string) {
  const texts = createSignedTexts(secret, scope);
  return {
    seal({ direction, at, id }: Position): string {
      return texts.seal(`${direction === 'older' ? 'o' : 'n'}.${at.getTime()}.${id}`);
    },

    /** @throws InvalidRequest if `seal` did not make this cursor for this scope */
    open(cursor: string): Position {
      const content = texts.open(cursor);
      if (content === null) throw new UnknownCursor('query');
      const [direction, at, id] = content.split('.');
      return { direction: direction === 'o' ? 'older' : 'newer', at: new Date(Number(at)), id: Number(id) };
    },
  };
}

/** Signs texts that a caller keeps and sends back unchanged. Anybody can read them. */
export function createSignedTexts(secret: SecretKeys, scope: string) {
  const sign = (key: string, content: string) =>
    createHmac('sha256', key)
      .update(`cursor/${scope}/${content}`)
      .digest()
      .subarray(0, 16)
      .toString('base64url');
  return {
    seal: (content: string): string =>
      `${Buffer.from(content).toString('base64url')}.${sign(secret[0], content)}`,

    /** Returns null if `seal` did not make this text for this scope. */
    open(text: string): string | null {
      const [encoded = '', signature = '', ...rest] = text.split('.');
      const content = Buffer.from(encoded, 'base64url').toString();
      // The signature is compared as text, because two base64 texts can decode to the same bytes: the last character
      // has unused bits.
      const given = Buffer.from(signature);
      const isSignedWith = (key: string) => {
        const expected = Buffer.from(sign(key, content));
        return given.length === expected.length && timingSafeEqual(given, expected);
      };
      const isGenuine = rest.length === 0 && secret.some(isSignedWith);
      return isGenuine && Buffer.from(content).toString('base64url') === encoded ? content : null;
    },
  };
}

/** The place of the cursor in the request: the query, or the body of a search. */
export class UnknownCursor extends InvalidRequest {
  constructor(place: 'query' | 'body') {
    super(
      [{ loc: [place, 'cursor'], msg: 'Value error, not a cursor of this list', type: 'value_error' }],
      'invalid',
      'Pass the cursor of the page before, unchanged, to the same list. Leave it out to get the first page.',
    );
  }
}
