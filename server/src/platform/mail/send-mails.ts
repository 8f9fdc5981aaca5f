import type { FastifyBaseLogger } from 'fastify';
import type { Database } from '#db/database.ts';
import { startDelivery, type Outgoing } from '#delivery/start-delivery.ts';
import { trimMailbox } from './forget-old-mails.ts';
import { UndeliverableMail, type Mailer } from './mailer.ts';
import { messageId, writeQueuedMail } from './queued-mail.ts';
import { deleteMail, markFailed, markSent, postponeMail } from './record-outcome.ts';
import { createSettingsLinks } from './settings-links.ts';
import { suppressAddresses } from './suppressions.ts';
import { takeMails, type TakenMail } from './take-mails.ts';
import type { SecretKeys } from '#settings/secret-key.ts';

export interface MailSender {
  /** Looks for due mails at once. */
  wake(): void;
  /** Takes no more mails and waits up to 5 s for those being sent. Any others are sent again after their lease. */
  stop(): Promise<void>;
}

export interface MailSenderOptions {
  readonly db: Database;
  readonly mailer: Mailer;
  readonly log: FastifyBaseLogger;
  /** The address of the service for links, without a trailing slash. */
  readonly base: string;
  /** The same for links to the console, if it has a host of its own. */
  readonly consoleBase?: string;
  /** Signs the links by which members choose their mails. */
  readonly secret: SecretKeys;
  readonly counts?: MailCounts;
}

/** Counts what became of mails in this process, for the operator’s metrics. A mail that was postponed is tried again. */
export type MailCounts = Record<'sent' | 'failed' | 'postponed', number>;

export function createMailCounts(): MailCounts {
  return { sent: 0, failed: 0, postponed: 0 };
}

const MAX_CONCURRENT = 5;
const POLL_MS = 1_000;
// Shorter than the lease of 20 s, so that no other process starts to send while this one still tries.
const LONGEST_MS = 18_000;
const GRACE_MS = 5_000;
const FORGET_EVERY_MS = 3_600_000;

/**
 * Sends the mails in the outbox, urgent ones first, five at a time. Any number of processes may do so at once. Each
 * mail is sent at least once, and a repeat has the same Message-ID.
 */
export function startMailSender(options: MailSenderOptions): MailSender {
  const { db, log, mailer } = options;
  const delivery = startDelivery(outgoingMails(options), {
    db,
    log,
    everyMs: POLL_MS,
    atOnce: MAX_CONCURRENT,
    longestMs: LONGEST_MS,
    graceMs: GRACE_MS,
  });
  return {
    wake: () => delivery.wake(),
    async stop() {
      await delivery.stop();
      mailer.close();
    },
  };
}

function outgoingMails({
  db,
  mailer,
  log,
  base,
  consoleBase,
  secret,
  counts = createMailCounts(),
}: MailSenderOptions): Outgoing<TakenMail> {
  const links = { base, consoleBase, settingsLinks: createSettingsLinks(secret) };
  let forgetAt = 0;
  return {
    takeFailed: 'the outbox could not be read',

    async prepare() {
      if (!mailer.keepsMails || performance.now() < forgetAt) return;
      forgetAt = performance.now() + FORGET_EVERY_MS;
      await trimMailbox(db);
    },

    take: (most) => takeMails(db, most),

    async send(mail) {
      if (mail.heldBack === 'unwanted') return deleteMail(db, mail.id);
      if (mail.heldBack === 'suppressed')
        throw new UndeliverableMail('the address is suppressed: it has bounced or complained');
      if (mail.isLate) throw new UndeliverableMail('the mail has expired');
      const letter = { ...writeQueuedMail(mail, links), id: messageId(mail), recipient: mail.recipient };
      const send = () => mailer.send(letter);
      const attributes = { 'loyalty.mail.kind': mail.kind, 'loyalty.mail.attempt': mail.attempts };
      await (db.tracing === null ? send() : db.tracing.later('send-mail', attributes, mail.trace, send));
      counts.sent += 1;
      await markSent(db, mail.id, mailer);
    },

    async failed(mail, error) {
      counts[error instanceof UndeliverableMail ? 'failed' : 'postponed'] += 1;
      if (error instanceof UndeliverableMail && error.isForEver) await suppress(mail);
      log.warn(
        { err: error, mail: mail.id, kind: mail.kind, attempts: mail.attempts },
        'a mail was not sent',
      );
      await (error instanceof UndeliverableMail
        ? markFailed(db, mail.id, error, mailer)
        : postponeMail(db, mail, error, mailer));
    },
  };

  async function suppress({ id, recipient }: TakenMail): Promise<void> {
    await suppressAddresses(db, [{ email: recipient, reason: 'bounce' }]).catch((error: unknown) =>
      log.warn({ err: error, mail: id }, 'an address that does not exist could not be suppressed'),
    );
  }
}
