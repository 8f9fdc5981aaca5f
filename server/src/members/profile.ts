/** What people may tell a commerce about themselves, whichever way it comes in. */
import type { Day } from '#commerces/calendar.ts';
import { isOneLine } from '#commerces/program-values.ts';

/** A name: one line of 1 to 100 characters. */
export function isUsername(text: string): boolean {
  return isOneLine(text, 100);
}

/** A telephone number as E.164 writes it: +, the country, the number; at most 15 digits. */
export function isPhone(text: string): boolean {
  return /^\+[1-9]\d{1,14}$/.test(text);
}

/** A day of birth: a day that exists, from 1900 to `today`. */
export function isBirthDate(text: string, today: Day): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text) && isDay(text) && text >= '1900-01-01' && text <= today;
}

function isDay(text: string): boolean {
  try {
    return Temporal.PlainDate.from(text, { overflow: 'reject' }).toString() === text;
  } catch {
    return false;
  }
}
