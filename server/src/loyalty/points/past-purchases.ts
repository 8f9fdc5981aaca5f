import { commercesOf } from '#db/commerces-of.ts';
import { sql, type Db, type Sql } from '#db/database.ts';
import type { Member } from '#members/member.ts';
import type { EarningRules } from '#program/earning-rules.ts';
import type { Rules } from '#program/rules.ts';
import type { LockedMember } from './locked-member.ts';
import type { PastPurchase } from './purchase-facts.ts';

/** Which earlier purchases of a member are needed. */
export interface CountedMember {
  readonly commerceId: number;
  readonly id: number;
  /** All from this instant on; null for none. */
  readonly from: Date | null;
  /** The ids of rules of which every use is needed, however long ago. */
  readonly ever: readonly string[];
}

interface Row extends PastPurchase {
  readonly commerceId: number;
  readonly memberId: number;
}

/**
 * Reads the earlier purchases that limits count, of members whose rows this transaction has locked, so nothing can be added meanwhile. A
 * purchase that was returned as a whole counts no more. What is counted for ever is found by an index of the purchases that used a rule
 * with a limit, so that the other purchases of a member cost nothing.
 */
export async function withPast(
  db: Db,
  members: readonly LockedMember[],
  counted: readonly CountedMember[],
): Promise<readonly LockedMember[]> {
  if (counted.length === 0) return members;
  const [recent, used] = await Promise.all([readRecent(db, counted), readUses(db, counted)]);
  const past = Map.groupBy([...recent, ...used], (row) => `${row.commerceId}/${row.memberId}`);
  return members.map((member) => ({
    ...member,
    past: (past.get(`${member.commerceId}/${member.id}`) ?? []).map(({ at, used: rules, points }) => ({
      at,
      used: rules,
      points,
    })),
  }));
}

async function readRecent(db: Db, counted: readonly CountedMember[]): Promise<readonly Row[]> {
  const since = counted.filter(({ from }) => from !== null);
  if (since.length === 0) return [];
  return readPurchases(db, 'read-past-purchases', since, sql`p.at >= c.since`);
}

/** Reads the uses of rules before the purchases that are read anyway. */
async function readUses(db: Db, counted: readonly CountedMember[]): Promise<readonly Row[]> {
  const limited = counted.filter(({ ever }) => ever.length > 0);
  if (limited.length === 0) return [];
  const rules = [...new Set(limited.flatMap(({ ever }) => ever))];
  return readPurchases(
    db,
    'read-uses-of-rules',
    limited,
    sql`p.at < coalesce(c.since, 'infinity') and p.snapshot ? 'used' and p.snapshot -> 'used' ?| ${rules}::text[]`,
  );
}

/** @param name of the statement, because each condition makes another one */
async function readPurchases(
  db: Db,
  name: string,
  counted: readonly CountedMember[],
  condition: Sql,
): Promise<readonly Row[]> {
  const { rows } = await sql<Row>`-- ${sql.raw(name)}
    select p.commerce_id as "commerceId", p.member_id as "memberId", p.at, coalesce(p.snapshot -> 'used', '[]') as used,
           p.points_earned + r.points as points
      from unnest(${counted.map((m) => m.commerceId)}::bigint[], ${counted.map((m) => m.id)}::bigint[],
                  ${counted.map((m) => m.from)}::timestamptz[])
             as c(commerce_id, member_id, since)
      join movements p on p.commerce_id = c.commerce_id and p.member_id = c.member_id and ${condition}
     cross join lateral (
           select coalesce(sum(b.amount), 0)::bigint as amount, coalesce(sum(b.points_earned), 0)::bigint as points
             from movements b
            where b.commerce_id = any(${commercesOf(counted)}::bigint[])
              and b.commerce_id = p.commerce_id and b.reverses_id = p.id) r
     where p.commerce_id = any(${commercesOf(counted)}::bigint[]) and p.type = 'purchase' and p.amount + r.amount > 0`.execute(
    db,
  );
  return rows;
}

/** Reads the same of one member, for purchases at these instants that nobody records. Empty if the program has no limits. */
export async function readPast(
  db: Db,
  member: Member,
  instants: readonly Date[],
  { earning }: Rules,
): Promise<readonly PastPurchase[]> {
  if (earning.counted === null) return [];
  const unlocked = { ...member, lots: [], pending: [], past: [], movements: [] };
  const needed = neededAt(instants, earning);
  return (await withPast(db, [unlocked], [{ ...member, ...needed }]))[0]!.past;
}

/** Which earlier purchases of a member limits need. */
export type Needed = Pick<CountedMember, 'from' | 'ever'>;

/** Returns which earlier purchases are needed for purchases at these instants. */
export function neededAt(instants: readonly Date[], { counted, periodOf }: EarningRules): Needed {
  if (counted === null) return { from: null, ever: [] };
  const { per, ever } = counted;
  return { from: per === null ? null : earliest(instants.map((at) => periodOf(at, per).from)), ever };
}

/** Returns what two purchases of a member need together. */
export function neededByBoth(one: Needed, other: Needed): Needed {
  const instants = [one.from, other.from].filter((from) => from !== null);
  return {
    from: instants.length === 0 ? null : earliest(instants),
    ever: [...new Set([...one.ever, ...other.ever])],
  };
}

function earliest(instants: readonly Date[]): Date {
  return instants.reduce((first, one) => (one < first ? one : first));
}
