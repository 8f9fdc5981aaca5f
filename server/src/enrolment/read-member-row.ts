import type { Day } from '#calendar/calendar.ts';
import { normaliseEmail, whyNoEmail } from '#text/email-address.ts';
import { isBirthDate, isPhone, isUsername } from '#members/profile.ts';

/** A person as a file tells of them. */
export interface NewPerson {
  /** Normalised. */
  readonly email: string;
  readonly username: string;
  readonly birthDate: Day | null;
  readonly phone: string | null;
  /** What they bring along from elsewhere; 0 for nothing. */
  readonly openingPoints: number;
}

/** The texts of one row by column; a column that the file has not is absent, an empty text says nothing. */
export type MemberFields = Partial<Record<'email' | 'username' | 'birth_date' | 'phone' | 'points', string>>;

/** The person that a row tells of, or why it tells of none. Names default to the local part of the address. */
export function readMemberRow(fields: MemberFields, today: Day): NewPerson | { readonly reason: string } {
  const { email: address = '', username = '', birth_date: birthDate = '', phone = '', points = '' } = fields;
  if (address === '') return { reason: 'email is missing' };
  const email = normaliseEmail(address);
  if (email === null) return { reason: `email: ${whyNoEmail(address)}` };
  if (username !== '' && !isUsername(username)) {
    return { reason: 'username must be one line of at most 100 characters' };
  }
  if (birthDate !== '' && !isBirthDate(birthDate, today)) {
    return { reason: 'birth_date must be a day that exists and has come, as 1990-12-31' };
  }
  if (phone !== '' && !isPhone(phone)) {
    return { reason: 'phone must be a number with its country, as +5491122334455' };
  }
  if (points !== '' && !isOpeningBalance(points)) {
    return { reason: `points must be a whole number from 0 to ${MOST_POINTS}` };
  }
  return {
    email,
    username: username === '' ? email.slice(0, email.indexOf('@')) : username,
    birthDate: birthDate === '' ? null : birthDate,
    phone: phone === '' ? null : phone,
    openingPoints: Number(points),
  };
}

// Far above any balance, and far enough below what a number can count that a lifetime of earning fits on top.
const MOST_POINTS = 1_000_000_000_000;

function isOpeningBalance(text: string): boolean {
  return /^\d{1,13}$/.test(text) && Number(text) <= MOST_POINTS;
}
