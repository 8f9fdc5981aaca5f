import { sql, type Tx } from '#db/database.ts';
import { mailboxOf } from '#text/mailbox.ts';
import { deriveKeys, type DerivedKeys, type SecretKeys } from '#settings/secret-key.ts';
import { hashesOf, type Hashes } from './one-time-code.ts';

/** A mailbox and a client network, as keyed hashes: those that are stored, and those that other keys have stored. */
export interface HashedNetwork {
  readonly mailboxHashes: Hashes;
  readonly networkHashes: Hashes;
}

/** Derives the keys that networks are hashed with from the service's secret. */
export function deriveNetworkKeys(secret: SecretKeys): DerivedKeys {
  return deriveKeys(secret, 'sign-in network', 32);
}

/** The hash of a network includes the mailbox, so it does not reveal who shares a network. */
export function hashNetwork(keys: DerivedKeys, email: string, network: string): HashedNetwork {
  const mailbox = mailboxOf(email);
  return {
    mailboxHashes: hashesOf(keys, mailbox),
    networkHashes: hashesOf(keys, `${mailbox}\n${network}`),
  };
}

/**
 * A common table expression with one row: `is_known` if the mailbox has signed in from this network in the last 180
 * days, and `is_stranger` if it has signed in, but only from other networks. Of the limits of a mailbox, strangers get
 * one half; the other half is reserved for known networks. As long as nobody has signed in, nothing is reserved.
 */
export function callerFrom({ mailboxHashes, networkHashes }: HashedNetwork) {
  return sql`caller as (
      select coalesce(bool_or(network_hash = any(${networkHashes}::bytea[])), false) as is_known,
             coalesce(not bool_or(network_hash = any(${networkHashes}::bytea[])), false) as is_stranger
        from sign_in_known_networks
       where mailbox_hash = any(${mailboxHashes}::bytea[]) and signed_in_at > now() - interval '180 days'
    )`;
}

/** Counts the mail of each code in `used` as one that a known network asked for. */
export const countAsOwners = sql.raw(`
      update sign_in_sends s
         set from_known_network = true
        from used
       where s.commerce_id = used.commerce_id and s.email = used.email and s.sent_at = used.issued_at`);

/** Remembers that the mailbox has signed in from the network. */
export async function rememberNetwork(
  tx: Tx,
  { mailboxHashes, networkHashes }: HashedNetwork,
): Promise<void> {
  await sql`-- remember-network
    insert into sign_in_known_networks (mailbox_hash, network_hash) values (${mailboxHashes[0]}, ${networkHashes[0]})
        on conflict (mailbox_hash, network_hash) do update set signed_in_at = excluded.signed_in_at`.execute(
    tx,
  );
}
