import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  drawClubIcon,
  writeClubPage,
  writeNoClubPage,
  writeNotBuiltPage,
  writeUnavailablePage,
} from './club-page.ts';

const shop = { id: 7, slug: 'luna', name: 'Luna', color: '#4b2e83', locale: 'es', timeZone: 'Europe/Madrid' };

test('a name with characters that are special in HTML or in a replacement is shown unchanged', () => {
  const built = '<html lang="en"><!-- shop --><p><!-- name --></p>';
  const page = writeClubPage(
    built,
    { ...shop, name: `$& $1 $' <b> "x" <!-- name -->` },
    { worksOffline: true },
  );
  const escaped = '$&amp; $1 $&#39; &lt;b&gt; &quot;x&quot; &lt;!-- name --&gt;';
  assert.match(page, /^<html lang="es"><title>/);
  assert.ok(page.includes(`<title>${escaped}</title>`));
  assert.ok(page.endsWith(`<p>${escaped}</p>`));
});

test('a shop that changes its name or its color has another manifest, so that no phone keeps the old one', () => {
  const manifestOf = (changed: object) =>
    /rel="manifest" href="([^"]+)"/.exec(
      writeClubPage('<!-- shop -->', { ...shop, ...changed }, { worksOffline: true }),
    )?.[1];
  const addresses = [{}, { name: 'Sol' }, { color: '#0f5c6e' }].map(manifestOf);
  assert.equal(new Set(addresses).size, 3, addresses.join(' '));
});

test('the icon shows the first letter of the name, or the whole first emoji', () => {
  for (const [name, letter] of [
    ['ñandú', 'Ñ'],
    [' 👩‍🍳 Cook', '👩‍🍳'],
    ['<script>', '&lt;'],
  ] as const) {
    assert.match(drawClubIcon({ ...shop, name }), new RegExp(`>${letter}</text>`));
  }
});

test('pages without a club use the browser’s first language out of English and Spanish, else English', () => {
  for (const [accepted, language] of [
    [undefined, 'en'],
    ['', 'en'],
    ['es', 'es'],
    ['es-AR,en;q=0.5', 'es'],
    ['en-GB,es', 'en'],
    ['de-DE, fr;q=0.9, ES-mx;q=0.8, en;q=0.7', 'es'],
    ['*', 'en'],
  ] as const) {
    for (const page of [writeNoClubPage(accepted), writeUnavailablePage(accepted)])
      assert.match(page, new RegExp(`<html lang="${language}">`), accepted ?? 'none');
  }
  assert.match(writeNotBuiltPage(), /npm run build -w portal/);
});
