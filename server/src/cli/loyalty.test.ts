import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Command } from 'commander';
import { DEFAULT_SCOPES } from '#http/key-scopes.ts';
import { findKey } from '#commerces/api-keys.ts';
import { sql } from '#db/database.ts';
import { commandFolder, loyalty, type Ran } from '#test/command.ts';
import { databaseUrl, testDatabase } from '#test/database.ts';
import { dropDatabase } from '#test/drop-database.ts';
import { service } from '#test/harness.ts';
import { benefit, makeShop } from '#test/make.ts';
import { onOneServer } from '#test/on-cluster.ts';
import { buildCommandLine } from './command-line.ts';

interface Applied {
  readonly commerce_id: number | null;
  readonly slug: string;
  readonly created: boolean;
  readonly changes: string[];
}

interface Imported {
  readonly rows: number;
  readonly imported: number;
  readonly existing: number;
  readonly refused: { line: number; reason: string }[];
}

const NO_SIDE_EFFECTS = {
  warnings: [],
  unchanged: { members: 0, lines: [] },
  on_top: { members: 0, points: 0, lines: [] },
  tiers: [],
  tier_codes: 0,
};

const PROGRAM = `
name: Café Luna
currency: ARS
time_zone: America/Argentina/Buenos_Aires
earning: { money_per_point: 100 }
points_expiration: { mode: rolling, months: 6 }
`;

test('a program file creates its commerce once, and applying it again changes nothing', async () => {
  const file = await keep('first.yaml', `slug: first${PROGRAM}`);
  const dry = await loyalty(['apply', file, '--dry-run', '--json']);
  assert.deepEqual([dry.code, dry.json<Applied>().commerce_id, dry.json<Applied>().created], [0, null, true]);
  const applied = await loyalty(['apply', file, '--json']);
  const made = applied.json<Applied>();
  assert.deepEqual([made.created, applied.stderr], [true, '']);
  assert.ok(made.changes.includes('name: Café Luna'));
  const again = await loyalty(['apply', file, '--json']);
  assert.deepEqual(again.json(), {
    commerce_id: made.commerce_id,
    slug: 'first',
    created: false,
    changes: [],
    warnings: [],
  });
});

test('an exported program can be applied again without a change, as YAML and JSON, by slug and id', async () => {
  const made = await loyalty(['apply', '-'], { input: `slug: second${PROGRAM}` });
  const bySlug = await loyalty(['export', 'second']);
  assert.match(bySlug.stdout, /^slug: second\n/);
  assert.deepEqual((await loyalty(['apply', '-'], { input: bySlug.stdout })).json<Applied>().changes, []);
  const byId = await loyalty(['export', String(made.json<Applied>().commerce_id), '--json']);
  assert.deepEqual((await loyalty(['apply', '-'], { input: byId.stdout })).json<Applied>().changes, []);
});

test('a program file with errors is refused with their line numbers, and nothing changes', async () => {
  const file = await keep('faulty.yaml', `slug: faulty${PROGRAM}colour: red\n`);
  const { code, stdout, stderr } = await loyalty(['apply', file]);
  assert.deepEqual([code, stdout], [1, '']);
  assert.match(stderr, /faulty\.yaml:7:1 colour: /);
  const { rows } = await sql`select 1 from commerces where slug = 'faulty'`.execute(await testDatabase());
  assert.equal(rows.length, 0);
});

test('a program file in another encoding is refused, because members would read the wrong letters', async () => {
  const file = join(commandFolder, 'latin1.yaml');
  const bytes = Buffer.from(PROGRAM.replace('Luna', 'Latina'), 'latin1');
  await writeFile(file, bytes);
  for (const [name, input] of [
    [file, ''],
    ['-', bytes],
  ] as const) {
    const { code, stdout, stderr } = await loyalty(['apply', name], { input });
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(
      stderr,
      /^Line \d+ of \S+ is not UTF-8, but perhaps Windows-1252 or UTF-16\. .*Nothing was changed\.\n$/,
    );
  }
});

