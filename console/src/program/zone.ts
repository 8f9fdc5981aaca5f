/** Days and hours of the shop's time zone, as the browser's own inputs take them: `2026-11-30` and `2026-11-30T18:00`. */

/** Returns the local day and time of an instant, or an empty text if it is not one. */
export function localTimeOf(instant: string, timeZone: string): string {
  const at = new Date(instant);
  if (Number.isNaN(at.getTime())) return '';
  const parts = formatIn(timeZone).formatToParts(at);
  const find = (kind: string) => parts.find(({ type }) => type === kind)?.value ?? '';
  return `${find('year').padStart(4, '0')}-${find('month')}-${find('day')}T${find('hour')}:${find('minute')}`;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function formatIn(timeZone: string): Intl.DateTimeFormat {
  let format = formats.get(timeZone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-CA', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
    });
    formats.set(timeZone, format);
  }
  return format;
}

/** Returns the instant of a local time, as the program stores it, or null. An hour that a change of clocks skips is moved on. */
export function instantOf(local: string, timeZone: string): string | null {
  const wanted = Date.parse(`${local}Z`);
  if (Number.isNaN(wanted)) return null;
  let at = wanted;
  // Two steps are enough: the second sees the offset that is in force near the answer.
  for (let step = 0; step < 2; step++) {
    const shown = Date.parse(`${localTimeOf(new Date(at).toISOString(), timeZone)}Z`);
    at += wanted - shown;
  }
  return new Date(at).toISOString().replace('.000Z', 'Z');
}

export function addDays(day: string, days: number): string {
  const at = Date.parse(`${day}T00:00Z`);
  return Number.isNaN(at) ? '' : new Date(at + days * 86_400_000).toISOString().slice(0, 10);
}
