import type { FastifyBaseLogger } from 'fastify';
import type { Database } from '#db/database.ts';
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
const SEND_TIMEOUT_MS = 18_000;
const FORGET_EVERY_MS = 3_600_000;

/**
 * Sends the mails in the outbox, urgent ones first, five at a time. Any number of processes may do so at once. Each
 * mail is sent at least once, and a repeat has the same Message-ID.
 */
export function startMailSender({
  db,
  mailer,
  log,
  base,
  consoleBase,
  secret,
  counts = createMailCounts(),
}: MailSenderOptions): MailSender {
  const links = { base, consoleBase, settingsLinks: createSettingsLinks(secret) };
  const sending = new Set<Promise<void>>();
  const stopping = new AbortController();
  let woken = true;
  let endPause = (): void => {};
  let forgetAt = 0;
  const running = run();

  return {
    wake,
    async stop() {
      stopping.abort();
      endPause();
      await running;
      await Promise.race([Promise.all(sending), pause(5_000)]);
      mailer.close();
    },
  };

  function wake(): void {
    woken = true;
    endPause();
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      woken = false;
      try {
        await takeAndSend();
        if (mailer.keepsMails && performance.now() >= forgetAt) {
          forgetAt = performance.now() + FORGET_EVERY_MS;
          await trimMailbox(db);
        }
      } catch (error) {
        if (!db.trouble.note(error)) log.warn({ err: error }, 'the outbox could not be read');
      }
      if (!woken && !stopping.signal.aborted) await pauseUntilWoken();
    }
  }

  function pauseUntilWoken(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, POLL_MS);
      endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async function takeAndSend(): Promise<void> {
    const free = MAX_CONCURRENT - sending.size;
    const mails = free > 0 ? await takeMails(db, free) : [];
    for (const mail of mails) {
      const sent = deliver(mail).finally(() => {
        sending.delete(sent);
        wake();
      });
      sending.add(sent);
    }
  }

  async function deliver(mail: TakenMail): Promise<void> {
    try {
      if (mail.heldBack === 'unwanted') return await deleteMail(db, mail.id);
      if (mail.heldBack === 'suppressed')
        throw new UndeliverableMail('the address is suppressed: it has bounced or complained');
      if (mail.isLate) throw new UndeliverableMail('the mail has expired');
      const letter = { ...writeQueuedMail(mail, links), id: messageId(mail), recipient: mail.recipient };
      const send = () => Promise.race([mailer.send(letter), failAfterTimeout()]);
      const attributes = { 'loyalty.mail.kind': mail.kind, 'loyalty.mail.attempt': mail.attempts };
      await (db.tracing === null ? send() : db.tracing.later('send-mail', attributes, mail.trace, send));
      counts.sent += 1;
      await markSent(db, mail.id, mailer);
    } catch (error) {
      counts[error instanceof UndeliverableMail ? 'failed' : 'postponed'] += 1;
      if (error instanceof UndeliverableMail && error.isForEver) await suppress(mail);
      log.warn(
        { err: error, mail: mail.id, kind: mail.kind, attempts: mail.attempts },
        'a mail was not sent',
      );
      await (
        error instanceof UndeliverableMail
          ? markFailed(db, mail.id, error, mailer)
          : postponeMail(db, mail, error, mailer)
      ).catch((error: unknown) =>
        log.warn({ err: error, mail: mail.id }, 'the outcome of a mail could not be recorded'),
      );
    }
  }

  async function suppress({ id, recipient }: TakenMail): Promise<void> {
    await suppressAddresses(db, [{ email: recipient, reason: 'bounce' }]).catch((error: unknown) =>
      log.warn({ err: error, mail: id }, 'an address that does not exist could not be suppressed'),
    );
  }
}

async function failAfterTimeout(): Promise<never> {
  await pause(SEND_TIMEOUT_MS);
  throw new Error(`the mail server took longer than ${SEND_TIMEOUT_MS / 1000} s`);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms).unref());
}