test('all problems of a file are listed at once, for people on stderr and with --json as data', async () => {
  const text = `slug: Faulty${PROGRAM}colour: red\nlevels: { ladder: [{ name: A, threshold: 9, benefit: b }] }\nmail: {\n`;
  const file = await keep('faulty-thrice.yaml', text);
  const { code, stdout, stderr } = await loyalty(['apply', file]);
  assert.deepEqual([code, stdout], [1, '']);
  const found = [...stderr.matchAll(/faulty-thrice\.yaml:(\d+):\d+ ([\w.[\]]*)/g)];
  assert.deepEqual(
    found.map(([, line, path]) => `${line} ${path}`),
    ['1 slug', '7 colour', '8 levels.ladder[0].benefit', '10 the'],
  );
  assert.match(stderr, /\n4 problems\. Nothing was changed\.\n$/);
  const asData = await loyalty(['apply', file, '--json']);
  assert.equal(asData.code, 1);
  const { problems } = asData.json<{ problems: { line: number; message: string }[] }>();
  assert.deepEqual([problems.length, problems[0]!.line], [4, 1]);
});

test('the problems with the commerce itself have their lines and come together', async () => {
  const ladder = (name: string) => `levels:\n  ladder:\n    - { name: ${name}, threshold: 9 }\n`;
  await loyalty(['apply', '-'], { input: `slug: settled${PROGRAM}${ladder('Silver')}` });
  const { code, stderr } = await loyalty(['apply', '-'], {
    input: `slug: settled${PROGRAM}sandbox: true\n${ladder('Plata')}`,
  });
  assert.equal(code, 1);
  assert.match(stderr, /^stdin:7:10 sandbox: must stay false, not true/m);
  assert.match(stderr, /^stdin:9:3 levels\.ladder: missing Silver, and unknown Plata/m);
});

test('the next steps after a first apply lead to points', async () => {
  const { app } = await service();
  const made = await loyalty(['apply', '-'], { input: `slug: stepwise${PROGRAM}` });
  assert.match(made.stderr, /loyalty key create --commerce stepwise\n/);
  const { key } = (await loyalty(['key', 'create', '--commerce', 'stepwise'])).json<{ key: string }>();
  const [, url = '', body = ''] = /curl -i http:\/\/[^/]+(\S+) [^]*-d '([^']+)'/.exec(made.stderr) ?? [];
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const answer = await app.inject({ method: 'POST', url, headers, body });
  assert.equal(answer.statusCode, 201, answer.body);
  const again = await loyalty(['apply', '-'], { input: `slug: stepwise${PROGRAM}` });
  assert.equal(again.stderr, '');
});

test('a dry run of an import prints what would happen and stores nothing', async () => {
  const { slug } = await makeShop();
  const people = 'email,points\na@example.com,10\nnobody,\n';
  const into = (...more: string[]) =>
    loyalty(['members', 'import', '-', '--commerce', slug, ...more], { input: people });
  const refused = [{ line: 3, reason: 'email "nobody": An email address must have an @-sign.' }];
  const counts = { ...NO_SIDE_EFFECTS, rows: 2, imported: 1, existing: 0, refused };
  for (let round = 0; round < 2; round++)
    assert.deepEqual((await into('--dry-run')).json(), { dry_run: true, ...counts, points: 10 });
  assert.deepEqual((await into()).json(), counts);

  const purchases = 'client_email,amount,date\na@example.com,30,2021-01-01\na@example.com,x,2021-01-01\n';
  const tried = await loyalty(['purchases', 'import', '-', '--commerce', slug, '--dry-run'], {
    input: purchases,
  });
  const { dry_run: dryRun, imported, points } = tried.json<Imported & { dry_run: boolean; points: number }>();
  assert.deepEqual([tried.code, dryRun, imported, points], [3, true, 1, 30]);
  assert.match(tried.stderr, /line 3: amount must be .*, not "x"/);
});

