import { sql, type Database } from '#db/database.ts';
import type { Mailer } from './mailer.ts';

const MAILBOX_SIZE = 200;

/**
 * Deletes old mails. With a mail server, those that were sent or given up more than 30 days ago; with the developer's
 * mailbox, all but the last 200.
 */
export async function forgetOldMails(database: Database, { keepsMails }: Mailer): Promise<void> {
  if (keepsMails) {
    await sql`
      delete from outbox
       where id <= (select id from outbox order by id desc offset ${MAILBOX_SIZE} limit 1)
         and (sent_at is not null or failed_at is not null)`.execute(database);
    return;
  }
  await sql`
    delete from outbox
     where sent_at < now() - interval '30 days' or failed_at < now() - interval '30 days'`.execute(database);
}
