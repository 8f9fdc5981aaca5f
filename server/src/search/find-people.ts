import { sql, type Db } from '#db/database.ts';
import { findMembers } from '#members/lock-members.ts';
import { describePeople, type FoundPerson } from './found-person.ts';
import { hasWords, matches } from './people-sought.ts';
import { LAST, readText, type Sought } from './read-text.ts';

/**
 * Finds the people of a commerce whom a typed or scanned text stands for, best first: by code, by the beginning of an
 * address, or by the beginnings of words of a name. Whole words come before their beginnings, then names are in order.
 * It takes milliseconds with a million members.
 */
export async function findPeople(
  db: Db,
  commerceId: number,
  text: string,
  limit: number,
): Promise<FoundPerson[]> {
  const ids = await findIds(db, commerceId, await readText(db, commerceId, text), limit);
  const members = await findMembers(
    db,
    ids.map((id) => ({ commerceId, id })),
  );
  const byId = new Map(members.map((member) => [member.id, member]));
  return describePeople(
    db,
    ids.flatMap((id) => byId.get(id) ?? []),
  );
}

async function findIds(db: Db, commerceId: number, sought: Sought, limit: number): Promise<number[]> {
  const { rows } = await statementFor(commerceId, sought, limit).execute(db);
  return [...new Set(rows.map(({ id }) => id))].slice(0, limit);
}

function statementFor(commerceId: number, sought: Sought, limit: number) {
  if (sought.by === 'name') return findByWords(commerceId, sought.words, limit);
  return sql<{ id: number }>`-- ${sql.raw(`find-by-${sought.by}`)}
    select m.id
      from members m
     where m.commerce_id = ${commerceId} and ${matches(sought)}
     order by m.email collate "C"
     limit ${limit}::bigint`;
}

/** `search_words` gives a name no more words. A person has a row for each of them that begins as the typed one. */
const WORDS_OF_A_NAME = 16;

/** `member_words.name` has no more characters. */
const LONGEST_NAME = 80;

/**
 * Reads from the index of the words: those that begin as the rarest typed word, in order. The other words are compared with
 * the name beside it, which is there too, and looked up only if the name is cut. Two common words that nobody has
 * together would be a long way, so it ends after 100,000 rows: 50 ms.
 */
function findByWords(commerceId: number, [rarest, ...others]: readonly [string, ...string[]], limit: number) {
  const name = others.length === 0 ? sql.raw('find-by-word') : sql.raw('find-by-words');
  const patterns = others.map((word) => `% ${word}%`);
  return sql<{ id: number }>`-- ${name}
    select w.member_id as id
      from (select w.word, w.name, w.member_id
              from member_words w
             where w.commerce_id = ${commerceId} and w.word >= ${rarest} and w.word < ${rarest + LAST}
             order by w.word, w.name, w.member_id
             limit 100000) as w
     ${
       others.length === 0
         ? sql``
         : sql`where ' ' || w.name like all (${patterns}::text[])
        or (length(w.name) = ${sql.lit(LONGEST_NAME)} and ${hasWords(sql`${commerceId}::bigint`, sql`w.member_id`, others)})`
     }
     order by w.word, w.name, w.member_id
     limit ${limit * WORDS_OF_A_NAME}::bigint`;
}
