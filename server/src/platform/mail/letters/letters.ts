/** The parts that letters of every language have in common. */

import type { Language } from '#text/language.ts';
import type { Line } from '../letter.ts';
import type { MailContents, MailKind } from '../outbox.ts';

/** The pages that a mail of the shop can link to. */
export interface Pages {
  readonly club: string;
  readonly console: string;
}

export interface Written {
  readonly subject: string;
  readonly lines: readonly Line[];
}

/** The letters that are written in a language. A mail that somebody sends to themselves is written like the one it shows. */
export type Letters = {
  readonly [K in Exclude<MailKind, 'test-message'>]: (
    name: string,
    content: MailContents[K],
    pages: Pages,
  ) => Written;
};

/** The text below a message: why it was sent, and the words of the link to the page where mails are chosen. */
export type Feet = Readonly<Record<'invitation' | 'other', (name: string) => string>> & {
  readonly choose: string;
};

/**
 * Returns the lines with the sign-in link, or none if the mail has no link. The secret stands in the fragment, which
 * browsers send to nobody, so no log and no mail scanner that opens the page can use it.
 */
export function writeLinkWithToken(
  token: string,
  sentence: string,
  { link, label }: { link: string; label: string },
): readonly Line[] {
  return token === '' ? [] : [sentence, { link: `${link}#link=${token}`, label }];
}

export function writeCount(count: number, word: string, language: Language): string {
  return `${new Intl.NumberFormat(language).format(count)} ${count === 1 ? word : `${word}s`}`;
}

export function writeDay(day: string, language: Language): string {
  const at = new Date(`${day}T00:00:00Z`);
  return new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' }).format(at);
}

/** Writes a month such as `2026-10`. */
export function writeMonth(month: string, language: Language): string {
  const at = new Date(`${month}-01T00:00:00Z`);
  return new Intl.DateTimeFormat(language, { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(at);
}

/** Writes how many times the points a purchase earns, such as `1.5`. */
export function writeMultiplier(thousandths: number, language: Language): string {
  return new Intl.NumberFormat(language).format(thousandths / 1000);
}
