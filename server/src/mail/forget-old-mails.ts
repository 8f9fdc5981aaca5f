import { sql, type Database } from '#db/database.ts';
import type { Mailer } from './mailer.ts';

/** Of mails that are kept to be looked at. */
const KEPT = 200;

/** Deletes what nobody needs: mails done with 30 days ago, or where they are kept to be looked at, all but the last 200. */
export async function forgetOldMails(database: Database, { keepsMails }: Mailer): Promise<void> {
  if (keepsMails) {
    await sql`
      delete from outbox
       where id <= (select id from outbox order by id desc offset ${KEPT} limit 1)
         and (sent_at is not null or failed_at is not null)`.execute(database);
    return;
  }
  await sql`
    delete from outbox
     where sent_at < now() - interval '30 days' or failed_at < now() - interval '30 days'`.execute(database);
}
