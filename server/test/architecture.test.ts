import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { sql } from '#db/database.ts';
import { TABLES } from '#db/tables.ts';
import { testDatabase } from '#test/database.ts';
import { importsOf } from '#test/imports.ts';
import { filesThatEnd, read, ROOT } from '#test/repository.ts';

const SOURCE = 'server/src';
const sources = ['.ts', '.js']
  .flatMap((ending) => filesThatEnd(ending, SOURCE))
  .filter((path) => !path.endsWith('.test.ts'));
const architecture = read('ARCHITECTURE.md');

test('imports go downward by the list of floors in ARCHITECTURE.md', () => {
  const steps = stepsOf(architecture);
  const unlisted = new Set(sources.map((path) => placeOf(path).floor).filter((floor) => !steps.has(floor)));
  assert.deepEqual([...unlisted], [], 'a floor that has no step: add it to the list');

  const wrong = sources.flatMap((path) =>
    ownImportsOf(path)
      .map((to) => placeOf(to).floor)
      .filter((to) => to !== placeOf(path).floor && steps.get(to)! <= steps.get(placeOf(path).floor)!)
      .map((to) => `${path} imports ${to}`),
  );
  assert.deepEqual(wrong, []);
});

test('on a floor, imports go downward by the list in its README, and rooms of one step leave each other alone', () => {
  const floors = Map.groupBy(
    sources.filter((path) => placeOf(path).room !== null),
    (path) => placeOf(path).floor,
  );
  assert.ok(floors.size > 8);
  for (const [floor, paths] of floors) {
    const steps = stepsOf(read(`${SOURCE}/${floor}/README.md`));
    const rooms = new Set(paths.map((path) => placeOf(path).room!));
    assert.deepEqual([...steps.keys()].toSorted(), [...rooms].toSorted(), `the list of ${floor}`);
    const wrong = paths.flatMap((path) => {
      const { room } = placeOf(path);
      return ownImportsOf(path)
        .map(placeOf)
        .filter((to) => to.floor === floor && to.room !== room && steps.get(to.room!)! <= steps.get(room!)!)
        .map((to) => `${path} imports ${to.room}`);
    });
    assert.deepEqual(wrong, []);
  }
});

