import { sql, type Db } from '#db/database.ts';

/** A mail to be sent once this transaction is committed. */
export interface Mail {
  readonly commerceId: number;
  readonly kind: 'invitation';
  /** A normalised address. */
  readonly recipient: string;
  readonly content: object;
}

/** Puts mails into the outbox, in the transaction that causes them; the sender takes them from there. */
export async function enqueueMails(db: Db, mails: readonly Mail[]): Promise<void> {
  if (mails.length === 0) return;
  await sql`-- enqueue-mails
    insert into outbox (commerce_id, kind, recipient, content)
    select m.commerce_id, m.kind, m.recipient, m.content::jsonb
      from unnest(${mails.map((m) => m.commerceId)}::bigint[], ${mails.map((m) => m.kind)}::text[],
                  ${mails.map((m) => m.recipient)}::text[], ${mails.map((m) => JSON.stringify(m.content))}::text[])
             as m(commerce_id, kind, recipient, content)`.execute(db);
}
