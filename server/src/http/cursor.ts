import { createHmac, timingSafeEqual } from 'node:crypto';
import { InvalidRequest } from '#problems/invalid-request.ts';

/** Where a page of a list begins or ends, and which way to read from there. */
export interface Position {
  readonly direction: 'older' | 'newer';
  readonly at: Date;
  readonly id: number;
}

/**
 * Cursors of one list of one reader: opaque text that names a position, good for nobody else. `scope` says whose
 * list it is, and the key keeps it from being made up.
 */
export function cursorsOf(key: string, scope: string) {
  const sign = (content: string) =>
    createHmac('sha256', key)
      .update(`cursor/${scope}/${content}`)
      .digest()
      .subarray(0, 16)
      .toString('base64url');
  return {
    seal({ direction, at, id }: Position): string {
      const content = `${direction === 'older' ? 'o' : 'n'}.${at.getTime()}.${id}`;
      return `${Buffer.from(content).toString('base64url')}.${sign(content)}`;
    },

    /** @throws InvalidRequest for what `seal` did not make for this scope */
    open(cursor: string): Position {
      const [encoded = '', signature = '', ...rest] = cursor.split('.');
      const content = Buffer.from(encoded, 'base64url').toString('latin1');
      // As texts: the last character of base64 has bits to spare, and a changed cursor is none of ours.
      const given = Buffer.from(signature);
      const expected = Buffer.from(sign(content));
      const genuine =
        rest.length === 0 && given.length === expected.length && timingSafeEqual(given, expected);
      const [direction, at, id] = content.split('.');
      if (!genuine || Buffer.from(content).toString('base64url') !== encoded) throw new UnknownCursor();
      return { direction: direction === 'o' ? 'older' : 'newer', at: new Date(Number(at)), id: Number(id) };
    },
  };
}

class UnknownCursor extends InvalidRequest {
  constructor() {
    super([{ loc: ['query', 'cursor'], msg: 'Value error, not a cursor of this list', type: 'value_error' }]);
  }
}
