import { createBoundedCache } from '../bounded-cache.ts';

// To make one takes longer than the rest of a sentence, and there are few: by locale, currency and time zone.
const MOST = 500;
const numbers = createBoundedCache<string, Intl.NumberFormat>(MOST);
const dates = createBoundedCache<string, Intl.DateTimeFormat>(MOST);

/** Returns a format of numbers, the same one for the same arguments. */
export function numberFormat(locale: string, options: Intl.NumberFormatOptions = {}): Intl.NumberFormat {
  return remembered(numbers, [locale, options], () => new Intl.NumberFormat(locale, options));
}

/** Returns a format of dates, the same one for the same arguments. */
export function dateFormat(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  return remembered(dates, [locale, options], () => new Intl.DateTimeFormat(locale, options));
}

function remembered<Format extends {}>(
  known: ReturnType<typeof createBoundedCache<string, Format>>,
  asked: unknown,
  make: () => Format,
): Format {
  const key = JSON.stringify(asked);
  const found = known.get(key) ?? make();
  known.set(key, found);
  return found;
}