test('wrong usage names the wrong value', async () => {
  const usages: [string[], RegExp][] = [
    [['key', 'revoke', '--commerce', 'a', '--id', 'abc'], /--id must be a number, .*, not "abc"/],
    [['key', 'create', '--commerce', 'a', '--name', 'x'.repeat(101)], /--name must be .*, not "x{60}…"/],
    [
      ['key', 'create', '--commerce', 'a', '--scopes', 'read,redeme'],
      /"redeme" is not a scope: did you mean redeem\?/,
    ],
    [['key', 'create', '--commerce', 'a', '--scopes', ''], /"" is not a scope: choose from default, read, /],
    [
      ['key', 'create', '--commerce', 'a', '--scopes', 'read', '--role', 'owner'],
      /either --role or --scopes/,
    ],
    [['jobs', 'run', 'dance'], /'dance' is invalid.*It must be one of .*expire-points/],
    [['export', 'a', '--loud'], /unknown option '--loud'/],
  ];
  for (const [usage, message] of usages) {
    const { code, stderr } = await loyalty(usage);
    assert.equal(code, 2, usage.join(' '));
    assert.match(stderr, message);
  }
});

test('a key is printed only once, works, is listed by its first characters and can be revoked', async () => {
  const { id: commerceId, slug, key: first } = await makeShop();
  const made = await loyalty(['key', 'create', '--commerce', slug, '--name', 'till', '--json']);
  const { id, key } = made.json<{ id: number; key: string }>();
  assert.deepEqual(await findKey(await testDatabase(), key), {
    commerceId,
    keyId: id,
    scopes: DEFAULT_SCOPES,
    sandbox: false,
  });
  assert.ok(!made.stderr.includes(key));

  const listed = await loyalty(['key', 'list', '--commerce', slug]);
  const keys = listed.json<{ id: number; name: string; prefix: string; revoked_at: string | null }[]>();
  assert.deepEqual(
    [keys[1]?.id, keys[1]?.name, keys[1]?.prefix, keys[1]?.revoked_at],
    [id, 'till', key.slice(0, 12), null],
  );
  assert.ok(!listed.stdout.includes(key));

  const revoke = (...which: string[]) => loyalty(['key', 'revoke', '--commerce', slug, ...which]);
  assert.deepEqual((await revoke('--id', String(id))).json(), { revoked: 1 });
  assert.deepEqual((await revoke('--id', String(id))).json(), { revoked: 0 });
  assert.equal(await findKey(await testDatabase(), key), null);
  assert.equal((await findKey(await testDatabase(), first))?.commerceId, commerceId);
  assert.deepEqual((await revoke('--all')).json(), { revoked: 1 });
  const unknown = await revoke('--id', '999999');
  assert.deepEqual([unknown.code, unknown.stderr], [1, 'The commerce has no key 999999.\n']);
});

test('a key gets the scopes that are named, shows them, and hands them on when it is replaced', async () => {
  const { slug } = await makeShop();
  const create = async (...more: string[]) =>
    (await loyalty(['key', 'create', '--commerce', slug, '--json', ...more])).json<{ id: number }>().id;
  const few = await create('--scopes', 'redeem, read,redeem');
  const more = await create('--scopes', 'default,undo');
  const office = await create('--role', 'manager');
  const rotated = await loyalty(['key', 'rotate', '--commerce', slug, '--id', String(few), '--json']);
  const { id: next } = rotated.json<{ id: number }>();
  const listed = await loyalty(['key', 'list', '--commerce', slug]);
  const scopes = new Map(
    listed.json<{ id: number; scopes: string[] | null }[]>().map((key) => [key.id, key.scopes]),
  );
  assert.deepEqual(
    [scopes.get(few), scopes.get(next)],
    [
      ['read', 'redeem'],
      ['read', 'redeem'],
    ],
  );
  assert.deepEqual(scopes.get(more)?.toSorted(), [...DEFAULT_SCOPES, 'undo'].toSorted());
  assert.equal(scopes.get(office), null);
  const { rows } = await sql<{ scopes: string[] }>`
    select a.after -> 'scopes' as scopes
      from audit a
      join commerces c on c.id = a.commerce_id
     where c.slug = ${slug} and a.action = 'key.create'
     order by a.id limit 1`.execute(await testDatabase());
  assert.deepEqual(rows, [{ scopes: ['read', 'redeem'] }]);
});

