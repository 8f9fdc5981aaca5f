import { readCommerce } from '#commerces/commerce.ts';
import type { Db } from '#db/database.ts';
import type { MemberRef } from '#members/lock-members.ts';
import { wholeOf } from '#points/line.ts';
import type { SaidFacts } from '#points/purchase-facts.ts';
import { Problem } from '#problems/problem.ts';
import { pointsOf } from '#purchases/decide-purchase.ts';
import { explainPurchase } from '#purchases/explain-purchase.ts';
import { previewPurchase, type Preview } from '#purchases/preview-purchase.ts';
import { assertFits, type FittingOrder } from './order-fits.ts';

/** An order that is not placed yet. */
export interface OrderToPreview extends Omit<SaidFacts, 'amount' | 'lines'>, FittingOrder {}

/**
 * Returns what an order would earn if it were paid now, by the rule that records it. Records nothing.
 * @throws the Problems of `assertFits` and `previewPurchase`
 */
export async function previewOrder(
  db: Db,
  buyer: MemberRef,
  { currency, lines, paid, ...where }: OrderToPreview,
): Promise<Preview> {
  assertFits({ currency, lines, paid }, (await readCommerce(db, buyer.commerceId))!);
  return previewPurchase(db, buyer, { ...where, lines, amount: paid });
}

/** An order of somebody who is not known, and the level that they would have. */
export interface OrderOfVisitor extends OrderToPreview {
  /** The id of a level; null for somebody without one. */
  readonly level: string | null;
}

/** The program has no such level. */
export class UnknownLevel extends Problem {
  constructor() {
    super(400, 'unknown_level', 'the program has no level with this id: GET /v1/public/program lists them');
  }
}

/**
 * Returns what an order would earn if it were paid now, whoever pays it: by the rule that records it, without what depends on the buyer.
 * @throws AnotherCurrency, LinesDoNotAddUp, UnknownLevel, CouldNotBeCreated
 */
export async function previewForVisitor(
  db: Db,
  commerceId: number,
  { currency, lines, paid, level, ...where }: OrderOfVisitor,
): Promise<Preview> {
  const commerce = (await readCommerce(db, commerceId))!;
  const { rules, program, now } = commerce;
  assertFits({ currency, lines, paid }, commerce);
  const tier = level === null ? null : rules.tiers.ladder.find(({ id }) => id === level);
  if (tier === undefined) throw new UnknownLevel();
  const facts = { ...where, lines, amount: paid, at: now, buyer: null };
  const earned = pointsOf(VISITOR, commerce, facts, tier);
  const explanation = explainPurchase({ ...wholeOf(facts), factors: earned.factors }, program.locale);
  return { ...earned, explanation, locale: program.locale, stamps: [] };
}

const VISITOR = { state: 'invited', blockedAt: null } as const;
