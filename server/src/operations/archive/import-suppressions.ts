import { ALL } from '#mail/mail-stops.ts';
import { sql, type Tx } from '#db/database.ts';
import { ArchiveRefused } from './read-archive.ts';

/** Keeps the mailboxes of an archive for `storeSuppressions`, and returns their number. */
export async function listSuppressions(tx: Tx, json: string): Promise<number> {
  const { rows } = await sql`
    insert into archived_suppressions (mailbox_hash, reason, since)
    select mailbox_hash, reason, since from json_populate_recordset(null::mail_suppressions, ${json}::json)
    returning 1`.execute(tx);
  return rows.length;
}

/**
 * A suppression stops the mails of all shops, so an archive suppresses only mailboxes of its own members that nobody else here has. Of
 * the others, who has complained gets no more mails from this shop; a bounce counts no more, because this installation knows better.
 * Must come after the rows of the members.
 * @throws ArchiveRefused if it has a mailbox that is no member's
 */
export async function storeSuppressions(tx: Tx, commerceId: number): Promise<void> {
  const { rows: some } = await sql`select from archived_suppressions limit 1`.execute(tx);
  if (some.length === 0) return;
  const { rows } = await sql<{ strangers: boolean }>`
    with own as (
      select id, mailbox_hash_of(email) as mailbox_hash from members where commerce_id = ${commerceId} and email is not null
    ), used_elsewhere as (
      select mailbox_hash_of(m.email) as mailbox_hash from members m where m.commerce_id <> ${commerceId} and m.email is not null
       union
      select mailbox_hash_of(u.email)
        from users u
       where u.email is not null and not exists (select from archived_users a where a.here = u.id)
       union
      select mailbox_hash_of(p.email)
        from staff_people p
        join staff s on s.person_id = p.id and s.commerce_id <> ${commerceId} and s.removed_at is null
    ), stored as (
      insert into mail_suppressions (mailbox_hash, reason, since)
      select mailbox_hash, reason, least(since, now())
        from archived_suppressions
       where mailbox_hash in (select mailbox_hash from own) and mailbox_hash not in (select mailbox_hash from used_elsewhere)
       order by mailbox_hash
          on conflict (mailbox_hash) do nothing
    ), stopped as (
      insert into mail_stops (commerce_id, member_id, kind)
      select ${commerceId}, own.id, ${ALL}
        from archived_suppressions a
        join own on own.mailbox_hash = a.mailbox_hash
       where a.reason = 'complaint' and a.mailbox_hash in (select mailbox_hash from used_elsewhere)
          on conflict do nothing
    )
    select exists (select from archived_suppressions
                    where mailbox_hash not in (select mailbox_hash from own)) as strangers`.execute(tx);
  if (rows[0]!.strangers)
    throw new ArchiveRefused('The archive stops the mails to a mailbox that none of its members has.');
}
