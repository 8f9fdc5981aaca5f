import { sql, transaction, type Database, type Db, type Tx } from '#db/database.ts';
import { Problem } from '#problems/problem.ts';
import { countAsOwners, hashNetwork } from './known-network.ts';
import { hashesOfLink, type Hashes } from './one-time-code.ts';
import type { SignInKeys } from './open-session.ts';
import type { Enter } from './verify-code.ts';

export interface LinkPress {
  /** As in `CodeOwner`. */
  readonly commerceId: number;
  /** The secret from the link. */
  readonly token: string;
  /** The network that the call comes from, as returned by `clientNetworkOf`. */
  readonly network: string;
}

/** The link is wrong, used or expired, or a newer code replaced it. The caller must not learn which. */
export class InvalidLink extends Problem {
  constructor() {
    super(400, 'code_refused', 'the link is not valid or has expired', {
      hint: 'Use the link of the newest mail, or request a new one with POST /v1/auth/otp/request.',
    });
  }
}

/**
 * A person enters with the link from the mail, which works once and as long as the code beside it. The link cannot be
 * guessed, so wrong tries of the code do not affect it and no failures are counted. Otherwise like `verifyCode`.
 * @throws InvalidLink
 */
export async function verifyLink<T>(
  database: Database,
  { commerceId, token, network }: LinkPress,
  keys: SignInKeys,
  enter: Enter<T>,
): Promise<T> {
  const hashes = await findLink(database, keys, commerceId, token);
  const entered = await transaction(database, async (tx) => {
    const email = await useUpLink(tx, commerceId, hashes);
    if (email === null) return null;
    return enter(tx, { commerceId, email }, hashNetwork(keys.networks, email, network));
  });
  if (entered === null) throw new InvalidLink();
  return entered;
}

/** Returns the hashes of a valid link. */
async function findLink(db: Db, keys: SignInKeys, commerceId: number, token: string): Promise<Hashes> {
  const hashes = hashesOfLink(keys.links, commerceId, token);
  if (hashes === null) throw new InvalidLink();
  const { rows } = await sql`-- find-link
    select from sign_in_codes where ${isLive(commerceId, hashes)}`.execute(db);
  if (rows.length === 0) throw new InvalidLink();
  return hashes;
}

/** Deletes the link with its code, and counts its mail as the owner's. Returns the address, or null if either was used or replaced in the meantime. */
async function useUpLink(tx: Tx, commerceId: number, hashes: Hashes): Promise<string | null> {
  const { rows } = await sql<{ email: string }>`-- use-up-link
    with used as (
      delete from sign_in_codes where ${isLive(commerceId, hashes)} returning commerce_id, email, issued_at
    ), owned as (
      ${countAsOwners}
    )
    select email from used`.execute(tx);
  return rows[0]?.email ?? null;
}

function isLive(commerceId: number, hashes: Hashes) {
  return sql`commerce_id = ${commerceId} and link_hash = any(${hashes}::bytea[])
         and link_issued_at = issued_at and expires_at > now()`;
}
