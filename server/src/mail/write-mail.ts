import { DEFAULT_BRAND } from '#colors/brand-colors.ts';
import type { StaffRole } from '#http/staff-role.ts';
import type { MailContents, MailKind } from './outbox.ts';
import { writeHtml, writeText, type Letter } from './letter.ts';

/** The shop that sends a mail, as its program describes it. */
export interface Shop {
  readonly name: string;
  readonly slug: string;
  /** `#rrggbb`, or null. */
  readonly color: string | null;
  /** The address of a picture, or null. */
  readonly logo: string | null;
  /** BCP 47. Mails are in Spanish for a Spanish locale and in English for any other. */
  readonly locale: string;
}

/** A mail's subject and its letter, both as text and as HTML. */
export interface WrittenMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/**
 * Writes a mail in the shop's name, color and language.
 * @param base the address of the service for links, without a trailing slash
 * @param consoleBase the same for links to the console
 */
export function writeMail<K extends MailKind>(
  kind: K,
  content: MailContents[K],
  shop: Shop,
  base: string,
  consoleBase: string = base,
): WrittenMail {
  const language = /^es\b/i.test(shop.locale) ? 'es' : 'en';
  const name = oneLine(shop.name);
  const { subject, lines } = letters[language][kind](name, content, {
    club: `${base}/club/${encodeURIComponent(shop.slug)}`,
    console: `${consoleBase}/console`,
  });
  const letter: Letter = { language, from: name, color: shop.color ?? DEFAULT_BRAND, logo: shop.logo, lines };
  return { subject: oneLine(subject), text: writeText(letter), html: writeHtml(letter) };
}

/** Replaces line breaks with spaces. A line break in a mail header would start another header. */
export function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();
}

/** The pages that a mail of the shop can link to. */
interface Pages {
  readonly club: string;
  readonly console: string;
}

type Write<K extends MailKind> = (
  name: string,
  content: MailContents[K],
  pages: Pages,
) => { subject: string; lines: Letter['lines'] };

const letters: Record<'en' | 'es', { [K in MailKind]: Write<K> }> = {
  en: {
    'sign-in-code': (name, { code, token, purpose }, pages) => ({
      subject: `${code} is your code for ${name}`,
      lines:
        purpose !== 'member'
          ? writeStaffCode[purpose].en(name, code, token, pages)
          : [
              `Your sign-in code for ${name}:`,
              { code },
              'It is valid for 10 minutes and works only once. Do not share it with anyone: the shop will never ask for it.',
              ...writeLink(token, 'Or sign in without typing the code:', {
                link: pages.club,
                label: 'Sign in',
              }),
              'If you did not ask for this code, you can ignore this e-mail.',
            ],
    }),
    'set-up-code': (_name, { code }) => ({
      subject: `${code} is your code to set up your shop`,
      lines: [
        'Your code to set up your shop:',
        { code },
        'It is valid for 10 minutes and works only once. Do not share it with anyone: whoever has it can become the owner of your shop.',
        'If you did not ask for this code, you can ignore this e-mail.',
      ],
    }),
    invitation: (name, _content, { club }) => ({
      subject: `Your points at ${name} are waiting for you`,
      lines: [
        `You earned points with a purchase at ${name}. They are waiting for you under this e-mail address.`,
        'Sign in with this address to see your points and trade them for benefits. You do not need a password:',
        { link: club, label: 'See my points' },
        'If this was not you, you can ignore this e-mail.',
      ],
    }),
    'staff-invitation': (name, { role }, pages) => ({
      subject: `You can now work in the console of ${name}`,
      lines: [
        `An owner of ${name} has given you a role in its console: ${role}.`,
        'Sign in with this e-mail address. You do not need a password: a code is mailed to you each time.',
        { link: pages.console, label: 'Open the console' },
        'If you do not work there, you can ignore this e-mail.',
      ],
    }),
    'expiry-reminder': (name, { points, expiresOn, daysLeft }, { club }) => ({
      subject: `${writeCount(points, 'point', 'en')} at ${name} will expire on ${writeDay(expiresOn, 'en')}`,
      lines: [
        `You have until ${writeDay(expiresOn, 'en')} to use ${writeCount(points, 'point', 'en')} at ${name} (${writeDaysLeft(daysLeft, 'day', 'en')}).`,
        'Trade your points for a benefit before they expire:',
        { link: club, label: 'See my points' },
      ],
    }),
  },
  es: {
    'sign-in-code': (name, { code, token, purpose }, pages) => ({
      subject: `${code} es tu código para ${name}`,
      lines:
        purpose !== 'member'
          ? writeStaffCode[purpose].es(name, code, token, pages)
          : [
              `Tu código para iniciar sesión en ${name}:`,
              { code },
              'Es válido por 10 minutos y sirve una sola vez. No lo compartas con nadie: la tienda nunca te lo pedirá.',
              ...writeLink(token, 'O entra sin escribir el código:', { link: pages.club, label: 'Entrar' }),
              'Si no pediste este código, puedes ignorar este correo.',
            ],
    }),
    'set-up-code': (_name, { code }) => ({
      subject: `${code} es tu código para abrir tu tienda`,
      lines: [
        'Tu código para abrir tu tienda:',
        { code },
        'Es válido por 10 minutos y sirve una sola vez. No lo compartas con nadie: quien lo tenga puede quedarse con tu tienda.',
        'Si no pediste este código, puedes ignorar este correo.',
      ],
    }),
    invitation: (name, _content, { club }) => ({
      subject: `Tus puntos en ${name} te esperan`,
      lines: [
        `Sumaste puntos con una compra en ${name}. Los guardamos para esta dirección de correo.`,
        'Inicia sesión con esta dirección para ver tus puntos y canjearlos por beneficios. No necesitas contraseña:',
        { link: club, label: 'Ver mis puntos' },
        'Si no fuiste tú, puedes ignorar este correo.',
      ],
    }),
    'staff-invitation': (name, { role }, pages) => ({
      subject: `Ya puedes trabajar en la consola de ${name}`,
      lines: [
        `Te dieron un puesto en la consola de ${name}: ${ROLES_IN_SPANISH[role]}.`,
        'Entra con esta dirección de correo. No necesitas contraseña: cada vez recibes un código por correo.',
        { link: pages.console, label: 'Abrir la consola' },
        'Si no trabajas allí, puedes ignorar este correo.',
      ],
    }),
    'expiry-reminder': (name, { points, expiresOn, daysLeft }, { club }) => ({
      subject: `${writeCount(points, 'punto', 'es')} en ${name} ${points === 1 ? 'vence' : 'vencen'} el ${writeDay(expiresOn, 'es')}`,
      lines: [
        `Tienes hasta el ${writeDay(expiresOn, 'es')} para usar ${writeCount(points, 'punto', 'es')} en ${name} (${writeDaysLeft(daysLeft, 'día', 'es')}).`,
        'Canjea tus puntos por un beneficio antes de que venzan:',
        { link: club, label: 'Ver mis puntos' },
      ],
    }),
  },
};

