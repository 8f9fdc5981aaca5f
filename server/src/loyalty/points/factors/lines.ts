import { bestOf, isOfLines, type Multiplied } from '../rules-on-purchase.ts';
import { linesOf, type Kept } from '../line.ts';
import type { Factor } from './factor.ts';

/**
 * Does what `money` does where a rule multiplies lines or some lines earn nothing: each line counts by the highest of its multipliers, and
 * the sum is divided by the price of a point and rounded down once.
 */
export const multipliedLines: Factor<
  'lines',
  [perPointThousandths: number, multiplied: readonly Multiplied[], excluded: readonly number[]]
> = {
  kind: 'lines',
  says: ({ rules }, ruled) =>
    isOfLines(ruled) ? [rules.earning.moneyPerPointThousandths, ruled.multiplied, ruled.excluded] : null,
  after: (_, kept, perPoint, multiplied, excluded) =>
    countedOf(kept, multiplied, excluded) / BigInt(perPoint),
  line: ({ kept, number }, perPoint, multiplied, excluded) => ({
    formula: `${number(Number(countedOf(kept, multiplied, excluded)) / 1000)} ÷ ${number(perPoint / 1000)}`,
    name: titlesOf(kept, multiplied),
  }),
  name: ({ kept }, _, multiplied) => titlesOf(kept, multiplied),
  tell({ after, kept, language, number, points }, perPoint, multiplied, excluded) {
    const counted = number(Number(countedOf(kept, multiplied, excluded)) / 1000);
    const parts = partsOf(kept, multiplied, excluded).map(({ amount, rule }) => {
      if (rule === null) return number(amount);
      const [times, title] = rule === 'excluded' ? [0, words[language]] : [rule[2] / 1000, rule[1]];
      return `${number(amount)} × ${number(times)} (${title})`;
    });
    return `${parts.join(' + ')} = ${counted}; ${counted} ÷ ${number(perPoint / 1000)} = ${points(after)}`;
  },
};

/** Returns what counts of the lines, in thousandths of the currency unit. */
function countedOf(kept: Kept, multiplied: readonly Multiplied[], excluded: readonly number[]): bigint {
  const lines = linesOf(kept);
  const best = bestOf(multiplied, kept.amount, lines.length);
  return lines.reduce(
    (sum, [amount], place) =>
      excluded.includes(place) ? sum : sum + BigInt(amount) * BigInt(best[place]?.[2] ?? 1000),
    0n,
  );
}

interface Part {
  amount: number;
  /** Null for lines that count as they are. */
  readonly rule: Multiplied | 'excluded' | null;
}

/** Returns the amounts that count alike, in the order of their first lines. */
function partsOf(
  kept: Kept,
  multiplied: readonly Multiplied[],
  excluded: readonly number[],
): readonly Part[] {
  const lines = linesOf(kept);
  const best = bestOf(multiplied, kept.amount, lines.length);
  const parts = new Map<Part['rule'], Part>();
  for (const [place, [amount]] of lines.entries()) {
    const rule = excluded.includes(place) ? 'excluded' : (best[place] ?? null);
    const part = parts.get(rule) ?? { amount: 0, rule };
    part.amount += amount;
    parts.set(rule, part);
  }
  return [...parts.values()];
}

function titlesOf(kept: Kept, multiplied: readonly Multiplied[]): string | null {
  const best = bestOf(multiplied, kept.amount, linesOf(kept).length);
  const titles = [...new Set(best.flatMap((rule) => rule?.[1] ?? []))];
  return titles.length === 0 ? null : titles.join(', ');
}

const words = { en: 'earns nothing', es: 'no suma' };
