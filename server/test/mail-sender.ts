/** A sender and what it needs, for the tests of mails. */
import { after } from 'node:test';
import { sql } from '#db/database.ts';
import { createLog } from '#http/log.ts';
import { service } from './harness.ts';
import { smtpSink, type SinkOptions, type SmtpSink } from './smtp-sink.ts';
import { smtpMailer, type Mailer } from '#mail/mailer.ts';
import { startMailSender, type MailSender } from '#mail/send-mails.ts';

const { db } = await service();
const log = createLog({ level: 'silent' });
const closers: (() => Promise<void>)[] = [];
after(async () => {
  for (const close of closers) await close();
});

export async function sink(options?: SinkOptions): Promise<SmtpSink> {
  const opened = await smtpSink(options);
  closers.push(() => opened.close());
  return opened;
}

export function sender(mailer: Mailer): MailSender {
  return startMailSender({ db, mailer, log, base: 'https://club.example' });
}

export function to(url: string): Mailer {
  return smtpMailer({ url, from: 'loyalty@shop.example' });
}

export interface Row {
  readonly content: object;
  readonly sent: boolean;
  readonly failed: boolean;
  readonly attempts: number;
  /** An attempt failed. */
  readonly wasPutOff: boolean;
}

/** The latest mail to an address as the outbox has it. */
export async function row(email: string): Promise<Row> {
  const { rows } = await sql<Row>`
    select content, sent_at is not null as sent, failed_at is not null as failed, attempts,
           last_error is not null as "wasPutOff"
      from outbox where recipient = ${email} order by id desc limit 1`.execute(db);
  return rows[0]!;
}

/** Waits until a condition holds; the test's own time limit is the end of it. */
export async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => void setTimeout(resolve, 10));
}

/** Makes a mail due now, whoever holds it. */
export async function due(email: string): Promise<void> {
  await sql`
    update outbox set due_at = now(), leased_until = null
     where recipient = ${email} and sent_at is null and failed_at is null`.execute(db);
}
