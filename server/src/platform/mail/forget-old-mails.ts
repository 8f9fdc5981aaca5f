import { sql, type Database } from '#db/database.ts';
import { deleteOldRows } from '#db/delete-old-rows.ts';

const MAILBOX_SIZE = 200;

/** Deletes mails that were sent or given up more than 30 days ago. Those that wait are kept. Returns how many it deleted. */
export function deleteOldMails(database: Database, signal?: AbortSignal): Promise<number> {
  const isOld = sql`sent_at < now() - interval '30 days' or failed_at < now() - interval '30 days'`;
  return deleteOldRows(database, 'outbox', isOld, signal);
}

/** Deletes all but the last 200 mails of the developer's mailbox. */
export async function trimMailbox(database: Database): Promise<void> {
  await sql`
    delete from outbox
     where id <= (select id from outbox order by id desc offset ${MAILBOX_SIZE} limit 1)
       and (sent_at is not null or failed_at is not null)`.execute(database);
}
