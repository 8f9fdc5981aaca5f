import { sql } from '#db/database.ts';
import { completeStored } from '#program/complete.ts';
import { defaultOf } from '#program/stored-program.ts';
import { mailContents, type MailKind } from './outbox.ts';
import type { SettingsLinks } from './settings-links.ts';
import { writeMail, type Shop, type WrittenMail } from './write-mail.ts';

/** A row of the outbox, with the commerce's details that its letter needs. */
export interface QueuedMail extends Shop {
  readonly id: number;
  /** Null if the service itself sends it. */
  readonly commerceId: number | null;
  readonly kind: MailKind;
  readonly recipient: string;
  readonly content: object;
  readonly createdAt: Date;
  readonly attempts: number;
  /** Where the work that caused it stands in a trace. Null if it was not traced. */
  readonly trace: string | null;
  /** True if the mail is not worth sending any more. */
  readonly isLate: boolean;
  /** The member with the recipient's address, or null. */
  readonly memberId: number | null;
}

/** The columns of a `QueuedMail`. They come from `outbox o` and the tables of `joinCommerceOfMail`. */
export const queuedMailColumns = sql.raw(`
  o.id, o.commerce_id as "commerceId", o.kind, o.recipient, o.content, o.created_at as "createdAt", o.attempts, o.trace,
  coalesce(o.expires_at <= now(), false) as "isLate",
  m.id as "memberId",
  coalesce(c.slug, '') as slug, coalesce(p.program ->> 'name', 'Loyalty') as name, p.program -> 'mail' ->> 'sender' as sender,
  nullif(p.program -> 'mail' -> 'words', 'null') as words,
  p.program ->> 'color' as color, p.program ->> 'logo' as logo, coalesce(p.program ->> 'locale', o.content ->> 'locale', '${String(defaultOf('locale'))}') as locale`);

/**
 * Joins the commerce that sends the mail, as `c`, its current program, as `p`, and the member who gets it, as `m`. A mail of the
 * service has none of them.
 */
export const joinCommerceOfMail = sql.raw(`
  left join commerces c on c.id = o.commerce_id
  left join programs p on p.commerce_id = c.id and p.version = c.program_version
  left join members m on m.commerce_id = o.commerce_id and m.email = o.recipient`);

/** The links in the letters of an outbox. */
export interface OutboxLinks {
  /** The address of the service, without a trailing slash. */
  readonly base: string;
  /** The same for links to the console, if it has a host of its own. */
  readonly consoleBase?: string | undefined;
  readonly settingsLinks: SettingsLinks;
}

/** @throws UnreadableDocument if the content was wiped, or does not have what the letter needs */
export function writeQueuedMail(
  mail: QueuedMail,
  { base, consoleBase, settingsLinks }: OutboxLinks,
): WrittenMail {
  const { commerceId, memberId } = mail;
  return writeMail(mail.kind, completeStored(mailContents[mail.kind], mail.content), mail, {
    base,
    consoleBase,
    settings:
      commerceId === null || memberId === null ? null : settingsLinks.link(base, { commerceId, memberId }),
  });
}

/**
 * Returns the same id for every attempt, so that a mail client recognises a mail that was sent twice. The creation
 * time makes the id different in every database.
 */
export function messageId({ id, createdAt }: QueuedMail): string {
  return `${id}.${createdAt.getTime()}`;
}
