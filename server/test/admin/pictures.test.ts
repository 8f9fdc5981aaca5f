import assert from 'node:assert/strict';
import { test } from 'node:test';
import sharp from 'sharp';
import { sql } from '#db/database.ts';
import { earlier } from '#test/earlier.ts';
import { call, service, type Answer } from '#test/harness.ts';
import { benefit, makeShop } from '#test/make.ts';
import { photoWithPosition, plainPicture, randomPicture } from '#test/pictures.ts';
import { makeStaff, makeStaffKey, type BackOffice } from '#test/staff.ts';

interface Uploaded {
  readonly picture: string;
  readonly url: string;
  readonly small_url: string;
  readonly width: number;
  readonly height: number;
}

const upload = (owner: BackOffice, file: Buffer): Promise<Answer> =>
  owner.post('pictures', { data: file.toString('base64') });

async function uploaded(owner: BackOffice, file: Buffer): Promise<Uploaded> {
  const answer = await upload(owner, file);
  assert.equal(answer.status, 201, answer.text);
  return answer.body as Uploaded;
}

async function load(url: string) {
  const response = await fetch(url);
  return { response, bytes: Buffer.from(await response.arrayBuffer()) };
}

test('a picture is stored in two sizes as WebP, and anyone may keep it for ever', async () => {
  const shop = await makeShop();
  const owner = await makeStaff(shop, 'owner');
  const formats = {
    png: plainPicture(2400, 1200).png(),
    jpeg: plainPicture(900, 1800).jpeg(),
    webp: plainPicture(300, 300).webp(),
  };
  const sizes = { png: [1200, 600, 400, 200], jpeg: [600, 1200, 200, 400], webp: [300, 300, 300, 300] };
  for (const format of ['png', 'jpeg', 'webp'] as const) {
    const picture = await uploaded(owner, await formats[format].toBuffer());
    assert.match(picture.picture, new RegExp(`^/pictures/${shop.slug}/[A-Za-z0-9_-]{22}\\.webp$`));
    const large = await load(picture.url);
    const small = await load(picture.small_url);
    assert.equal(large.response.headers.get('content-type'), 'image/webp');
    assert.equal(large.response.headers.get('cache-control'), 'public, max-age=31536000, immutable');
    assert.equal(large.response.headers.get('x-content-type-options'), 'nosniff');
    assert.match(large.response.headers.get('content-security-policy')!, /sandbox/);
    const [l, s] = [await sharp(large.bytes).metadata(), await sharp(small.bytes).metadata()];
    assert.deepEqual([l.format, s.format], ['webp', 'webp']);
    assert.deepEqual([l.width, l.height, s.width, s.height], sizes[format], format);
    assert.deepEqual([picture.width, picture.height], sizes[format].slice(0, 2));
  }
});

test('a photo is turned upright, and where it was taken is nowhere in what is stored', async () => {
  const owner = await makeStaff(await makeShop(), 'owner');
  const photo = await photoWithPosition();
  assert.ok((await sharp(photo).metadata()).exif !== undefined && photo.includes('Rosa'));
  const picture = await uploaded(owner, photo);
  assert.deepEqual([picture.width, picture.height], [400, 600]);
  for (const url of [picture.url, picture.small_url]) {
    const { bytes } = await load(url);
    const { exif, xmp, iptc, icc } = await sharp(bytes).metadata();
    assert.deepEqual([exif, xmp, iptc, icc], [undefined, undefined, undefined, undefined]);
    assert.ok(!bytes.includes('Rosa'));
  }
});

test('40 million pixels are made smaller; a picture that declares more than 50 million is refused unread', async () => {
  const owner = await makeStaff(await makeShop(), 'owner');
  const picture = await uploaded(
    owner,
    await plainPicture(8000, 5000).png({ compressionLevel: 9 }).toBuffer(),
  );
  assert.deepEqual([picture.width, picture.height], [1200, 750]);
  const bomb = await upload(owner, await plainPicture(8000, 6300).png({ compressionLevel: 9 }).toBuffer());
  assert.deepEqual([bomb.status, bomb.headers.get('x-error-code')], [400, 'unusable_picture']);
  assert.match(bomb.text, /8000 × 6300 pixels/);
});

test('a picture that is long and narrow is refused unread, however few its pixels are', async () => {
  const owner = await makeStaff(await makeShop(), 'owner');
  for (const [width, height] of [
    [1, 12_001],
    [12_001, 2],
  ] as const) {
    const line = await upload(owner, await plainPicture(width, height).png().toBuffer());
    assert.deepEqual([line.status, line.headers.get('x-error-code')], [400, 'unusable_picture']);
    assert.match(
      line.text,
      new RegExp(`${width} × ${height} pixels: send one with at most 12,000 on each side`),
    );
  }
  const longest = await uploaded(owner, await plainPicture(12_000, 2).png().toBuffer());
  assert.deepEqual([longest.width, longest.height], [1200, 1]);
});

test('what a file hides behind its picture is gone: a page, an archive, a script', async () => {
  const owner = await makeStaff(await makeShop(), 'owner');
  for (const hidden of [
    '<html><script>alert(1)</script></html>',
    'PK\x03\x04 an archive',
    '<?php system("id"); ?>',
  ]) {
    const polyglot = Buffer.concat([await randomPicture(), Buffer.from(hidden)]);
    const picture = await uploaded(owner, polyglot);
    const { bytes } = await load(picture.url);
    assert.ok(!bytes.includes(hidden.slice(0, 12)), hidden);
  }
});