test('a closed commerce is listed as closed and cannot get a key', async () => {
  const { id, slug } = await makeShop({ name: 'Gone' });
  const closed = { commerce_id: id, slug, status: 'closed', changed: true };
  assert.deepEqual((await loyalty(['commerce', 'close', slug])).json(), closed);
  const listed = (await loyalty(['commerce', 'list'])).json<
    { slug: string; status: string; name: string }[]
  >();
  const found = listed.find((commerce) => commerce.slug === slug);
  assert.deepEqual([found?.status, found?.name], ['closed', 'Gone']);
  const refused = await loyalty(['key', 'create', '--commerce', slug]);
  assert.deepEqual([refused.code, refused.stdout, refused.stderr], [1, '', `${slug} is closed.\n`]);
});

test('members are imported once, and bad lines are reported on stderr and in the data', async () => {
  const { slug } = await makeShop();
  const file = await keep(
    'people.csv',
    '\ufeffemail,name,points\r\na@example.com,"Luz, Ana",10\r\nnobody,,\r\nb@example.com,,2\r\n',
  );
  const first = await loyalty(['members', 'import', file, '--commerce', slug]);
  const refused = [{ line: 3, reason: 'email "nobody": An email address must have an @-sign.' }];
  assert.deepEqual(
    [first.code, first.json()],
    [3, { ...NO_SIDE_EFFECTS, rows: 3, imported: 2, existing: 0, refused }],
  );
  assert.match(first.stderr, /^line 3: email "nobody": /);
  const again = await loyalty(['members', 'import', '-', '--commerce', slug], {
    input: 'email,points\na@example.com,10\n',
  });
  assert.deepEqual(again.json(), { ...NO_SIDE_EFFECTS, rows: 1, imported: 0, existing: 1, refused: [] });
  assert.equal(again.stderr, '');
});

test('a file with no valid line or with an unclosed quotation mark exits with 1', async () => {
  const { slug } = await makeShop();
  const into = (input: string) => loyalty(['members', 'import', '-', '--commerce', slug], { input });
  assert.equal((await into('name\nAna\n')).code, 1);
  assert.equal((await into('email\nnobody\n')).code, 1);
  const broken = await into('email,name\na@example.com,x\nb@example.com,"never\n');
  const { imported, refused } = broken.json<Imported>();
  assert.deepEqual([broken.code, imported, refused[0]?.line], [1, 1, 3]);
  const missing = await loyalty(['members', 'import', 'no.csv', '--commerce', slug]);
  assert.match(missing.stderr, /no\.csv cannot be read: /);
});

test('an import warns of fields left out, of balances that differ and of points that come on top', async () => {
  const shop = await makeShop({
    levels: { ladder: [{ name: 'Gold', threshold: 50, benefit: 'gift' }] },
    benefits: [benefit('gift', { benefit_type: 'level', cost: 0 })],
  });
  const into = (input: string, ...more: string[]) =>
    loyalty(['members', 'import', '-', '--commerce', shop.slug, ...more], { input });
  await into('email,points\na@example.com,10\n');
  await shop.post('/v1/consumptions/email', { client_email: 'w@example.com', amount: 60 });
  const tried = await into('email,points,phone\na@example.com,12,\nw@example.com,60,0151 1\n', '--dry-run');
  assert.deepEqual(tried.json(), {
    dry_run: true,
    rows: 2,
    imported: 1,
    existing: 1,
    refused: [],
    warnings: [
      {
        line: 3,
        reason: 'phone "0151 1" left out: write it with the country code, such as +5491122334455',
      },
    ],
    unchanged: { members: 1, lines: [{ line: 2, balance: 10, in_file: 12 }] },
    on_top: { members: 1, points: 60, lines: [{ line: 3, waiting: 60, in_file: 60 }] },
    tiers: [{ name: 'Gold', members: 1 }],
    tier_codes: 1,
    points: 60,
  });
  assert.match(tried.stderr, /^line 3: phone "0151 1" left out: /);
  assert.match(
    tried.stderr,
    /1 existing member has a different balance .*Nothing was changed.*\n {2}line 2: has 10, the file says 12\n/,
  );
  assert.match(
    tried.stderr,
    /1 imported member has earlier purchases, with 60 points waiting.*twice\.\n {2}line 3: 60 waited, the file adds 60\n/,
  );
});

