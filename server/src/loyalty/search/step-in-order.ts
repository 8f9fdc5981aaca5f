import { sql, type Db } from '#db/database.ts';
import { idsOfFew, nameHas } from './people-sought.ts';
import { LAST, type Sought } from './read-text.ts';

/**
 * The orders of a list. Each is that of an index that no purchase touches: the order in which the shop first heard of people,
 * and that of their names. Anyone without a name comes last. Where a name is searched, the order of names is that of the
 * word that was found, and then of the name.
 */
export const SORTS = ['newest', 'oldest', 'name'] as const;
export type Sort = (typeof SORTS)[number];

/** A place in a list, right behind a person. The word and the name are null unless the list is in the order of names. */
export interface Place {
  readonly id: number;
  readonly word: string | null;
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
  if (sort === 'name' && sought?.by === 'name') return overWords(commerceId, sought.words, after, length);
  if (sought !== null && !sought.isCommon) return overFew(commerceId, sort, sought, after);
  const size = STEPS[length];
  const name = `${sort}-all-${length}`;
  if (sort === 'name') {
    const places = placesByName(commerceId, after);
    return {
      name,
      people: sql`(${places} limit ${sql.lit(size)}) as p ${theirRows(commerceId)}`,
      order: BY_WORD,
      end: sql`${places} offset ${sql.lit(size - 1)} limit 1`,
    };
  }
  const rows = sql`from members m
             where m.commerce_id = ${commerceId} and ${behind(sort, sql`m.id`, after)}
             order by m.id ${directionOf(sort)}`;
  return {
    name,
    people: sql`(select * ${rows} limit ${sql.lit(size)}) as m cross join lateral (select m.id, null::text as word, null::text as name) as p`,
    order: sql`p.id ${directionOf(sort)}`,
    end: sql`select m.id, null::text as word, null::text as name ${rows} offset ${sql.lit(size - 1)} limit 1`,
  };
}

/** Returns where the step ends. Null if nobody is behind it. */
export async function readEnd(db: Db, { name, end }: Step): Promise<Place | null> {
  if (end === null) return null;
  const { rows } = await sql<Place>`-- end-of-${sql.raw(name)}
    ${end}`.execute(db);
  const [place] = rows;
  return place === undefined ? null : { id: place.id, word: place.word, name: place.name };
}

const BY_WORD = sql`p.word, p.name, p.id`;

function overFew(commerceId: number, sort: Sort, sought: Sought, after: Place | null): Step {
  const ids = sql`(select distinct few.id from (${idsOfFew(commerceId, sought)}) as few) as few`;
  const places =
    sort === 'name'
      ? sql`select few.id, w.word, w.name
              from ${ids}
             cross join lateral (select w.word, w.name from member_words w
                                  where w.commerce_id = ${commerceId} and w.member_id = few.id
                                    and split_part(w.name, ' ', 1) = w.word
                                  limit 1) as w
             where (w.word, w.name, few.id) > (${after?.word ?? ''}, ${after?.name ?? ''}, ${after?.id ?? 0}::bigint)
             order by w.word, w.name, few.id`
      : sql`select few.id, null::text as word, null::text as name
              from ${ids}
             where ${behind(sort, sql`few.id`, after)}
             order by few.id ${directionOf(sort)}`;
  return {
    name: `${sort}-few-by-${sought.by}`,
    // The limit keeps the planner from looking for these people in another way.
    people: sql`(${places} limit 1000000) as p ${theirRows(commerceId)}`,
    order: sort === 'name' ? BY_WORD : sql`p.id ${directionOf(sort)}`,
    end: null,
  };
}

/** Names that are compared in the index are read faster than people are looked up. */
const NAMES_FOR_A_PERSON = 4;

/**
 * Everybody who has these words, by the word that begins as one of them: the rarest on the first page, and the same on the next
 * ones. Of two such words of one person, the first counts.
 */
function overWords(
  commerceId: number,
  words: readonly [string, ...string[]],
  after: Place | null,
  length: keyof typeof STEPS,
): Step {
  const [word, ...others] = drivenBy(words, after);
  const size = (others.length === 0 ? 1 : NAMES_FOR_A_PERSON) * STEPS[length];
  const range = sql`select w.word, w.name, w.member_id as id, w.member_id
               from member_words w
              where w.commerce_id = ${commerceId} and w.word < ${word + LAST}
                and (w.word, w.name, w.member_id) > (${after?.word ?? word}, ${after?.name ?? ''}, ${after?.id ?? 0}::bigint)
              order by w.word, w.name, w.member_id`;
  return {
    name: `${others.length === 0 ? 'word' : 'words'}-${length}`,
    people: sql`(select w.word, w.name, w.id
              from (${range} limit ${sql.lit(size)}) as w
             where ${nameHas(commerceId, others)}
               and (select 1 from member_words o
                     where o.commerce_id = ${commerceId} and o.member_id = w.member_id
                       and o.word < w.word and starts_with(o.word, ${word})
                     limit 1) is null
             order by w.word, w.name, w.id) as p ${theirRows(commerceId)}`,
    order: BY_WORD,
    end: sql`${range} offset ${sql.lit(size - 1)} limit 1`,
  };
}

/** The longest, because it is the rarest, if one typed word is the beginning of another. */
function drivenBy(
  words: readonly [string, ...string[]],
  after: Place | null,
): readonly [string, ...string[]] {
  const driver = words
    .filter((word) => after?.word?.startsWith(word))
    .reduce((longest, word) => (word.length > longest.length ? word : longest), '');
  return driver === '' ? words : [driver, ...words.filter((word) => word !== driver)];
}

/** Everybody once, by the first word of their name, straight from the index. */
function placesByName(commerceId: number, after: Place | null): Part {
  return sql`select w.word, w.name, w.member_id as id
               from member_words w
              where w.commerce_id = ${commerceId}
                and (w.word, w.name, w.member_id) > (${after?.word ?? ''}, ${after?.name ?? ''}, ${after?.id ?? 0}::bigint)
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
