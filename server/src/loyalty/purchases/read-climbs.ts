import { readRules, type Commerce } from '#commerces/commerce.ts';
import { sql, type Db } from '#db/database.ts';
import type { Climb } from '#tiers/standing-after-return.ts';
import { climbOf, type ClimbRecord, type OldReturn } from '#tiers/climb-record.ts';
import type { Figures } from '#members/member.ts';
import type { Rules } from '#program/rules.ts';
import { countedAtOf } from './counted-at.ts';
import type { StoredSnapshot } from './decide-purchase.ts';

/** A purchase that reached tiers, or its growth that did. */
export interface ClimbRow {
  readonly id: number;
  readonly purchaseId: number;
  readonly at: Date;
  readonly snapshot: {
    /** Version of the program that the purchase earned by. */
    readonly rule: number;
    /** Version on whose ladder it climbed, if that is another one. */
    readonly version?: number;
    readonly climbed: ClimbRecord;
    /** When the order arrived that it is of, in milliseconds, if it was paid earlier. */
    readonly arrived?: number;
  };
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
  purchase: { readonly id: number; readonly snapshot: StoredSnapshot; readonly hasGrown: boolean },
): Promise<Climbs> {
  if (purchase.snapshot.climbed === undefined && !purchase.hasGrown) return NO_CLIMBS;
  const returns = await readReturns(db, memberId, commerce.id);
  const { rows } = await sql<ClimbRow>`-- read-climbs
    with mine as (
      select distinct r.id from unnest(${[purchase.id, ...returns.map((r) => r.purchaseId)]}::bigint[]) as r(id)
    )
    select p.id, p.id as "purchaseId", p.at, p.snapshot
      from mine r
      join movements p on p.commerce_id = ${commerce.id} and p.id = r.id
     where p.snapshot ? 'climbed'
     union all
    select g.id, g.reverses_id, g.at, g.snapshot
      from mine r
      join movements g on g.commerce_id = ${commerce.id} and g.reverses_id = r.id
     where g.type = 'correction' and g.snapshot ? 'climbed'`.execute(db);
  const versions = [...new Set(rows.map(ladderOf))];
  const rules = await Promise.all(versions.map((version) => readRules(db, commerce.id, version)));
  const ladders = new Map(rules.map((then) => [then.version, then]));
  return climbsOf(purchase.id, rows, returns, (version) => ladders.get(version)!, commerce);
}

export interface Climbs {
  /** None if the purchase reached no tier. */
  readonly climbs: readonly Climb[];
  readonly returnedClimbs: readonly Climb[];
}

export const NO_CLIMBS: Climbs = { climbs: [], returnedClimbs: [] };

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
  const climbs = rows.map((row) => {
    const { id, snapshot } = row;
    const then = rulesOf(ladderOf(row));
    const since = returns.filter((one) => one.id > id);
    return { row, climb: climbOf(snapshot.climbed, countedAtOf(row), then.tiers, rules, since, now) };
  });
  return {
    climbs: climbs.filter(({ row }) => row.purchaseId === purchaseId).map(({ climb }) => climb),
    returnedClimbs: climbs.filter(({ row }) => row.purchaseId !== purchaseId).map(({ climb }) => climb),
  };
}

function ladderOf({ snapshot }: ClimbRow): number {
  return snapshot.version ?? snapshot.rule;
}

/** Returns all returns of a member's purchases. */
async function readReturns(db: Db, memberId: number, commerceId: number): Promise<ReturnRow[]> {
  const { rows } = await sql<ReturnedRow>`-- read-returns
    select r.id, r.reverses_id as "purchaseId", p.at, p.snapshot -> 'arrived' as arrived, -r.points_earned as points, -r.amount as amount
      from movements r
      join movements p on p.commerce_id = r.commerce_id and p.id = r.reverses_id
     where r.commerce_id = ${commerceId} and r.member_id = ${memberId} and r.type = 'reversal'`.execute(db);
  return rows.map(({ id, purchaseId, at, arrived, points, amount }) => ({
    id,
    purchaseId,
    countedAt: countedAtOf({ at, snapshot: arrived === null ? {} : { arrived } }),
    taken: { points, amount },
  }));
}

interface ReturnedRow extends Figures {
  readonly id: number;
  readonly purchaseId: number;
  readonly at: Date;
  readonly arrived: number | null;
}