test('a file in another encoding imports nothing and is refused in one sentence', async () => {
  const shop = await makeShop();
  const { slug } = shop;
  const rows = Array.from({ length: 1_200 }, (_, i) => `p${i}@example.com,1\n`).join('');
  const latin1 = Buffer.from(`email,points,name\n${rows}`.replaceAll(',1\n', ',1,José\n'), 'latin1');
  // The first two batches of this one are ASCII.
  const late = Buffer.from(`email,points\n${rows}josé@example.com,1\n`, 'latin1');
  const utf16 = Buffer.from(`\ufeffemail,points\n${rows}`, 'utf16le');
  for (const [i, bytes] of [latin1, late, utf16].entries()) {
    const file = join(commandFolder, `encoded-${i}.csv`);
    await writeFile(file, bytes);
    const { code, stdout, stderr } = await loyalty(['members', 'import', file, '--commerce', slug]);
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /^[^\n]*encoded-\d\.csv[^\n]*Save it as “CSV UTF-8”[^\n]*Nothing was imported\.\n$/);
  }
  assert.equal(((await shop.get('/v1/clients/list')).body as { total: number }).total, 0);
  // Stdin cannot be read twice, so its first rows are imported before its last ones are seen.
  const long = Buffer.concat([Buffer.alloc(100_000, 'email\na@example.com\n'), Buffer.from('é', 'latin1')]);
  const piped = await loyalty(['members', 'import', '-', '--commerce', slug], { input: long });
  assert.equal(piped.code, 1);
  assert.match(piped.stderr, /^Line \d+ is not UTF-8.*Rows above that line may have been imported/);
});

test('a file of another program is understood by its headings', async () => {
  const { slug } = await makeShop();
  const members = await loyalty(['members', 'import', '-', '--commerce', slug], {
    input:
      'Full name;E-Mail;Date of birth;Phone number;Points balance\nAna;ana@example.com;1990-05-17;+5491122334455;12\n',
  });
  assert.deepEqual([members.code, members.stderr, members.json<Imported>().imported], [0, '', 1]);
  const purchases = await loyalty(['purchases', 'import', '-', '--commerce', slug], {
    input: 'Order ID,Email address,Total,Order date\n#1001,ana@example.com,30,2021-01-01\n',
  });
  assert.deepEqual([purchases.code, purchases.json<Imported>().imported], [0, 1], purchases.stderr);
});

test('an import with an unknown column is refused as a whole, unless the caller leaves the column out', async () => {
  const shop = await makeShop();
  const into = (...more: string[]) =>
    loyalty(['members', 'import', '-', '--commerce', shop.slug, ...more], {
      input: 'email,pts,shoe size\nana@example.com,320,38\n',
    });
  const refused = await into();
  assert.deepEqual([refused.code, refused.stdout], [1, ''], refused.stderr);
  assert.match(refused.stderr, /unknown columns "pts" \(did you mean points\?\), "shoe size"/);
  assert.equal(((await shop.get('/v1/clients/list')).body as { total: number }).total, 0);
  const done = await into('--ignore', 'pts', '--ignore', 'shoe size');
  assert.deepEqual([done.code, done.stderr], [0, 'Ignored columns: pts, shoe size.\n']);
});

test('an empty file or one with only a header exits with 1', async () => {
  const { slug } = await makeShop();
  for (const input of ['', 'email,points\n']) {
    const { code, stdout, stderr } = await loyalty(['members', 'import', '-', '--commerce', slug], { input });
    assert.deepEqual([code, stdout], [1, ''], stderr);
    assert.match(stderr, /^The file (is empty|has no rows)[^\n]*\n$/);
  }
});

test('a refused command exits with 1 and one line, and wrong usage exits with 2', async () => {
  const refused = await loyalty(['export', 'nowhere']);
  assert.deepEqual([refused.code, refused.stdout], [1, '']);
  assert.match(refused.stderr, /^There is no commerce "nowhere"\. [^\n]*\n$/);
  const usages = [
    [],
    ['key'],
    ['nonsense'],
    ['apply'],
    ['key', 'revoke', '--commerce', 'a'],
    ['export', 'a', '--loud'],
  ];
  for (const usage of usages) assert.equal((await loyalty(usage)).code, 2, usage.join(' '));
  assert.deepEqual([(await loyalty(['--help'])).code, (await loyalty(['--version'])).code], [0, 0]);
});

