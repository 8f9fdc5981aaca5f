import { readCommerce } from '#commerces/commerce.ts';
import type { Db } from '#db/database.ts';
import { findMember, type MemberRef } from '#members/lock-members.ts';
import { UnknownMember } from '#members/refusals.ts';
import type { PointsForPurchase } from '#points/points-for-purchase.ts';
import { wholeOf } from '#points/line.ts';
import { readPast } from '#points/past-purchases.ts';
import { NEWCOMER, type SaidFacts } from '#points/purchase-facts.ts';
import { stampPurchase } from '#stamps/decide-stamps.ts';
import { nameOfHolder, readOpenCards } from '#stamps/read-cards.ts';
import { toldStamps, type ToldStamps } from '#stamps/shown-cards.ts';
import { tierThatCounts } from '#tiers/ladder.ts';
import { noTier, nothing, standingAt } from '#tiers/standing.ts';
import { buyerOf, pointsOf } from './decide-purchase.ts';
import { explainPurchase } from './explain-purchase.ts';

export interface Preview extends PointsForPurchase {
  readonly explanation: string;
  /** The locale of the commerce, for more words about it. */
  readonly locale: string;
  /** What it would stamp on each kind of card. */
  readonly stamps: readonly (ToldStamps & { readonly title: string })[];
}

/**
 * Returns the points that a purchase would earn if it were recorded now, by the same rules. An address that nobody here has
 * is an invited person's, as when it is recorded. Records nothing.
 * @throws UnknownMember, NotEligible, CouldNotBeCreated
 */
export async function previewPurchase(db: Db, ref: MemberRef, purchase: SaidFacts): Promise<Preview> {
  const found = await findMember(db, ref);
  const commerce = await readCommerce(db, ref.commerceId);
  const member = found ?? ('email' in ref ? stranger : undefined);
  if (member === undefined || commerce === undefined)
    throw new UnknownMember('code' in ref ? ref.code : undefined);
  const { rules, now, program } = commerce;
  const { standing } = standingAt(member, rules, now);
  const buyer =
    found === undefined ? NEWCOMER : buyerOf({ ...found, past: await readPast(db, found, [now], rules) });
  const facts = { ...purchase, at: now, buyer };
  const tier = tierThatCounts(standing, rules.tiers);
  const earned = pointsOf(member, commerce, facts, tier);
  const explanation = explainPurchase({ ...wholeOf(facts), factors: earned.factors }, program.locale);
  const cards =
    found === undefined || rules.stamps.length === 0 ? new Map() : await readOpenCards(db, [found]);
  const { given } = stampPurchase(
    { ...facts, tier, rules },
    found === undefined ? [] : (cards.get(nameOfHolder(found)) ?? []),
  );
  const stamps = toldStamps(given).map((one) => ({
    ...one,
    title: rules.stamps.find(({ id }) => id === one.id)!.title,
  }));
  return { ...earned, explanation, locale: program.locale, stamps };
}

/** A person who is invited by their first purchase. */
const stranger = {
  state: 'invited',
  leftAt: null,
  blockedAt: null,
  standing: noTier,
  figures: nothing,
} as const;
