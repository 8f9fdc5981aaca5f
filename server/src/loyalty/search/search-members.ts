import { addDays, endOfDay, startOfDay, type Day } from '#calendar/calendar.ts';
import { readCommerce, type Commerce } from '#commerces/commerce.ts';
import { sql, type Db } from '#db/database.ts';
import { findMembers } from '#members/lock-members.ts';
import { memberColumns, memberOf, type MemberRow } from '#members/member.ts';
import { describePeople, type FoundPerson, type PersonState } from './found-person.ts';
import { hasWords, idsOfFew, matches } from './people-sought.ts';
import { readText, type Sought } from './read-text.ts';
import { readEnd, stepInOrder, type Place, type Sort, type Step } from './step-in-order.ts';

/** Which people of a commerce are listed, and in which order. Conditions that are left out do not count. */
export interface MemberFilter {
  readonly text?: string | undefined;
  readonly state?: PersonState | undefined;
  /** Null means those without a tier. */
  readonly levelId?: string | null | undefined;
  readonly minPoints?: number | undefined;
  readonly maxPoints?: number | undefined;
  /** The first and the last local day of the last purchase. */
  readonly boughtFrom?: Day | undefined;
  readonly boughtTo?: Day | undefined;
  /** Points that end within so many days. */
  readonly expiringDays?: number | undefined;
  /** By default the newest first. */
  readonly sort?: Sort | undefined;
}

export interface ListedPerson extends FoundPerson {
  readonly lastPurchaseAt: Date | null;
}

export interface PeoplePage {
  readonly people: readonly ListedPerson[];
  /** Where the next page begins; null on the last page. */
  readonly next: PlaceOfPage | null;
  /**
   * The number of people on all pages. Null if there are more than 10,000, if as many share each word of the text, or if
   * counting takes too long.
   */
  readonly total: number | null;
}

/** Keeps the total of the first page for the next ones. */
export interface PlaceOfPage extends Place {
  readonly total: number | null;
}

export const MOST_COUNTED = 10_000;

/** The search goes no further after this time. The last step takes some 50 ms more. */
const LONGEST_MS = 500;

/**
 * Returns a page of the people of a commerce, from behind a place. People who come or are renamed meanwhile make nobody else
 * appear twice or go missing. The work of a call is bounded: if few people match, the page ends where the search
 * has got to, with fewer people than asked for or none, and the next page goes on from there.
 */
export async function searchMembers(
  db: Db,
  commerceId: number,
  filter: MemberFilter,
  page: { readonly limit: number; readonly after: PlaceOfPage | null; readonly withTotal?: boolean },
): Promise<PeoplePage> {
  const deadline = performance.now() + LONGEST_MS;
  const commerce = await readCommerce(db, commerceId);
  if (commerce === undefined) return { people: [], next: null, total: 0 };
  const search = await prepare(db, commerce, filter);
  const { people, next } = await findPage(db, search, page, deadline);
  const total =
    page.after !== null
      ? page.after.total
      : next === null
        ? people.length
        : page.withTotal === false
          ? null
          : await countMatches(db, search, deadline);
  return {
    people: await withLastPurchases(db, commerceId, people),
    next: next && { ...next, total },
    total,
  };
}

type Part = ReturnType<typeof sql>;

interface Search {
  readonly commerceId: number;
  readonly filter: MemberFilter;
  readonly sought: Sought | null;
  /** There is no condition but the text. */
  readonly hasOnlyText: boolean;
  readonly conditions: Part;
  /** Members whose tier only the rule can tell. */
  readonly isUnsettled: Part;
  /** Part of the name of a statement: each kind of text makes another one. */
  readonly name: string;
  stepBehind(place: Place | null, isFirst: boolean, sort?: Sort): Step;
}

async function prepare(db: Db, commerce: Commerce, filter: MemberFilter): Promise<Search> {
  const text = filter.text?.trim() ?? '';
  const sought = text === '' ? null : await readText(db, commerce.id, text);
  const unsettled = isUnsettled(commerce);
  return {
    commerceId: commerce.id,
    filter,
    sought,
    hasOnlyText: Object.entries(filter).every(
      ([field, value]) => field === 'text' || field === 'sort' || value === undefined,
    ),
    conditions: conditionsOf(commerce, filter, sought, unsettled),
    isUnsettled: unsettled,
    name: sought === null ? '' : `-with-${sought.by}`,
    stepBehind: (place, isFirst, sort = filter.sort ?? 'newest') =>
      stepInOrder(commerce.id, sort, sought, place, isFirst ? 'first' : 'later'),
  };
}

