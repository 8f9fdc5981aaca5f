import type { MailContents, MailKind } from './outbox.ts';
import { htmlOf, textOf, type Letter } from './letter.ts';

/** The shop that a mail comes from, as its program says it. */
export interface Shop {
  readonly name: string;
  readonly slug: string;
  /** `#rrggbb`, or null. */
  readonly color: string | null;
  /** BCP 47; what is neither English nor Spanish is written in English. */
  readonly locale: string;
}

/** What a mail says: its subject, and one letter as text and as HTML. */
export interface WrittenMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/**
 * Writes a mail in the name, the colour and the language of the shop.
 * @param base address of the service, for links; without a slash at its end
 */
export function writeMail<K extends MailKind>(
  kind: K,
  content: MailContents[K],
  shop: Shop,
  base: string,
): WrittenMail {
  const language = /^es\b/i.test(shop.locale) ? 'es' : 'en';
  const name = oneLine(shop.name);
  const { subject, lines } = letters[language][kind](
    name,
    content,
    `${base}/club/${encodeURIComponent(shop.slug)}`,
  );
  const letter: Letter = { language, from: name, color: shop.color ?? '#1f2937', lines };
  return { subject: oneLine(subject), text: textOf(letter), html: htmlOf(letter) };
}

/** A line break in a header would begin another header. */
export function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();
}

type Write<K extends MailKind> = (
  name: string,
  content: MailContents[K],
  club: string,
) => { subject: string; lines: Letter['lines'] };

const letters: Record<'en' | 'es', { [K in MailKind]: Write<K> }> = {
  en: {
    'sign-in-code': (name, { code }) => ({
      subject: `${code} is your code for ${name}`,
      lines: [
        `Your code to sign in to ${name}:`,
        { code },
        'It is good for 10 minutes and for one sign-in. Give it to nobody: the shop will never ask for it.',
        'If you did not ask for it, there is nothing you have to do.',
      ],
    }),
    invitation: (name, _content, club) => ({
      subject: `Your points at ${name} are waiting for you`,
      lines: [
        `You bought at ${name} and earned points. They are kept for you under this e-mail address.`,
        'Sign in with it to see them and to trade them for benefits. You need no password:',
        { link: club, label: 'See my points' },
        'If this was not you, there is nothing you have to do.',
      ],
    }),
    'expiry-reminder': (name, { points, expiresOn, daysLeft }, club) => ({
      subject: `${countOf(points, 'point', 'en')} at ${name} expire ${dayOf(expiresOn, 'en')}`,
      lines: [
        `${countOf(points, 'point', 'en')} of yours at ${name} are good until ${dayOf(expiresOn, 'en')}: ${leftIn(daysLeft, 'day', 'en')}.`,
        'Trade them for a benefit before they expire:',
        { link: club, label: 'See my points' },
      ],
    }),
  },
  es: {
    'sign-in-code': (name, { code }) => ({
      subject: `${code} es tu código para ${name}`,
      lines: [
        `Tu código para entrar en ${name}:`,
        { code },
        'Vale 10 minutos y una sola vez. No se lo des a nadie: el comercio nunca te lo pedirá.',
        'Si no lo pediste, no tienes que hacer nada.',
      ],
    }),
    invitation: (name, _content, club) => ({
      subject: `Tus puntos en ${name} te esperan`,
      lines: [
        `Compraste en ${name} y ganaste puntos. Los guardamos para ti con esta dirección de correo.`,
        'Entra con ella para verlos y canjearlos por beneficios. No necesitas contraseña:',
        { link: club, label: 'Ver mis puntos' },
        'Si no fuiste tú, no tienes que hacer nada.',
      ],
    }),
    'expiry-reminder': (name, { points, expiresOn, daysLeft }, club) => ({
      subject: `${countOf(points, 'punto', 'es')} en ${name} vencen el ${dayOf(expiresOn, 'es')}`,
      lines: [
        `${countOf(points, 'punto', 'es')} tuyos en ${name} valen hasta el ${dayOf(expiresOn, 'es')}: ${leftIn(daysLeft, 'día', 'es')}.`,
        'Canjéalos por un beneficio antes de que venzan:',
        { link: club, label: 'Ver mis puntos' },
      ],
    }),
  },
};

function countOf(count: number, word: string, language: string): string {
  return `${new Intl.NumberFormat(language).format(count)} ${count === 1 ? word : `${word}s`}`;
}

function leftIn(days: number, word: string, language: 'en' | 'es'): string {
  if (days === 0) return language === 'es' ? 'hoy es el último día' : 'today is the last day';
  const count = countOf(days, word, language);
  return language === 'es' ? `${days === 1 ? 'queda' : 'quedan'} ${count}` : `${count} left`;
}

function dayOf(day: string, language: string): string {
  const at = new Date(`${day}T00:00:00Z`);
  return new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' }).format(at);
}
