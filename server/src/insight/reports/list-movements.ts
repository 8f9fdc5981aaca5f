/** The movements that a figure of a report adds up to, newest first. */
import { addDays, endOfDay, startOfDay, type Day } from '#calendar/calendar.ts';
import type { Commerce } from '#commerces/commerce.ts';
import { sql, type Db, type Sql } from '#db/database.ts';
import { kindOfMovement } from './count-movements.ts';
import { personColumns, personOf, type Person, type PersonRow } from './person.ts';
import type { Kind } from './read-figures.ts';
import type { Days } from './report-range.ts';

/** The figures that can be followed to movements, with the kinds of movements in each. */
export const KINDS_OF_FIGURES = {
  earned: ['purchase', 'available', 'correction', 'reward', 'added'],
  from_purchases: ['purchase', 'available', 'correction'],
  from_rewards: ['reward'],
  added_by_hand: ['added'],
  spent: ['exchange'],
  given_back: ['give_back'],
  returned: ['reversal'],
  taken_by_hand: ['taken'],
  expired: ['expiry'],
  erased: ['erased'],
  broken: ['expiry', 'erased'],
  used: ['usage', 'undo'],
  active: ['purchase', 'exchange', 'usage'],
} as const satisfies Record<string, readonly Kind[]>;

export type FollowedFigure = keyof typeof KINDS_OF_FIGURES;

export const FOLLOWED_FIGURES = Object.keys(KINDS_OF_FIGURES) as FollowedFigure[];

export interface ListedMovement {
  /**
   * Null for points that expired: those of a person on one day are one line, whether or not the job has written them off. Null, too, for
   * points that have become available and that nobody has written yet.
   */
  readonly id: number | null;
  readonly type: Exclude<Kind, 'added' | 'taken' | 'erased'> | 'adjustment';
  readonly at: Date;
  readonly person: Person;
  readonly points: number;
  readonly amount: number | null;
  readonly benefitId: string | null;
  readonly title: string | null;
}

/**
 * The last line of a page. The key is the id of the movement or, below zero, that of the member whose points expired, or of the purchase
 * whose points became available.
 */
export interface MovementPlace {
  readonly at: Date;
  readonly key: number;
}

export interface MovementFilter extends Days {
  readonly figure: FollowedFigure;
  /** Only of this benefit's codes. */
  readonly benefitId?: string | undefined;
}

export const PAGE = 50;

/** Returns a page of the movements of a figure, from behind a place. */
export async function listMovements(
  db: Db,
  commerce: Commerce,
  filter: MovementFilter,
  after: MovementPlace | null,
): Promise<{ lines: ListedMovement[]; next: MovementPlace | null }> {
  const { id: commerceId, rules } = commerce;
  const span = {
    begin: startOfDay(filter.from, rules.timeZone),
    end: startOfDay(addDays(filter.to, 1), rules.timeZone),
  };
  const parts: Sql[] = [];
  for (const kind of KINDS_OF_FIGURES[filter.figure]) {
    if (kind === 'expiry')
      parts.push(selectExpiries(commerce, filter, span, after, await readUnwritten(db, commerce, filter)));
    else if (kind === 'available') parts.push(selectAvailable(commerce, filter, span, after));
    else parts.push(selectMovements(commerceId, kind, filter.benefitId ?? null, span, after));
  }
  const { rows } = await sql<Row>`
    select f.id, f.type, f.at, f.key, f.points, f.amount, v.benefit_id as "benefitId", v.benefit ->> 'title' as title,
           ${personColumns}
      from (select * from (${sql.join(parts, sql` union all `)}) parts order by at desc, key desc limit ${PAGE + 1}) f
      join members m on m.commerce_id = ${commerceId} and m.id = f.member_id
      left join vouchers v on v.commerce_id = ${commerceId} and v.code = f.voucher_code
     order by f.at desc, f.key desc`.execute(db);
  const shown = rows.slice(0, PAGE);
  const last = shown.at(-1);
  return {
    lines: shown.map(lineOf),
    next: rows.length > PAGE && last !== undefined ? { at: last.at, key: last.key } : null,
  };
}

type Row = Omit<ListedMovement, 'person'> & PersonRow & { readonly key: number };

/** From the first instant to the end, which does not belong to it. */
interface Span {
  readonly begin: Date;
  readonly end: Date;
}

