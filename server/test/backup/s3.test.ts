import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import { after, before, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { openPlace } from '#backup/place.ts';
import { s3Place } from '#backup/s3-place.ts';
import { loyalty } from '../command.ts';
import { makeShop } from '../make.ts';
import { KEY_ID, SECRET, startS3, type S3Server } from './s3-server.ts';
import { onOneServer } from '#test/on-cluster.ts';

const MEGABYTE = 1024 * 1024;
let s3: S3Server;
let place: ReturnType<typeof s3Place>;
let env: Record<string, string>;

before(async () => {
  s3 = await startS3('shop-backups');
  env = { AWS_ENDPOINT_URL_S3: s3.url, AWS_ACCESS_KEY_ID: KEY_ID, AWS_SECRET_ACCESS_KEY: SECRET };
  Object.assign(process.env, env);
  place = s3Place('s3://shop-backups/loyalty', { pauseMs: 1 });
});
after(() => s3.stop());

test(
  'the command line backs up to a bucket, lists it and checks what is there',
  { skip: onOneServer('a backup is refused (docs/scaling.md#backups)') },
  async () => {
    await makeShop();
    const to = 's3://shop-backups/nightly';
    const taken = await loyalty(['backup', to, '--keep', '1', '--json'], { env });
    assert.equal(taken.code, 0, taken.stderr);
    const { backup } = taken.json<{ backup: string }>();
    assert.match(backup, /^s3:\/\/shop-backups\/nightly\/loyalty-[0-9TZ-]+\.tar$/);
    const listed = await loyalty(['backup', 'list', to, '--json'], { env });
    assert.deepEqual(
      listed.json<{ backup: string }[]>().map((one) => one.backup),
      [backup],
    );
    const checked = await loyalty(['backup', 'check', to, '--json'], { env });
    assert.equal(checked.code, 0, checked.stderr);
    const wrong = await loyalty(['backup', to], { env: { ...env, AWS_SECRET_ACCESS_KEY: 'guessed' } });
    assert.equal(wrong.code, 1);
    assert.match(wrong.stderr, /The bucket of the backups does not work/);
  },
);

test('a large backup goes up in parts, and one that fails leaves nothing behind', async () => {
  const chunks = Array.from({ length: 34 }, (_, i) => Buffer.alloc(MEGABYTE, i));
  await place.write('large.tar', Readable.from(chunks));
  assert.ok(s3.objects.get('shop-backups/loyalty/large.tar')!.equals(Buffer.concat(chunks)));
  assert.ok(s3.calls.includes('POST uploads'));
  const failing = async function* () {
    yield* chunks;
    throw new Error('the database went away');
  };
  await assert.rejects(place.write('failed.tar', failing()), /the database went away/);
  assert.deepEqual([s3.objects.has('shop-backups/loyalty/failed.tar'), s3.open.size], [false, 0]);
  await assert.rejects(place.write('large.tar', Readable.from([])), /a backup of this name already/);
});

test('all pages of a bucket count', async () => {
  const there = await openPlace('s3://shop-backups/paged');
  const names = Array.from({ length: 8 }, (_, i) => `${i}.tar`);
  for (const name of names) await there.write(name, Readable.from([Buffer.from(name)]));
  assert.deepEqual(
    (await there.list()).map(({ name }) => name),
    names,
  );
});

test(
  'a key that may only write takes backups, and is told what it may not do',
  { skip: onOneServer('a backup is refused (docs/scaling.md#backups)') },
  async (t) => {
    for (const method of ['HEAD', 'GET']) s3.forbidden.add(method);
    t.after(() => s3.forbidden.clear());
    await place.write('written.tar', Readable.from([Buffer.from('x')]));
    assert.ok(s3.objects.has('shop-backups/loyalty/written.tar'));
    await assert.rejects(place.read('written.tar'), /the key may not read it/);
    await assert.rejects(place.list(), /AccessDenied/);
    const taken = await loyalty(['backup', 's3://shop-backups/loyalty', '--keep', '1', '--json'], { env });
    assert.deepEqual([taken.code, taken.json<{ encrypted: boolean }>().encrypted], [1, false]);
    assert.match(taken.stderr, /The backup is complete, but old ones could not be removed: .*AccessDenied/);
  },
);

for (const part of [1, 2, 4])
  test(`a part that is refused fails the backup, and leaves nothing behind: part ${part}`, async (t) => {
    t.after(() => s3.refusedParts.clear());
    s3.refusedParts.add(part);
    const slowly = async function* () {
      for (let i = 0; i < 130; i++) {
        yield Buffer.alloc(MEGABYTE, i);
        if (i % 32 === 0) await setTimeout(50);
      }
    };
    await assert.rejects(place.write('refused.tar', slowly()), /AccessDenied/);
    assert.deepEqual([s3.objects.has('shop-backups/loyalty/refused.tar'), s3.open.size], [false, 0]);
  });

test('a download that falls silent in the middle goes on where it was', async () => {
  const there = s3Place('s3://shop-backups/loyalty', { silenceMs: 200, pauseMs: 1 });
  const content = Buffer.from(Array.from({ length: 100_000 }, (_, i) => i % 251));
  await there.write('silent.tar', Readable.from([content]));
  s3.silences.push(30_000, 5_000);
  const { bytes } = await there.read('silent.tar');
  assert.ok((await buffer(bytes)).equals(content));
});

test('a server that has no time is asked again, three times in all', async () => {
  const content = Buffer.alloc(40 * MEGABYTE, 'y');
  s3.busy.push(503, 503);
  await place.write('busy.tar', Readable.from([content]));
  assert.ok(s3.objects.get('shop-backups/loyalty/busy.tar')!.equals(content));
  s3.busy.push(503, 500, 503);
  await assert.rejects(place.list(), /The bucket of the backups does not work: SlowDown/);
  assert.deepEqual(s3.busy, []);
});

test('a key that has characters of its own arrives as it is', async () => {
  const odd = s3Place("s3://shop-backups/Año 1+1=2 (it's ~100% & more)!*/", { pauseMs: 1 });
  await odd.write('a.tar', Readable.from([Buffer.from('odd')]));
  assert.ok(s3.objects.has("shop-backups/Año 1+1=2 (it's ~100% & more)!*/a.tar"));
  const { bytes } = await odd.read('a.tar');
  assert.equal((await buffer(bytes)).toString(), 'odd');
  assert.deepEqual(await odd.list(), [{ name: 'a.tar', length: 3 }]);
});

test('a download may be cut off any number of times while it gets on, and gives up when it does not', async () => {
  const content = Buffer.alloc(700_000, 'x');
  await place.write('slow.tar', Readable.from([content]));
  s3.cuts.push(...Array.from({ length: 7 }, () => 90_000));
  const { bytes } = await place.read('slow.tar');
  assert.ok((await buffer(bytes)).equals(content));
  s3.cuts.push(...Array.from({ length: 40 }, () => 0));
  const stuck = await place.read('slow.tar');
  await assert.rejects(buffer(stuck.bytes), /The bucket of the backups does not work/);
  s3.cuts.length = 0;
});

test('a bucket that is silent does not hold up a backup for ever', async (t) => {
  const silent = createServer(() => {});
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  t.after(() => void silent.close());
  const url = process.env['AWS_ENDPOINT_URL_S3']!;
  t.after(() => (process.env['AWS_ENDPOINT_URL_S3'] = url));
  process.env['AWS_ENDPOINT_URL_S3'] = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const there = s3Place('s3://shop-backups/silent', { silenceMs: 100 });
  await assert.rejects(there.list(), /The bucket of the backups does not work: TimeoutError/);
});

test('a download that is cut off goes on where it was', async () => {
  const content = Buffer.from(Array.from({ length: 100_000 }, (_, i) => i % 251));
  await place.write('whole.tar', Readable.from([content]));
  s3.cuts.push(30_000, 0);
  const { bytes, length } = await place.read('whole.tar');
  assert.equal(length, content.length);
  assert.ok((await buffer(bytes)).equals(content));
  await place.remove('whole.tar');
  await assert.rejects(place.read('whole.tar'), /it has no such backup/);
});
