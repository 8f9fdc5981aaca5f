/** Where a shop probably is, from the settings of a machine or a browser: good defaults for the first questions. */

export interface Place {
  readonly timeZone: string;
  /** Such as es-AR. */
  readonly locale: string;
  readonly currency: string;
}

/** @param env the variables that set the language of a shell */
export function guessPlace(
  env: Readonly<Record<string, string | undefined>>,
  zone = Intl.DateTimeFormat().resolvedOptions().timeZone,
): Place {
  const locale = readLocale(env['LC_ALL'] || env['LC_MESSAGES'] || env['LANG'] || '');
  // The zone says more than the language: many people in Berlin or Tokyo use their machine in American English.
  const region = regionOf(zone) ?? (isNowhere(zone) ? locale.region : undefined);
  return {
    timeZone: isNowhere(zone) ? 'UTC' : zone,
    locale: locale.toString(),
    currency: (region === undefined ? undefined : currencyOf(region)) ?? 'USD',
  };
}

/** Returns a round sum that buys something small. For it, a purchase earns one point. */
export function roundSumIn(currency: string): number {
  return ROUND_SUMS[currency] ?? 1;
}

/** Reads a locale of a shell, such as es_AR.UTF-8. C and POSIX stand for none. */
function readLocale(text: string): Intl.Locale {
  const tag = text.split(/[.@]/, 1)[0]!.replaceAll('_', '-');
  try {
    return new Intl.Locale(tag === '' || /^(c|posix)$/i.test(tag) ? 'en' : tag);
  } catch {
    return new Intl.Locale('en');
  }
}

function isNowhere(zone: string): boolean {
  return /^(UTC|GMT|Etc\/.*)$/.test(zone);
}

function currencyOf(region: string): string | undefined {
  return Object.keys(REGIONS).find((currency) => REGIONS[currency]!.split(' ').includes(region));
}

function regionOf(zone: string): string | undefined {
  const regions = Object.values(REGIONS).flatMap((list) => list.split(' '));
  return regions.find((region) => zonesOf(region).some((other) => areSameZone(zone, other)));
}

/** A zone can have an old and a new name. */
function areSameZone(one: string, other: string): boolean {
  return new Temporal.ZonedDateTime(0n, one).equals(new Temporal.ZonedDateTime(0n, other));
}

function zonesOf(region: string): readonly string[] {
  return (new Intl.Locale('und', { region }) as { getTimeZones?: () => string[] }).getTimeZones?.() ?? [];
}

const REGIONS: Readonly<Record<string, string>> = {
  USD: 'US PR EC SV PA',
  EUR: 'ES DE FR IT PT NL BE AT IE FI GR LU SK SI EE LV LT MT CY HR BG',
  ARS: 'AR',
  AUD: 'AU',
  BOB: 'BO',
  BRL: 'BR',
  CAD: 'CA',
  CHF: 'CH LI',
  CLP: 'CL',
  CNY: 'CN',
  COP: 'CO',
  CRC: 'CR',
  CZK: 'CZ',
  DKK: 'DK',
  DOP: 'DO',
  GBP: 'GB',
  GTQ: 'GT',
  HUF: 'HU',
  INR: 'IN',
  JPY: 'JP',
  KRW: 'KR',
  MXN: 'MX',
  NOK: 'NO',
  NZD: 'NZ',
  PEN: 'PE',
  PLN: 'PL',
  PYG: 'PY',
  RON: 'RO',
  SEK: 'SE',
  TRY: 'TR',
  UYU: 'UY',
  ZAR: 'ZA',
};

/** For currencies whose unit is small. */
const ROUND_SUMS: Readonly<Record<string, number>> = {
  ARS: 1000,
  CLP: 1000,
  COP: 1000,
  CRC: 500,
  CZK: 20,
  DKK: 10,
  DOP: 50,
  GTQ: 10,
  HUF: 500,
  INR: 100,
  JPY: 100,
  KRW: 1000,
  MXN: 10,
  NOK: 10,
  PYG: 5000,
  SEK: 10,
  TRY: 50,
  UYU: 50,
  ZAR: 10,
};
