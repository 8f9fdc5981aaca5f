import { languageOf, type Language } from '#text/language.ts';
import { DEFAULT_BRAND } from '#colors/brand-colors.ts';
import type { Db } from '#db/database.ts';
import { balanceOn } from '#points/lots.ts';
import { pointsPendingAt } from '#points/pending.ts';
import type { Holder } from '#points/holder-reader.ts';
import { readCardsOf, type ShownCard } from '#stamps/shown-cards.ts';
import { isActive } from '#members/eligibility.ts';
import { tierThatCounts } from '#tiers/ladder.ts';
import { standingAt } from '#tiers/standing.ts';

/** The facts that a shop’s passes have in common. */
export interface ShopFacts {
  readonly name: string;
  /** `#rrggbb` */
  readonly color: string;
  /** Null if the shop has none. */
  readonly logo: string | null;
  readonly language: Language;
}

/** The facts that a pass shows about a member. */
export interface CardFacts {
  readonly shop: ShopFacts;
  readonly code: number;
  readonly username: string | null;
  readonly points: number;
  /** Points that cannot be spent yet. */
  readonly waiting: number;
  readonly tier: string | null;
  /** The first stamp cards of the program. */
  readonly stamps: readonly StampFacts[];
  /** False for anyone who has left or is blocked, and once the commerce has closed. */
  readonly isValid: boolean;
}

interface StampFacts {
  readonly id: string;
  readonly title: string;
  readonly have: number;
  readonly need: number;
}

/** A pass has room for so many stamp cards. */
const MOST_STAMPS = 3;

export function shopFactsOf({ program }: Holder['commerce']): ShopFacts {
  return {
    name: program.name,
    color: program.color ?? DEFAULT_BRAND,
    logo: program.logo,
    language: languageOf(program.locale),
  };
}

/** Returns the facts of each holder, in order; null for a person who has no card, because they have never joined. */
export async function readCardFacts(db: Db, holders: readonly Holder[]): Promise<(CardFacts | null)[]> {
  const cards = await readCardsOf(db, holders);
  return holders.map((holder, i) => cardFactsOf(holder, cards[i]!));
}

function cardFactsOf({ member, commerce }: Holder, cards: readonly ShownCard[]): CardFacts | null {
  if (member === null || member.code === null) return null;
  const { rules, now, today } = commerce;
  return {
    shop: shopFactsOf(commerce),
    code: member.code,
    username: member.username,
    points: balanceOn(member.lots, today),
    waiting: pointsPendingAt(member.pending, now),
    tier: tierThatCounts(standingAt(member, rules, now).standing, rules.tiers)?.name ?? null,
    stamps: cards
      .slice(0, MOST_STAMPS)
      .map(({ rule: { id, title, need }, have }) => ({ id, title, have, need })),
    isValid: isActive(member) && commerce.status !== 'closed',
  };
}
