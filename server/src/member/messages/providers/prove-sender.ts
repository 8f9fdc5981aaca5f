/** How a report proves that it comes from the mail provider. */
import { createHash, createHmac, timingSafeEqual, verify } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { readPublicKey, type MailHookSettings } from '#settings/mail-hook-settings.ts';
import type { Provider } from './read-events.ts';

/** `signature`: the report is signed, so it has to be read first. */
export type Proof = 'secret' | 'signature';

/** Returns how a provider's reports prove themselves; null if the operator has set nothing up for it. */
export function proofOf(provider: Provider, settings: MailHookSettings): Proof | null {
  if (provider === 'sendgrid' && settings.sendgridKey !== null) return 'signature';
  if (provider === 'mailgun' && settings.mailgunKey !== null) return 'signature';
  return settings.secret === null ? null : 'secret';
}

/** Compares the password of a call, sent as Basic or as Bearer, whatever the user name. */
export function knowsSecret({ authorization = '' }: IncomingHttpHeaders, secret: string): boolean {
  const [, scheme = '', sent = ''] = /^(basic|bearer) +(\S+)$/i.exec(authorization) ?? [];
  const decoded = scheme.toLowerCase() === 'basic' ? Buffer.from(sent, 'base64').toString() : `:${sent}`;
  return isSame(decoded.slice(decoded.indexOf(':') + 1), secret) && decoded.includes(':');
}

/** Checks the signature of a report. */
export function isSigned(
  provider: Provider,
  { headers, body, report }: { headers: IncomingHttpHeaders; body: Buffer; report: unknown },
  { sendgridKey, mailgunKey }: MailHookSettings,
): boolean {
  if (provider === 'sendgrid') return isSignedBySendgrid(headers, body, sendgridKey!);
  return isSignedByMailgun(report, mailgunKey!);
}

function isSignedBySendgrid(headers: IncomingHttpHeaders, body: Buffer, key: string): boolean {
  const signature = headers['x-twilio-email-event-webhook-signature'];
  const timestamp = headers['x-twilio-email-event-webhook-timestamp'];
  if (typeof signature !== 'string' || typeof timestamp !== 'string' || !isRecent(timestamp)) return false;
  return verify(
    'sha256',
    Buffer.concat([Buffer.from(timestamp), body]),
    readPublicKey(key),
    Buffer.from(signature, 'base64'),
  );
}

/** The signature covers no event, so whoever reads one report could sign others with it until it is too old. */
function isSignedByMailgun(report: unknown, key: string): boolean {
  const { timestamp, token, signature } =
    (report as { signature?: Readonly<Record<string, unknown>> } | null)?.signature ?? {};
  if (![timestamp, token, signature].every((part) => typeof part === 'string')) return false;
  if (!isRecent(String(timestamp))) return false;
  const expected = createHmac('sha256', key)
    .update(`${String(timestamp)}${String(token)}`)
    .digest('hex');
  return isSame(String(signature), expected);
}

/** For as long as providers send a report again, signed as it was. */
const LONGEST_SECONDS = 3 * 24 * 3600;
/** The clocks of two machines may differ. */
const MOST_AHEAD_SECONDS = 3600;

/** Returns whether a signature was made in the last days. Its time is in seconds since 1970. */
function isRecent(timestamp: string): boolean {
  if (!/^\d{1,12}$/.test(timestamp)) return false;
  const age = Date.now() / 1000 - Number(timestamp);
  return age < LONGEST_SECONDS && age > -MOST_AHEAD_SECONDS;
}

/** Takes the same time for every text. */
function isSame(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => createHash('sha256').update(text).digest()) as [Buffer, Buffer];
  return timingSafeEqual(a, b);
}
