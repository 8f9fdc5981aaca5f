import type { Audited } from '#audit/audited.ts';
import { isWorkingKey } from '#audit/working-key.ts';
import { sql, type Tx } from '#db/database.ts';
import { DEFAULT_SCOPES, type KeyScope } from '#http/key-scopes.ts';
import type { StaffRole } from '#http/staff-roles.ts';
import { InvalidRequest } from '#problems/invalid-request.ts';
import { Problem } from '#problems/problem.ts';
import { createKey } from './api-keys.ts';
import { prefixOfKey } from './key-token.ts';

/** So many keys of a commerce can be accepted at the same time. */
const MOST_KEYS = 100;

/** A shop that needs more keys than this needs another solution. */
export class TooManyKeys extends Problem {
  constructor() {
    super(409, 'too_many_keys', `a commerce has at most ${MOST_KEYS} keys: revoke those that nobody uses`);
  }
}

/** A key of the back office has a role and no scopes. */
class NoScopesWithARole extends InvalidRequest {
  constructor() {
    const type = 'value_error';
    super(
      [{ loc: ['body', 'scopes'], msg: 'Value error, a key with a role has no scopes', type }],
      'invalid',
      'Leave out "scopes" for a key of the back office: its role says what it may do.',
    );
  }
}

interface NewKey {
  readonly name: string;
  readonly role: StaffRole | null;
  /** Null if nobody has chosen. */
  readonly scopes: readonly KeyScope[] | null;
}

/** The text of a new key, which cannot be read again. */
export interface IssuedKey {
  readonly id: number;
  readonly key: string;
}

/**
 * A commerce gets a key for one of its servers or, with a role, for a script that calls the back office. Without a choice of
 * scopes, the key has those of a till and an online shop.
 * @throws NoScopesWithARole, TooManyKeys
 */
export async function issueKey(
  tx: Tx,
  commerceId: number,
  { name, role, scopes: chosen }: NewKey,
): Promise<Audited<IssuedKey>> {
  if (role !== null && chosen !== null) throw new NoScopesWithARole();
  await refuseTooManyKeys(tx, commerceId);
  const scopes = role === null ? (chosen ?? DEFAULT_SCOPES) : null;
  const issued = await createKey(tx, commerceId, name, { role, scopes });
  return {
    answer: issued,
    entry: { action: 'key.create', subject: prefixOfKey(issued.key), after: { name, role, scopes } },
  };
}

/** @throws TooManyKeys */
export async function refuseTooManyKeys(tx: Tx, commerceId: number): Promise<void> {
  const { rows } = await sql<{ count: number }>`-- count-keys
    select count(*) from api_keys k where k.commerce_id = ${commerceId} and ${isWorkingKey}`.execute(tx);
  if (rows[0]!.count >= MOST_KEYS) throw new TooManyKeys();
}
