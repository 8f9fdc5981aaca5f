import { startOfDay } from '#calendar/calendar.ts';
import type { Commerce } from '#commerces/commerce.ts';
import { sql, type Db, type Sql } from '#db/database.ts';
import type { Position } from '#http/cursor.ts';
import { shownPoints } from '#points/shown-points.ts';

/** One thing that a register did. */
export interface TillLine {
  readonly id: number;
  readonly type: 'purchase' | 'reversal' | 'usage';
  readonly at: Date;
  readonly memberId: number;
  readonly username: string | null;
  readonly amount: number | null;
  /** The amount paid, or paid back, above `amount`, in the smallest unit of the currency. */
  readonly cents: number;
  readonly points: number;
  /** The benefit of a used code. */
  readonly title: string | null;
  readonly registerId: number | null;
  readonly reversedAmount: number;
  readonly reversedCents: number;
}

/** The rest of the purchases of a register's day, after returns, and the codes that were used. */
export interface TillTotals {
  readonly purchases: number;
  readonly amount: number;
  readonly cents: number;
  readonly points: number;
  readonly usedCodes: number;
}

export interface TillDayPage {
  /** Newest first. */
  readonly lines: TillLine[];
  readonly totals: TillTotals;
  /** Where the next page begins; null on the last page. Its id is the audit's. */
  readonly next: Position | null;
}

const PAGE = 20;
const MINUTE = 60_000;

/** A register; null for a device without one. Ids of registers are unique within a branch; without a branch, that of any counts. */
export interface TillPlace {
  readonly registerId: number | null;
  readonly branchId: number | null;
}

/**
 * Returns what the people and keys of the back office did at a register on the commerce's day, newest first. The audit
 * knows: it has a row for each of these movements, with the register, and for no movement of the contract. So nothing has
 * to be indexed for it in the ledger.
 */
export async function readTillDay(
  db: Db,
  commerce: Commerce,
  place: TillPlace,
  position: Position | null,
): Promise<TillDayPage> {
  const day = dayOf(commerce, place);
  const { rows } = await sql<TillLine & { auditId: number; auditAt: Date }>`-- read-till-day
    select p.id, p.type, p.at, p.member_id as "memberId", m.username, p.amount, ${shownPoints('p')} as points,
           v.benefit ->> 'title' as title, (a.after ->> 'register_id')::bigint as "registerId",
           case p.type when 'reversal' then -1 else 1 end * coalesce((p.snapshot ->> 'cents')::bigint, 0) as cents,
           t.amount as "reversedAmount", t.cents as "reversedCents", a.id as "auditId", a.at as "auditAt"
      from ${day}
       and (a.at, a.id) < (coalesce(${position?.at ?? null}::timestamptz, 'infinity'), coalesce(${position?.id ?? null}::bigint, 0))
      join members m on m.commerce_id = p.commerce_id and m.id = p.member_id
      left join vouchers v on v.commerce_id = p.commerce_id and v.code = p.voucher_code
     cross join lateral ${returnsIn(commerce.id)} t
     order by a.at desc, a.id desc
     limit ${PAGE + 1}`.execute(db);
  const lines = rows.slice(0, PAGE);
  const last = lines.at(-1);
  return {
    lines,
    totals: await readTotals(db, commerce.id, day),
    next:
      rows.length > PAGE && last !== undefined
        ? { direction: 'older', at: last.auditAt, id: last.auditId }
        : null,
  };
}

async function readTotals(db: Db, commerceId: number, day: Sql): Promise<TillTotals> {
  const { rows } = await sql<TillTotals>`-- read-till-totals
    select count(*) filter (where p.amount > t.amount) as purchases,
           coalesce(sum(p.amount - t.amount) filter (where p.type = 'purchase'), 0)::bigint as amount,
           coalesce(sum(coalesce((p.snapshot ->> 'cents')::bigint, 0) - t.cents) filter (where p.type = 'purchase'), 0)::bigint as cents,
           coalesce(sum(${shownPoints('p')} - t.points) filter (where p.type = 'purchase'), 0)::bigint as points,
           count(*) filter (where p.type = 'usage') as "usedCodes"
      from ${day}
      cross join lateral ${returnsIn(commerceId)} t`.execute(db);
  return rows[0]!;
}

/** The returns of the purchase `p`. */
const returnsIn = (commerceId: number) => sql`(
           select coalesce(-sum(r.amount), 0)::bigint as amount, coalesce(-sum(${shownPoints('r')}), 0)::bigint as points,
                  coalesce(sum((r.snapshot ->> 'cents')::bigint), 0)::bigint as cents
             from movements r where r.commerce_id = ${commerceId} and r.reverses_id = p.id)`;

/**
 * The day's audit rows `a` of the register and their movements `p`. The commerce's clock only moves forward, so no row of
 * today is older than the day by the clock of now. The minute is for the time since that was read. A row that names no branch, as
 * every code that was used before branches were noted, counts for each of them.
 */
function dayOf({ id: commerceId, today, now, rules }: Commerce, { registerId, branchId }: TillPlace): Sql {
  const begin = startOfDay(today, rules.timeZone);
  return sql`audit a
      join movements p on p.commerce_id = a.commerce_id and p.id = a.movement_id
       and a.commerce_id = ${commerceId} and coalesce(a.after ->> 'register_id', '') = ${registerId?.toString() ?? ''}::text
       and (${branchId}::bigint is null
            or coalesce(a.after ->> 'branch_id' = ${branchId}::bigint::text, not a.after ? 'branch_id'))
       and a.action in ('purchase.record', 'purchase.reverse', 'voucher.redeem')
       and a.at >= now() - ${`${now.getTime() - begin.getTime() + MINUTE} ms`}::interval
       and p.at >= ${begin}::timestamptz`;
}
