import {
  dateFormats,
  moneyFormat,
  numberFormat,
  pluralFormat,
  type PluralForms,
} from '@loyalty/ui/format.ts';
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
  /** The same without the year if it is this year's: 5 March. */
  shortDay(instant: string, now: Date): string;
  /** Today, yesterday, a weekday of the last week, or the short day. */
  recentDay(instant: string, now: Date): string;
  /** The last day before this instant: today, tomorrow, a weekday of the coming week, or the short day. */
  lastDay(instant: string, now: Date): string;
  /**
   * The day of this instant and, unless it begins a day, the time: tomorrow, 07:00. If it is an end, that of a day, also its last second, is
   * said by that day.
   */
  moment(instant: string, now: Date, isEnd?: boolean): string;
  time(instant: string): string;
  /** A month, with its year if it is not this year's, as a heading. */
  month(instant: string, now: Date): string;
  /** The same, short enough for a table. */
  shortMonth(instant: string, now: Date): string;
  /** The hour of the day in the shop's time zone, from 0 to 23. */
  hour(now: Date): number;
  plural(n: number, forms: PluralForms): string;
}

/** Returns the browser's first language that the portal supports, else the shop's language, else English. */
export function pickLocale(preferred: readonly string[], shop: string): string {
  return [...preferred, shop].find((tag) => /^(en|es)\b/i.test(tag)) ?? 'en';
}

export function textsOf(locale: string): Texts {
  return /^es\b/i.test(locale) ? es : en;
}

export function createFormat(locale: string, timeZone: string, currency: string): Format {
  const number = numberFormat(locale);
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 3 });
  const amount = moneyFormat(locale, currency);
  const dates = dateFormats(locale, timeZone);
  const monthOnly = dates.by({ month: 'long' });
  const monthAndYear = dates.by({ month: 'long', year: 'numeric' });
  const shortMonth = dates.by({ month: 'short', year: 'numeric' });
  const hour = new Intl.DateTimeFormat('en', { hour: 'numeric', hourCycle: 'h23', timeZone });
  /** The local day as a number, so that days can be compared and counted. */
  const dayNumber = (at: Date) => Date.parse(dates.iso.format(at)) / 86_400_000;
  const yearOf = (at: Date) => dates.iso.format(at).slice(0, 4);
  const shorten = (at: Date, now: Date) =>
    (yearOf(at) === yearOf(now) ? dates.shortDay : dates.day).format(at);
  const comingDay = (at: Date, now: Date) =>
    dates.comingDay(dayNumber(at) - dayNumber(now), at) ?? shorten(at, now);
  return {
    locale,
    number: (n) => number.format(n),
    percent: (n) => percent.format(n / 100),
    amount: (n) => amount.format(n),
    day: (instant) => dates.day.format(new Date(instant)),
    shortDay: (instant, now) => shorten(new Date(instant), now),
    recentDay(instant, now) {
      const at = new Date(instant);
      return dates.recentDay(dayNumber(now) - dayNumber(at), at) ?? shorten(at, now);
    },
    lastDay: (instant, now) => comingDay(new Date(Date.parse(instant) - 1), now),
    moment(instant, now, isEnd = false) {
      const at = new Date(instant);
      const before = new Date(at.getTime() - 1);
      const after = new Date(at.getTime() + (isEnd ? 1_000 : 0));
      if (dayNumber(before) < dayNumber(after)) return comingDay(isEnd ? before : at, now);
      return `${comingDay(at, now)}, ${dates.time.format(at)}`;
    },
    time: (instant) => dates.time.format(new Date(instant)),
    month(instant, now) {
      const at = new Date(instant);
      return capitalize((yearOf(at) === yearOf(now) ? monthOnly : monthAndYear).format(at), locale);
    },
    shortMonth(instant, now) {
      const at = new Date(instant);
      return capitalize((yearOf(at) === yearOf(now) ? monthOnly : shortMonth).format(at), locale);
    },
    hour: (now) => Number(hour.format(now)),
    plural: pluralFormat(locale),
  };
}

export function capitalize(text: string, locale: string): string {
  return text.slice(0, 1).toLocaleUpperCase(locale) + text.slice(1);
}
