/** How the stamps of a purchase fill cards, and how a return takes them back. */
import { addMonths, localDay, type Day } from '#calendar/calendar.ts';
import type { Earning } from '#points/factors/factor.ts';
import { wholeOf, type Kept } from '#points/line.ts';
import { placesFor, soldIn, timesOf } from '#points/rules-on-purchase.ts';
import type { StampRule } from '#program/stamp-rules.ts';
import { isOver, newCard, type FullCard, type StampCard } from './stamp-card.ts';

/** What a purchase gave on the cards of a kind, as its snapshot keeps it. */
export interface GivenStamps {
  readonly id: string;
  readonly per: 'purchase' | 'unit';
  readonly minAmount: number;
  /** The places of the lines that they were given for. */
  readonly lines: readonly number[];
  /** How many stamps made a full card. */
  readonly need: number;
  /** The card that they went to. */
  readonly card: number;
  readonly given: number;
  /** Those beyond the cards that one purchase can fill. Absent if none were lost. */
  readonly lost?: number;
  /** How many cards it filled. Absent if none. */
  readonly full?: number;
  /** Stamps on the card after it. */
  readonly have: number;
}

/** What a purchase does to the cards of its buyer, and what its snapshot keeps. */
export interface Stamped {
  /** The cards that changed, in their new state. */
  readonly cards: readonly StampCard[];
  readonly full: readonly FullCard[];
  readonly given: readonly GivenStamps[];
}

/** One purchase fills at most so many cards of a kind. */
const MOST_FULL = 3;

/** Decides what a purchase stamps. @param cards the buyer's cards that have not ended, as far as anybody has noticed */
export function stampPurchase(purchase: Earning, cards: readonly StampCard[]): Stamped {
  const { rules, at } = purchase;
  const stamped = { cards: [] as StampCard[], full: [] as FullCard[], given: [] as GivenStamps[] };
  if (rules.stamps.length === 0) return stamped;
  const sold = soldIn(purchase);
  const today = localDay(at, rules.timeZone);
  const arrived = purchase.buyer?.arrivedAt ?? at;
  for (const rule of rules.stamps) {
    if (rule.paused) continue;
    const { id, per, need, when } = rule;
    const lines = placesFor(when, purchase, sold);
    const asked = timesOf(wholeOf(purchase), per, when.minAmount, lines);
    const known = cards.find(({ stampId }) => stampId === id) ?? newCard(id);
    if (asked === 0 || isTooSoon(rule, known, [at, arrived])) continue;
    const { ended, card } = openCard(known, today);
    stamped.cards.push(...ended);
    const given = Math.min(asked, Math.max(0, MOST_FULL * need - card.have));
    const { card: after, full } = withStamps(card, given, rule, today);
    stamped.cards.push({ ...after, stampedAt: laterOf(card.stampedAt, arrived) });
    stamped.full.push(...full);
    stamped.given.push({
      id,
      per,
      minAmount: when.minAmount,
      lines,
      need,
      card: card.card,
      given,
      ...(given < asked && { lost: asked - given }),
      ...(full.length > 0 && { full: full.length }),
      have: after.have,
    });
  }
  return stamped;
}

/** Returns the card that stamps go to, and the one before it if that has just turned out to be over. */
function openCard(known: StampCard, today: Day): { ended: readonly StampCard[]; card: StampCard } {
  if (!isOver(known, today)) return { ended: [], card: known };
  return {
    ended: [{ ...known, ended: true }],
    card: { ...newCard(known.stampId), card: known.card + 1, filled: known.filled },
  };
}

/** The pause counts from each of the instants, in both directions: a purchase may be reported late. */
function isTooSoon(
  { minMinutesBetween }: StampRule,
  { stampedAt }: StampCard,
  instants: readonly Date[],
): boolean {
  if (stampedAt === null) return false;
  const pause = minMinutesBetween * 60_000;
  return instants.some((instant) => Math.abs(instant.getTime() - stampedAt.getTime()) < pause);
}

/** Puts stamps on a card. Each time it is full, another card begins. */
function withStamps(
  card: StampCard,
  given: number,
  { id, need, benefitId, withinMonths }: Pick<StampRule, 'id' | 'need' | 'benefitId' | 'withinMonths'>,
  today: Day,
): { card: StampCard; full: FullCard[] } {
  const full: FullCard[] = [];
  let have = card.have + given;
  while (have >= need && full.length < MOST_FULL) {
    have -= need;
    full.push({ stampId: id, ordinal: card.filled + full.length + 1, need, benefitId });
  }
  const begins = card.have <= 0 || full.length > 0;
  const endsOn = begins ? lastDayOf(have, withinMonths, today) : card.endsOn;
  return { card: { ...card, have, endsOn, filled: card.filled + full.length }, full };
}

