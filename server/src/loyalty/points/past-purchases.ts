import { commercesOf } from '#db/commerces-of.ts';
import { sql, type Db } from '#db/database.ts';
import type { Member } from '#members/member.ts';
import type { CountedPeriod } from '#program/earning-rules.ts';
import type { Rules } from '#program/rules.ts';
import { periodOf } from './counted-period.ts';
import type { LockedMember } from './locked-member.ts';
import type { PastPurchase } from './purchase-facts.ts';

/** From when on the purchases of a member are needed. */
export interface CountedMember {
  readonly commerceId: number;
  readonly id: number;
  readonly from: Date;
}

interface Row extends PastPurchase {
  readonly commerceId: number;
  readonly memberId: number;
}

/**
 * Reads the earlier purchases that limits count, of members whose rows this transaction has locked, so nothing can be added meanwhile. A
 * purchase that was returned as a whole counts no more.
 */
export async function withPast(
  db: Db,
  members: readonly LockedMember[],
  counted: readonly CountedMember[],
): Promise<readonly LockedMember[]> {
  if (counted.length === 0) return members;
  const { rows } = await sql<Row>`-- read-past-purchases
    select p.commerce_id as "commerceId", p.member_id as "memberId", p.at, coalesce(p.snapshot -> 'used', '[]') as used,
           p.points_earned + r.points as points
      from unnest(${counted.map((m) => m.commerceId)}::bigint[], ${counted.map((m) => m.id)}::bigint[],
                  ${counted.map((m) => m.from)}::timestamptz[])
             as c(commerce_id, member_id, since)
      join movements p on p.commerce_id = c.commerce_id and p.member_id = c.member_id and p.at >= c.since
     cross join lateral (
           select coalesce(sum(b.amount), 0)::bigint as amount, coalesce(sum(b.points_earned), 0)::bigint as points
             from movements b
            where b.commerce_id = any(${commercesOf(counted)}::bigint[])
              and b.commerce_id = p.commerce_id and b.reverses_id = p.id) r
     where p.commerce_id = any(${commercesOf(counted)}::bigint[]) and p.type = 'purchase' and p.amount + r.amount > 0`.execute(
    db,
  );
  const past = Map.groupBy(rows, (row) => `${row.commerceId}/${row.memberId}`);
  return members.map((member) => ({
    ...member,
    past: (past.get(`${member.commerceId}/${member.id}`) ?? []).map(({ at, used, points }) => ({
      at,
      used,
      points,
    })),
  }));
}

/** Reads the same of one member, for purchases at these instants that nobody records. Empty if the program has no limits. */
export async function readPast(
  db: Db,
  member: Member,
  instants: readonly Date[],
  { earning: { counted }, timeZone }: Rules,
): Promise<readonly PastPurchase[]> {
  if (counted === null) return [];
  const unlocked = { ...member, lots: [], pending: [], past: [], movements: [] };
  const from = countedFrom(instants, counted, timeZone);
  return (await withPast(db, [unlocked], [{ ...member, from }]))[0]!.past;
}

/** Returns the first instant of the earliest period in which purchases at these instants are counted. */
export function countedFrom(instants: readonly Date[], per: CountedPeriod, timeZone: string): Date {
  return instants
    .map((at) => periodOf(at, per, timeZone).from)
    .reduce((first, from) => (from < first ? from : first));
}
