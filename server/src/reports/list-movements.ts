/** The movements that a figure of a report adds up to, newest first. */
import { addDays, endOfDay, startOfDay, type Day } from '#calendar/calendar.ts';
import type { Commerce } from '#commerces/commerce.ts';
import { sql, type Db, type Sql } from '#db/database.ts';
import { kindOfMovement } from './count-movements.ts';
import { personColumns, type Person } from './person.ts';
import type { Kind } from './read-figures.ts';
import type { Days } from './report-range.ts';

/** The figures that can be followed to movements, with the kinds of movements in each. */
export const KINDS_OF_FIGURES = {
  earned: ['purchase', 'reward', 'added'],
  from_purchases: ['purchase'],
  from_rewards: ['reward'],
  added_by_hand: ['added'],
  spent: ['exchange'],
  given_back: ['give_back'],
  returned: ['reversal'],
  taken_by_hand: ['taken'],
  expired: ['expiry'],
  erased: ['erased'],
  used: ['usage'],
  active: ['purchase', 'exchange', 'usage'],
} as const satisfies Record<string, readonly Kind[]>;

export type FollowedFigure = keyof typeof KINDS_OF_FIGURES;

export const FOLLOWED_FIGURES = Object.keys(KINDS_OF_FIGURES) as FollowedFigure[];

export interface ListedMovement {
  /** Null for points that expired: those of a person on one day are one line, whether or not the job has written them off. */
  readonly id: number | null;
  readonly type: string;
  readonly at: Date;
  readonly person: Person;
  readonly points: number;
  readonly amount: number | null;
  readonly benefitId: string | null;
  readonly title: string | null;
}

/** The last line of a page. The id is that of the movement, or of the member if points expired. */
export interface MovementPlace {
  readonly at: Date;
  readonly id: number;
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
  const rows =
    filter.figure === 'expired'
      ? await readExpiries(db, commerce, filter, after)
      : await readMovements(db, commerce, filter, after);
  const lines = rows.slice(0, PAGE);
  const last = lines.at(-1);
  return {
    lines,
    next: rows.length > PAGE && last !== undefined ? { at: last.at, id: last.id ?? last.person.id } : null,
  };
}

type Row = Omit<ListedMovement, 'person'> & Person & { memberId: number };

/** Each kind is read from its index, and only as many as fit on the page. */
async function readMovements(
  db: Db,
  { id: commerceId, rules }: Commerce,
  { figure, from, to, benefitId }: MovementFilter,
  after: MovementPlace | null,
): Promise<ListedMovement[]> {
  const begin = startOfDay(from, rules.timeZone);
  const end = startOfDay(addDays(to, 1), rules.timeZone);
  const parts = KINDS_OF_FIGURES[figure].map(
    (kind) => sql`
      (select m.id, m.type, m.at, m.member_id, m.points, m.amount, m.voucher_code
         from movements m
         left join vouchers v on v.commerce_id = m.commerce_id and v.code = m.voucher_code
        where m.commerce_id = ${commerceId} and ${isOfKind(kind)} and m.at >= ${begin} and m.at < ${end}
          and (m.at, m.id) < (${after?.at ?? end}::timestamptz, ${after?.id ?? Number.MAX_SAFE_INTEGER}::bigint)
          and (${benefitId ?? null}::text is null or v.benefit_id = ${benefitId ?? null})
        order by m.at desc, m.id desc
        limit ${PAGE + 1})`,
  );
  const { rows } = await sql<Row>`
    select f.id, f.type, f.at, f.points, f.amount, v.benefit_id as "benefitId", v.benefit ->> 'title' as title,
           ${personColumns}
      from (${sql.join(parts, sql` union all `)} order by at desc, id desc limit ${PAGE + 1}) f
      join members m on m.commerce_id = ${commerceId} and m.id = f.member_id
      left join vouchers v on v.commerce_id = ${commerceId} and v.code = f.voucher_code
     order by f.at desc, f.id desc`.execute(db);
  return rows.map(lineOf);
}

function isOfKind(kind: Kind): Sql {
  const type = kind === 'added' || kind === 'taken' || kind === 'erased' ? 'adjustment' : kind;
  const isOfType = sql.raw(`m.type = '${type}'`);
  return type === kind ? isOfType : sql`${isOfType} and ${kindOfMovement} = ${kind}`;
}

async function readExpiries(
  db: Db,
  { id: commerceId, today, rules }: Commerce,
  { from, to }: MovementFilter,
  after: MovementPlace | null,
): Promise<ListedMovement[]> {
  const begin = startOfDay(from, rules.timeZone);
  const end = startOfDay(addDays(to, 1), rules.timeZone);
  const days = await readUnwritten(db, commerceId, { from, to: to < today ? to : addDays(today, -1) });
  const { rows } = await sql<Row>`
    select null as id, 'expiry' as type, e.at, e.points, null as amount, null as "benefitId", null as title, ${personColumns}
      from (select at, member_id, sum(points)::bigint as points
              from (select at, member_id, points
                      from movements
                     where commerce_id = ${commerceId} and type = 'expiry' and at >= ${begin} and at < ${end}
                     union all
                    select d.at, b.member_id, -b.points
                      from unnest(${days}::date[], ${days.map((day) => endOfDay(day, rules.timeZone))}::timestamptz[]) as d(day, at)
                      join balances b on b.commerce_id = ${commerceId} and b.expires_on = d.day and b.points > 0) e
             where (at, member_id) < (${after?.at ?? end}::timestamptz, ${after?.id ?? Number.MAX_SAFE_INTEGER}::bigint)
             group by at, member_id
             order by at desc, member_id desc
             limit ${PAGE + 1}) e
      join members m on m.commerce_id = ${commerceId} and m.id = e.member_id
     order by e.at desc, e.member_id desc`.execute(db);
  return rows.map(lineOf);
}

/** Returns the days on which points expired that the job has not written off. */
async function readUnwritten(db: Db, commerceId: number, { from, to }: Days): Promise<Day[]> {
  const { rows } = await sql<{ day: Day }>`-- read-unwritten-days
    select distinct expires_on as day
      from balances
     where commerce_id = ${commerceId} and expires_on between ${from}::date and ${to}::date and points > 0`.execute(
    db,
  );
  return rows.map((row) => row.day);
}

function lineOf({ id, type, at, points, amount, benefitId, title, memberId, ...row }: Row): ListedMovement {
  return { id, type, at, points, amount, benefitId, title, person: { ...row, id: memberId } };
}
