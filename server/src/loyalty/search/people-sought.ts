/** Which members a text stands for, as parts of statements. */
import { sql } from '#db/database.ts';
import { FEW, LAST, type Sought } from './read-text.ts';

type Part = ReturnType<typeof sql>;

/** Selects the ids of the people who match a rare text: those of its rarest word, for a name. */
export function idsOfFew(commerceId: number, sought: Sought): Part {
  if (sought.by === 'code')
    return sql`select m.id from members m where m.commerce_id = ${commerceId} and m.code = ${sought.code}`;
  if (sought.by === 'email')
    return sql`select m.id from members m
             where m.commerce_id = ${commerceId} and ${matches(commerceId, sought)}
             limit ${sql.lit(FEW)}`;
  const [rarest] = sought.words;
  return sql`select w.member_id as id from member_words w
             where w.commerce_id = ${commerceId} and w.word >= ${rarest} and w.word < ${rarest + LAST}
             limit ${sql.lit(FEW)}`;
}

/** Whether a row of `members m` of a commerce matches. Each word is looked up in the index, however many people share it. */
export function matches(commerceId: number, sought: Sought): Part {
  if (sought.by === 'code') return sql`m.code = ${sought.code}`;
  if (sought.by === 'email')
    return sql`m.email collate "C" >= ${sought.beginning} and m.email collate "C" < ${sought.beginning + LAST}`;
  return hasWords(commerceId, sql`m.id`, sought.words);
}

/**
 * Whether each of the typed words begins a word of the name. It looks at the few words of one person: a range of words could
 * tempt the planner to look at all who share one.
 */
export function hasWords(commerceId: number, memberId: Part, words: readonly string[]): Part {
  return sql`not exists (
             select from unnest(${words}::text[]) as typed(word)
              where (select 1 from member_words w
                      where w.commerce_id = ${commerceId} and w.member_id = ${memberId}
                        and starts_with(w.word, typed.word)
                      limit 1) is null)`;
}

/** `member_words.name` has no more characters. */
const LONGEST_NAME = 80;

/** Whether the name in a row of `member_words w` has each of these words. They are looked up only if the name is cut. */
export function nameHas(commerceId: number, words: readonly string[]): Part {
  const patterns = words.map((word) => `% ${word}%`);
  return sql`(' ' || w.name like all (${patterns}::text[])
         or (length(w.name) = ${sql.lit(LONGEST_NAME)} and ${hasWords(commerceId, sql`w.member_id`, words)}))`;
}
