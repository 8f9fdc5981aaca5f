import { types } from 'pg';

/**
 * Reads a timestamptz as PostgreSQL writes it. In UTC, where the service's own PostgreSQL is, it takes a quarter of the driver's
 * time, and a page of a history has twenty of them.
 */
export function readStoredInstant(text: string): unknown {
  const year = digits(text, 0) * 100 + digits(text, 2);
  // `Date.UTC` takes the years before 100 for those of the last century.
  if (!isInUtc(text) || year < 100) return readAny(text);
  const milliseconds = text[19] === '.' ? digit(text, 20) * 100 + digits(text, 21) : 0;
  return new Date(
    Date.UTC(
      year,
      digits(text, 5) - 1,
      digits(text, 8),
      digits(text, 11),
      digits(text, 14),
      digits(text, 17),
      milliseconds,
    ),
  );
}

const readAny = types.getTypeParser(types.builtins.TIMESTAMPTZ);

/** `2026-11-22 17:24:03.5+00`: a year of four digits, and no time zone but UTC. The fraction has up to six digits. */
function isInUtc(text: string): boolean {
  return text[4] === '-' && text[10] === ' ' && text.endsWith('+00');
}

function digits(text: string, at: number): number {
  return digit(text, at) * 10 + digit(text, at + 1);
}

/** Returns 0 for what is no digit, because PostgreSQL leaves out the zeros at the end of a fraction. */
function digit(text: string, at: number): number {
  const value = text.charCodeAt(at) - 48;
  return value >= 0 && value <= 9 ? value : 0;
}
