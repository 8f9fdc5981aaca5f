import type { Day } from '#calendar/calendar.ts';
import { readStoredTerms, type BenefitTerms, type StoredTerms } from '#benefits/benefit-terms.ts';
import { readCommerces, type Commerce } from '#commerces/commerce.ts';
import { among } from '#db/cluster/among.ts';
import { commercesOf } from '#db/commerces-of.ts';
import { sql, type Db } from '#db/database.ts';
import type { Position } from '#http/cursor.ts';
import { expiredDays } from '#points/expired-days.ts';
import { factorsOf, wholeOfStored, type StoredFactors } from '#points/factors-of.ts';
import type { Kept } from '#points/line.ts';
import type { Lot } from '#points/lots.ts';
import { lotsNow, type PendingPoints } from '#points/pending.ts';
import { storedNote, type StoredNote } from '#points/note.ts';
import { shownPoints } from '#points/shown-points.ts';
import type { Step } from '#points/points-for-purchase.ts';

/** One entry of a member's history. */
export interface Activity {
  /** The id of the movement. All entries of type `expiry` have the same one: their instant tells them apart. */
  readonly id: number;
  readonly type:
    | 'purchase'
    | 'correction'
    | 'reversal'
    | 'exchange'
    | 'give_back'
    | 'usage'
    | 'undo'
    | 'reward'
    | 'adjustment'
    | 'expiry';
  readonly at: Date;
  readonly points: number;
  readonly amount: number | null;
  readonly event: string | null;
  readonly note: StoredNote | null;
  readonly benefit: BenefitTerms | null;
  /** The factors that made a purchase's points. Empty for everything else, and where they were not asked for. */
  readonly factors: readonly Step[];
  /** Its lines, if the shop said them. */
  readonly lines: Kept['lines'];
}

/** A part of somebody's history at a commerce: the entries beyond a position, or the newest ones. */
export interface HistoryPart {
  readonly commerceId: number;
  /** Whether `id` is that of an account or of a member. */
  readonly whose: 'user' | 'member';
  readonly id: number;
  readonly position: Position | null;
  readonly withFactors: boolean;
}

/** A page of a history. It is empty if the commerce does not know the person. */
export interface ActivityPage {
  /** The commerce at the time of the page. */
  readonly commerce: Commerce;
  /** Newest first. */
  readonly items: Activity[];
  readonly next: Position | null;
  readonly previous: Position | null;
}

const PAGE = 20;

/**
 * Returns a page for each part, in order: newest first, starting at `position` and going in its direction. Every change
 * of the balance has an entry, and the entries add up to the balance and to what waits,
 * which is in the entry of its purchase. Entries added in the meantime never appear twice
 * and never hide another.
 *
 * All points that expired on one day are one entry, whether or not the job has written them off. The entry has the same
 * place and the same points before and after, so the job can run while somebody pages through.
 */
export async function readHistories(db: Db, parts: readonly HistoryPart[]): Promise<ActivityPage[]> {
  const [commerces, found] = await Promise.all([
    readCommerces(db, [...new Set(parts.map(({ commerceId }) => commerceId))]),
    readRows(db, parts),
  ]);
  return parts.map((part) => pageOf(part, commerces.get(part.commerceId)!, found.get(part) ?? []));
}

function pageOf({ position }: HistoryPart, commerce: Commerce, rows: readonly Row[]): ActivityPage {
  const backwards = position?.direction === 'newer';
  const found = entriesOf(rows, commerce, position);
  const more = found.length > PAGE;
  const page = found.slice(0, PAGE);
  const items = backwards ? page.toReversed() : page;
  const [first, last] = [items[0], items.at(-1)];
  const hasOlder = backwards || more;
  const hasNewer = backwards ? more : position !== null;
  return {
    commerce,
    items,
    next: hasOlder && last !== undefined ? { direction: 'older', at: last.at, id: last.id } : null,
    previous: hasNewer && first !== undefined ? { direction: 'newer', at: first.at, id: first.id } : null,
  };
}

