/** A mail server that keeps the mails it receives and can refuse recipients. */
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly raw: string;
}

export interface SmtpSink {
  readonly url: string;
  readonly received: ReceivedMail[];
  /** Resolves once so many mails have arrived. */
  waitForMails(count: number): Promise<void>;
  readonly close: () => Promise<void>;
}

export interface SinkOptions {
  readonly port?: number;
  /** Returns the error for a recipient, or null to accept the mail. */
  readonly refuse?: (recipient: string) => Error | null;
}

export async function openSmtpSink({ port = 0, refuse = () => null }: SinkOptions = {}): Promise<SmtpSink> {
  const received: ReceivedMail[] = [];
  let arrived = (): void => {};
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo: ({ address }, _session, done) => done(refuse(address)),
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const raw = Buffer.concat(chunks);
        const to = envelope.rcptTo.map(({ address }) => address);
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
        received.push({ from, to, raw: raw.toString() });
        arrived();
        done();
      });
    },
  });
  server.on('error', () => {});
  await new Promise<void>((resolve) => void server.listen(port, '127.0.0.1', resolve));
  return {
    url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`,
    received,
    async waitForMails(count) {
      while (received.length < count) await new Promise<void>((resolve) => (arrived = resolve));
    },
    close() {
      return new Promise((resolve) => {
        server.close(() => resolve());
      });
    },
  };
}

/** Returns an error that the mail server answers with this status, such as 550, and this text. */
export function smtpError(responseCode: number, text = 'no'): Error {
  return Object.assign(new Error(text), { responseCode });
}
