import type { Commerce } from '#commerces/commerce.ts';
import type { Day } from '#calendar/calendar.ts';
import type { StampRule } from '#program/stamp-rules.ts';
import type { Db } from '#db/database.ts';
import type { Stamped } from './decide-stamps.ts';
import { nameOfHolder, readOpenCards } from './read-cards.ts';
import { isOver, type StampCard } from './stamp-card.ts';

/** A member's card of a kind as it is today. */
export interface ShownCard {
  readonly rule: StampRule;
  readonly have: number;
  /** Stamps that returns took beyond those on the card. Purchases stamp these off first. */
  readonly owes: number;
  /** Its last day; null if it does not end, or has no stamps. */
  readonly endsOn: Day | null;
}

/** Returns a card of each kind that the program has, in its order. `cards` are those that have not ended, as far as anybody has noticed. */
export function shownCards(cards: readonly StampCard[], { rules, today }: Commerce): ShownCard[] {
  return rules.stamps.map((rule) => {
    const card = cards.find(({ stampId }) => stampId === rule.id);
    if (card === undefined || isOver(card, today)) return { rule, have: 0, owes: 0, endsOn: null };
    return { rule, have: Math.max(0, card.have), owes: Math.max(0, 0 - card.have), endsOn: card.endsOn };
  });
}

/** Reads a member's cards; null for somebody who never joined. Programs without stamps need no statement. */
export async function readShownCards(
  db: Db,
  commerce: Commerce,
  member: { readonly commerceId: number; readonly id: number } | null,
): Promise<ShownCard[]> {
  const [cards] = await readCardsOf(db, [{ commerce, member }]);
  return cards!;
}

/** Reads the cards of several people, in their order, with one statement. Where no program has stamps, it needs none. */
export async function readCardsOf(
  db: Db,
  holders: readonly {
    readonly commerce: Commerce;
    readonly member: { readonly commerceId: number; readonly id: number } | null;
  }[],
): Promise<ShownCard[][]> {
  const stamped = holders.flatMap(({ member, commerce }) =>
    member === null || commerce.rules.stamps.length === 0 ? [] : [member],
  );
  const cards = await readOpenCards(db, stamped);
  return holders.map(({ member, commerce }) =>
    shownCards((member && cards.get(nameOfHolder(member))) ?? [], commerce),
  );
}

/** What a purchase does to the card of a kind. */
export interface ToldStamps {
  readonly id: string;
  readonly given: number;
  readonly lost: number;
  readonly full: number;
  readonly have: number;
  readonly need: number;
}

/** Returns what a purchase stamped, as the shop is told it. */
export function toldStamps(given: Stamped['given']): ToldStamps[] {
  return given.map(({ id, given: stamps, lost = 0, full = 0, have, need }) => ({
    id,
    given: stamps,
    lost,
    full,
    have,
    need,
  }));
}