/** Returns the last day of a card that has got its first stamps; null if it has none, or does not end. */
export function lastDayOf(have: number, withinMonths: number | null, today: Day): Day | null {
  return have <= 0 || withinMonths === null ? null : addMonths(today, withinMonths);
}

function laterOf(one: Date | null, other: Date): Date {
  return one !== null && one > other ? one : other;
}

/** What a return took of the stamps of a purchase, or a correction gave back, as the snapshot keeps it. */
export interface ChangedStamps {
  readonly id: string;
  /** Below zero if they were taken. */
  readonly stamps: number;
  /** The full cards whose codes are void since, by their numbers. Absent if there are none. */
  readonly taken?: readonly number[];
  /** How many cards it filled. Absent if none. */
  readonly full?: number;
  /** Stamps on the member's card after it. */
  readonly have: number;
}

/** The cards of a kind, and the full ones whose codes nobody has used. */
export interface CardsOfKind {
  /** The one that is open, and the one that the purchase stamped. */
  readonly cards: readonly StampCard[];
  readonly unused: readonly (FullCard & { readonly code: number | null })[];
}

export interface ChangedCards {
  readonly cards: readonly StampCard[];
  readonly full: readonly FullCard[];
  readonly taken: CardsOfKind['unused'];
  readonly changed: readonly ChangedStamps[];
}

/** A purchase of which less is kept, or more again. */
export interface ChangedPurchase {
  readonly given: readonly GivenStamps[];
  /** When it counted for the pause between stamps. */
  readonly stampedAt: Date;
  readonly before: Kept;
  readonly after: Kept;
}

/**
 * Decides what a return takes, or what a correction gives again, up to what the purchase gave. First come the stamps on the card, then full
 * cards whose code is not used, the last one first. If more was used, the card is left in debt.
 */
export function changeStamps(
  { given, stampedAt, before, after }: ChangedPurchase,
  ofKind: (id: string) => CardsOfKind,
  rules: readonly StampRule[],
  today: Day,
): ChangedCards {
  const all = {
    cards: [] as StampCard[],
    full: [] as FullCard[],
    taken: [] as CardsOfKind['unused'][number][],
    changed: [] as ChangedStamps[],
  };
  for (const one of given) {
    const stamps = stampsOf(one, after) - stampsOf(one, before);
    const { cards, unused } = ofKind(one.id);
    const known = cards.find(({ ended }) => !ended);
    if (known === undefined) continue;
    const isFreed = after.amount === 0 && known.stampedAt?.getTime() === stampedAt.getTime();
    if (stamps === 0 && !isFreed) continue;
    const { ended, card: open } = openCard(known, today);
    all.cards.push(...ended);
    const freed = isFreed ? { ...open, stampedAt: null } : open;
    const rule = rules.find(({ id }) => id === one.id);
    if (stamps > 0) {
      const put = withStamps(freed, stamps, rule ?? { ...NO_RULE, id: one.id }, today);
      all.cards.push(put.card);
      all.full.push(...put.full);
      all.changed.push({
        id: one.id,
        stamps,
        ...(put.full.length > 0 && { full: put.full.length }),
        have: put.card.have,
      });
      continue;
    }
    const old = [...ended, ...cards].find((other) => other.ended && other.card === one.card);
    const fromOld = old === undefined ? 0 : Math.min(Math.max(0, old.have), -stamps);
    if (old !== undefined && fromOld > 0) all.cards.push({ ...old, have: old.have - fromOld });
    let have = freed.have + stamps + fromOld;
    const taken = [];
    for (const full of unused.toSorted((a, b) => b.ordinal - a.ordinal)) {
      if (have >= 0) break;
      have += full.need;
      taken.push(full);
    }
    const begins = freed.have <= 0 || taken.length > 0 || have <= 0;
    const endsOn = begins ? lastDayOf(have, rule?.withinMonths ?? null, today) : freed.endsOn;
    all.cards.push({ ...freed, have, endsOn });
    all.taken.push(...taken);
    all.changed.push({
      id: one.id,
      stamps,
      ...(taken.length > 0 && { taken: taken.map(({ ordinal }) => ordinal) }),
      have,
    });
  }
  return all;
}

/** Stamps of a kind that the program no longer has fill nothing. */
const NO_RULE = { need: Number.POSITIVE_INFINITY, benefitId: '', withinMonths: null };

/** A purchase that grows beyond what it was gives no more stamps. */
function stampsOf({ per, minAmount, lines, given }: GivenStamps, kept: Kept): number {
  return Math.min(given, timesOf(kept, per, minAmount, lines));
}
