import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { sql } from '#db/database.ts';
import { commandFolder, loyalty } from '#test/command.ts';
import { anotherDatabase, databaseUrl, nameOf, testDatabase } from '#test/database.ts';
import { makeShop } from '#test/make.ts';

interface Report {
  readonly files: readonly {
    readonly file: string;
    readonly outcome: string;
    readonly slug: string;
    readonly commerce_id: number | null;
  }[];
  readonly failed: readonly { readonly file: string; readonly error: string }[];
}

test('a folder of programs is applied in one process: one that is refused is named, and the others are there', async () => {
  const folder = await folderOf('programs', {
    'a.yaml': program('many-a'),
    'b.yml': program('many-b').replace('EUR', 'euros'),
    'c.json': JSON.stringify({
      slug: 'many-c',
      name: 'C',
      currency: 'EUR',
      time_zone: 'Europe/Madrid',
      earning: { money_per_point: 1 },
    }),
    'notes.txt': 'not a program',
    '.hidden.yaml': 'neither',
  });
  const ran = await loyalty(['apply', folder]);
  assert.equal(ran.code, 1);
  const { files, failed } = ran.json<Report>();
  assert.deepEqual(
    files.map(({ slug, outcome }) => [slug, outcome]),
    [
      ['many-a', 'created'],
      ['many-c', 'created'],
    ],
  );
  assert.deepEqual(
    failed.map(({ file }) => file),
    [join(folder, 'b.yml')],
  );
  assert.match(failed[0]!.error, /b\.yml:\d+:\d+ currency: must be/);
  assert.match(ran.stderr, /3 files: 2 created, 1 failed\.\nFailed: .*b\.yml\n$/);
  assert.deepEqual(await slugs('many-'), ['many-a', 'many-c']);

  await writeFile(join(folder, 'b.yml'), program('many-b'));
  const again = await loyalty(['apply', folder]);
  assert.equal(again.code, 0, again.stderr);
  assert.match(again.stderr, /3 files: 2 already up to date, 1 created\.\n$/);
  assert.deepEqual(await slugs('many-'), ['many-a', 'many-b', 'many-c']);
});

test('several files are applied as a folder is, a dry run changes nothing, and a file that is missing is a failure', async () => {
  const folder = await folderOf('several', {
    'a.yaml': program('several-a'),
    'b.yaml': program('several-b'),
  });
  const [a, b, missing] = ['a.yaml', 'b.yaml', 'c.yaml'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const tried = await loyalty(['apply', a, b, '--dry-run']);
  assert.deepEqual([tried.code, await slugs('several-')], [0, []], tried.stderr);
  assert.ok(tried.json<Report>().files.every((file) => file.commerce_id === null));
  const ran = await loyalty(['apply', a, missing, b]);
  assert.equal(ran.code, 1);
  assert.match(ran.stderr, /c\.yaml cannot be read: it does not exist/);
  assert.deepEqual(await slugs('several-'), ['several-a', 'several-b']);
});

test('what takes one file says so, and a folder without any file says which it looks for', async () => {
  const empty = await folderOf('empty', { 'notes.txt': '' });
  for (const [args, refusal] of [
    [['apply', empty], /empty has no file that ends in \.yaml or \.yml or \.json/],
    [['commerce', 'import', empty], /empty has no file that ends in \.archive/],
    [['apply', empty, '-'], /Stdin cannot be combined with files/],
    [['apply', 'a.yaml', 'b.yaml', '--what-if'], /name one file/],
    [['commerce', 'import', 'a', 'b', '--sha256', '00'], /name one file/],
  ] as const) {
    const { code, stderr } = await loyalty(args);
    assert.deepEqual([code, refusal.test(stderr)], [1, true], stderr);
  }
});

test('a folder of archives is imported in one process: one that is cut off is named, and the others are there', async () => {
  const folder = await folderOf('archives', {});
  const shops = [await makeShop(), await makeShop(), await makeShop()];
  for (const shop of shops) {
    await shop.sell(await shop.member(), 12);
    const file = join(folder, `${shop.slug}.archive`);
    assert.equal((await loyalty(['commerce', 'export', shop.slug, '--output', file])).code, 0);
  }
  const cut = shops.map(({ slug }) => slug).toSorted()[1]!;
  const path = join(folder, `${cut}.archive`);
  await writeFile(path, (await readFile(path)).subarray(0, 900));
  const there = await anotherDatabase();
  const ran = await loyalty(['commerce', 'import', folder], {
    env: { DATABASE_URL: databaseUrl(await nameOf(there)) },
  });
  assert.equal(ran.code, 1);
  assert.match(ran.stderr, new RegExp(`3 files: 2 imported, 1 failed\\.\nFailed: .*${cut}\\.archive\n$`));
  const { rows } = await sql<{ slug: string }>`select slug from commerces order by slug`.execute(there);
  assert.deepEqual(
    rows.map(({ slug }) => slug),
    shops
      .map(({ slug }) => slug)
      .filter((slug) => slug !== cut)
      .toSorted(),
  );
});

async function folderOf(name: string, files: Readonly<Record<string, string>>): Promise<string> {
  const folder = join(commandFolder, name);
  await mkdir(folder);
  for (const [file, text] of Object.entries(files)) await writeFile(join(folder, file), text);
  return folder;
}

function program(slug: string): string {
  return `slug: ${slug}\nname: Shop\ncurrency: EUR\ntime_zone: Europe/Madrid\nearning:\n  money_per_point: 1\n`;
}

async function slugs(prefix: string): Promise<string[]> {
  const { rows } = await sql<{ slug: string }>`
    select slug from commerces where starts_with(slug, ${prefix}) order by slug`.execute(
    await testDatabase(),
  );
  return rows.map(({ slug }) => slug);
}
