import type { Day } from '#calendar/calendar.ts';

/** The stamps of a member on a card of a kind. A card that ends before it is full keeps its last state, and another one begins. */
export interface StampCard {
  /** The id of the kind in the program. */
  readonly stampId: string;
  /** Counts the member's cards of the kind, from 1. */
  readonly card: number;
  /** Below zero after a return of stamps whose code was used. */
  readonly have: number;
  /** Its last day, promised with its first stamp. Null if it does not end, or has no stamps. */
  readonly endsOn: Day | null;
  /** When it was stamped last. Null if never, or if that purchase has come back. */
  readonly stampedAt: Date | null;
  /** How many cards of the kind were ever full, those included that were taken back. */
  readonly filled: number;
  readonly ended: boolean;
}

/** A card that a purchase has filled. */
export interface FullCard {
  readonly stampId: string;
  /** Counts the member's full cards of the kind, from 1. */
  readonly ordinal: number;
  /** How many stamps it took. */
  readonly need: number;
  readonly benefitId: string;
}

export function newCard(stampId: string): StampCard {
  return { stampId, card: 1, have: 0, endsOn: null, stampedAt: null, filled: 0, ended: false };
}

/** Returns true if the card was not filled in time. Nobody need have noticed. */
export function isOver({ ended, endsOn }: StampCard, today: Day): boolean {
  return ended || (endsOn !== null && endsOn < today);
}