test('a commerce can be an argument or an option, and a mistyped slug is answered with the nearest', async () => {
  await loyalty(['apply', '-'], { input: `slug: pixel-books${PROGRAM}` });
  const made = await loyalty(['key', 'create', 'pixel-books']);
  assert.equal(made.code, 0, made.stderr);
  const id = String(made.json<{ id: number }>().id);
  assert.equal((await loyalty(['key', 'list', 'pixel-books'])).json<unknown[]>().length, 1);
  assert.deepEqual((await loyalty(['key', 'revoke', 'pixel-books', '--id', id])).json(), { revoked: 1 });
  for (const noun of ['members', 'movements', 'purchases'])
    assert.equal((await loyalty([noun, 'export', 'pixel-books'])).code, 0, noun);

  const usages: [usage: string[], says: RegExp][] = [
    [['key', 'create'], /^error: name the commerce: loyalty key create --commerce <commerce>$/m],
    [['key', 'create', 'a', '--commerce', 'b'], /^error: a and b are two commerces: name one$/m],
  ];
  for (const [usage, says] of usages) {
    const { code, stderr } = await loyalty(usage);
    assert.equal(code, 2);
    assert.match(stderr, says);
  }
  for (const mistyped of [
    ['key', 'create', 'pixelbooks'],
    ['export', 'pixel-bookz'],
    ['clock', 'show', 'Pixel-Books'],
  ]) {
    const { code, stderr } = await loyalty(mistyped);
    assert.equal(code, 1);
    assert.match(stderr, /^There is no commerce "[^"]*": did you mean pixel-books\? [^\n]*\n$/);
  }
});

test('every command has help with valid examples and can print JSON', async () => {
  const program = await buildCommandLine([]);
  const commands = endsOf(program);
  assert.ok(commands.length >= 12);
  for (const command of commands) {
    const name = nameOf(command);
    const help = helpOf(command);
    const shown = [...help.matchAll(/^ {2}(?:.*\| )?loyalty (.*)$/gm)].map((match) => match[1] ?? '');
    assert.ok(shown.length > 0, `${name} has no example`);
    for (const example of shown)
      assert.ok(
        example.startsWith(name) || endsOf(program).some((c) => example.startsWith(nameOf(c))),
        example,
      );
    if (!['serve', 'worker'].includes(name)) assert.match(help, /--json|jsonl|as one JSON\s+document/, name);
  }
});

test('a database with an old schema is refused until it is migrated', async () => {
  const db = await testDatabase();
  const name = `behind_${process.pid}`;
  await sql`create database ${sql.id(name)}`.execute(db);
  const env = { DATABASE_URL: databaseUrl(name) };
  try {
    const refused = await loyalty(['commerce', 'list'], { env });
    assert.deepEqual([refused.code, refused.stdout], [1, '']);
    assert.match(refused.stderr, /\d migrations behind this program\. Run `loyalty migrate` first\./);
    const pending = (await loyalty(['migrate', '--status'], { env })).json<
      { name: string; applied_at: string | null }[]
    >();
    assert.ok(pending.length > 0 && pending.every((migration) => migration.applied_at === null));
    const applied = pending.map((migration) => migration.name);
    assert.deepEqual((await loyalty(['migrate'], { env })).json(), { applied });
    assert.deepEqual((await loyalty(['migrate'], { env })).json(), { applied: [] });
    assert.deepEqual((await loyalty(['commerce', 'list'], { env })).json(), []);
  } finally {
    await dropDatabase(db, name);
  }
});

test('an unreachable database is reported in one line without its password', async () => {
  const env = { DATABASE_URL: 'postgres://u:hunter2@127.0.0.1:1/x' };
  const { code, stderr } = await loyalty(['commerce', 'list'], { env });
  assert.equal(code, 1);
  assert.match(stderr, /^The database cannot be reached: [^\n]*\n$/);
  assert.ok(!stderr.includes('hunter2'));
});

