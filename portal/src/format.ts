import { en, type Texts } from './texts/en.ts';
import { es } from './texts/es.ts';

/** Writes numbers, days and amounts in the reader's language. */
export interface Format {
  readonly locale: string;
  number(n: number): string;
  percent(n: number): string;
  amount(n: number): string;
  /** A day in the shop's time zone, such as 5 March 2027. */
  day(instant: string): string;
  dayAndTime(instant: string): string;
  plural(n: number, forms: { one: string; other: string; many?: string }): string;
}

/** Returns the browser's first language that the portal supports, else the shop's language, else English. */
export function pickLocale(preferred: readonly string[], shop: string): string {
  return [...preferred, shop].find((tag) => /^(en|es)\b/i.test(tag)) ?? 'en';
}

export function textsOf(locale: string): Texts {
  return /^es\b/i.test(locale) ? es : en;
}

export function createFormat(locale: string, timeZone: string, currency: string): Format {
  const number = new Intl.NumberFormat(locale, { maximumFractionDigits: 3 });
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 3 });
  const amount = new Intl.NumberFormat(locale, {
    style: 'currency',
    currency,
    // A shop has only one currency, so the symbol alone is clear.
    currencyDisplay: 'narrowSymbol',
    trailingZeroDisplay: 'stripIfInteger',
  });
  const day = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone });
  const dayAndTime = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone });
  const rules = new Intl.PluralRules(locale);
  return {
    locale,
    number: (n) => number.format(n),
    percent: (n) => percent.format(n / 100),
    amount: (n) => amount.format(n),
    day: (instant) => day.format(new Date(instant)),
    dayAndTime: (instant) => dayAndTime.format(new Date(instant)),
    plural(n, forms) {
      const form = rules.select(n);
      return form === 'one' ? forms.one : form === 'many' ? (forms.many ?? forms.other) : forms.other;
    },
  };
}
