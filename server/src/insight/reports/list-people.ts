/** The people that a figure of a report counts. */
import { addDays, startOfDay, type Day } from '#calendar/calendar.ts';
import type { Commerce } from '#commerces/commerce.ts';
import { sql, type Db, type Sql } from '#db/database.ts';
import { PAGE } from './list-movements.ts';
import { personColumns, personOf, type Person, type PersonRow } from './person.ts';
import type { Days } from './report-range.ts';

export const COUNTED_PEOPLE = [
  'joined',
  'left',
  'ending',
  'issued',
  'given',
  'codes_given_back',
  'reached',
] as const;
export type CountedPeople = (typeof COUNTED_PEOPLE)[number];

export interface ListedPersonOfReport {
  readonly person: Person;
  readonly at: Date | null;
  /** The day on which points end, and how many. */
  readonly day: Day | null;
  readonly points: number | null;
  readonly benefitId: string | null;
  /** Of the benefit or the tier. */
  readonly title: string | null;
  /** Tells this line from others of the same instant or day. */
  readonly key: number;
}

/** The last line of a page. */
export interface PersonPlace {
  /** An instant or, for points that end, a day. */
  readonly at: string;
  readonly key: number;
}

export interface PeopleFilter extends Days {
  readonly kind: CountedPeople;
  readonly benefitId?: string | undefined;
  readonly levelId?: string | undefined;
}

/** Returns a page of the people of a figure, from behind a place: newest first, and points that end soonest first. */
export async function listPeople(
  db: Db,
  commerce: Commerce,
  filter: PeopleFilter,
  after: PersonPlace | null,
): Promise<{ lines: ListedPersonOfReport[]; next: PersonPlace | null }> {
  const { id, rules } = commerce;
  const order = filter.kind === 'ending' ? sql`f.day, f.key` : sql`f.at desc, f.key desc`;
  const { rows } = await sql<Row>`
    select f.at, f.day, f.points, f.benefit_id as "benefitId", f.title, f.key, ${personColumns}
      from (${selectOf(commerce, filter, after)}) f
      join members m on m.commerce_id = ${id} and m.id = f.member_id
     order by ${order}`.execute(db);
  const lines = rows.slice(0, PAGE).map(({ at, day, points, benefitId, title, key, ...row }) => ({
    person: personOf(row),
    at,
    day,
    points,
    benefitId,
    title: filter.kind === 'reached' ? nameOfTier(title, rules.tiers.ladder) : title,
    key,
  }));
  const last = lines.at(-1);
  return {
    lines,
    next:
      rows.length > PAGE && last !== undefined
        ? { at: last.day ?? last.at!.toISOString(), key: last.key }
        : null,
  };
}

type Row = Omit<ListedPersonOfReport, 'person'> & PersonRow;

function nameOfTier(id: string | null, ladder: readonly { id: string; name: string }[]): string | null {
  return ladder.find((tier) => tier.id === id)?.name ?? null;
}

function selectOf(commerce: Commerce, filter: PeopleFilter, after: PersonPlace | null): Sql {
  return filter.kind === 'ending'
    ? selectEnding(commerce, filter, after)
    : selectByInstant(commerce, filter, after, SOURCES[filter.kind](filter));
}

/** Rows with an instant and a key that tells apart those of one instant. */
interface Source {
  readonly from: Sql;
  readonly commerceId: Sql;
  readonly at: Sql;
  readonly key: Sql;
  readonly memberId: Sql;
  readonly benefitId: Sql;
  readonly title: Sql;
  readonly holds: Sql;
}

const members = {
  from: sql`members m`,
  commerceId: sql`m.commerce_id`,
  key: sql`m.id`,
  memberId: sql`m.id`,
  benefitId: sql`null::text`,
};

const SOURCES: Readonly<Record<Exclude<CountedPeople, 'ending'>, (filter: PeopleFilter) => Source>> = {
  joined: () => ({ ...members, at: sql`m.enrolled_at`, title: sql`null::text`, holds: sql`true` }),
  left: () => ({
    ...members,
    at: sql`m.left_at`,
    title: sql`null::text`,
    holds: sql`m.enrolled_at is not null`,
  }),
  reached: ({ levelId }) => reachedBy(levelId),
  issued: ({ benefitId }) => codes('issued_at', benefitId),
  given: ({ benefitId }) => codes('issued_at', benefitId, sql`v.source <> 'exchange'`),
  codes_given_back: ({ benefitId }) => codes('given_back_at', benefitId),
};

function reachedBy(levelId: string | undefined): Source {
  return {
    ...members,
    at: sql`(case when m.tier_pinned and m.tier_pinned_at is not null then m.tier_pinned_at else m.tier_reached_at end)`,
    title: sql`m.tier_id`,
    holds: sql`m.state = 'member' and m.blocked_at is null and m.tier_id is not null and not m.tier_expired
               and (${levelId ?? null}::text is null or m.tier_id = ${levelId ?? null})`,
  };
}

function codes(at: 'issued_at' | 'given_back_at', benefitId: string | undefined, also = sql`true`): Source {
  return {
    from: sql`vouchers v`,
    commerceId: sql`v.commerce_id`,
    at: sql.raw(`v.${at}`),
    key: sql`v.code`,
    memberId: sql`v.member_id`,
    benefitId: sql`v.benefit_id`,
    title: sql`v.benefit ->> 'title'`,
    holds: sql`${also} and (${benefitId ?? null}::text is null or v.benefit_id = ${benefitId ?? null})`,
  };
}

function selectByInstant(
  { id, rules }: Commerce,
  { from, to }: Days,
  after: PersonPlace | null,
  source: Source,
): Sql {
  const begin = startOfDay(from, rules.timeZone);
  const end = startOfDay(addDays(to, 1), rules.timeZone);
  return sql`
    select ${source.at} as at, null::date as day, null::bigint as points, ${source.key} as key, ${source.memberId} as member_id,
           ${source.benefitId} as benefit_id, ${source.title} as title
      from ${source.from}
     where ${source.commerceId} = ${id} and ${source.at} >= ${begin} and ${source.at} < ${end} and ${source.holds}
       and (${source.at}, ${source.key})
           < (${after?.at ?? end.toISOString()}::timestamptz, ${after?.key ?? Number.MAX_SAFE_INTEGER}::bigint)
     order by ${source.at} desc, ${source.key} desc
     limit ${PAGE + 1}`;
}

/** Points that have expired by today are not there any more. */
function selectEnding({ id, today }: Commerce, { from, to }: Days, after: PersonPlace | null): Sql {
  return sql`
    select null::timestamptz as at, b.expires_on as day, sum(b.points)::bigint as points, b.member_id as key, b.member_id,
           null::text as benefit_id, null::text as title
      from balances b
     where b.commerce_id = ${id} and b.expires_on between ${from < today ? today : from}::date and ${to}::date
       and b.expires_on < 'infinity' and b.points > 0
       and (b.expires_on, b.member_id) > (${after?.at ?? '-infinity'}::date, ${after?.key ?? 0}::bigint)
     group by b.expires_on, b.member_id
     order by b.expires_on, b.member_id
     limit ${PAGE + 1}`;
}
