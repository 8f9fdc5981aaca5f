import {
  dateFormats,
  moneyFormat,
  numberFormat,
  pluralFormat,
  type PluralForms,
} from '@loyalty/ui/format.ts';
import { createContext, useContext } from 'react';

/** Writes numbers, money and time in the reader's language, by the shop's currency and time zone. */
export interface Format {
  readonly locale: string;
  /** `12,345`. A true minus sign stands before negative numbers. */
  readonly number: (n: number) => string;
  /** `+12` or `−12`: a change of a balance. */
  readonly change: (n: number) => string;
  /** `$ 1,750`, without cents that are zero. */
  readonly money: (amount: number) => string;
  /** `17 June`, with the year unless it is this one. Takes an instant or a day `YYYY-MM-DD`. */
  readonly day: (at: string) => string;
  /** `17 June 2026, 14:05`. */
  readonly dayAndTime: (at: string) => string;
  /** `June 2026`. */
  readonly month: (at: string) => string;
  readonly time: (at: string) => string;
  /** `today`, `yesterday`, a weekday of the last week, or the day. Put `dayAndTime` beside it, or into its `title`. */
  readonly recentDay: (at: string) => string;
  readonly plural: (n: number, forms: PluralForms) => string;
}

export const FormatContext = createContext<Format>(createFormat('en', 'UTC', 'EUR'));
export const useFormat = (): Format => useContext(FormatContext);

/** `now` is the commerce's own time, which a sandbox may have moved. */
export function createFormat(
  locale: string,
  timeZone: string,
  currency: string,
  now: () => Date = () => new Date(),
): Format {
  const number = numberFormat(locale);
  const change = new Intl.NumberFormat(locale, { signDisplay: 'exceptZero' });
  const money = moneyFormat(locale, currency);
  const dates = dateFormats(locale, timeZone);
  const month = dates.by({ month: 'long', year: 'numeric' });
  const both = dates.by({ dateStyle: 'long', timeStyle: 'short' });
  const { iso } = dates;

  const dayOf = (at: string | Date) =>
    typeof at === 'string' && isDay(at) ? at : iso.format(typeof at === 'string' ? new Date(at) : at);
  const shorten = (at: string) => {
    const day = dayOf(at);
    // Noon by UTC is on the same day in the shop's zone, or is moved there by the zone itself.
    const instant = isDay(at) ? noonOf(at, iso) : new Date(at);
    return day.slice(0, 4) === dayOf(now()).slice(0, 4)
      ? dates.shortDay.format(instant)
      : dates.day.format(instant);
  };
  const withMinus = (text: string) => text.replace('-', '−');

  return {
    locale,
    number: (n) => withMinus(number.format(n)),
    change: (n) => withMinus(change.format(n)),
    money: (amount) => withMinus(money.format(amount)),
    day: shorten,
    dayAndTime: (at) => both.format(new Date(at)),
    month: (at) => month.format(new Date(at)),
    time: (at) => dates.time.format(new Date(at)),
    recentDay(at) {
      const ago = (Date.parse(dayOf(now())) - Date.parse(dayOf(at))) / 86_400_000;
      return dates.recentDay(ago, new Date(at)) ?? shorten(at);
    },
    plural: pluralFormat(locale),
  };
}

/** Up to two letters for a person without a picture. */
export function initials(name: string | null): string {
  const words = (name ?? '').trim().split(/\s+/).filter(Boolean);
  const ends = words.length > 1 ? [words[0]!, words.at(-1)!] : words;
  return ends.map(firstLetter).join('') || '–';
}

/** A capital letter, or whatever the text begins with: a letter may be made of several characters. */
export function firstLetter(text: string): string {
  const [first] = new Intl.Segmenter().segment(text.trim());
  return first?.segment.toLocaleUpperCase() ?? '';
}

const isDay = (at: string) => /^\d{4}-\d{2}-\d{2}$/.test(at);

/** An instant that lies on this local day, in whatever zone. */
function noonOf(day: string, iso: Intl.DateTimeFormat): Date {
  const noon = new Date(`${day}T12:00:00Z`);
  for (const shift of [0, -12, 12]) {
    const at = new Date(noon.getTime() + shift * 3_600_000);
    if (iso.format(at) === day) return at;
  }
  return noon;
}
