import { normaliseEmail } from '#text/email-address.ts';

/** A mail that is ready to be sent. */
export interface OutgoingMail {
  readonly id: string;
  /** The name to show next to the sender's address. */
  readonly from: string;
  readonly recipient: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** The address that stops such mails with one click, or null. */
  readonly unsubscribe: string | null;
}

export interface Mailer {
  /** Rejects if the mail was not accepted. After an `UndeliverableMail`, there is no point in trying again. */
  send(mail: OutgoingMail): Promise<void>;
  /** True if the outbox keeps the content of sent mails, so the developer's mailbox can show them. */
  readonly keepsMails: boolean;
  close(): void;
}

/** The mail must not be tried again: the recipient does not exist or refuses mail, or it is too late. */
export class UndeliverableMail extends Error {
  /** True if the mailbox does not exist, so no other mail will arrive there either. */
  readonly isForEver: boolean;

  constructor(message: string, { cause, isForEver = false }: { cause?: unknown; isForEver?: boolean } = {}) {
    super(message, { cause });
    this.isForEver = isForEver;
  }
}

/** The mail server is there, and takes other mails, but this one only later: the mailbox is full, say. */
export class MailPutOff extends Error {}

/** Connects to a mail server and signs in, without sending anything. @throws the reason why that is not possible */
export async function tryMailServer(url: string): Promise<void> {
  const { createTransport } = await loadLibrary();
  const transport = createTransport({ url, ...PATIENCE });
  await transport.verify().finally(() => transport.close());
}

const PATIENCE = {
  connectionTimeout: 5_000,
  greetingTimeout: 5_000,
  dnsTimeout: 5_000,
  socketTimeout: 10_000,
  disableFileAccess: true,
  disableUrlAccess: true,
} as const;

/** Loads the library only where a mail is sent: of several processes, one sends them all. */
const loadLibrary = () => import('nodemailer');

/** Creates a mailer that sends through a mail server over at most five connections. Each step may take ten seconds. */
export function createSmtpMailer({ url, from }: { url: string; from: string }): Mailer {
  const openPool = async () => {
    const { createTransport } = await loadLibrary();
    return createTransport({ url, pool: true, maxConnections: 5, ...PATIENCE });
  };
  let pool: ReturnType<typeof openPool> | null = null;
  // A process without files left for a moment cannot load the library, and tries again with the next mail.
  const inPool = () =>
    (pool ??= openPool().catch((error: unknown) => {
      pool = null;
      throw error;
    }));
  const domain = from.slice(from.lastIndexOf('@') + 1);

  return {
    keepsMails: false,
    close() {
      void pool?.then(
        (transport) => transport.close(),
        () => {},
      );
    },
    async send(mail) {
      // Mail libraries have been tricked into reading several recipients from one text, so only a normalised address
      // is passed on: it can be read in one way only.
      if (normaliseEmail(mail.recipient) !== mail.recipient)
        throw new UndeliverableMail('the address is not in its normal form');
      try {
        const transport = await inPool();
        await transport.sendMail({
          messageId: `<${mail.id}@${domain}>`,
          envelope: { from, to: [mail.recipient] },
          from: { name: mail.from, address: from },
          to: { name: '', address: mail.recipient },
          subject: mail.subject,
          text: mail.text,
          html: mail.html,
          textEncoding: 'quoted-printable',
          headers: { 'Auto-Submitted': 'auto-generated', ...oneClickHeaders(mail) },
        });
      } catch (error) {
        const { responseCode, command, response } = error as SmtpError;
        if (command === 'RCPT TO' && (responseCode ?? 0) >= 500) {
          throw new UndeliverableMail('the mail server refused the recipient', {
            cause: error,
            isForEver: NO_SUCH_MAILBOX.test(response ?? ''),
          });
        }
        if (MAIL_COMMANDS.has(command ?? '') && isForNow(responseCode))
          throw new MailPutOff((error as Error).message, { cause: error });
        throw error;
      }
    },
  };
}

/** A status of 4xx: the mail may be tried again. */
function isForNow(status = 0): boolean {
  return status >= 400 && status < 500;
}

/** A refusal at these commands is about this mail, and not the connection, the login or the sender. */
const MAIL_COMMANDS: ReadonlySet<string> = new Set(['RCPT TO', 'DATA']);

interface SmtpError {
  readonly responseCode?: number;
  readonly command?: string;
  readonly response?: string;
}

/** The enhanced status codes of RFC 3463 and RFC 7505. Other refusals may be about the sender. */
const NO_SUCH_MAILBOX = /^5\d\d[ -]5\.1\.(?:1|6|10)\b/;

/** Mail clients show a button for these headers, and press it with a POST (RFC 8058). */
function oneClickHeaders({ unsubscribe }: OutgoingMail): Record<string, string> {
  if (unsubscribe === null) return {};
  return {
    'List-Unsubscribe': `<${unsubscribe}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  };
}

/** Sends nothing and leaves every mail in the outbox, where the developer's mailbox shows it. */
export const mailboxMailer: Mailer = {
  keepsMails: true,
  close: () => {},
  send: () => Promise.resolve(),
};
