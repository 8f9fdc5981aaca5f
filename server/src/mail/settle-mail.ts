/** What becomes of a mail that was taken. What it said is wiped when it needs no more sending: codes are secrets. */
import { sql, type Database } from '#db/database.ts';
import type { Mailer } from './mailer.ts';
import type { QueuedMail } from './queued-mail.ts';

export async function markSent(database: Database, id: number, { keepsMails }: Mailer): Promise<void> {
  await sql`-- mark-mail-sent
    update outbox
       set sent_at = now(), leased_until = null, last_error = null,
           content = case when ${keepsMails}::boolean then content else '{}' end
     where id = ${id}`.execute(database);
}

export async function markFailed(
  database: Database,
  id: number,
  error: unknown,
  { keepsMails }: Mailer,
): Promise<void> {
  await sql`-- mark-mail-failed
    update outbox
       set failed_at = now(), leased_until = null, last_error = ${reasonOf(error)},
           content = case when ${keepsMails}::boolean then content else '{}' end
     where id = ${id}`.execute(database);
}

/**
 * Another attempt later: after 1, 2, 4, 8 … s where somebody waits for the mail, after 1, 2, 4, 8 … minutes and at
 * most six hours where nobody does. Given up where it would come too late.
 */
export async function putOff(
  database: Database,
  mail: QueuedMail,
  error: unknown,
  { keepsMails }: Mailer,
): Promise<void> {
  const waits = mail.attempts - 1;
  await sql`-- put-mail-off
    with next as (
      select id,
             now() + case when urgent then make_interval(secs => least(2 ^ ${waits}::integer, 3600))
                          else make_interval(mins => least(2 ^ ${waits}::integer, 360)::integer) end as at
        from outbox
       where id = ${mail.id}
    )
    update outbox o
       set due_at = n.at, leased_until = null, last_error = ${reasonOf(error)},
           failed_at = case when n.at >= o.expires_at then now() end,
           content = case when n.at >= o.expires_at and not ${keepsMails}::boolean then '{}' else o.content end
      from next n
     where o.id = n.id`.execute(database);
}

/** Mail servers repeat the address in what they say. */
function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replaceAll(/\S+@\S+/g, '[address]').slice(0, 500);
}
