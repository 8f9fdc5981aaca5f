import { readStoredTerms, type BenefitTerms, type StoredTerms } from '#benefits/benefit-terms.ts';
import type { Commerce } from '#commerces/commerce.ts';
import { sql, type Db } from '#db/database.ts';
import type { Position } from '#http/cursor.ts';
import { expiredDays } from '#points/expired-days.ts';
import { factorsOf, type StoredFactors } from '#points/factors-of.ts';
import type { Lot } from '#points/lots.ts';
import type { Step } from '#points/points-for-purchase.ts';

/** One entry of a member's history. */
export interface Activity {
  /** The id of the movement. All entries of type `expiry` have the same one: their instant tells them apart. */
  readonly id: number;
  readonly type:
    | 'purchase'
    | 'reversal'
    | 'exchange'
    | 'give_back'
    | 'usage'
    | 'reward'
    | 'adjustment'
    | 'expiry';
  readonly at: Date;
  readonly points: number;
  readonly amount: number | null;
  readonly event: string | null;
  readonly note: string | null;
  readonly benefit: BenefitTerms | null;
  /** The factors that made a purchase's points. Empty for everything else, and where they were not asked for. */
  readonly factors: readonly Step[];
}

export interface ActivityPage {
  /** Newest first. */
  readonly items: Activity[];
  readonly next: Position | null;
  readonly previous: Position | null;
}

const PAGE = 20;

/**
 * Returns a page of a member's history, newest first, starting at `position` and going in its direction. Every change
 * of the balance has an entry, and the entries add up to the balance. Entries added in the meantime never appear twice
 * and never hide another.
 *
 * All points that expired on one day are one entry, whether or not the job has written them off. The entry has the same
 * place and the same points before and after, so the job can run while somebody pages through.
 */
export async function readActivity(
  db: Db,
  commerce: Commerce,
  memberId: number,
  position: Position | null,
  { withFactors = false } = {},
): Promise<ActivityPage> {
  const backwards = position?.direction === 'newer';
  const found = await readEntries(db, commerce, memberId, position, withFactors);
  const more = found.length > PAGE;
  const page = found.slice(0, PAGE);
  const items = backwards ? page.toReversed() : page;
  const [first, last] = [items[0], items.at(-1)];
  const hasOlder = backwards || more;
  const hasNewer = backwards ? more : position !== null;
  return {
    items,
    next: hasOlder && last !== undefined ? { direction: 'older', at: last.at, id: last.id } : null,
    previous: hasNewer && first !== undefined ? { direction: 'newer', at: first.at, id: first.id } : null,
  };
}

/** Returns the entries beyond a position, nearest first. If there are more than a page, it returns more than a page. */
async function readEntries(
  db: Db,
  commerce: Commerce,
  memberId: number,
  position: Position | null,
  withFactors: boolean,
): Promise<Activity[]> {
  const { movements, writtenOff, held } = await readRows(db, commerce, memberId, position, withFactors);
  const sign = position?.direction === 'newer' ? 1 : -1;
  const pending = expiredDays(held, commerce.today, commerce.rules.timeZone)
    .map(({ at, points }) => expiryEntry(at, -points))
    .filter((entry) => position === null || sign * compare(entry, position) > 0);
  const summed = sumExpiries([...writtenOff, ...pending]).map(({ at, points }) => expiryEntry(at, points));
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
  };
}

interface Rows {
  readonly movements: Activity[];
  /** By the day on which the points expired. */
  readonly writtenOff: { readonly at: Date; readonly points: number }[];
  /** Expired points that are not written off yet. */
  readonly held: Pick<Lot, 'expiresOn' | 'points'>[];
}

type Row =
  | ({ readonly kind: 'movement' } & Omit<Activity, 'benefit' | 'factors'> & {
        readonly benefit: StoredTerms | null;
        readonly snapshot: StoredFactors | null;
      })
  | ({ readonly kind: 'written off' } & Rows['writtenOff'][number])
  | ({ readonly kind: 'held' } & Rows['held'][number]);

/**
 * Reads everything in one statement, because the job moves points from `held` to `writtenOff`. Reads one more movement and
 * one more day than fit on a page.
 */
async function readRows(
  db: Db,
  { id: commerceId, today }: Commerce,
  memberId: number,
  position: Position | null,
  withFactors: boolean,
): Promise<Rows> {
  const { direction = 'older', at = null, id = null } = position ?? {};
  const from = sql`(coalesce(${at}::timestamptz, 'infinity'), coalesce(${id}::bigint, 0))`;
  const [beyond, order] = direction === 'older' ? [sql`<`, sql`desc`] : [sql`>`, sql`asc`];
  const [name, snapshot] = withFactors
    ? ['history', sql`case when m.type = 'purchase' then m.snapshot end`]
    : ['activity', sql`null::jsonb`];
  const { rows } = await sql<Row>`${sql.raw(`-- read-${name}-${direction}`)}
    (select 'movement' as kind, m.id, m.type, m.at, m.points, m.amount, m.event,
            coalesce(n.note, m.note) as note, v.benefit,
            ${snapshot} as snapshot, null::date as "expiresOn"
       from movements m
       left join vouchers v on v.commerce_id = m.commerce_id and v.code = m.voucher_code
       left join movement_notes n on n.commerce_id = m.commerce_id and n.movement_id = m.id
      where m.commerce_id = ${commerceId} and m.member_id = ${memberId} and m.type not in ('expiry', 'redate')
        and (m.at, m.id) ${beyond} ${from}
      order by m.at ${order}, m.id ${order}
      limit ${PAGE + 1})
    union all
    (select 'written off', null, null, e.at, sum(e.points)::bigint, null, null, null, null, null, null
       from movements e
      where e.commerce_id = ${commerceId} and e.member_id = ${memberId} and e.type = 'expiry'
        and (e.at, ${EXPIRY_ID}::bigint) ${beyond} ${from}
      group by e.at
      order by e.at ${order}
      limit ${PAGE + 1})
    union all
    select 'held', null, null, null, b.points, null, null, null, null, null, b.expires_on
      from balances b
     where b.commerce_id = ${commerceId} and b.member_id = ${memberId} and b.expires_on < ${today}::date`.execute(
    db,
  );
  return {
    movements: rows.filter((row) => row.kind === 'movement').map(activityOf),
    writtenOff: rows.filter((row) => row.kind === 'written off'),
    held: rows.filter((row) => row.kind === 'held'),
  };
}

function activityOf(row: Extract<Row, { kind: 'movement' }>): Activity {
  const { benefit, snapshot, id, type, at, points, amount, event, note } = row;
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
  };
}

/** Compares by instant, then by id. */
function compare(a: Pick<Activity, 'at' | 'id'>, b: Pick<Activity, 'at' | 'id'>): number {
  return a.at.getTime() - b.at.getTime() || a.id - b.id;
}
