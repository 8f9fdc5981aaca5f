import type { Audited } from '#audit/audited.ts';
import { isWorkingKey } from '#audit/working-key.ts';
import { sql, type Tx } from '#db/database.ts';
import type { StaffRole } from '#http/staff-role.ts';
import { Problem } from '#problems/problem.ts';
import { createKey } from './api-keys.ts';
import { prefixOfKey } from './key-token.ts';

/** So many keys of a commerce can be accepted at the same time. */
const MOST_KEYS = 100;

/** Whoever needs more keys than this wants something else. */
export class TooManyKeys extends Problem {
  constructor() {
    super(409, 'too_many_keys', `a commerce has at most ${MOST_KEYS} keys: revoke those that nobody uses`);
  }
}

/** The text of a new key, which cannot be read again. */
export interface IssuedKey {
  readonly id: number;
  readonly key: string;
}

/**
 * A commerce gets a key for one of its servers or, with a role, for a script that calls the back office.
 * @throws TooManyKeys
 */
export async function issueKey(
  tx: Tx,
  commerceId: number,
  { name, role }: { readonly name: string; readonly role: StaffRole | null },
): Promise<Audited<IssuedKey>> {
  await refuseTooManyKeys(tx, commerceId);
  const issued = await createKey(tx, commerceId, name, role);
  return {
    answer: issued,
    entry: { action: 'key.create', subject: prefixOfKey(issued.key), after: { name, role } },
  };
}

/** @throws TooManyKeys */
export async function refuseTooManyKeys(tx: Tx, commerceId: number): Promise<void> {
  const { rows } = await sql<{ count: number }>`-- count-keys
    select count(*) from api_keys k where k.commerce_id = ${commerceId} and ${isWorkingKey}`.execute(tx);
  if (rows[0]!.count >= MOST_KEYS) throw new TooManyKeys();
}