test('what is no PNG, JPEG or WebP, or is damaged, is refused with what to do, and nothing is stored', async () => {
  const shop = await makeShop();
  const owner = await makeStaff(shop, 'owner');
  const png = await randomPicture();
  const jpeg = await plainPicture(500, 500).jpeg().toBuffer();
  const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
  const files = {
    svg: Buffer.from(svg),
    'a svg that begins like a png': Buffer.concat([png.subarray(0, 8), Buffer.from(svg)]),
    gif: Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64'),
    tiff: await plainPicture(10, 10).tiff().toBuffer(),
    'a png without its end': png.subarray(0, png.length / 2),
    'a jpeg without its end': jpeg.subarray(0, jpeg.length / 2),
    'only the first bytes': jpeg.subarray(0, 3),
    page: Buffer.from('<!doctype html><p>Hello'),
  };
  for (const [what, file] of Object.entries(files)) {
    const answer = await upload(owner, file);
    assert.deepEqual([answer.status, answer.headers.get('x-error-code')], [400, 'unusable_picture'], what);
  }
  assert.equal((await owner.post('pictures', { data: 'not base 64!' })).status, 422);
  assert.equal((await owner.post('pictures', { data: 'A'.repeat(7_100_000) })).status, 413);
  const { db } = await service();
  const { rows } = await sql`select from pictures where commerce_id = ${shop.id}`.execute(db);
  assert.equal(rows.length, 0);
});

test('the same picture at the same moment is stored once, with one row in the audit', async () => {
  const shop = await makeShop();
  const owner = await makeStaff(shop, 'owner');
  const file = await randomPicture();
  const answers = await Promise.all(Array.from({ length: 6 }, () => uploaded(owner, file)));
  assert.equal(new Set(answers.map(({ picture }) => picture)).size, 1);
  const { db } = await service();
  const { rows } = await sql<{ subject: string }>`
    select subject from audit where commerce_id = ${shop.id} and action = 'picture.upload'`.execute(db);
  assert.deepEqual(rows, [{ subject: answers[0]!.picture }]);
});

test('only an owner uploads, and a picture belongs to one shop', async () => {
  const [shop, other] = [await makeShop(), await makeShop()];
  const file = await randomPicture();
  for (const role of ['cashier', 'manager'] as const)
    assert.equal((await upload(await makeStaff(shop, role), file)).status, 403);
  const { picture } = await uploaded(await makeStaffKey(shop, 'owner'), file);
  assert.equal((await call('GET', picture)).status, 200);
  assert.equal((await call('GET', picture.replace(shop.slug, other.slug))).status, 404);
  for (const wrong of ['x.webp', `${'A'.repeat(22)}.webp`, `${'A'.repeat(22)}.png`, '..%2f..%2fx'])
    assert.equal((await call('GET', `/pictures/${shop.slug}/${wrong}`)).status, 404, wrong);
});

test('a program names an uploaded picture, every answer has its address, and a missing one is told', async () => {
  const shop = await makeShop();
  const owner = await makeStaff(shop, 'owner');
  const { picture, url } = await uploaded(owner, await randomPicture());
  await shop.apply({ logo: picture, benefits: [benefit('coffee', { image: picture })] });
  const catalog = await call('GET', '/v1/public/benefits', { headers: { 'x-commerce-id': String(shop.id) } });
  assert.ok(catalog.text.includes(`"${url}"`), catalog.text);

  const gone = `/pictures/${shop.slug}/${'A'.repeat(22)}.webp`;
  const { body } = await owner.get('program/model');
  const model = body as { version: number; program: { benefits: object[] } };
  const program = {
    ...model.program,
    cover: gone,
    benefits: [{ ...model.program.benefits[0], image: picture }],
  };
  const checked = await owner.post('program/check', { program, base_version: model.version });
  assert.deepEqual((checked.body as { warnings: string[] }).warnings, [
    `cover: ${gone} is not stored here; upload the picture again`,
  ]);
});

test('past 500 pictures, those of more than a day ago that no version names make room', async () => {
  const shop = await makeShop();
  const owner = await makeStaff(shop, 'owner');
  const { db } = await service();
  const named = await uploaded(owner, await randomPicture());
  await shop.apply({ logo: named.picture });
  await shop.apply({ logo: null });
  await sql`
    insert into pictures (commerce_id, hash, width, height, large, small)
    select ${shop.id}, lpad(n::text, 22, '0'), 1, 1, 'x', 'x' from generate_series(1, 499) n`.execute(db);
  assert.equal((await upload(owner, await randomPicture())).headers.get('x-error-code'), 'too_many_pictures');
  await sql`update pictures set uploaded_at = ${earlier('uploaded_at', '2 days')} where commerce_id = ${shop.id}`.execute(
    db,
  );
  await uploaded(owner, await randomPicture());
  const { rows } = await sql`select from pictures where commerce_id = ${shop.id}`.execute(db);
  assert.equal(rows.length, 2);
  assert.equal((await call('GET', named.picture)).status, 200);
});
