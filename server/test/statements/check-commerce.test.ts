import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { sql } from '#db/database.ts';
import { testDatabase } from '#test/database.ts';
import { filesThatEnd, read, ROOT } from '#test/repository.ts';
import { readCollected, whatIsWrong } from './check-collected.ts';
import { tablesWithoutCommerce } from './check-commerce.ts';
import { refusedTimes } from './check-times.ts';
import { EXCEPTIONS } from './exceptions.ts';
import { tablesApart } from './written-tables.ts';

const GOOD: Readonly<Record<string, string>> = {
  'a parameter': 'select from members where commerce_id = $1 and id = $2',
  'a constant with a cast': 'select from members m where 7::bigint = m.commerce_id',
  'a list': 'select from members m where m.commerce_id = any($1::bigint[])',
  'a row': 'update members m set code = 1 where (m.commerce_id, m.id) = ($1, $2)',
  'a chain': `select from members m join balances b on b.commerce_id = m.commerce_id
                left join vouchers v on v.commerce_id = b.commerce_id where m.commerce_id = $1`,
  'a chain through a reference': `select from commerces c join members m on m.commerce_id = c.id where c.id = $1`,
  using: 'select from members join balances using (commerce_id) where members.commerce_id = $1',
  'beside unnest': `select from unnest($1::bigint[], $2::bigint[]) as r(commerce_id, id)
                      join members m on m.commerce_id = r.commerce_id and m.id = r.id
                     where m.commerce_id = any($3::bigint[]) for no key update of m`,
  'a subquery of a row that is compared': `select (select sum(points) from balances b where b.commerce_id = m.commerce_id)
                                             from members m where commerce_id = $1`,
  'a lateral subquery': `select from members m cross join lateral (select from balances where commerce_id = m.commerce_id) b
                          where m.commerce_id = $1`,
  'each side of a union': `select id from members where commerce_id = $1 union all select id from movements where commerce_id = $2`,
  'each part of a with': `with gone as (delete from balances where commerce_id = $1 returning member_id)
                          update members m set code = null from gone where m.commerce_id = $2 and m.id = gone.member_id`,
  'rows that are stored': 'insert into members (commerce_id, state) values ($1, $2) on conflict do nothing',
  'tables of the installation': 'select from outbox o join users u on u.email = o.recipient',
  'a part that has the name of a table': 'with members as (select 1 as id) select from members',
};

const BAD: Readonly<Record<string, readonly [string, string[]]>> = {
  nothing: ['select from members', ['members']],
  'another column': ['delete from vouchers v where v.code = $1', ['vouchers v']],
  'unnest alone': [
    'select from unnest($1::bigint[]) as r(commerce_id) join members m on m.commerce_id = r.commerce_id',
    ['members m'],
  ],
  'a part of the statement': [
    `with due as (select commerce_id, id from members where commerce_id = $1)
     update vouchers v set used_at = now() from due d where v.commerce_id = d.commerce_id`,
    ['vouchers v'],
  ],
  'either or': ['select from members where commerce_id = $1 or id = $2', ['members']],
  'not equal': ['select from members where commerce_id <> $1', ['members']],
  'a chain to a table that is not compared': [
    'select from members m join balances b on b.commerce_id = m.commerce_id',
    ['members m', 'balances b'],
  ],
  'the other side of an outer join': [
    'select from members m left join balances b on b.commerce_id = m.commerce_id and b.commerce_id = $1',
    ['members m'],
  ],
  'a subquery says nothing of the row around it': [
    'select from members m where exists (select from balances b where b.commerce_id = m.commerce_id and b.commerce_id = $1)',
    ['members m'],
  ],
  'one side of a union': [
    'select id from members where commerce_id = $1 union all select id from movements',
    ['movements'],
  ],
  'what is inserted': ['insert into rewards select * from withheld_rewards w', ['withheld_rewards w']],
  'in a condition of a join': [
    'select from commerces c join users u on exists (select from staff s where s.person_id = u.id) where c.id = $1',
    ['staff s'],
  ],
};

for (const [kind, text] of Object.entries(GOOD))
  test(`a statement that names its commerce is right: ${kind}`, async () => {
    assert.deepEqual(await tablesWithoutCommerce(text), []);
  });

for (const [kind, [text, tables]] of Object.entries(BAD))
  test(`a statement that leaves its commerce out is found: ${kind}`, async () => {
    assert.deepEqual(await tablesWithoutCommerce(text), tables);
  });

