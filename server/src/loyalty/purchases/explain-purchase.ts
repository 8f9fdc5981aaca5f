import type { Kept } from '#points/line.ts';
import { numberFormat } from '#text/formats.ts';
import { languageOf } from '#text/language.ts';
import { nameStep, tellStep, type Step } from '#points/points-for-purchase.ts';

/** The computation of a purchase's points. */
export interface Explained extends Kept {
  readonly factors: readonly Step[];
}

/** Returns what increased a purchase's points, in a few words: `double points, Captain × 1.5`. Null if nothing did. */
export function nameFactors({ factors, ...kept }: Explained, locale: string): string | null {
  const format = numberFormat(locale, { maximumFractionDigits: 3 });
  const told = { language: languageOf(locale), number: (value: number) => format.format(value), kept };
  const names = factors.map((step) => nameStep(step, told)).filter((name) => name !== null);
  return names.length === 0 ? null : names.join(', ');
}

/** Returns one sentence in the commerce's language with each step of the computation, in the order of the API contract. */
export function explainPurchase({ factors, ...kept }: Explained, locale: string): string {
  const language = languageOf(locale);
  const format = numberFormat(locale, { maximumFractionDigits: 3 });
  const number = (value: number) => format.format(value);
  const points = (count: number) => `${number(count)} ${words[language][count === 1 ? 'one' : 'other']}`;
  const steps = factors.map((step, i) =>
    tellStep(step, { before: factors[i - 1]?.[1] ?? kept.amount, kept, language, number, points }),
  );
  return `${steps.filter((step) => step !== null).join('; ')}.`;
}

const words = { en: { one: 'point', other: 'points' }, es: { one: 'punto', other: 'puntos' } };