for (const command of [
  'apply FILE',
  'apply FILE --dry-run',
  'members import FILE --commerce cafe-luna',
  'purchases import FILE --commerce cafe-luna',
  'commerce import FILE',
  'commerce export cafe-luna --output FILE/x',
  'ledger check-proof FILE',
  'restore FILE',
  'backup FILE/x.tar',
  'init FILE/x.yaml --name Luna',
])
  test(
    `\`${command}\` says in words why the file cannot be used`,
    {
      skip: command.startsWith('backup') && onOneServer('it refuses first (backup.test.ts)'),
    },
    async () => {
      await loyalty(['apply', '-'], { input: `slug: cafe-luna${PROGRAM}` });
      const file = join(commandFolder, 'a-file');
      await writeFile(file, 'neither a program nor an archive');
      for (const named of [join(commandFolder, 'not-there'), commandFolder, join(file, 'below')]) {
        // `apply` and `commerce import` take folders, and the others have a file below it.
        if (named === commandFolder && /FILE\/|^apply|^commerce import/.test(command)) continue;
        const { code, stderr } = await loyalty(command.replace('FILE', named).split(' '));
        assert.equal(code, 1, stderr);
        assert.match(
          stderr,
          /it does not exist|it is a folder, not a file|is a file, not a folder|There is no |folder does not exist/,
        );
        assert.match(stderr, /^[^\n]+\.\n$/);
        assert.doesNotMatch(stderr, /E[A-Z]{4,}|syscall|\bat async\b/);
      }
    },
  );

test('a mistyped variable of the database is said before a command works on another one', async () => {
  const { stderr } = await loyalty(['commerce', 'list'], {
    env: { DATABSE_URL: 'postgres://db/x', DATABASE_URL: '', DATA_DIR: join(commandFolder, 'none') },
  });
  assert.match(
    stderr,
    /^DATABSE_URL is set, but there is no such variable\. If DATABASE_URL is meant, correct its name\.\n/,
  );
});

test('the schema command prints the JSON Schema of program files', async () => {
  const { code, json } = await loyalty(['schema']);
  assert.deepEqual([code, json<{ title: string }>().title], [0, 'Loyalty program']);
});

test('the health check exits with 0 only if the service answers 200', async (t) => {
  let status = 200;
  const service = createServer((request, response) => {
    response.statusCode = request.url === '/healthz' ? status : 404;
    response.end();
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  t.after(() => service.close());
  const env = {
    DATA_DIR: commandFolder,
    HOST: '0.0.0.0',
    PORT: String((service.address() as AddressInfo).port),
  };
  const check = (): Promise<Ran> => loyalty(['healthcheck'], { env });
  assert.equal((await check()).code, 0);
  status = 503;
  assert.equal((await check()).code, 1);
  await new Promise((resolve) => service.close(resolve));
  assert.equal((await check()).code, 1);
});

test('a health check waits for a service that is not ready yet, and no longer than it was told', async (t) => {
  let asked = 0;
  const service = createServer((request, response) => {
    response.statusCode = request.url === '/readyz' && ++asked > 2 ? 200 : 503;
    response.end();
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  t.after(() => service.close());
  // The checkout may have a service of its own.
  const env = { DATA_DIR: commandFolder, PORT: String((service.address() as AddressInfo).port) };
  const ready = await loyalty(['healthcheck', '--ready', '--wait', '600'], { env });
  assert.equal(ready.code, 0, ready.stderr);
  assert.equal(ready.json<{ ready: boolean }>().ready, true);
  assert.ok(asked > 2);
  const sick = await loyalty(['healthcheck', '--wait', '1'], { env });
  assert.equal(sick.code, 1);
  assert.match(sick.stderr, /is not healthy: it answered 503\.\n$/);
  assert.equal((await loyalty(['healthcheck', '--wait', '1h'], { env })).code, 2);
});

async function keep(name: string, content: string): Promise<string> {
  const file = join(commandFolder, name);
  await writeFile(file, content);
  return file;
}

/** Returns the commands that do something: those without subcommands. */
function endsOf(command: Command): Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(endsOf);
}

function nameOf(command: Command): string {
  const above = command.parent === null || command.parent.parent === null ? '' : `${nameOf(command.parent)} `;
  return above + command.name();
}

function helpOf(command: Command): string {
  let help = '';
  command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
  return help;
}
