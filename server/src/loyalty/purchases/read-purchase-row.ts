import { isDay } from '#calendar/calendar.ts';
import { readInstant } from '#calendar/instant.ts';
import { normaliseEmail, whyNoEmail } from '#text/email-address.ts';
import { isOneLine } from '#text/plain-text.ts';
import { quote } from '#text/quote.ts';
import type { Line } from '#points/line.ts';
import type { ComparedFacts } from '#points/purchase-facts.ts';
import { isWord, readRowLines } from './read-row-lines.ts';

/** The most characters of a shop's own id of a purchase. */
export const EXTERNAL_ID_CHARACTERS = 255;

/** A purchase in a file. It is flat because many are in memory at once. */
export interface PurchaseRow extends ComparedFacts {
  /** A client code, or a normalised address. */
  readonly buyer: number | string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** The content of the row in normalised form. */
  readonly when: string;
  readonly externalId: string | null;
  /** Absent if the row does not say where it was sold. */
  readonly channel?: string;
  /** Absent if the row does not say what was sold. */
  readonly lines?: readonly Line[];
}

/** The values of one row by column. A column that the file lacks is absent. An empty value counts as missing. */
export type PurchaseFields = Partial<
  Record<
    | 'client_code'
    | 'client_email'
    | 'amount'
    | 'date'
    | 'id_suc'
    | 'counter_id'
    | 'external_id'
    | 'channel'
    | 'lines',
    string
  >
>;

/** Returns the purchase in a row, or the reason why there is none. `now` is the commerce's clock. */
export function readPurchaseRow(
  fields: PurchaseFields,
  timeZone: string,
  now: Date,
): PurchaseRow | { readonly reason: string } {
  const { amount = '', date = '', id_suc = '', counter_id = '', external_id: externalId = '' } = fields;
  const { channel = '', lines: said = '' } = fields;
  const buyer = readBuyer(fields);
  if (typeof buyer === 'object') return buyer;
  if (amount === '') return { reason: 'amount is missing' };
  if (!isInteger(amount))
    return { reason: `amount must be a whole number of currency units, such as 1750, not ${quote(amount)}` };
  const moment = readMoment(date, timeZone);
  if ('reason' in moment) return moment;
  if (moment.at > now.getTime())
    return { reason: `date is in the future of the commerce's clock: ${quote(date)}` };
  if (id_suc !== '' && !isInteger(id_suc))
    return { reason: `id_suc must be a whole number, not ${quote(id_suc)}` };
  if (counter_id !== '' && !isInteger(counter_id))
    return { reason: `counter_id must be a whole number, not ${quote(counter_id)}` };
  if (externalId !== '' && !isExternalId(externalId)) {
    return {
      reason: `external_id must be one line of at most ${EXTERNAL_ID_CHARACTERS} characters, not ${quote(externalId)}`,
    };
  }
  if (channel !== '' && !isWord(channel))
    return { reason: `channel must be one line of at most 64 characters, not ${quote(channel)}` };
  const sold = said === '' ? null : readRowLines(said, Number(amount));
  if (sold !== null && 'reason' in sold) return sold;
  return {
    buyer,
    amount: Number(amount),
    ...moment,
    branchId: id_suc === '' ? null : Number(id_suc),
    registerId: counter_id === '' ? null : Number(counter_id),
    externalId: externalId === '' ? null : externalId,
    ...(channel !== '' && { channel }),
    ...sold,
  };
}

/** Counts code points, as the reader of requests does. */
function isExternalId(text: string): boolean {
  return isOneLine(text, 2 * EXTERNAL_ID_CHARACTERS) && Array.from(text).length <= EXTERNAL_ID_CHARACTERS;
}

function readBuyer({ client_code: code = '', client_email: address = '' }: PurchaseFields) {
  if (code === '' && address === '') return { reason: 'client_email and client_code are missing' };
  if (code !== '' && address !== '')
    return { reason: 'client_email and client_code are both given: leave one column out with --ignore' };
  if (code !== '')
    return isInteger(code)
      ? Number(code)
      : { reason: `client_code must be a whole number, not ${quote(code)}` };
  return normaliseEmail(address) ?? { reason: `client_email ${quote(address)}: ${whyNoEmail(address)}` };
}

function isInteger(text: string): boolean {
  return /^-?\d{1,16}$/.test(text) && Number.isSafeInteger(Number(text));
}

const LOCAL = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{1,3})?)?$/;

/**
 * Reads a date without a time as the first instant of that day. This instant is inside all double-points windows of the
 * day and never ahead of the clock.
 */
function readMoment(
  text: string,
  timeZone: string,
): Pick<PurchaseRow, 'at' | 'when'> | { readonly reason: string } {
  if (text === '') return { reason: 'date is missing' };
  const instant = readInstant(text);
  if (instant !== null) return { at: instant.getTime(), when: instant.toISOString() };
  if (isDay(text) || LOCAL.test(text)) {
    try {
      const local = Temporal.PlainDateTime.from(text, { overflow: 'reject' });
      const at = isDay(text)
        ? local.toPlainDate().toZonedDateTime(timeZone).epochMilliseconds
        : local.toZonedDateTime(timeZone).epochMilliseconds;
      return { at, when: local.toString() };
    } catch {
      // Has the format of a local time but does not exist: 30 February, 25:00.
    }
  }
  return {
    reason: `date must be a day, a local time or an instant (2026-03-01, 2026-03-01T18:30, 2026-03-01T18:30:00Z), not ${quote(text)}`,
  };
}
