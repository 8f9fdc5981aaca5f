/** Checks single values of a program: colors, instants, decimals, time zones, languages. */
import { readInstant } from '#calendar/instant.ts';

export function isColor(text: string): boolean {
  return /^#[0-9a-fA-F]{6}$/.test(text);
}

/** Returns true for a name exactly as IANA spells it, because the database and every browser know that spelling. */
export function isTimeZone(text: string): boolean {
  if (!/^[A-Z]/.test(text)) return false;
  try {
    return new Temporal.ZonedDateTime(0n, text).timeZoneId === text;
  } catch {
    return false;
  }
}

/** Returns true for a code of ISO 4217 that is in use. */
export function isCurrency(text: string): boolean {
  return CURRENCIES.has(text) && !Object.hasOwn(SUCCESSORS, text);
}

/** Currencies that have ended, by their successors. `Intl` lists some of them for years. */
export const SUCCESSORS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    'ATS BEF BGN CYP DEM EEK ESP FIM FRF GRD HRK IEP ITL LTL LUF LVL MTL NLG PTE SIT SKK'
      .split(' ')
      .map((ended) => [ended, 'EUR']),
  ),
  ANG: 'XCG',
  BYR: 'BYN',
  CUC: 'CUP',
  GHC: 'GHS',
  MRO: 'MRU',
  MZM: 'MZN',
  ROL: 'RON',
  SLL: 'SLE',
  STD: 'STN',
  TRL: 'TRY',
  VEB: 'VES',
  VEF: 'VES',
  ZMK: 'ZMW',
  ZWL: 'ZWG',
};

/** Returns how many of the smallest unit of a currency are one of it: 100 cents, 1 yen. */
export function smallestUnitsOf(currency: string): number {
  const { maximumFractionDigits = 0 } = new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
  }).resolvedOptions();
  return 10 ** maximumFractionDigits;
}

/** Codes in use that `Intl` does not list: contracts of some countries are written in them. */
const UNITS_OF_ACCOUNT = ['BOV', 'CHE', 'CHW', 'CLF', 'COU', 'MXV', 'USN', 'UYI', 'UYW', 'VED'];

const CURRENCIES: ReadonlySet<string> = new Set([...Intl.supportedValuesOf('currency'), ...UNITS_OF_ACCOUNT]);

export function isLocale(text: string): boolean {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(text).length === 1;
  } catch {
    return false;
  }
}

/** Returns the tag in its canonical form: `es-AR` for `ES-ar`. */
export function canonicalLocale(text: string): string {
  return Intl.getCanonicalLocales(text)[0]!;
}

/** Returns true if a number has at most three decimals, so that it is exact in thousandths. */
export function isThousandths(value: number): boolean {
  return Math.round(value * 1000) / 1000 === value;
}

/** Returns a number of at most three decimals in thousandths. The product may be off by a rounding error; the nearest integer is exact. */
export function thousandths(value: number): number {
  return Math.round(value * 1000);
}

/** Returns true if a text is an instant from 1900 to 2999: a day that exists, a time and a zone. */
export function isInstant(text: string): boolean {
  return readInstant(text) !== null;
}

/** Returns the instant as a Program stores it: in UTC, without a fraction if it is zero. */
export function normalInstant(text: string): string {
  const at = readInstant(text);
  if (!at) throw new Error(`not an instant: ${text}`);
  return at.toISOString().replace('.000Z', 'Z');
}
