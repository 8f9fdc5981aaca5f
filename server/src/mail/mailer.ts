import { createTransport } from 'nodemailer';
import { normaliseEmail } from '#text/email-address.ts';

/** A mail as it leaves. */
export interface OutgoingMail {
  readonly id: string;
  readonly senderName: string;
  readonly recipient: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** How mails leave. */
export interface Mailer {
  /** Rejects where it was not accepted; a `RefusedForGood` need not be tried again. */
  send(mail: OutgoingMail): Promise<void>;
  /** What was sent stays readable in the outbox: for the mailbox of a developer's machine. */
  readonly keepsMails: boolean;
  close(): void;
}

/** Not to be tried again: the recipient does not exist or wants no mail, or it is too late. */
export class RefusedForGood extends Error {}

/** Sends through a mail server, over at most five connections, each step within ten seconds. */
export function smtpMailer({ url, from }: { url: string; from: string }): Mailer {
  const transport = createTransport({
    url,
    pool: true,
    maxConnections: 5,
    connectionTimeout: 5_000,
    greetingTimeout: 5_000,
    dnsTimeout: 5_000,
    socketTimeout: 10_000,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const domain = from.slice(from.lastIndexOf('@') + 1);

  return {
    keepsMails: false,
    close: () => transport.close(),
    async send(mail) {
      // Mail libraries have read more than one recipient out of one text: only what reads in one way is passed on.
      if (normaliseEmail(mail.recipient) !== mail.recipient)
        throw new RefusedForGood('not an address in its normal form');
      try {
        await transport.sendMail({
          messageId: `<${mail.id}@${domain}>`,
          envelope: { from, to: [mail.recipient] },
          from: { name: mail.senderName, address: from },
          to: { name: '', address: mail.recipient },
          subject: mail.subject,
          text: mail.text,
          html: mail.html,
          textEncoding: 'quoted-printable',
          headers: { 'Auto-Submitted': 'auto-generated' },
        });
      } catch (error) {
        const { responseCode, command } = error as { responseCode?: number; command?: string };
        if (command === 'RCPT TO' && (responseCode ?? 0) >= 500)
          throw new RefusedForGood('the recipient is refused', { cause: error });
        throw error;
      }
    },
  };
}

/** Sends nothing: what is in the outbox is looked at there. */
export const keepingMailer: Mailer = {
  keepsMails: true,
  close: () => {},
  send: () => Promise.resolve(),
};
