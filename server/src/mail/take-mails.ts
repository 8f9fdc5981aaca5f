import { sql, type Database } from '#db/database.ts';
import { joinCommerceOfMail, queuedMailColumns, type QueuedMail } from './queued-mail.ts';

/** Takes due mails that no other process has taken: urgent ones first, and one commerce after the other. The lease is 20 s. */
export async function takeMails(database: Database, count: number): Promise<QueuedMail[]> {
  const { rows } = await sql<QueuedMail>`-- take-mails
    with due as (
      select id
        from outbox
       where sent_at is null and failed_at is null
         and due_at <= now() and (leased_until is null or leased_until < now())
       order by urgent desc, turn, due_at
       limit ${count}
         for update skip locked
    ), o as (
      update outbox
         set leased_until = now() + interval '20 seconds', attempts = attempts + 1
       where id in (select id from due)
      returning *
    )
    select ${queuedMailColumns}
      from o ${joinCommerceOfMail}`.execute(database);
  return rows;
}
