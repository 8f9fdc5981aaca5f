import type { Static } from 'typebox';
import type { Step } from '#points/points-for-purchase.ts';
import type { FactorSchema } from './wire.ts';

/** Returns each step of a purchase's arithmetic as it is printed, with numbers as the commerce's language writes them. */
export function factorsToWire(
  amount: number,
  factors: readonly Step[],
  locale: string,
): Static<typeof FactorSchema>[] {
  const format = new Intl.NumberFormat(locale, { maximumFractionDigits: 3 });
  const thousandths = (value: number) => format.format(value / 1000);
  return factors.map((step) => {
    const [kind, points] = step;
    if (kind === 'money') {
      const formula = `${format.format(amount)} ÷ ${thousandths(step[2])}`;
      return { kind: 'base', formula, name: null, points };
    }
    if (kind === 'double')
      return { kind: 'double_points', formula: '× 2', name: DOUBLE[languageOf(locale)], points };
    return { kind: 'level', formula: `× ${thousandths(step[2])}`, name: step[3], points };
  });
}

const DOUBLE = { en: 'double points', es: 'puntos dobles' };

function languageOf(locale: string): 'en' | 'es' {
  return locale.startsWith('es') ? 'es' : 'en';
}
