import type { Day } from '#calendar/calendar.ts';
import { normaliseEmail, whyNoEmail } from '#text/email-address.ts';
import { quote } from '#text/quote.ts';
import { unguardCell } from '#text/spreadsheet-cell.ts';
import { isBirthDate, isPhone, isUsername } from '#members/profile.ts';

/** A person as described by a row of a file. */
export interface NewPerson {
  /** Normalised. */
  readonly email: string;
  readonly username: string;
  readonly birthDate: Day | null;
  readonly phone: string | null;
  /** The points that they bring from elsewhere. Null if the row says nothing about points. */
  readonly openingPoints: number | null;
  /** A sentence for each optional field that has no usable value. */
  readonly leftOut: readonly string[];
}

/** The texts of one row by column. A column that the file does not have is absent. An empty text means no value. */
export type MemberFields = Partial<Record<'email' | 'username' | 'birth_date' | 'phone' | 'points', string>>;

/**
 * Returns the person in a row, or the reason why the row is invalid. The name defaults to the local part of the
 * address. An optional field with an invalid value is left out, because the points matter more than a telephone number.
 */
export function readMemberRow(fields: MemberFields, today: Day): NewPerson | { readonly reason: string } {
  const { birth_date: birthDate = '', points = '' } = fields;
  // An export of ours guards texts that a spreadsheet would run.
  const [address, username, phone] = [fields.email, fields.username, fields.phone].map((text = '') =>
    unguardCell(text),
  ) as [string, string, string];
  if (address === '') return { reason: 'email is missing' };
  const email = normaliseEmail(address);
  if (email === null) return { reason: `email ${quote(address)}: ${whyNoEmail(address)}` };
  if (points !== '' && !isOpeningBalance(points)) {
    return { reason: `points must be a whole number from 0 to ${MOST_POINTS}, not ${quote(points)}` };
  }
  const leftOut: string[] = [];
  const take = (name: string, text: string, isRight: boolean, advice: string) => {
    if (text === '' || isRight) return text === '' ? null : text;
    leftOut.push(`${name} ${quote(text)} left out: ${advice}`);
    return null;
  };
  const dialled = withoutMarks(phone);
  const name = take('username', username, isUsername(username), 'write one line of at most 100 characters');
  return {
    email,
    username: name ?? email.slice(0, email.indexOf('@')),
    birthDate: take(
      'birth_date',
      birthDate,
      isBirthDate(birthDate, today),
      'write a day, such as 1990-12-31, from 1900 to today',
    ),
    phone:
      take('phone', phone, isPhone(dialled), 'write it with the country code, such as +5491122334455') &&
      dialled,
    openingPoints: points === '' ? null : Number(points),
    leftOut,
  };
}

/** Removes the marks between digits. A zero in brackets is not dialled after a country code, so such a number stays. */
function withoutMarks(phone: string): string {
  return phone.includes('(0)') ? phone : phone.replaceAll(/[\s()./-]/g, '');
}

// Far above any real balance, but low enough that a lifetime of earning can be added without exceeding a safe
// integer.
const MOST_POINTS = 1_000_000_000_000;

function isOpeningBalance(text: string): boolean {
  return /^\d{1,13}$/.test(text) && Number(text) <= MOST_POINTS;
}
