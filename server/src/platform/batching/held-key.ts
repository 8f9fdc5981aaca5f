import { sql, sqlState, type Tx } from '#db/database.ts';
import { Conflict } from '#problems/problem.ts';
import type { KeyedCall } from './idempotency.ts';

/** A key that this transaction holds against all other calls with it. */
export interface HeldKey {
  /** True if no call has used it. It must then be kept or let go of in the same transaction. */
  readonly isNew: boolean;
  /** The id that the call with this key has stored; null if there was none. */
  readonly result: number | null;
}

/**
 * Holds a key until the end of the transaction, whether or not a call has used it. For what is said again and again under one key. It comes
 * before any other lock.
 * @throws Conflict if another transaction holds it for longer than two seconds
 */
export async function holdKey(
  tx: Tx,
  { commerceId, operation, key, fingerprint }: KeyedCall,
): Promise<HeldKey> {
  try {
    const { rows } = await sql`-- hold-new-key
      insert into idempotency_keys (commerce_id, operation, key, fingerprint, from_call)
      values (${commerceId}, ${operation}, ${key}, ${fingerprint}, true)
          on conflict do nothing
      returning 1`.execute(tx);
    if (rows.length === 1) return { isNew: true, result: null };
    const { rows: first } = await sql<{ result: number }>`-- hold-used-key
      select result
        from idempotency_keys
       where commerce_id = ${commerceId} and operation = ${operation} and key = ${key}
         for no key update`.execute(tx);
    return { isNew: false, result: first[0]!.result };
  } catch (error) {
    if (sqlState(error) === '55P03')
      throw new Conflict('another call with this external_id is still running: repeat it in a moment');
    throw error;
  }
}

/** Keeps a new key for what the call has made, or lets go of it, so that another call can use it. */
export async function settleKey(
  tx: Tx,
  { commerceId, operation, key }: KeyedCall,
  result: number | null,
): Promise<void> {
  if (result === null)
    await sql`-- let-go-of-key
      delete from idempotency_keys
       where commerce_id = ${commerceId} and operation = ${operation} and key = ${key}`.execute(tx);
  else
    await sql`-- keep-key
      update idempotency_keys
         set result = ${result}
       where commerce_id = ${commerceId} and operation = ${operation} and key = ${key}`.execute(tx);
}
