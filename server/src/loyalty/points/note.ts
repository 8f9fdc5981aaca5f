import { dateFormat } from '#text/formats.ts';
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
  /** The points of a purchase wait until that day, or until the shop confirms it; `isOpen` as long as they do. */
  | {
      readonly of: 'waits';
      readonly becomes: 'available' | 'cancelled';
      readonly day: Day;
      readonly isOpen: boolean;
    }
  /** Nobody has confirmed a purchase in time. It was made on that day in the commerce's calendar. */
  | { readonly of: 'cancelled'; readonly bought: Day }
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
  readonly sentence?: string | null;
  /** The text that a person typed. */
  readonly typed?: string | null;
  readonly facts: NoteFacts | null;
}

/**
 * Selects a `StoredNote` of the movement with this alias. Null without a note, so that the many purchases of a history cost
 * nothing.
 * @param of the commerce of all movements that are selected, or what a cluster needs beside the commerce of a movement (`among`)
 */
export function storedNote(alias: string, of: number | ((alias: string) => Sql)): Sql {
  const m = sql.raw(alias);
  const commerceOf = (other: string) =>
    typeof of === 'number' ? sql`${of}` : sql`${m}.commerce_id${of(other)}`;
  return sql`case when ${m}.type = 'purchase' and ${m}.snapshot ? 'waits'
                 then jsonb_build_object('type', ${m}.type, 'facts', ${m}.snapshot -> 'waits' || jsonb_build_object('of', 'waits', 'isOpen', exists (
                        select from pending_points w
                         where w.commerce_id = ${commerceOf('w')} and w.member_id = ${m}.member_id and w.purchase_id = ${m}.id)))
                 when ${m}.type in ('reversal', 'correction', 'give_back', 'undo', 'adjustment') or ${m}.note is not null
                 then jsonb_build_object('type', ${m}.type, 'sentence', ${m}.note, 'facts', ${m}.snapshot -> 'note', 'typed', (
                        select n.note
                          from movement_notes n
                         where n.commerce_id = ${commerceOf('n')} and n.movement_id = ${m}.id))
             end`;
}

/** Returns the sentence that a member reads about a movement, in the language of `locale`. */
export function tellNote(stored: StoredNote | null, locale: string): string | null {
  if (stored === null) return null;
  const { type, sentence = null, typed = null, facts } = stored;
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
    case 'waits':
      if (facts.becomes === 'cancelled') return facts.isOpen ? words.unconfirmed : null;
      return isDay(facts.day) ? words.availableFrom(dayIn(locale).format(new Date(facts.day))) : null;
    case 'undo':
      return facts.isVoid ? words.undoneVoid : words.undone;
    case 'growth':
    case 'cancelled':
    case 'return': {
      if (!isDay(facts.bought)) return null;
      const bought = dayIn(locale).format(new Date(facts.bought));
      return facts.of === 'return' ? words.return(facts.whole, bought) : words[facts.of](bought);
    }
    default:
      return null;
  }
}

function dayIn(locale: string): Intl.DateTimeFormat {
  return dateFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' });
}

interface Words {
  readonly availableFrom: (day: string) => string;
  readonly unconfirmed: string;
  readonly return: (whole: boolean, day: string) => string;
  readonly growth: (day: string) => string;
  readonly cancelled: (day: string) => string;
  readonly giveBack: string;
  readonly undone: string;
  readonly undoneVoid: string;
  readonly adjustment: string;
  readonly opening: string;
  readonly erasure: string;
}

const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    availableFrom: (day) => `Can be spent from ${day}`,
    unconfirmed: 'Waits until the shop confirms the purchase',
    return: (whole, day) => `${whole ? 'Return' : 'Partial return'} of the purchase of ${day}`,
    growth: (day) => `Change of the purchase of ${day}`,
    cancelled: (day) => `The purchase of ${day} was not confirmed`,
    giveBack: 'Code given back',
    undone: 'The code is yours again: the shop undid its use',
    undoneVoid: 'The shop undid the use of the code, which is no longer valid',
    adjustment: 'Adjusted by the shop',
    opening: 'Opening balance',
    erasure: 'Account erased',
  },
  es: {
    availableFrom: (day) => `Se pueden usar desde el ${day}`,
    unconfirmed: 'Espera a que el comercio confirme la compra',
    return: (whole, day) => `Devolución ${whole ? '' : 'parcial '}de la compra del ${day}`,
    growth: (day) => `Cambio de la compra del ${day}`,
    cancelled: (day) => `La compra del ${day} no se confirmó`,
    giveBack: 'Código devuelto',
    undone: 'El código vuelve a ser tuyo: el comercio deshizo su uso',
    undoneVoid: 'El comercio deshizo el uso del código, que ya no vale',
    adjustment: 'Ajustado por el comercio',
    opening: 'Saldo inicial',
    erasure: 'Cuenta borrada',
  },
};
