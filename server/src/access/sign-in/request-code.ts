import type { Caps } from '#base/caps.ts';
import { sql, transaction, type Database, type Db, type Tx } from '#db/database.ts';
import { normaliseEmail } from '#text/email-address.ts';
import { callerFrom, hashNetwork, type HashedNetwork } from './known-network.ts';
import { lockAddress } from './lock-address.ts';
import { hashesOfCode, hashesOfLink, newCode, newLinkToken, type CodeOwner } from './one-time-code.ts';
import type { SignInKeys } from './open-session.ts';
import { countTowardsCaps, mailCapsOf } from './wide-caps.ts';

export const CODE_MINUTES = 10;

/** A request for a code, as it was received. */
export interface CodeRequest {
  /** As in `CodeOwner`. Null if the commerce does not exist. */
  readonly commerceId: number | null;
  /** The text as it was typed. */
  readonly email: string;
  /** The network that the request comes from, as returned by `clientNetworkOf`. */
  readonly network: string;
}

/** A code that was stored and is to be mailed. */
export interface NewCode {
  readonly email: string;
  readonly code: string;
  readonly token: string;
  /** True if it was asked for from a network that the mailbox has signed in from. */
  readonly isKnown: boolean;
}

export interface CodeSending {
  readonly caps: Caps;
  readonly limitNetworks: boolean;
  /** Puts the mail into the outbox. */
  readonly mail: (tx: Tx, code: NewCode) => Promise<void>;
}

/**
 * Sends a person a sign-in code and a link by mail, and invalidates the previous ones. If nothing may be sent (too many
 * codes, an unknown commerce or an invalid address), does nothing, and the previous code stays valid. Never reads
 * accounts, so the response cannot reveal one. Returns true if a code was stored.
 */
export async function requestCode(
  database: Database,
  keys: SignInKeys,
  request: CodeRequest,
  { caps, limitNetworks, mail }: CodeSending,
): Promise<boolean> {
  const email = normaliseEmail(request.email);
  const { commerceId } = request;
  if (commerceId === null || email === null) return false;
  const owner = { commerceId, email };
  const network = hashNetwork(keys.networks, email, request.network);
  // Checked without a lock first: in a flood on one address, each call costs one index lookup and waits for nothing.
  const caller = await whoMaySend(database, owner, network);
  if (caller === null) {
    caps.refused('codes-of-a-mailbox');
    return false;
  }
  if (caller === 'stranger') {
    const { exceeded } = await countTowardsCaps(
      database,
      mailCapsOf(commerceId, request.network, { limitNetworks }),
    );
    if (exceeded !== undefined) {
      caps.refused(exceeded.name);
      return false;
    }
  }
  const [code, token] = [newCode(), newLinkToken()];
  const hashes = {
    code: hashesOfCode(keys.codes, owner, code)[0],
    link: hashesOfLink(keys.links, commerceId, token)![0],
  };

  return transaction(database, async (tx) => {
    await lockAddress(tx, email);
    if (!(await storeCode(tx, owner, network, hashes))) return false;
    await mail(tx, { email, code, token, isKnown: caller === 'known' });
    return true;
  });
}

/**
 * Returns who asks, or null if the mailbox may not get a code now. Does not see sends that are not committed yet. Anyone who asks from a
 * network that the mailbox has not signed in from is a stranger.
 */
async function whoMaySend(
  db: Db,
  owner: CodeOwner,
  network: HashedNetwork,
): Promise<'known' | 'stranger' | null> {
  const { rows } = await sql<{ isKnown: boolean }>`-- may-send-code
    with ${callerFrom(network)}, ${sendsTo(owner)}
    select is_known as "isKnown" from sends, caller where ${WITHIN_LIMITS}`.execute(db);
  const [row] = rows;
  return row === undefined ? null : row.isKnown ? 'known' : 'stranger';
}

/** Stores the code if the mailbox may get one. The address must be locked. */
async function storeCode(
  tx: Tx,
  owner: CodeOwner,
  network: HashedNetwork,
  hashes: { readonly code: Buffer; readonly link: Buffer },
): Promise<boolean> {
  const { commerceId, email } = owner;
  const { rows } = await sql`-- issue-code
    with ${callerFrom(network)}, ${sendsTo(owner)}, noted as (
      insert into sign_in_sends as s (commerce_id, email, from_known_network)
      select ${commerceId}::bigint, ${email}::text, is_known
        from sends, caller
       where ${WITHIN_LIMITS}
      returning s.commerce_id, s.email, s.sent_at
    )
    insert into sign_in_codes as c (commerce_id, email, hash, link_hash, issued_at, link_issued_at, expires_at)
    select commerce_id, email, ${hashes.code}::bytea, ${hashes.link}::bytea, sent_at, sent_at,
           sent_at + make_interval(mins => ${CODE_MINUTES}::integer)
      from noted
        on conflict (commerce_id, email) do update
       set hash = excluded.hash, tries = 0, issued_at = excluded.issued_at, expires_at = excluded.expires_at,
           link_hash = excluded.link_hash, link_issued_at = excluded.link_issued_at
    returning c.commerce_id`.execute(tx);
  return rows.length === 1;
}

/**
 * Strangers get the smaller half of an odd limit. A known network has a minute of its own, so a stranger cannot make the
 * owner wait either. Of what strangers get, spellings with a `+tag` get one half, because a mail to such a spelling does
 * not let the owner of the plain address in.
 */
const WITHIN_LIMITS = sql.raw(`
  case when is_known then in_a_minute - strange_in_a_minute else in_a_minute end < 1
  and in_an_hour < 5 and in_a_day < 10 and in_a_day_over_all < 20
  and (not is_stranger
       or strange_in_an_hour < 2 and strange_in_a_day < 5 and strange_in_a_day_over_all < 10)
  and (not is_tagged or is_known
       or case when is_stranger then tagged_in_an_hour < 1 and tagged_in_a_day < 2 and tagged_in_a_day_over_all < 5
               else tagged_in_an_hour < 2 and tagged_in_a_day < 5 and tagged_in_a_day_over_all < 10 end)`);

function sendsTo({ commerceId, email }: CodeOwner) {
  return sql`sent as (
      select sent_at, commerce_id = ${commerceId} as here, not from_known_network as strange,
             not from_known_network and strpos(email, '+') > 0 as tagged
        from sign_in_sends
       where mailbox_of(email) = mailbox_of(${email}) and sent_at > now() - interval '1 day'
    ), sends as (
      select count(*) filter (where here and sent_at > now() - interval '60 seconds') as in_a_minute,
             count(*) filter (where here and sent_at > now() - interval '1 hour') as in_an_hour,
             count(*) filter (where here) as in_a_day,
             count(*) as in_a_day_over_all,
             count(*) filter (where here and strange and sent_at > now() - interval '60 seconds') as strange_in_a_minute,
             count(*) filter (where here and strange and sent_at > now() - interval '1 hour') as strange_in_an_hour,
             count(*) filter (where here and strange) as strange_in_a_day,
             count(*) filter (where strange) as strange_in_a_day_over_all,
             count(*) filter (where here and tagged and sent_at > now() - interval '1 hour') as tagged_in_an_hour,
             count(*) filter (where here and tagged) as tagged_in_a_day,
             count(*) filter (where tagged) as tagged_in_a_day_over_all,
             ${email.includes('+')}::boolean as is_tagged
        from sent
    )`;
}