/** Each kind is read from its index, and only as many as fit on the page. */
function selectMovements(
  commerceId: number,
  kind: Exclude<Kind, 'expiry' | 'available'>,
  benefitId: string | null,
  { begin, end }: Span,
  after: MovementPlace | null,
): Sql {
  return sql`
      (select m.id, m.type, m.at, m.id as key, m.member_id, m.points, m.amount, m.voucher_code
         from movements m
         left join vouchers v on v.commerce_id = m.commerce_id and v.code = m.voucher_code
        where m.commerce_id = ${commerceId} and ${isOfKind(kind)} and m.at >= ${begin} and m.at < ${end}
          and (m.at, m.id) < (${after?.at ?? end}::timestamptz, ${after?.key ?? Number.MAX_SAFE_INTEGER}::bigint)
          and (${benefitId}::text is null or v.benefit_id = ${benefitId})
        order by m.at desc, m.id desc
        limit ${PAGE + 1})`;
}

function isOfKind(kind: Kind): Sql {
  const type = kind === 'added' || kind === 'taken' || kind === 'erased' ? 'adjustment' : kind;
  const isOfType = sql.raw(`m.type = '${type}'`);
  return type === kind ? isOfType : sql`${isOfType} and ${kindOfMovement} = ${kind}`;
}

/**
 * Points are written at the instant at which they became available, so a line keeps its place when the job writes it. Most become available
 * with a day, all at one instant: those of the last line's instant are read as a whole, before it only as many as fit on the page.
 */
function selectAvailable(
  { id: commerceId, now }: Commerce,
  { benefitId }: MovementFilter,
  { begin, end }: Span,
  after: MovementPlace | null,
): Sql {
  const written = sql`
               select id, at, reverses_id as purchase_id, member_id, points, amount
                 from movements
                where commerce_id = ${commerceId} and type = 'available' and at >= ${begin}`;
  return sql`
      (select a.id, 'available' as type, a.at, -a.purchase_id as key, a.member_id, a.points, a.amount, null::bigint as voucher_code
         from ((${written} and at < ${after?.at ?? end}
                order by at desc
                fetch first ${sql.raw(String(PAGE + 1))} rows with ties)
                union all
               (${written} and at = ${after?.at ?? null}::timestamptz)
                union all
               select null, due_at, purchase_id, member_id, points, null
                 from pending_points
                where commerce_id = ${commerceId} and becomes = 'available' and due_at >= ${begin} and due_at < ${end}
                  and due_at <= ${now}) a
        where (a.at, -a.purchase_id) < (${after?.at ?? end}::timestamptz, ${after?.key ?? 0}::bigint) and ${benefitId ?? null}::text is null
        order by a.at desc, -a.purchase_id desc
        limit ${PAGE + 1})`;
}

function selectExpiries(
  { id: commerceId, rules }: Commerce,
  { benefitId }: MovementFilter,
  { begin, end }: Span,
  after: MovementPlace | null,
  unwritten: readonly Day[],
): Sql {
  const ends = unwritten.map((day) => endOfDay(day, rules.timeZone));
  return sql`
      (select null::bigint as id, 'expiry' as type, at, -member_id as key, member_id, sum(points)::bigint as points,
              null::bigint as amount, null::bigint as voucher_code
         from (select at, member_id, points
                 from movements
                where commerce_id = ${commerceId} and type = 'expiry' and at >= ${begin} and at < ${end}
                union all
               select d.at, b.member_id, -b.points
                 from unnest(${unwritten}::date[], ${ends}::timestamptz[]) as d(day, at)
                 join balances b on b.commerce_id = ${commerceId} and b.expires_on = d.day and b.points > 0) e
        where (at, -member_id) < (${after?.at ?? end}::timestamptz, ${after?.key ?? 0}::bigint) and ${benefitId ?? null}::text is null
        group by at, member_id
        order by at desc, -member_id desc
        limit ${PAGE + 1})`;
}

/** Returns the days on which points expired that the job has not written off. */
async function readUnwritten(db: Db, { id, today }: Commerce, { from, to }: Days): Promise<Day[]> {
  const { rows } = await sql<{ day: Day }>`-- read-unwritten-days
    select distinct expires_on as day
      from balances
     where commerce_id = ${id} and expires_on between ${from}::date and ${to}::date and expires_on < ${today}::date
       and points > 0`.execute(db);
  return rows.map((row) => row.day);
}

function lineOf({ id, type, at, points, amount, benefitId, title, ...row }: Row): ListedMovement {
  return { id, type, at, points, amount, benefitId, title, person: personOf(row) };
}
