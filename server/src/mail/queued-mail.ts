import { sql } from '#db/database.ts';
import type { MailContents, MailKind } from './outbox.ts';
import { oneLine, writeMail, type WrittenMail } from './write-mail.ts';

/** A row of the outbox, with what its letter needs of the commerce. */
export interface QueuedMail {
  readonly id: number;
  readonly commerceId: number;
  readonly kind: MailKind;
  readonly recipient: string;
  readonly content: object;
  readonly createdAt: Date;
  readonly attempts: number;
  /** Not worth sending any more. */
  readonly isLate: boolean;
  readonly slug: string;
  readonly name: string;
  readonly sender: string | null;
  readonly color: string | null;
  readonly locale: string;
}

/** The columns of a `QueuedMail`, of `outbox o` and of `commerces c` and `programs p` at its program in force. */
export const queuedMailColumns = sql.raw(`
  o.id, o.commerce_id as "commerceId", o.kind, o.recipient, o.content, o.created_at as "createdAt", o.attempts,
  coalesce(o.expires_at <= now(), false) as "isLate",
  c.slug, p.program ->> 'name' as name, p.program -> 'mail' ->> 'sender' as sender,
  p.program ->> 'color' as color, coalesce(p.program ->> 'locale', 'en') as locale`);

export const ofItsCommerce = sql.raw(`
  join commerces c on c.id = o.commerce_id
  join programs p on p.commerce_id = c.id and p.version = c.program_version`);

/** The letter of a row. */
export function writeQueued(mail: QueuedMail, base: string): WrittenMail {
  return writeMail(
    mail.kind,
    mail.content as MailContents[MailKind] & MailContents['sign-in-code'],
    mail,
    base,
  );
}

/** The name that stands beside the sender's address. */
export function senderName({ sender, name }: QueuedMail): string {
  return oneLine(sender ?? name);
}

/** The same for every attempt, so that a mail sent twice is seen to be one; another one in another database. */
export function messageId({ id, createdAt }: QueuedMail): string {
  return `${id}.${createdAt.getTime()}`;
}