/** Returns the entries beyond a position, nearest first. If there are more than a page, it returns more than a page. */
function entriesOf(rows: readonly Row[], commerce: Commerce, position: Position | null): Activity[] {
  const sign = position?.direction === 'newer' ? 1 : -1;
  const movements: Activity[] = [];
  const expired: { at: Date; points: number }[] = [];
  const lots: Lot[] = [];
  const pending: PendingPoints[] = [];
  let movedOn: Day | null = null;
  for (const row of rows) {
    if (row.id !== null) movements.push(activityOf(row));
    else if (row.at !== null) expired.push(row);
    else {
      movedOn = row.movedOn;
      if (row.expiresOn !== null) lots.push(row);
      else pending.push({ purchaseId: null, points: row.points, dueAt: row.dueAt, becomes: 'available' });
    }
  }
  const held = lotsNow({ lots, movedOn, pending }, commerce);
  for (const { at, points } of expiredDays(held, commerce.today, commerce.rules.timeZone))
    if (position === null || sign * compare({ at, id: EXPIRY_ID }, position) > 0)
      expired.push({ at, points: -points });
  const summed = sumExpiries(expired).map(({ at, points }) => expiryEntry(at, points));
  return [...movements, ...summed].sort((a, b) => sign * compare(a, b));
}

/** Returns all points that expired at one instant as one entry, whether or not the job has written them off. */
export function sumExpiries(
  parts: readonly { readonly at: Date; readonly points: number }[],
): { at: Date; points: number }[] {
  return [...Map.groupBy(parts, ({ at }) => at.getTime()).values()].map((together) => ({
    at: together[0]!.at,
    points: together.reduce((sum, { points }) => sum + points, 0),
  }));
}

/** Points expire at the last instant of a day, after everything else on that day. They therefore sort by the highest id. */
export const EXPIRY_ID = Number.MAX_SAFE_INTEGER;

function expiryEntry(at: Date, points: number): Activity {
  return {
    id: EXPIRY_ID,
    type: 'expiry',
    at,
    points,
    amount: null,
    event: null,
    note: null,
    benefit: null,
    factors: [],
    lines: null,
  };
}

/** One row of what a page is made of. `nth` is the part it belongs to, counted from 1. */
type Row = { readonly nth: number; readonly points: number } & (
  | MovementRow
  /** All points that were written off at one instant. */
  | { readonly id: null; readonly at: Date }
  /** Points that the job has not written off, if they have expired; with points that wait, all that are held. */
  | {
      readonly id: null;
      readonly at: null;
      readonly expiresOn: Day;
      readonly moving: boolean;
      readonly movedOn: Day | null;
    }
  /** Points that wait, or have become available and expired since, if nobody has written that. */
  | {
      readonly id: null;
      readonly at: null;
      readonly expiresOn: null;
      readonly dueAt: Date;
      readonly movedOn: Day | null;
    }
);

interface MovementRow extends Omit<Activity, 'benefit' | 'factors' | 'lines'> {
  readonly benefit: StoredTerms | null;
  readonly snapshot: StoredFactors | null;
}

/** Returns the rows of each part. Parts that are read in the same way share a statement. */
async function readRows(db: Db, parts: readonly HistoryPart[]): Promise<Map<HistoryPart, Row[]>> {
  const found = new Map<HistoryPart, Row[]>();
  const alike = Map.groupBy(parts, ({ whose, position, withFactors }) =>
    [whose, withFactors, position?.direction ?? 'older'].join(),
  );
  await Promise.all(
    Array.from(alike.values(), async (together) => {
      for (const row of await readRowsAlike(db, together)) {
        const part = together[row.nth - 1]!;
        const rows = found.get(part);
        if (rows === undefined) found.set(part, [row]);
        else rows.push(row);
      }
    }),
  );
  return found;
}

/**
 * Reads everything in one statement, because the job moves points from `balances` to movements. Reads one more movement and
 * one more day than fit on a page, and all points that may have expired: a local day is at most one ahead of UTC.
 */
