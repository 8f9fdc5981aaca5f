import type { Commerce } from '#commerces/commerce.ts';
import { Problem } from '#problems/problem.ts';
import type { OrderLine } from './order.ts';

/** The service never converts amounts. */
export class AnotherCurrency extends Problem {
  constructor(currency: string) {
    super(400, 'currency', `the order could not be recorded: this commerce counts in ${currency}`);
  }
}

/** The lines do not add up. */
export class LinesDoNotAddUp extends Problem {
  constructor(sum: number, paid: number) {
    super(
      400,
      'invalid_amount',
      `the amounts of the lines are ${sum} together, and paid is ${paid}: share out what was paid before refunds`,
    );
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
  if (lines === null) return;
  const sum = lines.reduce((all, { amount }) => all + amount, 0);
  if (sum !== paid) throw new LinesDoNotAddUp(sum, paid);
}
