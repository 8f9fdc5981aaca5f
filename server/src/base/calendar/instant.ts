const INSTANT =
  /^((?:19|2\d)\d\d-\d\d-\d\d)[Tt ]((?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,3})?)?) ?([Zz]|[+-](?:0\d|1[0-4])(?::?[0-5]\d)?)$/;

/**
 * Reads an instant: a day that exists, a time and a time zone, from 1900 to 2999, to the millisecond. Returns null if
 * the text is not one.
 */
export function readInstant(text: string): Date | null {
  const [, day, time, zone = ''] = INSTANT.exec(text) ?? [];
  if (day === undefined || time === undefined) return null;
  try {
    return new Date(Temporal.Instant.from(`${day}T${time}${zone.toUpperCase()}`).epochMilliseconds);
  } catch {
    return null;
  }
}
