import { readCommerce } from '#commerces/commerce.ts';
import type { Db } from '#db/database.ts';
import type { MemberRef } from '#members/lock-members.ts';
import { wholeOf } from '#points/line.ts';
import { NOWHERE, type SaidFacts } from '#points/purchase-facts.ts';
import { Problem } from '#problems/problem.ts';
import { pointsOf } from '#purchases/decide-purchase.ts';
import { explainPurchase } from '#purchases/explain-purchase.ts';
import { previewPurchase, type Preview } from '#purchases/preview-purchase.ts';
import { assertFits, type FittingOrder } from './order-fits.ts';
import type { OrderLine } from './order.ts';

/** An order that is not placed yet. */
export type OrderToPreview = Omit<SaidFacts, 'amount'> & FittingOrder;

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

/** What a visitor asks about: an amount, and the level that they would have. */
export interface AskedByVisitor {
  readonly amount: number;
  readonly lines: readonly OrderLine[] | null;
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
 * Returns what an amount would earn now if a visitor bought for it, by the rule that records it.
 * @throws LinesDoNotAddUp, UnknownLevel, CouldNotBeCreated
 */
export async function previewForVisitor(
  db: Db,
  commerceId: number,
  { amount, lines, level }: AskedByVisitor,
): Promise<Preview> {
  const commerce = (await readCommerce(db, commerceId))!;
  const { rules, program, now } = commerce;
  assertFits({ currency: null, lines, paid: amount }, commerce);
  const tier = level === null ? null : rules.tiers.ladder.find(({ id }) => id === level);
  if (tier === undefined) throw new UnknownLevel();
  const facts = { ...NOWHERE, amount, lines, at: now, buyer: null };
  const earned = pointsOf(VISITOR, commerce, facts, tier);
  const explanation = explainPurchase({ ...wholeOf(facts), factors: earned.factors }, program.locale);
  return { ...earned, explanation, locale: program.locale, stamps: [] };
}

const VISITOR = { state: 'invited', blockedAt: null } as const;
