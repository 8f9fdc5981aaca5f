/** The addresses that get nothing but sign-in codes. They are kept as hashes of the mailbox. */
import { sql, type Database, type Db, type Tx } from '#db/database.ts';

export type SuppressionReason = 'bounce' | 'complaint';

export interface Suppression {
  readonly reason: SuppressionReason;
  readonly since: Date;
}

/**
 * Suppresses mailboxes, in one statement. An address that bounced and then complains has complained. The addresses must be
 * normalised.
 */
export async function suppressAddresses(
  database: Database,
  addresses: readonly { readonly email: string; readonly reason: SuppressionReason }[],
): Promise<void> {
  if (addresses.length === 0) return;
  await sql`-- suppress-addresses
    insert into mail_suppressions as s (mailbox_hash, reason)
    select mailbox_hash_of(email), max(reason)
      from unnest(${addresses.map(({ email }) => email)}::text[],
                  ${addresses.map(({ reason }) => reason)}::text[]) as a(email, reason)
     group by 1
     order by 1
        on conflict (mailbox_hash) do update set reason = 'complaint', since = excluded.since
     where s.reason = 'bounce' and excluded.reason = 'complaint'`.execute(database);
}

/** Returns why an address is suppressed; null if it is not. */
export async function readSuppression(db: Db, email: string): Promise<Suppression | null> {
  const { rows } = await sql<Suppression>`-- read-suppression
    select reason, since from mail_suppressions where mailbox_hash = mailbox_hash_of(${email})`.execute(db);
  return rows[0] ?? null;
}

/** Lets mails go to an address again that bounced. Returns false if it did not, or if it has complained. */
export async function liftBounce(tx: Tx, email: string): Promise<boolean> {
  const { rows } = await sql`-- lift-bounce
    delete from mail_suppressions
     where mailbox_hash = mailbox_hash_of(${email}) and reason = 'bounce'
    returning 1`.execute(tx);
  return rows.length === 1;
}
