import { languageOf, type Language } from '#text/language.ts';
import { DEFAULT_BRAND } from '#colors/brand-colors.ts';
import { balanceOn } from '#points/lots.ts';
import { pointsPendingAt } from '#points/pending.ts';
import type { Holder } from '#points/holder-reader.ts';
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
  /** False for anyone who has left or is blocked, and once the commerce has closed. */
  readonly isValid: boolean;
}

export function shopFactsOf({ program }: Holder['commerce']): ShopFacts {
  return {
    name: program.name,
    color: program.color ?? DEFAULT_BRAND,
    logo: program.logo,
    language: languageOf(program.locale),
  };
}

/** Returns null if the person has no card: they have never joined. */
export function cardFactsOf({ member, commerce }: Holder): CardFacts | null {
  if (member === null || member.code === null) return null;
  const { rules, now, today } = commerce;
  return {
    shop: shopFactsOf(commerce),
    code: member.code,
    username: member.username,
    points: balanceOn(member.lots, today),
    waiting: pointsPendingAt(member.pending, now),
    tier: tierThatCounts(standingAt(member, rules, now).standing, rules.tiers)?.name ?? null,
    isValid: isActive(member) && commerce.status !== 'closed',
  };
}
