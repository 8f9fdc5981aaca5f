import { sql, type Db } from '#db/database.ts';
import { normaliseEmail } from '#text/email-address.ts';

/** The meaning of a typed or scanned text. `isCommon` says that more than `FEW` people match. */
export type Sought =
  | { readonly by: 'code'; readonly code: number; readonly isCommon: false }
  | { readonly by: 'email'; readonly beginning: string; readonly isCommon: boolean }
  | { readonly by: 'name'; readonly words: readonly [string, ...string[]]; readonly isCommon: boolean };

/** As many matches are read, put in order and counted at once, in some 10 milliseconds. */
export const FEW = 10_000;

/** Comes after every character of a text in the order of bytes, so `beginning || LAST` ends a range. */
export const LAST = '\u{10ffff}';

/**
 * Reads a text: 9 digits are a member's code, with or without spaces and dashes. A text with an @ is an e-mail address or the
 * beginning of one. Anything else is the beginnings of words of a name, in any order, the rarest first.
 */
export async function readText(db: Db, commerceId: number, text: string): Promise<Sought> {
  const digits = text.replaceAll(/[\s\p{Pd}]/gu, '');
  if (/^\d{9}$/.test(digits)) return { by: 'code', code: Number(digits), isCommon: false };
  if (text.includes('@')) return readAddress(db, commerceId, text);
  return readWords(db, commerceId, text);
}

async function readAddress(db: Db, commerceId: number, text: string): Promise<Sought> {
  const beginning = normaliseEmail(text) ?? text.trim().toLowerCase();
  const { rows } = await sql<{ count: number }>`-- count-addresses
    select count(*) as count
      from (select from members m
             where m.commerce_id = ${commerceId}
               and m.email collate "C" >= ${beginning} and m.email collate "C" < ${beginning + LAST}
             limit ${sql.lit(FEW + 1)}) as few`.execute(db);
  return { by: 'email', beginning, isCommon: rows[0]!.count > FEW };
}

/** The database reads the words, because it reads those of the names (`search_words`). */
async function readWords(db: Db, commerceId: number, text: string): Promise<Sought> {
  const { rows } = await sql<{ word: string; count: number }>`-- count-words
    select typed.word,
           (select count(*)
              from (select from member_words w
                     where w.commerce_id = ${commerceId} and w.word >= typed.word and w.word < typed.word || ${LAST}
                     limit ${sql.lit(FEW + 1)}) as few) as count
      from unnest(search_words(${text}, true)) as typed(word)
     order by count, length(typed.word) desc, typed.word`.execute(db);
  // A text without a letter or digit, such as a dash, matches nobody.
  const [rarest = { word: LAST + LAST, count: 0 }, ...others] = rows;
  return {
    by: 'name',
    words: [rarest.word, ...others.map(({ word }) => word)],
    isCommon: rarest.count > FEW,
  };
}
