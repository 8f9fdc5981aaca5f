import { sql, type Db, type Sql } from '#db/database.ts';
import { findMembers } from '#members/lock-members.ts';
import { describePeople, type FoundPerson } from './found-person.ts';
import { matches, nameHas } from './people-sought.ts';
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
  if (sought.by !== 'name') return idsFrom(db, findByRow(commerceId, sought, limit), limit);
  const { words } = sought;
  if (sought.isCommon && words.length > 1) {
    const newest = await idsFrom(db, findAmongNewest(commerceId, words, limit), limit);
    if (newest.length === limit) return newest;
  }
  return idsFrom(db, findInRange(commerceId, words, limit), limit);
}

async function idsFrom(db: Db, statement: Sql<{ id: number }>, limit: number): Promise<number[]> {
  const { rows } = await statement.execute(db);
  return [...new Set(rows.map(({ id }) => id))].slice(0, limit);
}

function findByRow(commerceId: number, sought: Sought, limit: number) {
  return sql<{ id: number }>`-- ${sql.raw(`find-by-${sought.by}`)}
    select m.id
      from members m
     where m.commerce_id = ${commerceId} and ${matches(commerceId, sought)}
     order by m.email collate "C"
     limit ${limit}::bigint`;
}

/** `search_words` gives a name no more words. A person has a row for each of them that begins as the typed one. */
const WORDS_OF_A_NAME = 16;

/**
 * Reads those that begin as the rarest typed word from the index, in its order. One word needs the first rows only. Of several,
 * the range is read until enough names beside it have the others: at most 400,000 rows, in 0.1 s.
 */
function findInRange(commerceId: number, [rarest, ...others]: readonly [string, ...string[]], limit: number) {
  return sql<{ id: number }>`-- ${sql.raw(others.length === 0 ? 'find-by-word' : 'find-by-words')}
    select w.member_id as id
      from (select w.word, w.name, w.member_id
              from member_words w
             where w.commerce_id = ${commerceId} and w.word >= ${rarest} and w.word < ${rarest + LAST}
             order by w.word, w.name, w.member_id
             limit 400000) as w
     ${others.length === 0 ? sql`` : sql`where ${nameHas(commerceId, others)}`}
     order by w.word, w.name, w.member_id
     limit ${limit * WORDS_OF_A_NAME}::bigint`;
}

/**
 * Several words that are all common: many people have all of them, but in the order of a word they can all come late. So the
 * newest people are looked at first, 20,000 of them in 20 ms.
 */
function findAmongNewest(
  commerceId: number,
  [rarest, ...others]: readonly [string, ...string[]],
  limit: number,
) {
  return sql<{ id: number }>`-- find-among-newest
    select w.member_id as id
      from (select w.word, w.name, w.member_id
              from member_words w
             where w.commerce_id = ${commerceId}
             order by w.member_id desc
             limit 50000) as w
     where starts_with(w.word, ${rarest}) and ${nameHas(commerceId, others)}
     order by w.member_id desc
     limit ${limit * WORDS_OF_A_NAME}::bigint`;
}
