/** The rules for profile fields, whether a member enters them or a file contains them. */
import { isDay, type Day } from '#calendar/calendar.ts';
import { isStorable, ONE_LINE } from '#text/plain-text.ts';

/** A name in a schema: one line of 1 to 100 characters. */
export const USERNAME = { minLength: 1, maxLength: 100, pattern: ONE_LINE } as const;

/** A telephone number in E.164 format: +, country and number, 7 to 15 digits. */
export const PHONE = { pattern: '^\\+[1-9][0-9]{6,14}$' } as const;

const username = new RegExp(USERNAME.pattern, 'u');
const phone = new RegExp(PHONE.pattern, 'u');

export function isUsername(text: string): boolean {
  return isStorable(text) && Array.from(text).length <= USERNAME.maxLength && username.test(text);
}

export function isPhone(text: string): boolean {
  return phone.test(text);
}

/** Returns true if the text is a day that exists, from 1900 to `today`. */
export function isBirthDate(text: string, today: Day): boolean {
  return isDay(text) && text >= '1900-01-01' && text <= today;
}
