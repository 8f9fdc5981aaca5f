import type { WireIds } from '#batching/wire-ids.ts';
import { createSignedTexts, UnknownCursor } from '#http/cursor.ts';
import { KINDS_OF_FIGURES, type MovementFilter, type MovementPlace } from '#reports/list-movements.ts';
import type { PeopleFilter, PersonPlace } from '#reports/list-people.ts';
import type { SecretKeys } from '#settings/secret-key.ts';

/** Cursors of one list. Anyone can read a cursor, so ids that count up over all shops are hidden in it. */
export interface Cursors<Place> {
  seal(place: Place): string;
  /** @throws InvalidRequest if `seal` did not make this cursor for this list */
  open(cursor: string): Place;
}

export function movementCursors(
  secret: SecretKeys,
  commerceId: number,
  filter: MovementFilter,
  { memberIds, purchaseIds }: { memberIds: WireIds; purchaseIds: WireIds },
): Cursors<MovementPlace> {
  // See `MovementPlace`: no figure has both.
  const belowZero = KINDS_OF_FIGURES[filter.figure].some((kind) => kind === 'expiry')
    ? memberIds
    : purchaseIds;
  return createCursors(secret, `report movements/${commerceId}/${JSON.stringify(filter)}`, {
    toText: ({ at, key }) => [
      String(at.getTime()),
      key < 0 ? `m${belowZero.toWire(-key)}` : `${purchaseIds.toWire(key)}`,
    ],
    fromText: ([at, key]) => {
      const id = key!.startsWith('m')
        ? belowZero.fromWire(Number(key!.slice(1)))
        : purchaseIds.fromWire(Number(key));
      return id === null ? null : { at: new Date(Number(at)), key: key!.startsWith('m') ? -id : id };
    },
  });
}

/** The key of a code is the code, which whoever reads the list may know. Otherwise it is the member's id. */
export function peopleCursors(
  secret: SecretKeys,
  commerceId: number,
  filter: PeopleFilter,
  memberIds: WireIds,
): Cursors<PersonPlace> {
  const isCode = filter.kind === 'issued' || filter.kind === 'given' || filter.kind === 'codes_given_back';
  return createCursors(secret, `report people/${commerceId}/${JSON.stringify(filter)}`, {
    toText: ({ at, key }) => [at, String(isCode ? key : memberIds.toWire(key))],
    fromText: ([at, key]) => {
      const id = isCode ? Number(key) : memberIds.fromWire(Number(key));
      return id === null ? null : { at: at!, key: id };
    },
  });
}

function createCursors<Place>(
  secret: SecretKeys,
  scope: string,
  { toText, fromText }: { toText: (place: Place) => string[]; fromText: (parts: string[]) => Place | null },
): Cursors<Place> {
  const texts = createSignedTexts(secret, scope);
  return {
    seal: (place) => texts.seal(toText(place).join(' ')),
    open(cursor) {
      const content = texts.open(cursor);
      const place = content === null ? null : fromText(content.split(' '));
      if (place === null) throw new UnknownCursor('query');
      return place;
    },
  };
}
