import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { servicePictures } from '#program/service-pictures.ts';
import { call, SECRET, service } from '#test/harness.ts';
import { benefit, makeShop } from '#test/make.ts';
import { buildApp } from '../../app.ts';
import { drawings, pictureUrl } from './picture-url.ts';

const { db, url } = await service();
/** The service behind a public address. */
const inPublic = await buildApp({
  db,
  log: false,
  secret: SECRET,
  publicUrl: 'https://loyalty.example/shop',
});
after(() => inPublic.close());

const FOLDER = new URL('./drawings/', import.meta.url);

test('every drawing can be named in a program file', () => {
  const files = readdirSync(FOLDER).map((name) => `/pictures/${name}`);
  assert.deepEqual(files.toSorted(), [...servicePictures].toSorted());
});

test('a drawing has no script, no link to anywhere and no style, and says its size', () => {
  for (const path of servicePictures) {
    const text = readFileSync(new URL(path.slice('/pictures/'.length), FOLDER), 'utf8');
    const links = text
      .replace('xmlns="http://www.w3.org/2000/svg"', '')
      .match(/<(script|style|image|a|foreignObject|use)\b|href|https?:|\son\w+=|url\((?!#)/gi);
    assert.deepEqual(links, null, path);
    assert.match(text, /^<svg [^>]*width="\d+" height="\d+" viewBox="0 0 \d+ \d+">/, path);
    assert.ok(text.length < 12_000, path);
  }
});

test('a picture may be kept for ever at the address that names its version, and nothing in it can run', async () => {
  for (const [path, { version, body }] of drawings) {
    const kept = await call('GET', `${path}?${version}`);
    assert.deepEqual([kept.status, kept.text], [200, body.toString()], path);
    assert.match(kept.headers.get('content-type')!, /^image\/svg\+xml/);
    assert.equal(kept.headers.get('cache-control'), 'public, max-age=31536000, immutable');
    assert.match(kept.headers.get('content-security-policy')!, /default-src 'none'.*sandbox/);
    assert.equal(kept.headers.get('x-content-type-options'), 'nosniff');
  }
  for (const asked of ['/pictures/coffee.svg', '/pictures/coffee.svg?another'])
    assert.equal((await call('GET', asked)).headers.get('cache-control'), 'public, max-age=300');
});

test('there is nothing else at the address of the pictures', async () => {
  for (const name of ['tea.svg', 'coffee', 'coffee.svg/', '..%2froutes.ts', 'constructor', 'COFFEE.SVG'])
    assert.equal((await call('GET', `/pictures/${name}`)).status, 404, name);
});

test('a program names a picture by its path, and every answer has a URL that loads it from where the caller is', async () => {
  const shop = await makeShop({
    logo: '/pictures/harbour-bakery.svg',
    cover: '/pictures/harbour-bakery-cover.svg',
    levels: { ladder: [{ name: 'Deckhand', threshold: 0, icon_url: '/pictures/anchor.svg' }] },
    benefits: [benefit('coffee', { image: '/pictures/coffee.svg', cost: 0 })],
  });
  const member = await shop.member();
  const code = await shop.voucher(member, 'coffee');
  const { token } = await shop.browser(member);
  const commerce = { 'x-commerce-id': String(shop.id) };
  const asMember = { ...commerce, authorization: `Bearer ${token}` };
  const asShop = { authorization: `Bearer ${shop.key}` };
  for (const [path, headers, pictures] of [
    ['/v1/public/commerce', commerce, ['harbour-bakery']],
    ['/v1/public/program', commerce, ['harbour-bakery-cover', 'anchor']],
    ['/v1/public/benefits', commerce, ['coffee']],
    ['/v1/me', asMember, ['harbour-bakery']],
    ['/v1/me/level', asMember, ['anchor']],
    ['/v1/me/benefits', asMember, ['coffee']],
    ['/v1/me/benefits/available', asMember, ['coffee']],
    ['/v1/me/activity', asMember, ['coffee']],
    ['/v1/benefits/list', asShop, ['coffee']],
    ['/v1/benefits/coffee', asShop, ['coffee']],
    [`/v1/benefits/preview/${code}`, asShop, ['coffee']],
    [`/v2/benefits/preview/${code}`, asShop, ['coffee']],
    [`/v1/clients/${member.code}/benefits`, asShop, ['coffee']],
  ] as const) {
    const wanted = pictures.map((name) => `/pictures/${name}.svg`);
    const here = await call('GET', path, { headers });
    assert.deepEqual(
      picturesIn(here.text),
      wanted.map((one) => pictureUrl(one, url)),
      path,
    );
    for (const picture of picturesIn(here.text)) assert.equal((await fetch(picture)).status, 200);
    const there = await inPublic.inject({ url: path, headers });
    assert.deepEqual(
      picturesIn(there.body),
      wanted.map((one) => pictureUrl(one, 'https://loyalty.example/shop')),
      path,
    );
  }
});

test('a program file with a picture that the service does not have is refused', async () => {
  for (const image of [
    '/pictures/tea.svg',
    '/pictures/',
    '//evil.example/x.svg',
    '/club/demo/icon.svg',
    '/x',
  ])
    await assert.rejects(
      makeShop({ logo: image }),
      /a drawing of the service, such as \/pictures\/coffee.svg/,
    );
});

function picturesIn(text: string): string[] {
  return [...text.matchAll(/"(http[^"]*\/pictures\/[^"]*)"/g)].map(([, picture]) => picture!);
}

test('the page about program files names every picture', () => {
  const page = readFileSync(new URL('../../../../docs/program-file.md', import.meta.url), 'utf8');
  for (const path of servicePictures) {
    const name = path.slice('/pictures/'.length, -'.svg'.length);
    assert.ok(page.includes(`\`${name}\``) || page.includes(`\`${path}\``), name);
  }
});
