import { carriedTo } from '../remainder.ts';
import { isOfLines } from '../rules-on-purchase.ts';
import type { Factor } from './factor.ts';

/** Divides the money by the price of a point, rounded down to whole points. */
export const moneyPerPoint: Factor<'money', [perPointThousandths: number]> = {
  kind: 'money',
  says: (purchase, ruled) =>
    isOfLines(ruled) || carriedTo(purchase) !== null
      ? null
      : [purchase.rules.earning.moneyPerPointThousandths],
  after: (amount, _, perPoint) => (amount * 1000n) / BigInt(perPoint),
  line: ({ before, number }, perPoint) => ({
    formula: `${number(before)} ÷ ${number(perPoint / 1000)}`,
    name: null,
  }),
  name: () => null,
  tell: ({ before, after, number, points }, perPoint) =>
    `${number(before)} ÷ ${number(perPoint / 1000)} = ${points(after)}`,
};
