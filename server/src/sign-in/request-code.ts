import { sql, transaction, type Database, type Db, type Tx } from '#db/database.ts';
import { normaliseEmail } from '#text/email-address.ts';
import { enqueueMails } from '#mail/outbox.ts';
import { lockAddress } from './lock-address.ts';
import { hashOfCode, newCode, type CodeOwner } from './one-time-code.ts';

export const CODE_MINUTES = 10;

/** A request for a code, as it was received. */
export interface CodeRequest {
  /** Null if the commerce does not exist. */
  readonly commerceId: number | null;
  /** The text as it was typed. */
  readonly email: string;
}

/**
 * Sends a person a sign-in code by mail and invalidates the previous one. If nothing may be sent (too many codes, an
 * unknown commerce or an invalid address), does nothing, and the previous code stays valid. Never reads accounts, so
 * the response cannot reveal one. Returns true if a mail was put into the outbox.
 */
export async function requestCode(database: Database, key: Buffer, request: CodeRequest): Promise<boolean> {
  const email = normaliseEmail(request.email);
  const { commerceId } = request;
  if (commerceId === null || email === null) return false;
  const owner = { commerceId, email };
  // Checked without a lock first: in a flood on one address, each call costs one index lookup and waits for nothing.
  if (!(await maySend(database, owner))) return false;
  const code = newCode();
  const hash = hashOfCode(key, owner, code);

  return transaction(database, async (tx) => {
    await lockAddress(tx, email);
    if (!(await storeCode(tx, owner, hash))) return false;
    await enqueueMails(tx, [
      {
        commerceId,
        kind: 'sign-in-code',
        recipient: email,
        content: { code },
        urgent: true,
        expiresInSeconds: CODE_MINUTES * 60,
      },
    ]);
    return true;
  });
}

/** Returns true if the address may get a code now. Does not see sends that are not committed yet. */
async function maySend(db: Db, owner: CodeOwner): Promise<boolean> {
  const { rows } = await sql`-- may-send-code
    with ${sendsTo(owner)}
    select from sends where ${WITHIN_LIMITS}`.execute(db);
  return rows.length === 1;
}

/** Stores the code if the address may get one. The address must be locked. */
async function storeCode(tx: Tx, owner: CodeOwner, hash: Buffer): Promise<boolean> {
  const { commerceId, email } = owner;
  const { rows } = await sql`-- issue-code
    with ${sendsTo(owner)}, noted as (
      insert into sign_in_sends (commerce_id, email)
      select ${commerceId}::bigint, ${email}::text
        from sends
       where ${WITHIN_LIMITS}
      returning commerce_id, email, sent_at
    )
    insert into sign_in_codes (commerce_id, email, hash, issued_at, expires_at)
    select commerce_id, email, ${hash}::bytea, sent_at, sent_at + make_interval(mins => ${CODE_MINUTES}::integer)
      from noted
        on conflict (commerce_id, email) do update
       set hash = excluded.hash, tries = 0, issued_at = excluded.issued_at, expires_at = excluded.expires_at
    returning commerce_id`.execute(tx);
  return rows.length === 1;
}

const WITHIN_LIMITS = sql.raw(
  'in_a_minute < 1 and in_an_hour < 5 and in_a_day < 10 and in_a_day_over_all < 20',
);

function sendsTo({ commerceId, email }: CodeOwner) {
  return sql`sends as (
      select count(*) filter (where commerce_id = ${commerceId} and sent_at > now() - interval '60 seconds') as in_a_minute,
             count(*) filter (where commerce_id = ${commerceId} and sent_at > now() - interval '1 hour') as in_an_hour,
             count(*) filter (where commerce_id = ${commerceId}) as in_a_day,
             count(*) as in_a_day_over_all
        from sign_in_sends
       where email = ${email} and sent_at > now() - interval '1 day'
    )`;
}
