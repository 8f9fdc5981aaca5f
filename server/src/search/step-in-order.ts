import { sql, type Db } from '#db/database.ts';
import { idsOfFew } from './people-sought.ts';
import type { Sought } from './read-text.ts';

/**
 * The orders of a list. Each is that of an index that no purchase touches: the order in which the shop first heard of people,
 * and that of their names. Anyone without a name comes last.
 */
export const SORTS = ['newest', 'oldest', 'name'] as const;
export type Sort = (typeof SORTS)[number];

/** A place in a list, right behind a person. The name counts in the order of names only. */
export interface Place {
  readonly id: number;
  readonly name: string | null;
}

type Part = ReturnType<typeof sql>;

/** The people of one step through a list. */
export interface Step {
  /** Part of the name of a statement, because each kind of step makes another one. */
  readonly name: string;
  /** A list of tables: the people as `members m`, each with its place as `p`. */
  readonly people: Part;
  readonly order: Part;
  /** Selects the place where the step ends. Null if it is the last one. */
  readonly end: Part | null;
}

/** How many people a step looks at. The first step finds a page of most lists, in 2 ms; a later one takes up to 50 ms. */
const STEPS = { first: 500, later: 5_000 } as const;

/**
 * Takes a step behind a place: over everybody, or over the few who match a rare text. A step over everybody reads so many
 * rows however few of them are wanted in the end.
 */
export function stepInOrder(
  commerceId: number,
  sort: Sort,
  sought: Sought | null,
  after: Place | null,
  length: keyof typeof STEPS,
): Step {
  if (sought !== null && !sought.isCommon) return overFew(commerceId, sort, sought, after);
  const size = STEPS[length];
  const name = `${sort}-all-${length}`;
  if (sort === 'name') {
    const places = placesByName(commerceId, after);
    return {
      name,
      people: sql`(${places} limit ${sql.lit(size)}) as p ${theirRows(commerceId)}`,
      order: sql`p.word, p.name, p.id`,
      end: sql`${places} offset ${sql.lit(size - 1)} limit 1`,
    };
  }
  const rows = sql`from members m
             where m.commerce_id = ${commerceId} and ${behind(sort, sql`m.id`, after)}
             order by m.id ${directionOf(sort)}`;
  return {
    name,
    people: sql`(select * ${rows} limit ${sql.lit(size)}) as m cross join lateral (select m.id, null::text as name) as p`,
    order: sql`p.id ${directionOf(sort)}`,
    end: sql`select m.id, null::text as name ${rows} offset ${sql.lit(size - 1)} limit 1`,
  };
}

/** Returns where the step ends. Null if nobody is behind it. */
export async function readEnd(db: Db, { name, end }: Step): Promise<Place | null> {
  if (end === null) return null;
  const { rows } = await sql<Place>`-- end-of-${sql.raw(name)}
    ${end}`.execute(db);
  const [place] = rows;
  return place === undefined ? null : { id: place.id, name: place.name };
}

function overFew(commerceId: number, sort: Sort, sought: Sought, after: Place | null): Step {
  const name = `${sort}-few-by-${sought.by}`;
  const ids = sql`(select distinct few.id from (${idsOfFew(commerceId, sought)}) as few) as few`;
  const places =
    sort === 'name'
      ? sql`select few.id, w.name
              from ${ids}
             cross join lateral (select w.name from member_words w
                                  where w.commerce_id = ${commerceId} and w.member_id = few.id
                                  limit 1) as w
             where (w.name, few.id) > (${after?.name ?? ''}, ${after?.id ?? 0}::bigint)
             order by w.name, few.id`
      : sql`select few.id, null::text as name
              from ${ids}
             where ${behind(sort, sql`few.id`, after)}
             order by few.id ${directionOf(sort)}`;
  const order = sort === 'name' ? sql`p.name, p.id` : sql`p.id ${directionOf(sort)}`;
  // The limit keeps the planner from looking for these people in another way.
  return { name, people: sql`(${places} limit 1000000) as p ${theirRows(commerceId)}`, order, end: null };
}

/** Everybody once, by the first word of their name, straight from the index. */
function placesByName(commerceId: number, after: Place | null): Part {
  const { name, id } = { name: after?.name ?? '', id: after?.id ?? 0 };
  return sql`select w.word, w.name, w.member_id as id
               from member_words w
              where w.commerce_id = ${commerceId}
                and (w.word, w.name, w.member_id) > (${name.split(' ')[0]!}, ${name}, ${id}::bigint)
                and split_part(w.name, ' ', 1) = w.word
              order by w.word, w.name, w.member_id`;
}

/** Looked up one by one: the planner would rather read all members than 5,000. */
function theirRows(commerceId: number): Part {
  return sql`cross join lateral (select * from members m where m.commerce_id = ${commerceId} and m.id = p.id limit 1) as m`;
}

function behind(sort: Sort, id: Part, after: Place | null): Part {
  return sort === 'newest'
    ? sql`${id} < ${after?.id ?? '9223372036854775807'}::bigint`
    : sql`${id} > ${after?.id ?? 0}::bigint`;
}

function directionOf(sort: Sort): Part {
  return sort === 'newest' ? sql`desc` : sql`asc`;
}