test('every floor says in a few lines what lives there and what never does', () => {
  const floors = readdirSync(join(ROOT, SOURCE), { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  );
  for (const { name } of floors) {
    const text = read(`${SOURCE}/${name}/README.md`);
    assert.match(text, /^# .+\n\n[^]+\n\nNever here: /);
    assert.ok(text.split('```')[0]!.trim().split('\n').length <= 10, name);
  }
});

test('no code of the service imports code of the tests', () => {
  const wrong = sources.filter((path) => /from '(#test\/|[./]*\/test\/)/.test(read(path)));
  assert.deepEqual(wrong, []);
});

/** At the top level of a module; formatted code begins there and nowhere else at the first column. */
const TOP_LEVEL =
  /^(?:export )?(?:(?<changes>let|var)|const (?<name>\w+)(?:: (?<type>[^=]+))? =)(?<value>[^]*?;)$/gm;

test('no module keeps state: two services in one process must not meet in it', () => {
  const wrong = sources.flatMap((path) => {
    const text = read(path);
    return [...text.matchAll(TOP_LEVEL)]
      .map(({ groups }) => groups!)
      .filter(
        ({ changes, name, type, value }) =>
          changes !== undefined ||
          makesState(value!, type) ||
          isWritten(text, name!) ||
          remembersItsPlace(text, name!, value!),
      )
      .map(({ changes, name }) => `${path}: ${name ?? changes}`);
  });
  assert.deepEqual(wrong, []);
});

/** Whether a value is a container that can be written to. */
function makesState(value: string, type = ''): boolean {
  const made = value.replaceAll(/'[^'\n]*'|"[^"\n]*"|`[^`]*`/g, "''").replaceAll(/=> [^]*/g, '');
  return /\bnew (?!URL\b|RegExp\b)/.test(made) && !/^Readonly(Set|Map)</.test(type);
}

/** Whether it is a pattern that starts where the last search ended. */
function remembersItsPlace(text: string, name: string, value: string): boolean {
  return /^\s*\/.*\/[a-z]*[gy][a-z]*;$/.test(value) && new RegExp(`\\b${name}\\.(?:test|exec)\\(`).test(text);
}

/** Whether code of the same file writes to it. */
function isWritten(text: string, name: string): boolean {
  const target = `(?<![\\w.])${name}(?:\\.\\w+|\\[[^\\]]*\\])*`;
  const method = 'push|pop|shift|unshift|splice|sort|reverse|fill|set|add|delete|clear';
  return (
    new RegExp(`${target}\\.(?:${method})\\(`).test(text) ||
    new RegExp(`^\\s*${target}(?:\\.\\w+|\\[[^\\]]*\\]) (?:[+*/&|?-]*=) `, 'm').test(text) ||
    new RegExp(`(?:Object\\.assign\\(|delete )${name}\\b`).test(text)
  );
}

test('every table is written by the rooms that docs/data.md names, and balances by points alone', async () => {
  const told = new Map(
    [...read('docs/data.md').matchAll(/^\| (`[a-z_`, ]+`) \| ([a-z, -]+) \|/gm)].flatMap(
      ([, tables, slices]) =>
        tables!
          .replaceAll('`', '')
          .split(', ')
          .map((table): [string, string[]] => [table, slices!.split(', ').toSorted()]),
    ),
  );
  assert.deepEqual(told.get('balances'), ['points']);

  const tables = new Set((await tablesOf()).map((table) => table.name));
  const found = new Map<string, Set<string>>();
  for (const path of sources) {
    for (const [, table] of read(path).matchAll(
      /\b(?:insert into|update|delete from|truncate) ([a-z_]+)\b/g,
    )) {
      if (tables.has(table!))
        found.set(table!, (found.get(table!) ?? new Set()).add(placeOf(path).room ?? placeOf(path).floor));
    }
  }
  const writers = [...found].map(([table, slices]): [string, string[]] => [table, [...slices].toSorted()]);
  assert.deepEqual(Object.fromEntries(writers), Object.fromEntries(told));
});

test('points and members are written by the domain alone', () => {
  const statement =
    /\b(?:insert into|update|delete from|truncate) (?:members|balances|movements|benefits|vouchers|rewards|withheld_rewards|enrolments|users)\b/;
  const writers = sources.filter((path) => statement.test(read(path)));
  assert.ok(writers.length > 10);
  assert.deepEqual(
    writers.filter((path) => placeOf(path).floor !== 'loyalty'),
    [],
  );
});

test('what reads the books opens a transaction to count, to seal, to note what was sent, or to see one moment', () => {
  const opening = sources
    .filter((path) => placeOf(path).floor === 'insight')
    .flatMap((path) => [...read(path).matchAll(/\btransaction\([^;]*;/g)].map(([call]) => ({ path, call })))
    .filter(({ call }) => !/\bsnapshot\b/.test(call))
    .map(({ path }) => path.slice(path.lastIndexOf('/') + 1));
  assert.deepEqual(opening.toSorted(), [
    'follow-ledger.ts',
    'rebuild-figures.ts',
    'record-turn.ts',
    'seal-ledger.ts',
  ]);
});

test('each table is in one list of server/src/platform/db/tables.ts, and no other is', async () => {
  const listed = [TABLES.tenant, Object.keys(TABLES.reference), Object.keys(TABLES.installation)].flat();
  const found = [...(await tablesOf()).map(({ name }) => name), 'schema_migrations'];
  assert.deepEqual(listed.toSorted(), found.toSorted());
});

const tenantTables: ReadonlySet<string> = new Set(TABLES.tenant);

test('every tenant table’s primary key begins with commerce_id', async () => {
  const wrong = (await tablesOf())
    .filter(({ name, key }) => key[0] !== 'commerce_id' && tenantTables.has(name))
    .map(({ name }) => name);
  assert.deepEqual(wrong, []);
});

test('every foreign key between tenant tables begins with commerce_id', async () => {
  const db = await testDatabase();
  const { rows } = await sql<{ name: string; from: string; to: string; columns: string[]; target: string[] }>`
    select c.conname as name, c.conrelid::regclass::text as "from", c.confrelid::regclass::text as "to",
           (select array_agg(a.attname::text order by k.place)
              from unnest(c.conkey) with ordinality as k(number, place)
              join pg_attribute a on a.attrelid = c.conrelid and a.attnum = k.number) as columns,
           (select array_agg(a.attname::text order by k.place)
              from unnest(c.confkey) with ordinality as k(number, place)
              join pg_attribute a on a.attrelid = c.confrelid and a.attnum = k.number) as target
      from pg_constraint c
     where c.contype = 'f' and c.connamespace = 'public'::regnamespace`.execute(db);
  assert.ok(rows.length > 5);
  const wrong = rows.filter(
    ({ to, columns, target }) =>
      tenantTables.has(to) && (columns[0] !== 'commerce_id' || target[0] !== 'commerce_id'),
  );
  assert.deepEqual(wrong, []);
});

test('a unique constraint or index of a tenant table begins with commerce_id', async () => {
  const { rows } = await sql<{ table: string; name: string; first: string | null }>`
    select i.indrelid::regclass::text as table, i.indexrelid::regclass::text as name, a.attname::text as first
      from pg_index i
      left join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
     where i.indisunique and i.indrelid::regclass::text = any(${[...tenantTables]}::text[])`.execute(
    await testDatabase(),
  );
  assert.ok(rows.length >= tenantTables.size);
  assert.deepEqual(
    rows.filter(({ first }) => first !== 'commerce_id'),
    [],
  );
});

test('no tenant table refers to a table of the installation', async () => {
  const { rows } = await sql<{ from: string; to: string }>`
    select conrelid::regclass::text as from, confrelid::regclass::text as to
      from pg_constraint
     where contype = 'f' and connamespace = 'public'::regnamespace`.execute(await testDatabase());
  assert.deepEqual(
    rows.filter(({ from, to }) => tenantTables.has(from) && to in TABLES.installation),
    [],
  );
});

test('no file names a package registry or a folder of somebody’s machine', () => {
  const hosts = ['registry.npm', 'npmjs', 'yarnpkg', 'jsdelivr', 'unpkg'].map((host) => `${host}.`);
  const folders = /(?<![\w.~-])\/(?:home|root|Users|work)\/\w/;
  const wrong = filesThatEnd('')
    .filter((path) => path !== 'server/test/architecture.test.ts')
    .filter((path) => {
      const text = read(path);
      return folders.test(text) || hosts.some((host) => text.includes(host));
    });
  assert.deepEqual(wrong, []);
});

/** Returns the position of each name in the list of a document, counted from the top. */
function stepsOf(document: string): Map<string, number> {
  const list = /```imports\n([^`]+)```/.exec(document)?.[1] ?? '';
  const lines = list.trim().split('\n');
  return new Map(
    lines.flatMap((line, step) => line.split(/\s+/).map((name): [string, number] => [name, step])),
  );
}

/** Where a file lives: its floor, and there its room, which is a folder or a file. A floor without folders is one room. */
function placeOf(path: string): { floor: string; room: string | null } {
  const [floor, room] = path
    .slice(SOURCE.length + 1)
    .split('/')
    .map((name) => name.replace(/\.[jt]s$/, ''));
  return { floor: floor!, room: ONE_ROOM.has(floor!) ? null : room! };
}

const ONE_ROOM: ReadonlySet<string> = new Set(['app', 'cli', 'program']);
/** The files of the service among the imports. */
function ownImportsOf(path: string): string[] {
  return importsOf(path).filter((to) => to.startsWith(`${SOURCE}/`));
}

async function tablesOf(): Promise<{ name: string; key: string[] }[]> {
  const { rows } = await sql<{ name: string; key: string[] }>`
    select t.relname::text as name,
           coalesce((select array_agg(a.attname::text order by k.place)
                       from pg_constraint c
                       cross join unnest(c.conkey) with ordinality as k(number, place)
                       join pg_attribute a on a.attrelid = c.conrelid and a.attnum = k.number
                      where c.conrelid = t.oid and c.contype = 'p'), '{}') as key
      from pg_class t
     where t.relkind = 'r' and t.relnamespace = 'public'::regnamespace
       and t.relname not like 'schema_migrations%'`.execute(await testDatabase());
  assert.ok(rows.length > 10);
  return rows;
}
