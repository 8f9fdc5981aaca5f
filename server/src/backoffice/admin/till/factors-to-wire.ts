import type { Static } from 'typebox';
import { lineOfStep } from '#points/points-for-purchase.ts';
import type { Explained } from '#purchases/explain-purchase.ts';
import { numberFormat } from '#text/formats.ts';
import { factorKindToWire, type FactorSchema } from './wire.ts';

/** Returns each step of a purchase's arithmetic as it is printed, with numbers as the commerce's language writes them. */
export function factorsToWire(
  { factors, ...kept }: Explained,
  locale: string,
): Static<typeof FactorSchema>[] {
  const format = numberFormat(locale, { maximumFractionDigits: 3 });
  const language = locale.startsWith('es') ? 'es' : 'en';
  return factors.flatMap((step, i) => {
    const [kind, points] = step;
    // A cap that cuts nothing is not printed.
    const before = factors[i - 1]?.[1] ?? kept.amount;
    if (kind === 'cap' && points === before) return [];
    const line = lineOfStep(step, { before, kept, language, number: (value) => format.format(value) });
    return { kind: factorKindToWire(kind), ...line, points };
  });
}
