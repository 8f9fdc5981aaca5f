import type { Language } from '#text/language.ts';
import { createHash } from 'node:crypto';
import { DEFAULT_BRAND, deriveBrandColors } from '#colors/brand-colors.ts';
import { Html, markup } from '#text/markup.ts';
import type { MessageKind } from '#program/messages.ts';

/** The page where a member chooses mails, without a script. */
export interface SettingsPage {
  readonly language: Language;
  readonly shop: string;
  /** `#rrggbb`, or null. */
  readonly color: string | null;
  /** The kinds that can be stopped, and whether the member gets them. */
  readonly kinds: readonly { readonly kind: MessageKind; readonly isWanted: boolean }[];
  /** True right after the member has changed something. */
  readonly isSaved: boolean;
}

/** Returns the page and its content security policy. Only its own style sheet applies, and its form leads only here. */
export function writeSettingsPage(page: SettingsPage): { html: string; policy: string } {
  const { language, shop, kinds, isSaved } = page;
  const texts = TEXTS[language];
  const getsNone = kinds.every(({ isWanted }) => !isWanted);
  const saved = isSaved
    ? markup`<p class="saved" role="status">${getsNone ? texts.stopped(shop) : texts.saved}</p>`
    : '';
  const boxes = kinds.map(
    ({ kind, isWanted }) =>
      markup`<label><input type="checkbox" name="kind" value="${kind}"${isWanted ? ' checked' : ''}> ${texts.kinds[kind]}</label>\n`,
  );
  const stopAll = getsNone
    ? ''
    : markup`<form method="post"><button class="plain" name="act" value="stop">${texts.stop}</button></form>`;
  return withStyle(
    page,
    markup`<h1>${texts.title(shop)}</h1>
${saved}
<form method="post">
<fieldset><legend>${texts.legend}</legend>
${boxes}</fieldset>
<button name="act" value="save">${texts.save}</button>
</form>
${stopAll}
<p class="soft">${texts.always}</p>`,
  );
}

/** Returns the page for a link that leads to nobody: it was changed, or the person was erased. */
export function writeDeadLinkPage(language: Language): { html: string; policy: string } {
  const texts = TEXTS[language];
  return withStyle(
    { language, shop: texts.dead, color: null },
    markup`<h1>${texts.dead}</h1>\n<p>${texts.deadMore}</p>`,
  );
}

function withStyle(
  { language, shop, color }: Pick<SettingsPage, 'language' | 'shop' | 'color'>,
  main: Html,
): { html: string; policy: string } {
  const { brand, onBrand, light, dark } = deriveBrandColors(color ?? DEFAULT_BRAND);
  const style = `:root { color-scheme: light dark; --brand: ${brand}; --on-brand: ${onBrand}; --accent: ${light.accent}; ${LIGHT} }
@media (prefers-color-scheme: dark) { :root { --accent: ${dark.accent}; ${DARK} } }
${STYLE}`;
  const hash = createHash('sha256').update(style).digest('base64');
  return {
    html: String(markup`<!doctype html>
<html lang="${language}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="robots" content="noindex"><title>${shop}</title><style>${new Html(style)}</style></head>
<body><header>${shop}</header>
<main>
${main}
</main>
</body>
</html>
`),
    policy: `default-src 'none'; style-src 'sha256-${hash}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; sandbox allow-forms`,
  };
}

const LIGHT = '--ground: #f5f6f8; --card: #fff; --ink: #15181d; --soft: #565e6a; --line: #d4d9df';
const DARK = '--ground: #101417; --card: #1a2024; --ink: #eef1f3; --soft: #a9b3bc; --line: #3a444b';
const STYLE = `* { box-sizing: border-box }
body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.55 Inter, system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; overflow-wrap: anywhere }
header { padding: 18px 24px; background: var(--brand); color: var(--on-brand); font-size: 18px; font-weight: 700; text-align: center }
main { max-width: 520px; margin: 24px auto; padding: 28px 24px; border-radius: 16px; background: var(--card) }
h1 { margin: 0 0 16px; font-size: 26px; line-height: 1.2; letter-spacing: -.01em }
p { margin: 16px 0 0 }
fieldset { margin: 0; padding: 0; border: 0 }
legend { padding: 0; margin: 0 0 8px; color: var(--soft) }
label { display: flex; align-items: center; gap: 14px; min-height: 52px; padding: 6px 0; border-bottom: 1px solid var(--line); cursor: pointer }
input { flex: none; width: 22px; height: 22px; margin: 0; accent-color: var(--accent) }
button { width: 100%; min-height: 48px; margin-top: 24px; padding: 10px 20px; border: 0; border-radius: 12px; background: var(--brand); color: var(--on-brand); font: inherit; font-weight: 600; cursor: pointer }
button.plain { margin-top: 12px; border: 1px solid var(--line); background: none; color: var(--ink) }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
.soft { color: var(--soft); font-size: 14px }
.saved { margin: 0 0 16px; padding: 12px 16px; border-radius: 12px; background: var(--ground); font-weight: 600 }
@media (max-width: 560px) { main { margin: 0; border-radius: 0; min-height: 80vh } }`;

interface Texts {
  readonly title: (shop: string) => string;
  readonly legend: string;
  readonly kinds: Readonly<Record<MessageKind, string>>;
  readonly save: string;
  readonly stop: string;
  readonly saved: string;
  readonly stopped: (shop: string) => string;
  readonly always: string;
  readonly dead: string;
  readonly deadMore: string;
}

const TEXTS: Readonly<Record<Language, Texts>> = {
  en: {
    title: (shop) => `Your e-mails from ${shop}`,
    legend: 'Send me an e-mail',
    kinds: {
      invitation: 'when points wait for me',
      welcome: 'when I join',
      expiring: 'before my points expire',
      birthday: 'on my birthday',
      level: 'when I reach a new level',
      reward: 'when I get a reward',
    },
    save: 'Save',
    stop: 'Stop all of them',
    saved: 'Your choice is saved.',
    stopped: (shop) => `Done. ${shop} sends you none of these e-mails any more.`,
    always: 'Codes to sign in are always sent, because you ask for them yourself.',
    dead: 'This link leads nowhere',
    deadMore:
      'It is not complete, or the e-mail that it came with is too old. The latest e-mail has a link that works.',
  },
  es: {
    title: (shop) => `Tus correos de ${shop}`,
    legend: 'Quiero un correo',
    kinds: {
      invitation: 'cuando me esperan puntos',
      welcome: 'cuando me sumo al programa',
      expiring: 'antes de que venzan mis puntos',
      birthday: 'en mi cumpleaños',
      level: 'cuando alcanzo otro nivel',
      reward: 'cuando recibo una recompensa',
    },
    save: 'Guardar',
    stop: 'No quiero ninguno',
    saved: 'Guardamos tu elección.',
    stopped: (shop) => `Listo. ${shop} ya no te envía ninguno de estos correos.`,
    always: 'Los códigos para entrar se envían siempre, porque los pides tú.',
    dead: 'Este enlace no lleva a ninguna parte',
    deadMore:
      'No está completo, o el correo del que viene es demasiado antiguo. El último correo tiene un enlace que funciona.',
  },
};