async function findPage(
  db: Db,
  search: Search,
  { limit, after }: { limit: number; after: Place | null },
  deadline: number,
): Promise<{ people: FoundPerson[]; next: Place | null }> {
  const found: { person: FoundPerson; place: Place }[] = [];
  let reached = after;
  for (let isFirst = true; ; isFirst = false) {
    const step = search.stepBehind(reached, isFirst);
    const missing = limit + 1 - found.length;
    const rows = await readMatches(db, search, step, missing);
    const people = await describePeople(db, rows.map(memberOf));
    for (const [i, person] of people.entries()) {
      if (hasLevel(person, search.filter)) found.push({ person, place: placeOf(rows[i]!) });
    }
    if (found.length > limit) {
      const shown = found.slice(0, limit);
      return { people: shown.map(({ person }) => person), next: shown.at(-1)!.place };
    }
    reached = rows.length === missing ? placeOf(rows.at(-1)!) : await readEnd(db, step);
    if (reached === null || performance.now() > deadline)
      return { people: found.map(({ person }) => person), next: reached };
  }
}

type Row = MemberRow & { readonly placeWord: string | null; readonly placeName: string | null };

function placeOf({ id, placeWord, placeName }: Row): Place {
  return { id, word: placeWord, name: placeName };
}

async function readMatches(db: Db, search: Search, step: Step, limit: number): Promise<Row[]> {
  const { rows } = await sql<Row>`-- search-members-${sql.raw(step.name + search.name)}
    select ${memberColumns}, p.word as "placeWord", p.name as "placeName"
      from ${step.people}
     where m.commerce_id = ${search.commerceId} and ${search.conditions}
     order by ${step.order}
     limit ${limit}::bigint`.execute(db);
  return rows;
}

/** Counts in steps like those of a page. Returns null if there are too many, or if it takes too long. */
async function countMatches(db: Db, search: Search, deadline: number): Promise<number | null> {
  if (search.sought?.isCommon === true) return null;
  if (search.sought !== null && search.hasOnlyText) return countFew(db, search.commerceId, search.sought);
  let total = 0;
  let place: Place | null = null;
  for (let isFirst = true; ; isFirst = false) {
    const step = search.stepBehind(place, isFirst, 'oldest');
    const { rows } = await sql<{
      count: number;
      unsettled: string[];
    }>`-- count-members-${sql.raw(step.name + search.name)}
    select count(*) filter (where not found.unsettled) as count,
           coalesce(array_agg(found.id::text) filter (where found.unsettled), '{}') as unsettled
      from (select m.id, ${search.filter.levelId !== undefined}::boolean and ${search.isUnsettled} as unsettled
              from ${step.people}
             where m.commerce_id = ${search.commerceId} and ${search.conditions}
             limit ${MOST_COUNTED + 1 - total}::bigint) as found`.execute(db);
    const { count, unsettled } = rows[0]!;
    if (total + count + unsettled.length > MOST_COUNTED) return null;
    total += count + (await countWithLevel(db, search, unsettled.map(Number)));
    place = await readEnd(db, step);
    if (place === null) return total;
    if (performance.now() > deadline) return null;
  }
}

async function countWithLevel(
  db: Db,
  { commerceId, filter }: Search,
  ids: readonly number[],
): Promise<number> {
  const members = await findMembers(
    db,
    ids.map((id) => ({ commerceId, id })),
  );
  return (await describePeople(db, members)).filter((person) => hasLevel(person, filter)).length;
}

/** Counts whoever matches a rare text, without a look at their rows. */
async function countFew(db: Db, commerceId: number, sought: Sought): Promise<number> {
  const isWhole = sought.by !== 'name' || sought.words.length === 1;
  const { rows } = await sql<{
    count: number;
  }>`-- count-few-by-${sql.raw(`${sought.by}${isWhole ? '' : 's'}`)}
    select count(distinct few.id) as count
      from (${idsOfFew(commerceId, sought)}) as few
     where ${isWhole ? sql`true` : hasWords(commerceId, sql`few.id`, sought.words)}`.execute(db);
  return rows[0]!.count;
}

