import { sql } from '#db/database.ts';
import { completeStored } from '#program/complete.ts';
import { defaultOf } from '#program/stored-program.ts';
import { mailContents, type MailKind } from './outbox.ts';
import { oneLine, writeMail, type WrittenMail } from './write-mail.ts';

/** A row of the outbox, with the commerce's details that its letter needs. */
export interface QueuedMail {
  readonly id: number;
  /** Null if the service itself sends it. */
  readonly commerceId: number | null;
  readonly kind: MailKind;
  readonly recipient: string;
  readonly content: object;
  readonly createdAt: Date;
  readonly attempts: number;
  /** True if the mail is not worth sending any more. */
  readonly isLate: boolean;
  readonly slug: string;
  readonly name: string;
  readonly sender: string | null;
  readonly color: string | null;
  readonly logo: string | null;
  readonly locale: string;
}

/** The columns of a `QueuedMail`. They come from `outbox o` and the tables of `joinCommerceOfMail`. */
export const queuedMailColumns = sql.raw(`
  o.id, o.commerce_id as "commerceId", o.kind, o.recipient, o.content, o.created_at as "createdAt", o.attempts,
  coalesce(o.expires_at <= now(), false) as "isLate",
  coalesce(c.slug, '') as slug, coalesce(p.program ->> 'name', 'Loyalty') as name, p.program -> 'mail' ->> 'sender' as sender,
  p.program ->> 'color' as color, p.program ->> 'logo' as logo, coalesce(p.program ->> 'locale', o.content ->> 'locale', '${String(defaultOf('locale'))}') as locale`);

/** Joins the commerce that sends the mail, as `c`, and its current program, as `p`. A mail of the service has neither. */
export const joinCommerceOfMail = sql.raw(`
  left join commerces c on c.id = o.commerce_id
  left join programs p on p.commerce_id = c.id and p.version = c.program_version`);

/** @throws UnreadableDocument if the content was wiped, or does not have what the letter needs */
export function writeQueuedMail(mail: QueuedMail, base: string, consoleBase?: string): WrittenMail {
  return writeMail(mail.kind, completeStored(mailContents[mail.kind], mail.content), mail, base, consoleBase);
}

/** Returns the name to show next to the sender's address. */
export function senderName({ sender, name }: QueuedMail): string {
  return oneLine(sender ?? name);
}

/**
 * Returns the same id for every attempt, so that a mail client recognises a mail that was sent twice. The creation
 * time makes the id different in every database.
 */
export function messageId({ id, createdAt }: QueuedMail): string {
  return `${id}.${createdAt.getTime()}`;
}
