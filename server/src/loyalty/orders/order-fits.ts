import type { Commerce } from '#commerces/commerce.ts';
import { Problem } from '#problems/problem.ts';
import { assertAddUp } from '#purchases/said-lines.ts';
import type { OrderLine } from './order.ts';

/** The service never converts amounts. */
export class AnotherCurrency extends Problem {
  constructor(currency: string) {
    super(400, 'currency', `the order could not be recorded: this commerce counts in ${currency}`);
  }
}

/** The part of an order that must fit the commerce, and itself. */
export interface FittingOrder {
  /** In whole currency units, before refunds. */
  readonly paid: number;
  readonly currency: string | null;
  readonly lines: readonly OrderLine[] | null;
}

/** @throws AnotherCurrency, LinesDoNotAddUp */
export function assertFits(
  { currency, lines, paid }: FittingOrder,
  { program }: Pick<Commerce, 'program'>,
): void {
  if (currency !== null && currency !== program.currency) throw new AnotherCurrency(program.currency);
  assertAddUp(lines, paid, 'paid');
}
