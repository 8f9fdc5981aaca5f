import { languageWanted, type Language } from '#text/language.ts';
import { createHash } from 'node:crypto';
import { Html, markup } from '#text/markup.ts';
import { deriveBrandColors, type SchemeColors } from '#colors/brand-colors.ts';
import type { ClubShop } from './read-club-shop.ts';

/** Writes a shop into the built page. Visitors see its name and color at once, and the application reads its id. */
export function writeClubPage(
  built: string,
  shop: ClubShop,
  { worksOffline }: { readonly worksOffline: boolean },
): string {
  const { slug, name, color, locale, timeZone } = shop;
  const head = markup`<title>${name}</title>
    <meta name="commerce" content="${shop.id}" />
    <meta name="locale" content="${locale}" />
    <meta name="time-zone" content="${timeZone}" />
    <meta name="theme-color" content="${color}" />
    <meta name="worker" content="${worksOffline ? '_worker.js' : ''}" />
    <link rel="manifest" href="${slug}/manifest.webmanifest?${versionOf(JSON.stringify(writeClubManifest(shop)))}" />
    <link rel="icon" href="${slug}/icon.svg?${versionOf(drawClubIcon(shop))}" type="image/svg+xml" />
    <link rel="stylesheet" href="${slug}/colors.css?${versionOf(writeClubColors(color))}" />`;
  return built
    .replace('lang="en"', () => String(markup`lang="${locale}"`))
    .replace('<!-- shop -->', () => String(head))
    .replace('<!-- name -->', () => String(markup`${name}`));
}

/** A short hash. The address of a file contains it, because the browser and the service worker keep files by address. */
function versionOf(content: string): string {
  return createHash('sha256').update(content).digest('base64url').slice(0, 10);
}

/** Writes the shop's colors as CSS custom properties. The rest of the style sheet is the same for every shop. */
export function writeClubColors(color: string): string {
  const { brand, onBrand, light, dark } = deriveBrandColors(color);
  return `:root{--brand:${brand};--on-brand:${onBrand};${writeScheme(light)}}
@media (prefers-color-scheme:dark){:root{${writeScheme(dark)}}}
`;
}

function writeScheme({ accent, onAccent, tint, ground, onGround, veil }: SchemeColors): string {
  const [lift, base, deep] = ground;
  return `--accent:${accent};--on-accent:${onAccent};--tint:${tint};--lift:${lift};--ground:${base};--deep:${deep};--on-ground:${onGround};--veil:${veil}`;
}

/** Writes the web manifest, so the club can be added to a phone's home screen. */
export function writeClubManifest(shop: ClubShop): object {
  const { slug, name, color, locale } = shop;
  const icon = `icon.svg?${versionOf(drawClubIcon(shop))}`;
  return {
    name,
    short_name: name,
    lang: locale,
    start_url: `../${slug}`,
    scope: `../${slug}`,
    display: 'standalone',
    theme_color: color,
    background_color: color,
    icons: [
      { src: icon, sizes: 'any', type: 'image/svg+xml', purpose: 'any' },
      { src: icon, sizes: 'any', type: 'image/svg+xml', purpose: 'maskable' },
    ],
  };
}

/** Draws the first letter of the shop's name on its color, with a margin because phones cut off the corners. */
export function drawClubIcon({ name, color }: ClubShop): string {
  const [first] = new Intl.Segmenter().segment(name.trim());
  const letter = (first?.segment ?? '').toLocaleUpperCase();
  const { onBrand } = deriveBrandColors(color);
  return String(
    markup`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 512 512"><rect width="512" height="512" fill="${color}"/><text x="256" y="256" dy=".36em" text-anchor="middle" font-family="system-ui,sans-serif" font-weight="700" font-size="256" fill="${onBrand}">${letter}</text></svg>`,
  );
}

/** Writes the page for an address without a club. `built` is the portal's page, whose style sheet it shares. */
export function writeNoClubPage(acceptLanguage: string | undefined, built = ''): string {
  return languageWanted(acceptLanguage) === 'es'
    ? writePlainPage(
        'es',
        'Aquí no hay ningún club',
        'No hay ningún club en esta dirección. Revisa si está bien escrita o pídele a la tienda la correcta.',
        built,
      )
    : writePlainPage(
        'en',
        'No club here',
        'There is no club at this address. Check the spelling or ask the shop for the right address.',
        built,
      );
}

/** Writes the page for the time that the database is unavailable. `built` is the portal's page. */
export function writeUnavailablePage(acceptLanguage: string | undefined, built = ''): string {
  return languageWanted(acceptLanguage) === 'es'
    ? writePlainPage(
        'es',
        'Volvemos enseguida',
        'El club no está disponible en este momento. Tus puntos están a salvo. Vuelve a cargar la página en un minuto.',
        built,
      )
    : writePlainPage(
        'en',
        'Back in a moment',
        'The club is not available at the moment. Your points are safe. Reload the page in a minute.',
        built,
      );
}

/** Writes the page for a developer who has not built the portal. */
export function writeNotBuiltPage(): string {
  return writePlainPage(
    'en',
    'The portal is not built',
    'Run “npm run build -w portal” and restart the service, or run “npm start”, which does both.',
    '',
  );
}

function writePlainPage(language: Language, title: string, sentence: string, built: string): string {
  const [styles = ''] = /<link rel="stylesheet"[^>]*_assets[^>]*>/.exec(built) ?? [];
  return String(markup`<!doctype html>
<html lang="${language}">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>${title}</title>
    ${new Html(styles)}
  </head>
  <body>
    <main class="full">
      <div class="ground"></div>
      <div class="wide narrow content">
        <section class="card door">
          <h1>${title}</h1>
          <p>${sentence}</p>
        </section>
      </div>
    </main>
  </body>
</html>
`);
}
