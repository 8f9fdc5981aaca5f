/** Redemptions that a shop has named by an id of its own. One id can name the uses of several codes. */
import type { KeyedCall } from '#batching/idempotency.ts';
import { digestOf } from '#batching/keyed-request.ts';
import { commercesOf } from '#db/commerces-of.ts';
import { sql, type Db, type Tx } from '#db/database.ts';
import { Problem } from '#problems/problem.ts';

/** The use was undone, so its id and its key are used up: what repeats it would use the code once more. */
export class RedemptionUndone extends Problem {
  constructor() {
    super(409, 'undone', 'this redemption was undone: use the code again under another external_id');
  }
}

/** A redemption with an id of the shop's. */
export interface Named {
  readonly commerceId: number;
  readonly externalId: string;
  readonly code: number;
}

/** Returns the claim of an id for a code. The same pair is always the same call. */
export function claimOf({ commerceId, externalId, code }: Named): KeyedCall {
  return {
    commerceId,
    operation: 'redemption',
    key: `${code}/${externalId}`,
    fingerprint: SAME,
    result: code,
  };
}

const SAME = digestOf(null);

/**
 * Returns those that cannot be carried out or repeated any more: their use was undone, or all uses that their id named
 * were.
 */
export async function findUndone<One extends Named>(db: Db, named: readonly One[]): Promise<Set<One>> {
  if (named.length === 0) return new Set();
  const { rows } = await sql<{ nth: number }>`-- find-undone-redemptions
    select n.nth
      from unnest(${named.map((one) => one.commerceId)}::bigint[], ${named.map((one) => one.externalId)}::text[],
                  ${named.map((one) => one.code)}::bigint[]) with ordinality as n(commerce_id, external_id, code, nth)
      join redemptions r on r.commerce_id = n.commerce_id and r.external_id = n.external_id
     where r.commerce_id = any(${commercesOf(named)}::bigint[])
     group by n.nth
    having bool_and(r.undo_id is not null) or bool_or(r.code = n.code and r.undo_id is not null)`.execute(db);
  return new Set(rows.map(({ nth }) => named[nth - 1]!));
}

/** A redemption that was carried out. */
export interface NamedUse {
  readonly code: number;
  readonly memberId: number;
  readonly useId: number;
  readonly usedAt: Date;
  readonly isUndone: boolean;
}

/** Reads the uses that an id names, in the order of their codes. */
export async function readNamedUses(db: Db, commerceId: number, externalId: string): Promise<NamedUse[]> {
  const { rows } = await sql<NamedUse>`-- read-named-uses
    select code, member_id as "memberId", use_id as "useId", used_at as "usedAt", undo_id is not null as "isUndone"
      from redemptions
     where commerce_id = ${commerceId} and external_id = ${externalId}
     order by code`.execute(db);
  return rows;
}

/** Notes which movement undid which use. */
export async function markUndone(
  tx: Tx,
  { commerceId, externalId }: Omit<Named, 'code'>,
  undone: readonly { readonly code: number; readonly undoId: number }[],
  at: Date,
): Promise<void> {
  const { rows } = await sql`-- mark-undone
    update redemptions r
       set undo_id = u.undo_id, undone_at = ${at}
      from unnest(${undone.map(({ code }) => code)}::bigint[], ${undone.map(({ undoId }) => undoId)}::bigint[]) as u(code, undo_id)
     where r.commerce_id = ${commerceId} and r.external_id = ${externalId} and r.code = u.code and r.undo_id is null
    returning 1`.execute(tx);
  if (rows.length < undone.length) throw new Error('a use was undone twice');
}
