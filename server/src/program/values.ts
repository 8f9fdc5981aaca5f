/** What single values of a program have to be: colours, instants, decimals, names that the world defines. */
import { readInstant } from '#calendar/instant.ts';

export function isColor(text: string): boolean {
  return /^#[0-9a-fA-F]{6}$/.test(text);
}

/** Written as IANA writes it, so that the database and every browser know it by the same name. */
export function isTimeZone(text: string): boolean {
  if (!/^[A-Z]/.test(text)) return false;
  try {
    return new Temporal.ZonedDateTime(0n, text).timeZoneId === text;
  } catch {
    return false;
  }
}

export function isLocale(text: string): boolean {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(text).length === 1;
  } catch {
    return false;
  }
}

/** Whether a number is exact in thousandths: it has at most three decimals. */
export function isThousandths(value: number): boolean {
  return Math.round(value * 1000) / 1000 === value;
}

/** Whether a text is an instant: a day that exists, a time and a zone, from 1900 to 2999. */
export function isInstant(text: string): boolean {
  return readInstant(text) !== null;
}

/** The instant in the one form that a Program keeps: UTC, without a fraction that is zero. */
export function normalInstant(text: string): string {
  const at = readInstant(text);
  if (!at) throw new Error(`not an instant: ${text}`);
  return at.toISOString().replace('.000Z', 'Z');
}
