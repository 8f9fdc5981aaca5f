/** Writes numbers with at most three decimals, such as `12,345`. */
export function numberFormat(locale: string): Intl.NumberFormat {
  return new Intl.NumberFormat(locale, { maximumFractionDigits: 3 });
}

/** Writes money without cents that are zero. A shop has only one currency, so its short symbol is clear. */
export function moneyFormat(locale: string, currency: string): Intl.NumberFormat {
  return new Intl.NumberFormat(locale, {
    style: 'currency',
    currency,
    currencyDisplay: 'narrowSymbol',
    trailingZeroDisplay: 'stripIfInteger',
  });
}

/** Writes instants by a time zone, each in one of the ways that the pages use. */
export interface Dates {
  /** `17 June 2026`. */
  readonly day: Intl.DateTimeFormat;
  /** `17 June`. */
  readonly shortDay: Intl.DateTimeFormat;
  readonly time: Intl.DateTimeFormat;
  /** `2026-06-17`. */
  readonly iso: Intl.DateTimeFormat;
  /** Any other way. */
  readonly by: (options: Intl.DateTimeFormatOptions) => Intl.DateTimeFormat;
  /** Today, yesterday, or a weekday of the last week. Null further back, and for days to come. */
  readonly recentDay: (daysAgo: number, at: Date) => string | null;
  /** Today, tomorrow, or a weekday of the coming week. Null further on, and for days gone by. */
  readonly comingDay: (daysAhead: number, at: Date) => string | null;
}

export function dateFormats(locale: string, timeZone: string): Dates {
  const by = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locale, { ...options, timeZone });
  const weekday = by({ weekday: 'long' });
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  const nearDay = (days: number, direction: 1 | -1, at: Date) => {
    if (days === 0 || days === 1) return relative.format(days * direction, 'day');
    return days > 1 && days < 7 ? weekday.format(at) : null;
  };
  return {
    day: by({ dateStyle: 'long' }),
    shortDay: by({ day: 'numeric', month: 'long' }),
    time: by({ timeStyle: 'short' }),
    iso: new Intl.DateTimeFormat('en-CA', { dateStyle: 'short', timeZone }),
    by,
    recentDay: (daysAgo, at) => nearDay(daysAgo, -1, at),
    comingDay: (daysAhead, at) => nearDay(daysAhead, 1, at),
  };
}

export interface PluralForms {
  readonly one: string;
  readonly other: string;
  readonly many?: string;
}

/** Returns the function that picks the form of a word for a number. */
export function pluralFormat(locale: string): (n: number, forms: PluralForms) => string {
  const rules = new Intl.PluralRules(locale);
  return (n, forms) => {
    const form = rules.select(n);
    return form === 'one' ? forms.one : form === 'many' ? (forms.many ?? forms.other) : forms.other;
  };
}

/** Writes a code in groups that can be read out: `482 915 374`, `1234 5678 9012 34`. */
export function inGroups(code: number | string): string {
  const digits = String(code);
  return digits.replaceAll(digits.length === 9 ? /\d{3}(?=\d)/g : /\d{4}(?=\d)/g, '$& ');
}
