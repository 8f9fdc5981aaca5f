import type { Factor } from './factor.ts';

/** The money that makes a point: only whole points count. */
export const moneyPerPoint: Factor<'money', [perPointThousandths: number]> = {
  kind: 'money',
  says: ({ rules }) => [rules.earning.moneyPerPointThousandths],
  after: (amount, perPoint) => (amount * 1000n) / BigInt(perPoint),
  tell: ({ before, after, number, points }, perPoint) =>
    `${number(before)} ÷ ${number(perPoint / 1000)} = ${points(after)}`,
};