test('a list of values is carried from a table to another on one server only', async () => {
  const text = `select from members m join balances b on b.commerce_id = m.commerce_id where m.commerce_id = any($1::bigint[])`;
  assert.deepEqual(await tablesWithoutCommerce(text), []);
  assert.deepEqual(await tablesWithoutCommerce(text, false), ['balances b']);
  const one = text.replace('any($1::bigint[])', '$1');
  assert.deepEqual(await tablesWithoutCommerce(one, false), []);
  const both = `${text} and b.commerce_id = any($1::bigint[])`;
  assert.deepEqual(await tablesWithoutCommerce(both, false), []);
});

test('the statements of a run are read once each, and the exceptions are left out', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'loyalty-statements-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const line = (name: string, text: string) => `${JSON.stringify({ name, text })}\n`;
  writeFileSync(
    join(folder, '1'),
    line('a', 'select from members') + line('take-mails', 'select from staff'),
  );
  // A process that was killed may have left half a line.
  writeFileSync(join(folder, '2'), `${line('a', 'select from members')}{"name":"b","te`);
  const collected = readCollected(folder);
  assert.deepEqual(
    collected.map(({ name }) => name),
    ['a', 'take-mails'],
  );
  assert.deepEqual(await whatIsWrong(collected), [
    'a compares the commerce of these tables with no value: members\nselect from members',
  ]);
});

test('a function of the present time stands where a cluster takes it', async () => {
  for (const text of [
    'update members set used_at = now() where commerce_id = $1 and at < now()',
    'insert into members (commerce_id, at) values ($1, clock_timestamp()) on conflict (id) do update set at = excluded.at',
    'with a as (select now() as now) update members set at = case when $1 then a.now end from a where commerce_id = $2',
    'update members set at = (select case when $1 then now() end) where commerce_id = $2',
    'select coalesce(at, now()) from members where commerce_id = $1',
    'update outbox set at = coalesce(at, now())',
  ])
    assert.deepEqual(await refusedTimes(text), [], text);
  for (const [text, refused] of [
    [
      'update members set at = case when $1 then now() end where commerce_id = $2',
      'now in a choice in an update',
    ],
    [
      'delete from members where commerce_id = $1 and coalesce(at, current_timestamp) > $2',
      'current_timestamp in a choice in an update',
    ],
    [
      'with a as (update members set at = clock_timestamp() where commerce_id = $1) select',
      'clock_timestamp in an update',
    ],
    ['insert into members (id) values ($1) on conflict (id) do update set at = now()', 'now in on conflict'],
    ['insert into members (id) values ($1) returning now()', 'now in returning'],
  ] as const)
    assert.deepEqual(await refusedTimes(text), [refused], text);
});

test('a table that a cluster commits apart is written alone', () => {
  const found: string[] = [];
  const note = tablesApart((_, together) => found.push(together.join(' ')));
  for (const text of [
    'begin',
    'insert into movements (id) values (1)',
    'insert into outbox (id) values (1)',
    'select from jobs for update',
    'commit',
    'update jobs set name = name',
    'begin; set local lock_timeout = 50',
    'delete from sign_in_networks',
    'commit',
  ])
    note(text);
  assert.deepEqual(found, [], 'a shard and a table that Citus knows, and tables alone');
  for (const text of [
    'begin',
    'update  jobs set name = name',
    'insert into movements (id) values (1)',
    'commit',
  ])
    note(text);
  note('with a as (insert into members (id) values (1)) update jobs set name = name');
  assert.deepEqual(found, ['jobs movements', 'jobs members']);
});

test('what the service sends in this process is collected, and what a test sends is not', async (t) => {
  const folder = process.env['TEST_STATEMENTS'];
  if (folder === undefined) return t.skip('this is no run of the tests');
  const db = await testDatabase();
  const { commerceIdOf } = await import('#commerces/commerce.ts');
  await commerceIdOf(db, 'nobody');
  await sql`select 'of a test' from members`.execute(db);
  const texts = readCollected(folder);
  assert.ok(
    texts.some(({ name, text }) => name === 'loyalty/commerces/commerce.ts' && text.includes('slug')),
  );
  assert.ok(!texts.some(({ text }) => text.includes('of a test')));
});

test('each exception is of a statement that there is', () => {
  const sources = filesThatEnd('.ts', 'server/src')
    .filter((path) => !path.endsWith('.test.ts'))
    .map(read);
  const gone = Object.keys(EXCEPTIONS).filter((name) =>
    name.endsWith('.ts')
      ? !existsSync(`${ROOT}/server/src/${name}`)
      : !sources.some((text) => text.includes(name)),
  );
  assert.deepEqual(gone, []);
});
