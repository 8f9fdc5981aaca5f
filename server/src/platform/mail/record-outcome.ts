/** Records whether a mail was sent. Wipes its content once it is no longer needed, because codes are secrets. */
import { sql, type Database } from '#db/database.ts';
import { MailPutOff, type Mailer } from './mailer.ts';
import type { QueuedMail } from './queued-mail.ts';

export async function markSent(database: Database, id: number, { keepsMails }: Mailer): Promise<void> {
  await sql`-- mark-mail-sent
    update outbox
       set sent_at = now(), leased_until = null, last_error = null,
           content = case when ${keepsMails}::boolean then content else '{}' end
     where id = ${id}`.execute(database);
}

/** Deletes a mail that must not be sent. Nobody is told that it was to be. */
export async function deleteMail(database: Database, id: number): Promise<void> {
  await sql`-- delete-mail
    delete from outbox where id = ${id}`.execute(database);
}

export async function markFailed(
  database: Database,
  id: number,
  error: unknown,
  { keepsMails }: Mailer,
): Promise<void> {
  await sql`-- mark-mail-failed
    update outbox
       set failed_at = now(), leased_until = null, last_error = ${reasonWithoutAddresses(error)},
           content = case when ${keepsMails}::boolean then content else '{}' end
     where id = ${id}`.execute(database);
}

/**
 * Schedules the next attempt: after 1, 2, 4, 8 … s (at most an hour) for an urgent mail, after 1, 2, 4, 8 … minutes
 * (at most six hours) for any other. Gives the mail up if it would arrive too late.
 */
export async function postponeMail(
  database: Database,
  mail: QueuedMail,
  error: unknown,
  { keepsMails }: Mailer,
): Promise<void> {
  // Attempts count also while a machine of a cluster is away, and PostgreSQL cannot double a number for ever.
  const doublings = Math.min(mail.attempts - 1, 12);
  await sql`-- postpone-mail
    with next as (
      select id, now() as now,
             (now() at time zone 'UTC'
              + case when urgent then make_interval(secs => least(2 ^ ${doublings}::integer, 3600))
                     else make_interval(mins => least(2 ^ ${doublings}::integer, 360)::integer) end) at time zone 'UTC' as at
        from outbox
       where id = ${mail.id}
    )
    update outbox o
       set due_at = n.at, leased_until = null, last_error = ${reasonWithoutAddresses(error)},
           put_off = ${error instanceof MailPutOff},
           failed_at = case when n.at >= o.expires_at then n.now end,
           content = case when n.at >= o.expires_at and not ${keepsMails}::boolean then '{}' else o.content end
      from next n
     where o.id = n.id`.execute(database);
}

/** Returns the reason without addresses: mail servers repeat the recipient's address in their answers. */
function reasonWithoutAddresses(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replaceAll(/\S+@\S+/g, '[address]').slice(0, 500);
}
