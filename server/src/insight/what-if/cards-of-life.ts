/** The stamp cards of a life, changed by the functions that decide calls. */
import type { Commerce } from '#commerces/commerce.ts';
import {
  lastDayOf,
  type CardsOfKind,
  type ChangedCards,
  type ChangedStamps,
  type GivenStamps,
} from '#stamps/decide-stamps.ts';
import { newCard, type FullCard, type StampCard } from '#stamps/stamp-card.ts';
import type { StampRule } from '#program/stamp-rules.ts';

export interface Cards {
  /** By kind, in the order in which they began. Only the last one may be open. */
  readonly kinds: Map<string, readonly StampCard[]>;
  /** Full cards that were not taken back, by their names. */
  readonly full: Map<string, FullCard & { readonly isUsed: boolean }>;
}

/** Names a full card of a kind. */
export type NameOfCard = Pick<FullCard, 'stampId' | 'ordinal'>;

const keyOf = ({ stampId, ordinal }: NameOfCard): string => `${stampId}/${ordinal}`;

export function noCards(): Cards {
  return { kinds: new Map(), full: new Map() };
}

export function forkCards({ kinds, full }: Cards): Cards {
  return { kinds: new Map(kinds), full: new Map(full) };
}

/** An erasure deletes the cards. */
export function forgetCards({ kinds, full }: Cards): void {
  kinds.clear();
  full.clear();
}

/** Returns the cards that a purchase may stamp. */
export function openCards({ kinds }: Cards): StampCard[] {
  return [...kinds.values()].flatMap((cards) => cards.filter(({ ended }) => !ended));
}

/** Returns what a return needs to know of the cards of a kind. */
export function cardsOfKind({ kinds, full }: Cards): (kind: string) => CardsOfKind {
  return (kind) => ({
    cards: kinds.get(kind) ?? [],
    unused: [...full.values()].flatMap(({ isUsed, ...one }) =>
      one.stampId === kind && !isUsed ? [{ ...one, code: null }] : [],
    ),
  });
}

/** Changes cards as it was decided. */
export function changeCards(
  { kinds, full }: Cards,
  changed: Pick<ChangedCards, 'cards' | 'full'> & Partial<Pick<ChangedCards, 'taken'>>,
): void {
  for (const card of changed.cards) {
    const others = (kinds.get(card.stampId) ?? []).filter((one) => one.card !== card.card);
    kinds.set(
      card.stampId,
      [...others, card].sort((a, b) => a.card - b.card),
    );
  }
  for (const one of changed.full) full.set(keyOf(one), { ...one, isUsed: false });
  for (const one of changed.taken ?? []) full.delete(keyOf(one));
}

/** Changes cards as the ledger says of a purchase, whatever is known of its lines. @param stampedAt when it counts for the pause */
export function followGiven(
  cards: Cards,
  given: readonly GivenStamps[],
  rules: readonly StampRule[],
  { today }: Pick<Commerce, 'today'>,
  stampedAt: Date,
): void {
  for (const { id, card: place, need, have, full = 0 } of given) {
    const last = cards.kinds.get(id)?.at(-1);
    const isNext = last === undefined || last.card < place;
    const card = isNext ? { ...newCard(id), card: place, filled: last?.filled ?? 0 } : last;
    const months = rules.find((rule) => rule.id === id)?.withinMonths ?? null;
    const endsOn = card.have <= 0 || full > 0 ? lastDayOf(have, months, today) : card.endsOn;
    const isLater = card.stampedAt === null || card.stampedAt < stampedAt;
    const filled = Array.from({ length: full }, (_, n) => ({
      stampId: id,
      ordinal: card.filled + n + 1,
      need,
      benefitId: '',
    }));
    changeCards(cards, {
      cards: [
        ...(isNext && last !== undefined ? [{ ...last, ended: true }] : []),
        {
          ...card,
          have,
          endsOn,
          filled: card.filled + full,
          stampedAt: isLater ? stampedAt : card.stampedAt,
        },
      ],
      full: filled,
    });
  }
}

/** The code of a full card is used. In a life that has not filled that card, nothing is. */
export function useCard({ full }: Cards, name: NameOfCard): void {
  const card = full.get(keyOf(name));
  if (card !== undefined) full.set(keyOf(name), { ...card, isUsed: true });
}

/** The use of a code of a full card is undone. Returns what that changes on the card; null if it has no debt. */
export function undoUseOfCard(
  cards: Cards,
  name: NameOfCard,
  rules: readonly StampRule[],
  { today }: Pick<Commerce, 'today'>,
): ChangedStamps | null {
  const full = cards.full.get(keyOf(name));
  if (full === undefined) return null;
  cards.full.set(keyOf(name), { ...full, isUsed: false });
  const card = cards.kinds.get(name.stampId)?.findLast(({ ended }) => !ended);
  if (card === undefined || card.have >= 0) return null;
  const have = card.have + full.need;
  const months = rules.find(({ id }) => id === name.stampId)?.withinMonths ?? null;
  const endsOn = lastDayOf(have, months, today);
  changeCards(cards, { cards: [{ ...card, have, endsOn }], full: [] });
  cards.full.delete(keyOf(name));
  return { id: name.stampId, stamps: 0, taken: [name.ordinal], have };
}
