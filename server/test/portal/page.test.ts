/** The pages and files that the service sends at `/club/{slug}`, without a browser. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { service } from '#test/harness.ts';
import { makeShop } from '#test/make.ts';

// The service reads the built files when it starts, so build first.
const BUILD = new URL('../../../portal/build.ts', import.meta.url).pathname;
await promisify(execFile)(process.execPath, [BUILD, '--if-needed']);
const { url } = await service();

async function get(path: string, headers: Record<string, string> = {}) {
  const response = await fetch(url + path, { headers, redirect: 'manual' });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

function addressOf(page: string, ending: string): string {
  const [, path] = new RegExp(`(_assets/[\\w-]+\\.${ending})"`).exec(page) ?? [];
  return `/club/${path}`;
}

test('a club’s page has the shop’s name, colour and language, and nothing inline', async () => {
  const shop = await makeShop({ name: 'Café “Luna” <&>', color: '#7a3e9d', locale: 'es-AR' });
  const { status, headers, text } = await get(`/club/${shop.slug}`);
  assert.equal(status, 200);
  assert.equal(headers.get('content-type'), 'text/html; charset=utf-8');
  assert.match(text, /<html lang="es-AR">/);
  assert.match(text, /<title>Café “Luna” &lt;&amp;&gt;<\/title>/);
  assert.match(text, new RegExp(`<meta name="commerce" content="${shop.id}" />`));
  assert.match(text, /<meta name="theme-color" content="#7a3e9d" \/>/);
  assert.doesNotMatch(text, /<script(?![^>]* src=)|<style| style=| on\w+=/);
  assert.doesNotMatch(text, /https?:/);
  const policy = headers.get('content-security-policy')!;
  assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self';/);
  assert.doesNotMatch(policy, /unsafe|\*/);
});

test('a club can be added to a home screen, with its name and colour', async () => {
  const shop = await makeShop({ name: 'Ñandú & Co', color: '#fff200' });
  const manifest = await get(`/club/${shop.slug}/manifest.webmanifest`);
  assert.match(manifest.headers.get('content-type')!, /^application\/manifest\+json/);
  const { name, start_url, theme_color, icons } = JSON.parse(manifest.text) as Record<string, unknown>;
  assert.deepEqual([name, start_url, theme_color], ['Ñandú & Co', `../${shop.slug}`, '#fff200']);
  assert.equal((icons as unknown[]).length, 2);
  const icon = await get(`/club/${shop.slug}/icon.svg`);
  assert.equal(icon.headers.get('content-type'), 'image/svg+xml');
  assert.match(icon.text, /fill="#fff200".*fill="#000000">Ñ<\/text>/);
});

test('the address of a closed or unknown club answers with a page in the visitor’s language', async () => {
  const closed = await makeShop();
  await closed.close();
  for (const slug of ['nobody-here', closed.slug, '%3Cscript%3E', 'A'.repeat(300)]) {
    const { status, headers, text } = await get(`/club/${slug}`, {
      'accept-language': 'es-AR,es;q=0.9,en;q=0.8',
    });
    assert.equal(status, 404);
    assert.equal(headers.get('content-type'), 'text/html; charset=utf-8');
    assert.match(text, /<html lang="es">[^]*no hay ningún club/);
    assert.equal((await get(`/club/${slug}/manifest.webmanifest`)).status, 404);
  }
  assert.match((await get('/club/nobody-here', { 'accept-language': 'en-GB,es' })).text, /There is no club/);
});

test('the built files are cached for a year, sent compressed, and have at most 45 KB of JavaScript', async () => {
  const shop = await makeShop();
  const page = (await get(`/club/${shop.slug}`)).text;
  const plain = await get(addressOf(page, 'js'), { 'accept-encoding': 'identity' });
  assert.equal(plain.headers.get('cache-control'), 'public, max-age=31536000, immutable');
  assert.equal(plain.headers.get('content-type'), 'text/javascript; charset=utf-8');
  assert.ok(gzipSync(plain.text).length <= 45 * 1024, `${gzipSync(plain.text).length} bytes, gzipped`);
  for (const encoding of ['br', 'gzip']) {
    const sent = await get(addressOf(page, 'js'), { 'accept-encoding': encoding });
    assert.equal(sent.headers.get('content-encoding'), encoding);
    assert.equal(sent.headers.get('vary'), 'Accept-Encoding');
    assert.equal(sent.text, plain.text);
  }
  const gzipped = await fetch(url + addressOf(page, 'css'), { headers: { 'accept-encoding': 'gzip' } });
  assert.match(await gzipped.text(), /--page/);
  assert.equal((await get('/club/_assets/../../package.json')).status, 404);
  assert.equal((await get('/club/_assets/..%2f..%2fpackage.json')).status, 404);
});

test('an address with a trailing slash redirects to the one without, under any path of a proxy', async () => {
  const shop = await makeShop();
  const { status, headers } = await get(`/club/${shop.slug}/`);
  assert.deepEqual([status, headers.get('location')], [308, `../${shop.slug}`]);
});
