import { escapeHtml } from '#mail/escape-html.ts';
import { brandColorsOf } from './brand-colors.ts';
import type { ClubShop } from './read-club-shop.ts';

/** The built page with a shop in it: its name and colour to be seen at once, its id for the application to start with. */
export function clubPage(built: string, shop: ClubShop): string {
  const { slug, name, color, locale, timeZone } = shop;
  const text = escapeHtml(name);
  const head = `<title>${text}</title>
    <meta name="commerce" content="${shop.id}" />
    <meta name="locale" content="${escapeHtml(locale)}" />
    <meta name="time-zone" content="${escapeHtml(timeZone)}" />
    <meta name="theme-color" content="${color}" />
    <link rel="manifest" href="${slug}/manifest.webmanifest" />
    <link rel="icon" href="${slug}/icon.svg?${color.slice(1)}" type="image/svg+xml" />
    <link rel="stylesheet" href="${slug}/colors.css?${color.slice(1)}" />`;
  return built
    .replace('lang="en"', () => `lang="${escapeHtml(locale)}"`)
    .replace('<!-- shop -->', () => head)
    .replace('<!-- name -->', () => text);
}

/** The shop's colours as custom properties: the rest of the style sheet is the same for every shop. */
export function clubColors(color: string): string {
  const { brand, onBrand, accentOnLight, accentOnDark } = brandColorsOf(color);
  return `:root{--brand:${brand};--on-brand:${onBrand};--accent:${accentOnLight};--on-accent:#ffffff}
@media (prefers-color-scheme:dark){:root{--accent:${accentOnDark};--on-accent:#000000}}
`;
}

/** Lets the club be put on a phone's home screen. */
export function clubManifest({ slug, name, color, locale }: ClubShop): object {
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
      { src: 'icon.svg', sizes: 'any', type: 'image/svg+xml', purpose: 'any' },
      { src: 'icon.svg', sizes: 'any', type: 'image/svg+xml', purpose: 'maskable' },
    ],
  };
}

/** The first letter of the shop's name on its colour, with room for a phone to cut the corners as it likes. */
export function clubIcon({ name, color }: ClubShop): string {
  const [first] = new Intl.Segmenter().segment(name.trim());
  const letter = escapeHtml((first?.segment ?? '').toLocaleUpperCase());
  const { onBrand } = brandColorsOf(color);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 512 512"><rect width="512" height="512" fill="${color}"/><text x="256" y="256" dy=".36em" text-anchor="middle" font-family="system-ui,sans-serif" font-weight="700" font-size="256" fill="${onBrand}">${letter}</text></svg>`;
}

/** Said at an address where no club is. */
export function noClubPage(acceptLanguage: string | undefined): string {
  return prefersSpanish(acceptLanguage)
    ? plainPage(
        'es',
        'Aquí no hay ningún club',
        'En esta dirección no hay ningún club. Pídele la suya a la tienda, o mira si hay algún error al escribirla.',
      )
    : plainPage(
        'en',
        'No club here',
        'There is no club at this address. Ask the shop for its own, or check for a typing error.',
      );
}

/** Said while the database is away. */
export function awayPage(acceptLanguage: string | undefined): string {
  return prefersSpanish(acceptLanguage)
    ? plainPage(
        'es',
        'Volvemos enseguida',
        'Ahora mismo no se puede abrir el club. Tus puntos están a salvo. Vuelve a cargar la página en un minuto.',
      )
    : plainPage(
        'en',
        'Back in a moment',
        'The club cannot be reached at the moment. Your points are safe. Reload the page in a minute.',
      );
}

/** Said to a developer who runs the service without having built its pages. */
export function notBuiltPage(): string {
  return plainPage(
    'en',
    'The portal is not built',
    'Run “npm run build -w portal” and start the service again; “npm start” does both.',
  );
}

function plainPage(language: 'en' | 'es', title: string, sentence: string): string {
  return `<!doctype html>
<html lang="${language}">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width" />
    <meta name="color-scheme" content="light dark" />
    <title>${title}</title>
  </head>
  <body>
    <main>
      <h1>${title}</h1>
      <p>${sentence}</p>
    </main>
  </body>
</html>
`;
}

/** Whether Spanish is named before English. */
function prefersSpanish(acceptLanguage = ''): boolean {
  const named = acceptLanguage.split(',').map((part) => part.trim().slice(0, 2).toLowerCase());
  return named.find((language) => language === 'en' || language === 'es') === 'es';
}
