import { languageOf, type Language } from '#text/language.ts';
import { DEFAULT_BRAND } from '#colors/brand-colors.ts';
import type { Program } from '#program/program.ts';
import { canStop } from '#program/messages.ts';
import { english, englishFeet } from './letters/english.ts';
import type { Feet, Letters, Written } from './letters/letters.ts';
import { spanish, spanishFeet } from './letters/spanish.ts';
import { writeHtml, writeText, type Letter, type Line } from './letter.ts';
import { messageOf, type MailContents, type MailKind } from './outbox.ts';

/** The shop that sends a mail, as its program describes it. */
export interface Shop {
  readonly name: string;
  readonly slug: string;
  /** The name of the sender, or null for the name of the shop. */
  readonly sender: string | null;
  /** `#rrggbb`, or null. */
  readonly color: string | null;
  /** The address of a picture, or null. One of the service itself starts with a slash. */
  readonly logo: string | null;
  /** BCP 47. Mails are in Spanish for a Spanish locale and in English for any other. */
  readonly locale: string;
  /** The shop's own words in its mails. Releases that stored it may have known fewer kinds of mails. */
  readonly words: Partial<NonNullable<Program['mail']['words']>> | null;
}

/** Where the links of a mail lead. */
export interface Links {
  /** The address of the service, without a trailing slash. */
  readonly base: string;
  /** The same for links to the console, if it has a host of its own. */
  readonly consoleBase?: string | undefined;
  /** The page where the member chooses mails. Null if the mail is not to a member. */
  readonly settings?: string | null;
}

/** A mail's subject and its letter, both as text and as HTML. */
export interface WrittenMail {
  /** The name to show next to the sender's address. */
  readonly from: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** The address that stops such mails with one click. Null for answers to what the person just did. */
  readonly unsubscribe: string | null;
}

const languages: Readonly<Record<Language, { letters: Letters; feet: Feet }>> = {
  en: { letters: english, feet: englishFeet },
  es: { letters: spanish, feet: spanishFeet },
};

/** Writes a mail in the shop's name, colors, language and words. */
export function writeMail<K extends MailKind>(
  kind: K,
  content: MailContents[K],
  shop: Shop,
  { base, consoleBase = base, settings = null }: Links,
): WrittenMail {
  if (kind === 'test-message') return { ...(content as MailContents['test-message']), unsubscribe: null };
  const language = languageOf(shop.locale);
  const { letters, feet } = languages[language];
  const name = oneLine(shop.name);
  const write = Reflect.get(letters, kind) as (
    name: string,
    content: MailContents[K],
    pages: { club: string; console: string },
  ) => Written;
  const { subject, lines } = write(name, content, {
    club: `${base}/club/${encodeURIComponent(shop.slug)}`,
    console: `${consoleBase}/console`,
  });
  const message = messageOf(kind);
  const words = message === null ? null : (shop.words?.[message]?.[language] ?? null);
  const letter: Letter = {
    language,
    from: name,
    color: shop.color ?? DEFAULT_BRAND,
    logo: shownLogo(shop.logo, base),
    lines: withWords(lines, words),
    foot:
      message === null
        ? []
        : [
            feet[message === 'invitation' ? 'invitation' : 'other'](name),
            ...(settings === null ? [] : [{ link: settings, label: feet.choose }]),
          ],
  };
  return {
    from: oneLine(shop.sender ?? shop.name),
    subject: oneLine(subject),
    text: writeText(letter),
    html: writeHtml(letter),
    unsubscribe: message !== null && canStop(message) ? settings : null,
  };
}

/** Replaces line breaks with spaces. A line break in a mail header would start another header. */
function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();
}

/** Returns the whole address of a logo. Mail clients show no SVG, and load nothing that is not encrypted. */
function shownLogo(logo: string | null, base: string): string | null {
  if (logo === null || !/\.(?:png|jpe?g|gif|webp)(?:\?|$)/i.test(logo)) return null;
  if (logo.startsWith('/')) return base + logo;
  return logo.startsWith('https:') ? logo : null;
}

/** Puts the words of the shop below the heading, one paragraph for each. */
function withWords(lines: readonly Line[], words: string | null): readonly Line[] {
  if (words === null) return lines;
  const [heading, ...rest] = lines;
  const paragraphs = words
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.trim().replaceAll(/\s*\n\s*/g, ' '))
    .filter((paragraph) => paragraph !== '');
  return [heading!, ...paragraphs, ...rest];
}
