import type { Audited } from '#audit/audited.ts';
import { forgetRemembered } from '#batching/short-memory.ts';
import { sql, type Tx } from '#db/database.ts';
import { Problem } from '#problems/problem.ts';
import { refuseTooManyKeys, type IssuedKey } from './issue-key.ts';
import { createKey } from './api-keys.ts';
import { prefixOfKey } from './key-token.ts';
import { lockKey } from './lock-key.ts';

/** A key that is replaced may be accepted for a month more. */
export const MOST_OVERLAP_HOURS = 30 * 24;

/** The key was revoked, or another one replaces it already. */
export class KeyHasEnded extends Problem {
  constructor() {
    super(409, 'key_ended', 'this key has been revoked or replaced: replace the newer key, or create one');
  }
}

/**
 * A new key with the same name, role and scopes takes the place of a key. The old one is accepted for so many hours more, by the
 * database's clock, so the shop's servers can change over one by one.
 * @throws UnknownKey
 * @throws KeyHasEnded
 * @throws TooManyKeys
 */
export async function rotateKey(
  tx: Tx,
  commerceId: number,
  id: number,
  overlapHours: number,
): Promise<Audited<IssuedKey>> {
  const old = await lockKey(tx, commerceId, id);
  if (!old.isWorking || old.endsAt !== null) throw new KeyHasEnded();
  await refuseTooManyKeys(tx, commerceId);
  const issued = await createKey(tx, commerceId, old.name, {
    role: old.role,
    scopes: old.scopes,
    replacesId: id,
  });
  const { rows } = await sql<{ endsAt: Date }>`-- let-key-end
    update api_keys
       set ends_at = now() + make_interval(hours => ${overlapHours}::integer)
     where commerce_id = ${commerceId} and id = ${id}
    returning ends_at as "endsAt"`.execute(tx);
  forgetRemembered(tx);
  return {
    answer: issued,
    entry: {
      action: 'key.rotate',
      subject: old.prefix,
      before: { name: old.name, role: old.role, scopes: old.scopes },
      after: { replaced_by: prefixOfKey(issued.key), ends_at: rows[0]!.endsAt },
    },
  };
}
