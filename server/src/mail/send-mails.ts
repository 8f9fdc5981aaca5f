import type { FastifyBaseLogger } from 'fastify';
import type { Database } from '#db/database.ts';
import { forgetOldMails } from './forget-old-mails.ts';
import { RefusedForGood, type Mailer } from './mailer.ts';
import { messageId, senderName, writeQueued, type QueuedMail } from './queued-mail.ts';
import { markFailed, markSent, putOff } from './settle-mail.ts';
import { takeMails } from './take-mails.ts';

export interface MailSender {
  /** Looks at once for what is due. */
  wake(): void;
  /** Takes no more, and waits up to 5 s for what is on its way; what is not, goes out after its lease. */
  stop(): Promise<void>;
}

export interface MailSenderOptions {
  readonly db: Database;
  readonly mailer: Mailer;
  readonly log: FastifyBaseLogger;
  /** Address of the service, for links; without a slash at its end. */
  readonly base: string;
}

const AT_ONCE = 5;
const POLL_MS = 1_000;
// Shorter than the lease, so that another process does not begin while this one still tries.
const LONGEST_SEND_MS = 18_000;
const FORGET_EVERY_MS = 3_600_000;

/**
 * Sends what stands in the outbox, urgent mails first, five at a time, beside any number of other processes. A
 * mail is sent at least once; a repeat has the same Message-ID.
 */
export function startMailSender({ db, mailer, log, base }: MailSenderOptions): MailSender {
  const sending = new Set<Promise<void>>();
  const stopping = new AbortController();
  let woken = true;
  let rouse = (): void => {};
  let forgetAt = 0;
  const running = run();

  return {
    wake,
    async stop() {
      stopping.abort();
      rouse();
      await running;
      await Promise.race([Promise.all(sending), pause(5_000)]);
      mailer.close();
    },
  };

  function wake(): void {
    woken = true;
    rouse();
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      woken = false;
      try {
        await takeAndSend();
        if (performance.now() >= forgetAt) {
          forgetAt = performance.now() + FORGET_EVERY_MS;
          await forgetOldMails(db, mailer);
        }
      } catch (error) {
        log.warn({ err: error }, 'the outbox could not be read');
      }
      if (!woken && !stopping.signal.aborted) await nextCall();
    }
  }

  function nextCall(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, POLL_MS);
      rouse = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async function takeAndSend(): Promise<void> {
    const free = AT_ONCE - sending.size;
    const mails = free > 0 ? await takeMails(db, free) : [];
    for (const mail of mails) {
      const sent = deliver(mail).finally(() => {
        sending.delete(sent);
        wake();
      });
      sending.add(sent);
    }
  }

  async function deliver(mail: QueuedMail): Promise<void> {
    try {
      if (mail.isLate) throw new RefusedForGood('too late to be of use');
      const { subject, text, html } = writeQueued(mail, base);
      const letter = {
        id: messageId(mail),
        senderName: senderName(mail),
        recipient: mail.recipient,
        subject,
        text,
        html,
      };
      await Promise.race([mailer.send(letter), tooLong()]);
      await markSent(db, mail.id, mailer);
    } catch (error) {
      log.warn(
        { err: error, mail: mail.id, kind: mail.kind, attempts: mail.attempts },
        'a mail was not sent',
      );
      await (
        error instanceof RefusedForGood
          ? markFailed(db, mail.id, error, mailer)
          : putOff(db, mail, error, mailer)
      ).catch((error: unknown) =>
        log.warn({ err: error, mail: mail.id }, 'what became of a mail could not be noted'),
      );
    }
  }
}

async function tooLong(): Promise<never> {
  await pause(LONGEST_SEND_MS);
  throw new Error('the mail server took too long');
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms).unref());
}
