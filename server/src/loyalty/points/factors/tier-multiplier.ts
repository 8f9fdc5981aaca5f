import type { Factor } from './factor.ts';

/** Multiplies by the multiplier of the tier held before the purchase, rounded down to whole points. */
export const tierMultiplier: Factor<'tier', [thousandths: number, name: string | null]> = {
  kind: 'tier',
  says: ({ tier }) =>
    tier === null || tier.multiplierThousandths === 1000 ? null : [tier.multiplierThousandths, tier.name],
  after: (points, _, thousandths) => (points * BigInt(thousandths)) / 1000n,
  line: ({ number }, thousandths, name) => ({ formula: `× ${number(thousandths / 1000)}`, name }),
  name: ({ language, number }, thousandths, name) =>
    `${name ?? words[language]} × ${number(thousandths / 1000)}`,
  tell: ({ after, language, number, points }, thousandths, name) =>
    `${name ?? words[language]} × ${number(thousandths / 1000)} = ${points(after)}`,
};

const words = { en: 'tier', es: 'nivel' };
