/** A mail sender, a mail server to send to, and the state of the outbox, for the tests of mails. */
import { after } from 'node:test';
import { sql } from '#db/database.ts';
import { createLog } from '#http/log.ts';
import { SECRET, service } from './harness.ts';
import { openSmtpSink, type SinkOptions, type SmtpSink } from './smtp-sink.ts';
import { createSmtpMailer, type Mailer } from '#mail/mailer.ts';
import { startMailSender, type MailSender } from '#mail/send-mails.ts';

const { db } = await service();
const log = createLog({ level: 'silent' });
const closers: (() => Promise<void>)[] = [];
after(async () => {
  for (const close of closers) await close();
});

/** Opens a mail server that is closed after the tests of the file. */
export async function openSink(options?: SinkOptions): Promise<SmtpSink> {
  const opened = await openSmtpSink(options);
  closers.push(() => opened.close());
  return opened;
}

export function startTestSender(mailer: Mailer): MailSender {
  return startMailSender({ db, mailer, log, base: 'https://club.example', secret: SECRET });
}

export function createTestMailer(url: string): Mailer {
  return createSmtpMailer({ url, from: 'loyalty@shop.example' });
}

export interface Row {
  readonly content: object;
  readonly sent: boolean;
  readonly failed: boolean;
  readonly attempts: number;
  /** True if an attempt has failed. */
  readonly wasPostponed: boolean;
}

/** Reads the latest mail to an address from the outbox. */
export async function readLatestMail(email: string): Promise<Row> {
  const { rows } = await sql<Row>`
    select content, sent_at is not null as sent, failed_at is not null as failed, attempts,
           last_error is not null as "wasPostponed"
      from outbox where recipient = ${email} order by id desc limit 1`.execute(db);
  return rows[0]!;
}

/** Waits until a condition holds, limited only by the timeout of the test. */
export async function waitUntil(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => void setTimeout(resolve, 10));
}

/** Makes the unsent mails to an address due now and ends their leases. */
export async function makeDue(email: string): Promise<void> {
  await sql`
    update outbox set due_at = now(), leased_until = null
     where recipient = ${email} and sent_at is null and failed_at is null`.execute(db);
}
