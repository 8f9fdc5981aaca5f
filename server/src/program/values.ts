/** What single values of a program have to be: texts, addresses, instants, decimals, names that the world defines. */

const LONGEST_ADDRESS = 2048;
const INSTANT =
  /^((?:19|2\d)\d\d-\d\d-\d\d)[Tt ]((?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,3})?)?) ?([Zz]|[+-](?:0\d|1[0-4])(?::?[0-5]\d)?)$/;
// A line break in a name would become a header of a mail; U+2028 and U+2029 break lines too.
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}\ufeff\ufffe\uffff]/u;
const CONTROL_BUT_LAYOUT = /[^\P{Cc}\t\n]|[\p{Zl}\p{Zp}\ufeff\ufffe\uffff]/u;

/** One line that says something: no control characters, no half of a surrogate pair, not only blanks. */
export function isOneLine(text: string, maxLength: number): boolean {
  return text.length <= maxLength && text.trim() !== '' && text.isWellFormed() && !CONTROL.test(text);
}

/** Text that may have lines and tabs, and nothing else that a terminal or a mail would obey. */
export function isText(text: string, maxLength: number): boolean {
  return text.length <= maxLength && text.isWellFormed() && !CONTROL_BUT_LAYOUT.test(text);
}

export function isColor(text: string): boolean {
  return /^#[0-9a-fA-F]{6}$/.test(text);
}

/** https; http for a developer's own machine only, so that no page of a shop mixes in what can be altered on the way. */
export function isWebAddress(text: string): boolean {
  if (text.length > LONGEST_ADDRESS || /\s/.test(text) || CONTROL.test(text) || !text.isWellFormed())
    return false;
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
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
  return instantOf(text) !== null;
}

/** The instant in the one form that a Program keeps: UTC, without a fraction that is zero. */
export function normalInstant(text: string): string {
  const at = instantOf(text);
  if (!at) throw new Error(`not an instant: ${text}`);
  return at.toISOString().replace('.000Z', 'Z');
}

function instantOf(text: string): Date | null {
  const match = INSTANT.exec(text);
  if (!match) return null;
  try {
    const { epochMilliseconds } = Temporal.Instant.from(`${match[1]}T${match[2]}${match[3]}`.toUpperCase());
    return new Date(epochMilliseconds);
  } catch {
    return null;
  }
}
