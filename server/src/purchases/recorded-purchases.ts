import { sql, type Db } from '#db/database.ts';

/**
 * The shop's own ids of its purchases are keys of this operation, whether a call or a file brought them: imports have always
 * kept them here, so the space is shared with rows that an earlier release imported.
 */
export const ORDERS = 'import';

/** Returns the key under which the shop's own id of a purchase is kept. */
export function orderKey(externalId: string): string {
  return `id/${externalId}`;
}

/** Selects the shop's own id of the purchase `movements p`; null if the shop gave none. */
export const externalIdOf = sql.raw(`(
           select substr(k.key, 4)
             from idempotency_keys k
            where k.commerce_id = p.commerce_id and k.result = p.id and k.operation = 'import' and k.key like 'id/%'
            limit 1)`);

/** What was recorded of a purchase, to compare it with a repeated one and to answer that one. */
export interface RecordedPurchase {
  readonly id: number;
  readonly amount: number;
  readonly pointsEarned: number;
  /** The balance that the shop was told; null if it was told none. */
  readonly balance: number | null;
  readonly registerId: number | null;
  readonly branchId: number | null;
  /** The buyer's code and address as they are now. */
  readonly code: number | null;
  readonly email: string | null;
}

/** Reads purchases that were recorded before, by id. */
export async function readRecorded(
  db: Db,
  purchases: readonly { readonly commerceId: number; readonly id: number }[],
): Promise<Map<number, RecordedPurchase>> {
  if (purchases.length === 0) return new Map();
  const { rows } = await sql<RecordedPurchase>`-- read-recorded
    select p.id, p.amount, p.points_earned as "pointsEarned", p.balance_after as balance,
           p.register_id as "registerId", p.branch_id as "branchId", m.code, m.email
      from unnest(${purchases.map((p) => p.commerceId)}::bigint[], ${purchases.map((p) => p.id)}::bigint[])
             as r(commerce_id, id)
      join movements p on p.commerce_id = r.commerce_id and p.id = r.id
      join members m on m.commerce_id = p.commerce_id and m.id = p.member_id`.execute(db);
  return new Map(rows.map((row) => [row.id, row]));
}
