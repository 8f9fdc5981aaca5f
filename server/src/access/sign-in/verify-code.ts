import { timingSafeEqual } from 'node:crypto';
import type { Caps } from '#base/caps.ts';
import { sql, transaction, type Database, type Tx } from '#db/database.ts';
import { normaliseEmail } from '#text/email-address.ts';
import { Problem } from '#problems/problem.ts';
import { countTry, type CountedTry } from './count-try.ts';
import { countAsOwners, hashNetwork, type HashedNetwork } from './known-network.ts';
import { hashesOfCode, type CodeOwner } from './one-time-code.ts';
import type { SignInKeys } from './open-session.ts';
import { takeBackFromCaps, failureCapsOf } from './wide-caps.ts';

export interface CodeTry {
  /** As in `CodeOwner`. */
  readonly commerceId: number;
  /** The text as it was typed. */
  readonly email: string;
  readonly code: string;
  /** The network that the try comes from, as returned by `clientNetworkOf`. */
  readonly network: string;
}

/** The rules by which a try is judged. */
export interface TryRules {
  readonly keys: SignInKeys;
  readonly caps: Caps;
  /** Whether the cap by wide client network applies. */
  readonly limitNetworks: boolean;
}

/**
 * The code is wrong, expired, burned or was never requested, or there were too many tries. The caller must not learn
 * which.
 */
export class InvalidCode extends Problem {
  constructor() {
    super(400, 'code_refused', 'the code is not valid or has expired', {
      hint: 'Type the 6 digits of the newest mail, or request a new code with POST /v1/auth/otp/request.',
    });
  }
}

/** Opens what the person has proved to own the address for. Returns null if there is nothing to open for that address. */
export type Enter<T> = (tx: Tx, owner: CodeOwner, network: HashedNetwork) => Promise<T | null>;

/**
 * A person proves with the code from the mail that the address is theirs, and enters. A code works once.
 * @throws InvalidCode
 */
export async function verifyCode<T>(
  database: Database,
  attempt: CodeTry,
  rules: TryRules,
  enter: Enter<T>,
): Promise<T> {
  const { owner, counted } = await checkCode(database, attempt, rules);
  const network = hashNetwork(rules.keys.networks, owner.email, attempt.network);
  const entered = await transaction(database, async (tx) =>
    (await useUpCode(tx, owner, counted)) ? enter(tx, owner, network) : null,
  );
  if (entered === null) throw new InvalidCode();
  // The person is in, so this must not fail the call.
  if (counted.wide !== null) await takeBackFromCaps(database, counted.wide).catch(() => {});
  return entered;
}

/** Counts the try, then compares. Does the same work if there is no code to compare with. */
async function checkCode(
  database: Database,
  { commerceId, email: text, code, network }: CodeTry,
  { keys, caps, limitNetworks }: TryRules,
) {
  const email = normaliseEmail(text);
  const owner = { commerceId, email: email ?? '' };
  const source = {
    network,
    hashed: hashNetwork(keys.networks, owner.email, network),
    wideCaps: failureCapsOf(commerceId, network, { limitNetworks }),
  };
  const counted = email === null ? undefined : await countTry(database, owner, source, caps);
  const hashes = hashesOfCode(keys.codes, owner, code);
  const stored = counted?.hash ?? Buffer.alloc(hashes[0].length);
  // Compares with each of them, so that the time does not tell which key it was.
  const right = hashes.filter((hash) => timingSafeEqual(hash, stored)).length > 0;
  if (counted === undefined || !right) throw new InvalidCode();
  return { owner, counted };
}

/**
 * Deletes the code and the failure that its try was counted as, and counts its mail as the owner's, since the owner used
 * it. Returns false if the code was used or replaced in the meantime.
 */
async function useUpCode(
  tx: Tx,
  { commerceId, email }: CodeOwner,
  { hash, failureId }: CountedTry,
): Promise<boolean> {
  const { rows } = await sql`-- use-up-code
    with used as (
      delete from sign_in_codes
       where commerce_id = ${commerceId} and email = ${email} and hash = ${hash}
      returning commerce_id, email, issued_at
    ), owned as (
      ${countAsOwners}
    ), succeeded as (
      delete from sign_in_failures where id = ${failureId} and exists (select from used)
    )
    select from used`.execute(tx);
  return rows.length === 1;
}