const ROLES_IN_SPANISH: Readonly<Record<StaffRole, string>> = {
  cashier: 'caja',
  manager: 'encargo',
  owner: 'propiedad',
};

type WriteStaffCode = (name: string, code: string, token: string, pages: Pages) => Letter['lines'];

/** The letters with the codes of the shop's own people. */
const writeStaffCode: Record<'staff' | 'step-up', Record<'en' | 'es', WriteStaffCode>> = {
  staff: {
    en: (name, code, token, pages) => [
      `Your code for the console of ${name}, where its staff works:`,
      { code },
      'It is valid for 10 minutes and works only once. Do not share it with anyone: whoever has it can work in your name.',
      ...writeLink(token, 'Or sign in without typing the code:', { link: pages.console, label: 'Sign in' }),
      'If you did not ask for this code, you can ignore this e-mail.',
    ],
    es: (name, code, token, pages) => [
      `Tu código para la consola de ${name}, donde trabaja su equipo:`,
      { code },
      'Es válido por 10 minutos y sirve una sola vez. No lo compartas con nadie: quien lo tenga puede trabajar en tu nombre.',
      ...writeLink(token, 'O entra sin escribir el código:', { link: pages.console, label: 'Entrar' }),
      'Si no pediste este código, puedes ignorar este correo.',
    ],
  },
  'step-up': {
    en: (name, code) => [
      `Your code to confirm what you are about to do in the console of ${name}:`,
      { code },
      'It is valid for 10 minutes and works only once. Do not share it with anyone.',
      'If you did not ask for this code, somebody is using your session: sign in to the console and sign out everywhere.',
    ],
    es: (name, code) => [
      `Tu código para confirmar lo que vas a hacer en la consola de ${name}:`,
      { code },
      'Es válido por 10 minutos y sirve una sola vez. No lo compartas con nadie.',
      'Si no pediste este código, alguien está usando tu sesión: entra en la consola y cierra la sesión en todos los dispositivos.',
    ],
  },
};

/**
 * Returns the lines with the sign-in link, or none if the mail has no link. The secret stands in the fragment, which
 * browsers send to nobody, so no log and no mail scanner that opens the page can use it.
 */
function writeLink(
  token: string,
  sentence: string,
  { link, label }: { link: string; label: string },
): Letter['lines'] {
  return token === '' ? [] : [sentence, { link: `${link}#link=${token}`, label }];
}

function writeCount(count: number, word: string, language: string): string {
  return `${new Intl.NumberFormat(language).format(count)} ${count === 1 ? word : `${word}s`}`;
}

function writeDaysLeft(days: number, word: string, language: 'en' | 'es'): string {
  if (days === 0) return language === 'es' ? 'hoy es el último día' : 'today is the last day';
  const count = writeCount(days, word, language);
  return language === 'es' ? `${days === 1 ? 'queda' : 'quedan'} ${count}` : `${count} left`;
}

function writeDay(day: string, language: string): string {
  const at = new Date(`${day}T00:00:00Z`);
  return new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' }).format(at);
}
