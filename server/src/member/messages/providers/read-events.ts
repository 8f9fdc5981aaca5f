/** The reports of the mail providers: which addresses bounced for good, and who reported a mail as spam. */
import { normaliseEmail } from '#text/email-address.ts';
import type { SuppressionReason } from '#mail/suppressions.ts';

/** An address that must get no more mails. */
export interface MailEvent {
  /** Normalised. */
  readonly email: string;
  readonly reason: SuppressionReason;
}

export const PROVIDERS = ['ses', 'postmark', 'sendgrid', 'mailgun', 'generic'] as const;

export type Provider = (typeof PROVIDERS)[number];

/**
 * Returns the addresses of a report. Full mailboxes, delays, deliveries and clicks are left out, and so is anything that is
 * not as the provider documents it: a provider sends a refused report again for days.
 */
export function readEvents(provider: Provider, report: unknown): MailEvent[] {
  return readers[provider](report).flatMap(({ address, reason }) => {
    const email = typeof address === 'string' ? normaliseEmail(address) : null;
    return email === null ? [] : [{ email, reason }];
  });
}

interface Reported {
  readonly address: unknown;
  readonly reason: SuppressionReason;
}

const readers: Readonly<Record<Provider, (report: unknown) => Reported[]>> = {
  ses: (report) => {
    const { notificationType, eventType, bounce, complaint } = fieldsOf(messageOfSns(report));
    const type = notificationType ?? eventType;
    if (type === 'Complaint')
      return addressesIn(fieldsOf(complaint)['complainedRecipients'], 'emailAddress', 'complaint');
    const { bounceType, bouncedRecipients } = fieldsOf(bounce);
    return type === 'Bounce' && bounceType === 'Permanent'
      ? addressesIn(bouncedRecipients, 'emailAddress', 'bounce')
      : [];
  },
  postmark: (report) => {
    const { RecordType: record, Type: type, Email: address } = fieldsOf(report);
    if (record === 'SpamComplaint') return [{ address, reason: 'complaint' }];
    return record === 'Bounce' && (type === 'HardBounce' || type === 'BadEmailAddress')
      ? [{ address, reason: 'bounce' }]
      : [];
  },
  sendgrid: (report) =>
    listOf(report).flatMap((event): Reported[] => {
      const { event: what, type, email: address } = fieldsOf(event);
      if (what === 'spamreport') return [{ address, reason: 'complaint' }];
      // A `blocked` mail was refused for another reason than its address.
      return what === 'bounce' && type !== 'blocked' ? [{ address, reason: 'bounce' }] : [];
    }),
  mailgun: (report) => {
    const { event, severity, reason, recipient: address } = fieldsOf(fieldsOf(report)['event-data']);
    if (event === 'complained') return [{ address, reason: 'complaint' }];
    const isHard = event === 'failed' && severity === 'permanent';
    return isHard && (reason === 'bounce' || reason === 'suppress-bounce')
      ? [{ address, reason: 'bounce' }]
      : [];
  },
  generic: (report) =>
    listOf(fieldsOf(report)['events']).flatMap((event) => {
      const { email: address, reason } = fieldsOf(event);
      return reason === 'bounce' || reason === 'complaint' ? [{ address, reason }] : [];
    }),
};

/** Amazon SNS wraps the event of SES in a text, unless the subscription is for raw messages. */
function messageOfSns(report: unknown): unknown {
  const { Type: type, Message: message } = fieldsOf(report);
  if (type !== 'Notification' || typeof message !== 'string') return report;
  try {
    return JSON.parse(message);
  } catch {
    return null;
  }
}

function addressesIn(list: unknown, field: string, reason: SuppressionReason): Reported[] {
  return listOf(list).map((one) => ({ address: fieldsOf(one)[field], reason }));
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value.slice(0, MOST_EVENTS) : [];
}

/** SendGrid sends at most 1,000 at once. */
const MOST_EVENTS = 10_000;