async function readRowsAlike(db: Db, parts: readonly HistoryPart[]): Promise<Row[]> {
  const [{ whose, position, withFactors }] = parts as [HistoryPart];
  const [beyond, order] = position?.direction === 'newer' ? [sql`>`, sql`asc`] : [sql`<`, sql`desc`];
  const snapshot = withFactors ? sql`case when m.type = 'purchase' then m.snapshot end` : sql`null::jsonb`;
  const commerceIds = parts.map(({ commerceId }) => commerceId);
  const beside = (alias: string) => among(db, alias, parts);
  const name = `read-${withFactors ? 'history' : 'activity'}-of-${whose}-${position?.direction ?? 'older'}`;
  const { rows } = await sql<Row>`${sql.raw(`-- ${name}`)}
    select w.nth, h.*
      from unnest(${commerceIds}::bigint[], ${parts.map(({ id }) => id)}::bigint[],
                  ${parts.map(({ position }) => position?.at ?? null)}::timestamptz[],
                  ${parts.map(({ position }) => position?.id ?? null)}::bigint[])
             with ordinality as w(commerce_id, id, from_at, from_id, nth)
      join members p on p.commerce_id = w.commerce_id and p.${sql.raw(whose === 'user' ? 'user_id' : 'id')} = w.id
                    and p.commerce_id = any(${commercesOf(parts)}::bigint[])
     cross join lateral (
           (select m.id, m.type, m.at, ${shownPoints('m')} as points, m.amount, m.event,
                   ${storedNote('m', beside)} as note,
                   case when m.voucher_code is not null
                        then (select v.benefit
                                from vouchers v
                               where v.commerce_id = m.commerce_id and v.code = m.voucher_code${beside('v')})
                    end as benefit,
                   ${snapshot} as snapshot, null::date as "expiresOn", null::boolean as moving,
                   null::timestamptz as "dueAt", null::date as "movedOn"
              from movements m
             where m.commerce_id = p.commerce_id and m.member_id = p.id and m.type not in ('expiry', 'redate') and m.type <> 'available'${beside('m')}
               and (m.at, m.id) ${beyond} (coalesce(w.from_at, 'infinity'), coalesce(w.from_id, 0))
             order by m.at ${order}, m.id ${order}
             limit ${sql.lit(PAGE + 1)})
           union all
           (select null, null, e.at, sum(e.points)::bigint, null, null, null, null, null, null, null, null, null
              from movements e
             where e.commerce_id = p.commerce_id and e.member_id = p.id and e.type = 'expiry'${beside('e')}
               and (e.at, ${sql.lit(EXPIRY_ID)}::bigint) ${beyond} (coalesce(w.from_at, 'infinity'), coalesce(w.from_id, 0))
             group by e.at
             order by e.at ${order}
             limit ${sql.lit(PAGE + 1)})
           union all
           select null, null, null, b.points, null, null, null, null, null, b.expires_on, b.moving, null, p.moved_on
             from balances b
            where b.commerce_id = p.commerce_id and b.member_id = p.id${beside('b')}
              and (b.expires_on <= (select (max(program_now(c.clock_offset)) at time zone 'UTC')::date + 1
                                      from commerces c
                                     where c.id = any(${commerceIds}::bigint[]))
                   or exists (select from pending_points d where d.commerce_id = p.commerce_id and d.member_id = p.id${beside('d')}))
            union all
           select null, null, null, d.points, null, null, null, null, null, null, null, d.due_at, p.moved_on
             from pending_points d
            where d.commerce_id = p.commerce_id and d.member_id = p.id and d.becomes = 'available'${beside('d')}) h`.execute(
    db,
  );
  return rows;
}

function activityOf({ id, type, at, points, amount, event, note, benefit, snapshot }: MovementRow): Activity {
  return {
    id,
    type,
    at,
    points,
    amount,
    event,
    note,
    benefit: benefit && readStoredTerms(benefit),
    // Release 0.1 did not store the tier's name. Its multiplier says enough.
    factors: snapshot === null ? [] : factorsOf(snapshot, null),
    lines: snapshot === null ? null : wholeOfStored(amount ?? 0, snapshot).lines,
  };
}

/** Compares by instant, then by id. */
function compare(a: Pick<Activity, 'at' | 'id'>, b: Pick<Activity, 'at' | 'id'>): number {
  return a.at.getTime() - b.at.getTime() || a.id - b.id;
}
