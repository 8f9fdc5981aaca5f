import { sql, type Tx } from '#db/database.ts';
import type { Voucher } from './voucher.ts';

/** What becomes of a voucher whose use is undone. */
export interface Restored {
  readonly dueAt: Date | null;
  readonly firstDueAt: Date | null;
  /** When it became void; null if it can be used again, as far as its date allows. */
  readonly givenBackAt: Date | null;
}

/** A code whose date has passed meanwhile is good for so long once more, once in its life. */
const SECOND_DAYS = 30;

/**
 * Decides what becomes of a used voucher whose use is undone at an instant.
 * @param lostAt when a return took away the tier that it came with; null if none did
 */
export function decideRestored(
  { dueAt, firstDueAt }: Pick<Voucher, 'dueAt' | 'firstDueAt'>,
  lostAt: Date | null,
  now: Date,
): Restored {
  const isPast = dueAt !== null && dueAt < now;
  if (lostAt !== null || !isPast || firstDueAt !== null) return { dueAt, firstDueAt, givenBackAt: lostAt };
  return {
    dueAt: new Date(now.getTime() + SECOND_DAYS * 24 * 60 * 60 * 1000),
    firstDueAt: dueAt,
    givenBackAt: null,
  };
}

/**
 * Makes used vouchers of a commerce unused again. Their members are locked, and nothing else changes a used voucher, so none can be
 * missing.
 */
export async function restoreVouchers(
  tx: Tx,
  commerceId: number,
  restored: readonly (Restored & { readonly code: number })[],
): Promise<void> {
  const { rows } = await sql`-- restore-vouchers
    update vouchers v
       set used_at = null, due_at = r.due_at, first_due_at = r.first_due_at, given_back_at = r.given_back_at
      from unnest(${restored.map(({ code }) => code)}::bigint[], ${restored.map(({ dueAt }) => dueAt)}::timestamptz[],
                  ${restored.map(({ firstDueAt }) => firstDueAt)}::timestamptz[],
                  ${restored.map(({ givenBackAt }) => givenBackAt)}::timestamptz[]) as r(code, due_at, first_due_at, given_back_at)
     where v.commerce_id = ${commerceId} and v.code = r.code and v.used_at is not null
    returning 1`.execute(tx);
  if (rows.length < restored.length) throw new Error('a used voucher could not be restored');
}
