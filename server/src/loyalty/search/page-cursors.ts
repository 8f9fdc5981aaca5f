import type { WireIds } from '#batching/wire-ids.ts';
import { createSignedTexts, UnknownCursor } from '#http/cursor.ts';
import type { SecretKeys } from '#settings/secret-key.ts';
import type { MemberFilter, PlaceOfPage } from './search-members.ts';

/**
 * Creates the cursors of one filtered list. A cursor belongs to its filter: with another one, it would begin in the middle of
 * a list that nobody has seen. It has at most 700 characters.
 */
export function createPageCursors(
  secret: SecretKeys,
  commerceId: number,
  filter: MemberFilter,
  ids: WireIds,
) {
  const fields = Object.entries(filter)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const texts = createSignedTexts(secret, `members/${commerceId}/${JSON.stringify(fields)}`);
  return {
    seal: ({ id, word, name, total }: PlaceOfPage): string =>
      texts.seal(JSON.stringify([ids.toWire(id), total, word, name])),

    /** @throws InvalidRequest if `seal` did not make this cursor for this list */
    open(cursor: string): PlaceOfPage {
      const content = texts.open(cursor);
      if (content === null) throw new UnknownCursor('body');
      const [wireId, total, word, name] = JSON.parse(content) as [
        number,
        number | null,
        string | null,
        string | null,
      ];
      const id = ids.fromWire(wireId);
      if (id === null) throw new UnknownCursor('body');
      return { id, word, name, total };
    },
  };
}
