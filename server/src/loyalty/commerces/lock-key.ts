import { isWorkingKey } from '#audit/working-key.ts';
import { sql, type Tx } from '#db/database.ts';
import type { KeyScope } from '#http/key-scopes.ts';
import type { StaffRole } from '#http/staff-roles.ts';
import { NotFound } from '#problems/problem.ts';
import { scopesOfKey } from './api-keys.ts';

/** The commerce has no key with this id. */
export class UnknownKey extends NotFound {
  constructor() {
    super('the commerce has no key with this id');
  }
}

/** A key of a commerce, locked. */
export interface LockedKey {
  readonly name: string;
  readonly prefix: string;
  readonly role: StaffRole | null;
  readonly scopes: readonly KeyScope[] | null;
  readonly isWorking: boolean;
  readonly endsAt: Date | null;
}

/** Locks a key. Writes of the back office that use it are waited for. @throws UnknownKey */
export async function lockKey(tx: Tx, commerceId: number, id: number): Promise<LockedKey> {
  const { rows } = await sql<LockedKey>`-- lock-key
    select k.name, k.prefix, k.role, ${scopesOfKey} as scopes, ${isWorkingKey} as "isWorking", least(k.revoked_at, k.ends_at) as "endsAt"
      from api_keys k
     where k.commerce_id = ${commerceId} and k.id = ${id}
       for no key update of k`.execute(tx);
  const [key] = rows;
  if (key === undefined) throw new UnknownKey();
  return key;
}
