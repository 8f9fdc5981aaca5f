import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { readProgram } from '#program/read-program.ts';
import { commandFolder, loyalty } from '#test/command.ts';

const SHOP = [
  '--name',
  'Café "Öl" #1',
  '--currency',
  'eur',
  '--time-zone',
  'Europe/Madrid',
  '--locale',
  'es-ES',
];

test('init writes a file with comments that apply accepts, and says what to do next', async () => {
  const made = await loyalty(['init', ...SHOP, '--money-per-point', '0.5', '--no-tiers'], {
    env: { LANG: 'C' },
  });
  assert.deepEqual([made.code, made.json()], [0, { file: 'cafe-ol-1.yaml', slug: 'cafe-ol-1' }]);
  assert.match(made.stderr, /What next:\n.*\n.*loyalty apply cafe-ol-1\.yaml --dry-run/);
  const file = await readFile(join(commandFolder, 'cafe-ol-1.yaml'), 'utf8');
  assert.match(file, /  # /);
  const read = readProgram(file);
  assert.ok(read.ok);
  assert.partialDeepStrictEqual(read.program, {
    name: 'Café "Öl" #1',
    currency: 'EUR',
    time_zone: 'Europe/Madrid',
    locale: 'es-ES',
    sandbox: true,
    earning: { money_per_point: 0.5 },
    levels: { ladder: [] },
    rewards: { welcome: { points: 50 } },
  });
  const tried = await loyalty(['apply', 'cafe-ol-1.yaml', '--dry-run']);
  assert.equal(tried.code, 0, tried.stderr);
});

test('init and apply warn if pages and mails do not exist in the language of the shop', async () => {
  const warned =
    /^warning: locale: pages and mails are in English or Spanish, not in de-AT: members will see English$/m;
  const make = (locale: string, file: string) =>
    loyalty(['init', file, '--name', 'Sprachen', '--locale', locale, '--yes']);
  const made = await make('de-AT', 'german.yaml');
  assert.equal(made.code, 0);
  assert.match(made.stderr, warned);
  assert.match((await make('de-AT', '-')).stderr, warned);
  const applied = await loyalty(['apply', 'german.yaml', '--dry-run']);
  assert.match(applied.stderr, warned);
  assert.equal(applied.json<{ warnings: string[] }>().warnings.length, 1);
  for (const locale of ['es-AR', 'en', 'ES'])
    assert.doesNotMatch((await make(locale, '-')).stderr, /warning/);
});

test('init replaces a file only if it is told to', async () => {
  const args = ['init', 'kept.yaml', '--name', 'First', '--json'];
  const first = await loyalty(args);
  assert.deepEqual([first.code, first.stderr], [0, '']);
  const refused = await loyalty(['init', 'kept.yaml', '--name', 'Second']);
  assert.deepEqual(
    [refused.code, refused.stdout, refused.stderr],
    [1, '', 'kept.yaml exists. Name another file, or replace it with --force.\n'],
  );
  assert.match(await readFile(join(commandFolder, 'kept.yaml'), 'utf8'), /^name: First /m);
  assert.equal((await loyalty(['init', 'kept.yaml', '--name', 'Second', '--force'])).code, 0);
  assert.match(await readFile(join(commandFolder, 'kept.yaml'), 'utf8'), /^name: Second /m);
});

test('init on stdout writes only the file, which apply reads from stdin without any database', async () => {
  const made = await loyalty(['init', '-', '--yes'], {
    env: { TZ: 'America/Montevideo', LANG: 'es_UY.UTF-8' },
  });
  assert.equal(made.stderr, '');
  const read = readProgram(made.stdout);
  assert.ok(read.ok);
  const { slug, currency, time_zone: zone, locale } = read.program;
  assert.deepEqual([slug, currency, zone, locale], ['my-shop', 'UYU', 'America/Montevideo', 'es-UY']);

  const dataDir = join(commandFolder, 'no-data');
  const tried = await loyalty(['apply', '-', '--dry-run'], {
    input: made.stdout,
    env: { DATABASE_URL: '', DATA_DIR: dataDir },
  });
  const { created, commerce_id: id } = tried.json<{ created: boolean; commerce_id: null }>();
  assert.deepEqual([tried.code, created, id], [0, true, null]);
  assert.match(tried.stderr, /^There is no database yet/);
  assert.equal(existsSync(dataDir), false);
});

test('every wrong option of init is named with its value, and a name is needed without a terminal', async () => {
  const wrong = await loyalty([
    'init',
    '--yes',
    '--currency',
    'euro',
    '--time-zone',
    'Mars',
    '--welcome-points',
    '-1',
  ]);
  assert.equal(wrong.code, 2);
  for (const said of [
    /--currency must .*, not "euro"/,
    /--time-zone must .*, not "Mars"/,
    /--welcome-points must .*, not "-1"/,
  ])
    assert.match(wrong.stderr, said);
  const unnamed = await loyalty(['init']);
  assert.equal(unnamed.code, 2);
  assert.match(unnamed.stderr, /--name is missing/);
});
