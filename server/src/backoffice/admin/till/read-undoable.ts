import { startOfDay } from '#calendar/calendar.ts';
import { readCommerce } from '#commerces/commerce.ts';
import { sql, type Tx } from '#db/database.ts';
import { RoleNeeded } from '#http/authorize-staff.ts';
import { UnknownPurchase } from '#purchases/read-purchase.ts';
import type { TillPlace } from './read-till-day.ts';

/**
 * A cashier may take back a purchase of the commerce's today that was recorded at this register of the back office.
 * Returns its amount.
 * @throws RoleNeeded, UnknownPurchase
 */
export async function readUndoable(
  tx: Tx,
  commerceId: number,
  purchaseId: number,
  { registerId, branchId }: TillPlace,
): Promise<number> {
  const { today, rules } = (await readCommerce(tx, commerceId))!;
  const { rows } = await sql<{ amount: number; isOwn: boolean }>`-- read-undoable
    select p.amount,
           p.at >= ${startOfDay(today, rules.timeZone)}::timestamptz
           and p.register_id is not distinct from ${registerId}::bigint
           and (${branchId}::bigint is null or p.branch_id = ${branchId}::bigint)
           and exists (select from audit a
                        where a.commerce_id = p.commerce_id and a.movement_id = p.id
                          and a.action = 'purchase.record') as "isOwn"
      from movements p
     where p.commerce_id = ${commerceId} and p.id = ${purchaseId} and p.type = 'purchase'`.execute(tx);
  const [purchase] = rows;
  if (purchase === undefined) throw new UnknownPurchase();
  if (!purchase.isOwn) throw new RoleNeeded('manager');
  return purchase.amount;
}
