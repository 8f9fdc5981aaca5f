import { readRules, type Commerce } from '#commerces/commerce.ts';
import { sql, type Db } from '#db/database.ts';
import type { Climb } from '#tiers/standing-after-return.ts';
import { climbOf, type ClimbRecord, type OldReturn } from '#tiers/climb-record.ts';
import type { Rules } from '#program/rules.ts';
import type { StoredSnapshot } from './decide-purchase.ts';

/** A purchase that reached tiers. */
export interface ClimbRow {
  readonly id: number;
  readonly at: Date;
  readonly snapshot: StoredSnapshot & { readonly climbed: ClimbRecord };
}

export interface ReturnRow extends OldReturn {
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
): Promise<Climbs> {
  if (purchase.snapshot.climbed === undefined) return NO_CLIMBS;
  const returns = await readReturns(db, memberId, commerce.id);
  const { rows } = await sql<ClimbRow>`-- read-climbs
    select p.id, p.at, p.snapshot
      from unnest(${[purchase.id, ...returns.map((r) => r.purchaseId)]}::bigint[]) as r(id)
      join movements p on p.commerce_id = ${commerce.id} and p.id = r.id
     where p.snapshot ? 'climbed'
     group by p.commerce_id, p.id`.execute(db);
  const versions = [...new Set(rows.map(({ snapshot }) => snapshot.rule))];
  const rules = await Promise.all(versions.map((version) => readRules(db, commerce.id, version)));
  const ladders = new Map(rules.map((then) => [then.version, then]));
  return climbsOf(purchase.id, rows, returns, (version) => ladders.get(version)!, commerce);
}

export interface Climbs {
  /** Null if the purchase reached no tier. */
  readonly climb: Climb | null;
  readonly returnedClimbs: readonly Climb[];
}

export const NO_CLIMBS: Climbs = { climb: null, returnedClimbs: [] };

/**
 * Translates the climbs of a purchase and of the member's other purchases with returns to the current ladder.
 * @param rows those of these purchases that reached tiers
 * @param returns all returns of the member's purchases
 */
export function climbsOf(
  purchaseId: number,
  rows: readonly ClimbRow[],
  returns: readonly ReturnRow[],
  rulesOf: (version: number) => Pick<Rules, 'tiers'>,
  { rules, now }: Pick<Commerce, 'rules' | 'now'>,
): Climbs {
  const climbs = rows.map(({ id, at, snapshot }) => {
    const then = rulesOf(snapshot.rule);
    const since = returns.filter((one) => one.id > id);
    return { id, climb: climbOf(snapshot.climbed, at, then.tiers, rules, since, now) };
  });
  return {
    climb: climbs.find(({ id }) => id === purchaseId)?.climb ?? null,
    returnedClimbs: climbs.filter(({ id }) => id !== purchaseId).map(({ climb }) => climb),
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
