import { bestOf, isOfLines, type Multiplied } from '../rules-on-purchase.ts';
import { linesOf, type Kept } from '../line.ts';
import { carriedTo, type Carried } from '../remainder.ts';
import type { Factor } from './factor.ts';

/** The carried remainder is absent where the program carries none. */
type Said = [
  perPointThousandths: number,
  multiplied: readonly Multiplied[],
  excluded: readonly number[],
  carried?: Carried,
];

/**
 * Does what `money` does where a rule multiplies lines, some lines earn nothing, or what was left of earlier purchases counts too: each line
 * counts by the highest of its multipliers, and the sum is divided by the price of a point and rounded down once.
 */
export const multipliedLines: Factor<'lines', Said> = {
  kind: 'lines',
  says(purchase, ruled) {
    const carried = carriedTo(purchase);
    const { moneyPerPointThousandths: perPoint } = purchase.rules.earning;
    if (carried === null) return isOfLines(ruled) ? [perPoint, ruled.multiplied, ruled.excluded] : null;
    return [perPoint, ruled?.multiplied ?? [], ruled?.excluded ?? [], carried];
  },
  after: (_, kept, ...said) => pointsOf(sumOf(kept, said), said),
  line: ({ kept, number }, ...said) => ({
    formula: `${number(Number(sumOf(kept, said)) / 1000)} ÷ ${number(said[0] / 1000)}`,
    name: titlesOf(kept, said[1]),
  }),
  name: ({ kept }, _, multiplied) => titlesOf(kept, multiplied),
  tell({ after, kept, language, number, points }, ...said) {
    const [perPoint, multiplied, excluded, [used] = [0]] = said;
    const sum = number(Number(sumOf(kept, said)) / 1000);
    const parts = partsOf(kept, multiplied, excluded).map(({ amount, rule }) => {
      if (rule === null) return number(amount);
      const [times, title] = rule === 'excluded' ? [0, words[language].nothing] : [rule[2] / 1000, rule[1]];
      return `${number(amount)} × ${number(times)} (${title})`;
    });
    const carried =
      used === 0
        ? ''
        : ` ${used < 0 ? '−' : '+'} ${number(Math.abs(used) / 1000)} (${words[language].carried})`;
    const price = `${sum} ÷ ${number(perPoint / 1000)} = ${points(after)}`;
    const isPlain = parts.length === 1 && multiplied.length + excluded.length === 0 && used === 0;
    return isPlain ? price : `${parts.join(' + ')}${carried} = ${sum}; ${price}`;
  },
};

/**
 * Returns by how much what waits of the member's money changed with a purchase, if this is kept of it: what counts and makes no point. A
 * purchase that was returned as a whole changes nothing. In thousandths of the currency unit.
 */
export function remainderBy(kept: Kept, ...said: Said): bigint {
  const [perPoint, multiplied, excluded, carried] = said;
  if (carried === undefined || kept.amount === 0) return 0n;
  const points = pointsOf(sumOf(kept, said), said);
  return countedOf(kept, multiplied, excluded) - points * BigInt(perPoint) - BigInt(carried[1]);
}

function sumOf(kept: Kept, [, multiplied, excluded, carried]: Said): bigint {
  return countedOf(kept, multiplied, excluded) + BigInt(carried?.[0] ?? 0);
}

/** A sum below zero makes no points; all of it goes on to the next purchase. */
function pointsOf(sum: bigint, [perPoint]: Said): bigint {
  return sum < 0n ? 0n : sum / BigInt(perPoint);
}

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

const words = {
  en: { nothing: 'earns nothing', carried: 'left from before' },
  es: { nothing: 'no suma', carried: 'quedaba de antes' },
};
