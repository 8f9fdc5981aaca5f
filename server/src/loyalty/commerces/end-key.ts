import type { Audited } from '#audit/audited.ts';
import type { Tx } from '#db/database.ts';
import { revokeKey } from './api-keys.ts';
import { lockKey } from './lock-key.ts';

/**
 * A key is refused from now on: by this process at once, by others within five seconds. Revoking it again changes nothing.
 * @throws UnknownKey
 */
export async function endKey(tx: Tx, commerceId: number, id: number): Promise<Audited<void>> {
  const { name, prefix, role, scopes, isWorking } = await lockKey(tx, commerceId, id);
  if (!isWorking) return { answer: undefined, entry: null };
  await revokeKey(tx, commerceId, id);
  return {
    answer: undefined,
    entry: { action: 'key.revoke', subject: prefix, before: { name, role, scopes } },
  };
}
