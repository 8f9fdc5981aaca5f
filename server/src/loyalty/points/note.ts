import { languageOf, type Language } from '#text/language.ts';
import { sql, type Sql } from '#db/database.ts';
import { isDay, type Day } from '#calendar/calendar.ts';
import type { MovementType } from './locked-member.ts';

/** The facts in a movement's note besides its type. They are stored with the snapshot, and put into words when it is read. */
export type NoteFacts =
  /** A return, with the purchase's day in the commerce's calendar. */
  | { readonly of: 'return'; readonly bought: Day; readonly whole: boolean }
  /** A purchase turned out to be larger, with its day in the commerce's calendar. */
  | { readonly of: 'growth'; readonly bought: Day }
  /** The points that somebody brought along from another program. */
  | { readonly of: 'opening' }
  /** The use of a code was undone. It is void if what had earned it was taken back meanwhile. */
  | { readonly of: 'undo'; readonly isVoid: boolean }
  /** The end of the points of a person who was erased. */
  | { readonly of: 'erasure' };

/** The stored facts of the note of a movement. */
export interface StoredNote {
  readonly type: MovementType;
  /** The sentence of a release that stored sentences, in the commerce's language of that day. */
  readonly sentence: string | null;
  /** The text that a person typed. */
  readonly typed: string | null;
  readonly facts: NoteFacts | null;
}

/**
 * Selects a `StoredNote` of the movement with this alias. Null without a note, so that the many purchases of a history cost
 * nothing.
 */
export function storedNote(alias: string): Sql {
  const m = sql.raw(alias);
  return sql`case when ${m}.type in ('reversal', 'correction', 'give_back', 'undo', 'adjustment') or ${m}.note is not null
                 then jsonb_build_object('type', ${m}.type, 'sentence', ${m}.note, 'facts', ${m}.snapshot -> 'note', 'typed', (
                        select n.note
                          from movement_notes n
                         where n.commerce_id = ${m}.commerce_id and n.movement_id = ${m}.id))
             end`;
}

/** Returns the sentence that a member reads about a movement, in the language of `locale`. */
export function tellNote(stored: StoredNote | null, locale: string): string | null {
  if (stored === null) return null;
  const { type, sentence, typed, facts } = stored;
  if (sentence !== null) return typed ?? sentence;
  const words = WORDS[languageOf(locale)];
  const told = facts === null ? tellType(type, words) : tellFacts(facts, words, locale);
  if (typed === null) return told;
  return facts?.of === 'return' && told !== null ? `${told}: ${typed}` : typed;
}

function tellType(type: MovementType, words: Words): string | null {
  if (type === 'give_back') return words.giveBack;
  return type === 'adjustment' ? words.adjustment : null;
}

/** Facts that came with an archive may be of a later release, or of nobody: they are told as far as they can be. */
function tellFacts(facts: NoteFacts, words: Words, locale: string): string | null {
  switch (facts.of) {
    case 'opening':
    case 'erasure':
      return words[facts.of];
    case 'undo':
      return facts.isVoid ? words.undoneVoid : words.undone;
    case 'growth':
    case 'return': {
      if (!isDay(facts.bought)) return null;
      const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' });
      const bought = day.format(new Date(facts.bought));
      return facts.of === 'growth' ? words.growth(bought) : words.return(facts.whole, bought);
    }
    default:
      return null;
  }
}

interface Words {
  readonly return: (whole: boolean, day: string) => string;
  readonly growth: (day: string) => string;
  readonly giveBack: string;
  readonly undone: string;
  readonly undoneVoid: string;
  readonly adjustment: string;
  readonly opening: string;
  readonly erasure: string;
}

const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    return: (whole, day) => `${whole ? 'Return' : 'Partial return'} of the purchase of ${day}`,
    growth: (day) => `Change of the purchase of ${day}`,
    giveBack: 'Code given back',
    undone: 'The code is yours again: the shop undid its use',
    undoneVoid: 'The shop undid the use of the code, which is no longer valid',
    adjustment: 'Adjusted by the shop',
    opening: 'Opening balance',
    erasure: 'Account erased',
  },
  es: {
    return: (whole, day) => `Devolución ${whole ? '' : 'parcial '}de la compra del ${day}`,
    growth: (day) => `Cambio de la compra del ${day}`,
    giveBack: 'Código devuelto',
    undone: 'El código vuelve a ser tuyo: el comercio deshizo su uso',
    undoneVoid: 'El comercio deshizo el uso del código, que ya no vale',
    adjustment: 'Ajustado por el comercio',
    opening: 'Saldo inicial',
    erasure: 'Cuenta borrada',
  },
};