/**
 * The conditions on `members m`. One statement serves all combinations, and looks only at what is asked for. Whatever is read beside
 * the member is asked for by the value of the commerce, because a cluster finds no machine by a column of another table.
 */
function conditionsOf(
  { id, today, rules }: Commerce,
  filter: MemberFilter,
  sought: Sought | null,
  unsettled: Part,
): Part {
  const { state, levelId, minPoints, maxPoints, boughtFrom, boughtTo, expiringDays } = filter;
  const from = boughtFrom === undefined ? null : startOfDay(boughtFrom, rules.timeZone);
  const to = boughtTo === undefined ? null : endOfDay(boughtTo, rules.timeZone);
  const anyPoints = minPoints === undefined && maxPoints === undefined;
  return sql`(${state ?? null}::text is null
            or case when m.email is null then 'erased' when m.blocked_at is not null then 'blocked' else m.state end = ${state ?? null})
       and (${levelId === undefined}::boolean
            or (case when not m.tier_expired then m.tier_id end) is not distinct from ${levelId ?? null}::text
            or ${unsettled})
       and ${sought === null ? sql`true` : matches(id, sought)}
       and (${expiringDays === undefined}::boolean
            or (select 1 from balances b
                 where b.commerce_id = ${id} and b.member_id = m.id and b.points > 0
                   and b.expires_on >= ${today}::date and b.expires_on <= ${addDays(today, expiringDays ?? 0)}::date
                 limit 1) is not null)
       and (${anyPoints}::boolean
            or (select coalesce(sum(b.points), 0)
                         between ${minPoints ?? Number.MIN_SAFE_INTEGER}::bigint and ${maxPoints ?? Number.MAX_SAFE_INTEGER}::bigint
                  from balances b
                 where b.commerce_id = ${id} and b.member_id = m.id and b.expires_on >= ${today}::date))
       and (${from === null && to === null}::boolean
            or m.moved_on >= coalesce(${boughtFrom ?? null}::date - 2, '-infinity')
           and coalesce(${ofLastPurchase(
             sql`v.at >= coalesce(${from}::timestamptz, '-infinity') and v.at <= coalesce(${to}::timestamptz, 'infinity')`,
             id,
             sql`m.id`,
           )}, false))`;
}

/**
 * Only the rule can tell the tier: its period is over, and no job has settled it; or the points wait for a person who was never
 * on the ladder. For anyone who left or is blocked, time stands still.
 */
export function isUnsettled({ today }: Pick<Commerce, 'today'>): Part {
  return sql`coalesce(not m.tier_expired and not m.tier_pinned and m.tier_expires_on < ${today}::date
                      and m.tier_expires_on <= coalesce(least(m.left_at, m.blocked_at)::date, 'infinity')
                      or m.state = 'invited' and m.tier_id is null, false)`;
}

/** The statement takes everybody whose tier is not settled. */
function hasLevel({ levelId }: FoundPerson, filter: MemberFilter): boolean {
  return filter.levelId === undefined || levelId === filter.levelId;
}

async function withLastPurchases(
  db: Db,
  commerceId: number,
  people: readonly FoundPerson[],
): Promise<ListedPerson[]> {
  if (people.length === 0) return [];
  const { rows } = await sql<{ id: number; at: Date | null }>`-- read-last-purchases
    select p.id, ${ofLastPurchase(sql`v.at`, commerceId, sql`p.id`)} as at
      from unnest(${people.map(({ member }) => member.id)}::bigint[]) as p(id)`.execute(db);
  const at = new Map(rows.map((row) => [row.id, row.at]));
  return people.map((person) => ({ ...person, lastPurchaseAt: at.get(person.member.id) ?? null }));
}

/** Something about the last purchase, read from the index of the history. Null if there is none. */
function ofLastPurchase(value: Part, commerceId: number, memberId: Part): Part {
  return sql`(select ${value} from movements v
                 where v.commerce_id = ${commerceId} and v.member_id = ${memberId}
                   and v.type not in ('expiry', 'redate') and v.type = 'purchase'
                 order by v.at desc, v.id desc
                 limit 1)`;
}
