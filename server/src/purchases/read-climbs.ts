import { readRules, type Commerce } from '#commerces/commerce.ts';
import { sql, type Db } from '#db/database.ts';
import type { Climb } from '#tiers/climb-down.ts';
import { climbOf, type ClimbRecord, type OldReturn } from '#tiers/climb-record.ts';
import type { StoredSnapshot } from './decide-purchase.ts';

/** A purchase that reached tiers. */
interface ClimbRow {
  readonly id: number;
  readonly at: Date;
  readonly snapshot: StoredSnapshot & { readonly climbed: ClimbRecord };
}

interface ReturnRow extends OldReturn {
  readonly id: number;
  readonly purchaseId: number;
}

/**
 * Returns the tiers that a purchase reached, and those of the member's other purchases with returns, all on the current
 * ladder. If the purchase reached none, neither is needed.
 */
export async function readClimbs(
  db: Db,
  memberId: number,
  commerce: Commerce,
  purchase: { readonly id: number; readonly snapshot: StoredSnapshot },
): Promise<{ climb: Climb | null; returnedClimbs: readonly Climb[] }> {
  if (purchase.snapshot.climbed === undefined) return { climb: null, returnedClimbs: [] };
  const returns = await readReturns(db, memberId, commerce.id);
  const { rows } = await sql<ClimbRow>`-- read-climbs
    select p.id, p.at, p.snapshot
      from unnest(${[purchase.id, ...returns.map((r) => r.purchaseId)]}::bigint[]) as r(id)
      join movements p on p.commerce_id = ${commerce.id} and p.id = r.id
     where p.snapshot ? 'climbed'
     group by p.commerce_id, p.id`.execute(db);
  const climbs = await Promise.all(
    rows.map(async ({ id, at, snapshot }) => {
      const then = await readRules(db, commerce.id, snapshot.rule);
      const since = returns.filter((one) => one.id > id);
      return { id, climb: climbOf(snapshot.climbed, at, then.tiers, commerce.rules, since, commerce.now) };
    }),
  );
  return {
    climb: climbs.find(({ id }) => id === purchase.id)!.climb,
    returnedClimbs: climbs.filter(({ id }) => id !== purchase.id).map(({ climb }) => climb),
  };
}

/** Returns all returns of a member's purchases. */
async function readReturns(db: Db, memberId: number, commerceId: number): Promise<ReturnRow[]> {
  const { rows } = await sql<Omit<ReturnRow, 'taken'> & { points: number; amount: number }>`-- read-returns
    select r.id, r.reverses_id as "purchaseId", p.at as "purchasedAt", -r.points_earned as points, -r.amount as amount
      from movements r
      join movements p on p.commerce_id = r.commerce_id and p.id = r.reverses_id
     where r.commerce_id = ${commerceId} and r.member_id = ${memberId} and r.type = 'reversal'`.execute(db);
  return rows.map(({ points, amount, ...row }) => ({ ...row, taken: { points, amount } }));
}
