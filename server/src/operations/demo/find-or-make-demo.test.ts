import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { applyProgram } from '#apply/apply-program.ts';
import { findKey } from '#commerces/api-keys.ts';
import { setClock } from '#commerces/clock.ts';
import { readCommerce } from '#commerces/commerce.ts';
import { sql, type Database } from '#db/database.ts';
import { anotherDatabase, testDatabase } from '#test/database.ts';
import { SECRET } from '#test/harness.ts';
import { verifyLedger } from '#books/verify-ledger.ts';
import { readProgram } from '#program/read-program.ts';
import { buildApp } from '../../app.ts';
import { demoPeople } from './demo-people.ts';
import { findOrMakeDemo } from './find-or-make-demo.ts';

test('the demo is created once, found again later, and gets a new key if its key is lost', async (t) => {
  const db = await testDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'loyalty-demo-'));
  t.after(() => rm(folder, { recursive: true }));

  const made = await findOrMakeDemo(db, folder);
  assert.deepEqual(await findOrMakeDemo(db, folder), made);

  // The state after somebody has deleted the file, and has moved the clock back.
  await rm(join(folder, 'demo.json'));
  await setClock(db, made!.commerceId, new Date(Date.now() - 86_400_000));
  const found = await findOrMakeDemo(db, folder);
  assert.deepEqual({ ...found, key: '' }, { ...made, key: '' });
  assert.equal((await findKey(db, found!.key))?.commerceId, made!.commerceId);
  assert.ok(Math.abs((await readCommerce(db, made!.commerceId))!.now.getTime() - Date.now()) < 60_000);
});

test('a demo that is killed while it is made is closed at the next start and made anew, in full', async (t) => {
  const db = await anotherDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'loyalty-demo-'));
  t.after(() => rm(folder, { recursive: true }));
  // Everything after this is never stored, as after a kill.
  const killed = new Error('killed');
  let weeks = 0;
  await assert.rejects(
    findOrMakeDemo(
      {
        ...db,
        query: (text, values) => {
          if (text.includes('set clock_offset =') && ++weeks > 12) throw killed;
          return db.query(text, values);
        },
      },
      folder,
    ),
    killed,
  );
  const short = await countPurchases(db);
  assert.ok(short > 100 && short < 500, String(short));

  const made = (await findOrMakeDemo(db, folder))!;
  assert.ok((await countPurchases(db, made.commerceId)) > 800);
  const { rows } = await sql<{ slug: string; status: string }>`
    select slug, status from commerces order by id`.execute(db);
  assert.deepEqual(rows, [
    { slug: `demo-${made.commerceId - 1}`, status: 'closed' },
    { slug: 'demo', status: 'active' },
  ]);
  assert.deepEqual(await findOrMakeDemo(db, folder), made);
});

test('processes that start together make one demo', async (t) => {
  const db = await anotherDatabase();
  const folders = await Promise.all([1, 2, 3].map(() => mkdtemp(join(tmpdir(), 'loyalty-demo-'))));
  t.after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))));
  const demos = await Promise.all(folders.map((folder) => findOrMakeDemo(db, folder)));
  assert.equal(new Set(demos.map((demo) => demo!.commerceId)).size, 1);
  const { rows } = await sql`select slug, status from commerces`.execute(db);
  assert.deepEqual(rows, [{ slug: 'demo', status: 'active' }]);
});

test('a commerce that somebody else calls demo is left alone', async (t) => {
  const db = await anotherDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'loyalty-demo-'));
  t.after(() => rm(folder, { recursive: true }));
  const text = await readFile(new URL('./demo-program.yaml', import.meta.url), 'utf8');
  const own = readProgram(text.replace('Harbour Bakery', 'My Bakery'));
  assert.ok(own.ok);
  const { commerceId } = await applyProgram(db, own.program);
  assert.equal(await findOrMakeDemo(db, folder), null);
  const { rows } = await sql`select id, slug, status from commerces`.execute(db);
  assert.deepEqual(rows, [{ id: commerceId, slug: 'demo', status: 'active' }]);
});

async function countPurchases(db: Database, commerceId: number | null = null): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) from movements
     where type = 'purchase' and (${commerceId}::bigint is null or commerce_id = ${commerceId})`.execute(db);
  return rows[0]!.count;
}

test('the demo is a bakery that one believes, and its first member has codes in every state', async (t) => {
  const db = await testDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'loyalty-demo-'));
  const app = await buildApp({ db, log: false, secret: SECRET });
  t.after(() => Promise.all([app.close(), rm(folder, { recursive: true })]));
  const demo = (await findOrMakeDemo(db, folder))!;
  const read = async <T>(url: string): Promise<T> => {
    const headers = { authorization: `Bearer ${demo.key}`, 'x-commerce-id': String(demo.commerceId) };
    const answer = await app.inject({ url, headers });
    assert.equal(answer.statusCode, 200, url);
    return answer.json<T>();
  };

  const { items } = await read<{ items: { username: string; email: string; code: number }[] }>(
    '/v1/clients/list?limit=100',
  );
  assert.deepEqual(
    items.map(({ username, email }) => [username, email]),
    demoPeople.map(({ name, address }) => [name, `${address}@example.com`]),
  );
  assert.equal(items[0]!.code, demo.clientCode);

  type Code = { used: boolean; due_date: string; benefit: { id: string; benefit_type: string } };
  const codes = await read<Code[]>(`/v1/clients/${demo.clientCode}/benefits`);
  const daysLeft = ({ due_date }: Code) => (Date.parse(due_date) - Date.now()) / 86_400_000;
  const unused = codes.filter(({ used }) => !used);
  assert.ok(codes.some(({ used }) => used));
  assert.ok(unused.some((code) => daysLeft(code) < 0));
  assert.ok(unused.some((code) => daysLeft(code) > 0 && daysLeft(code) < 3));
  assert.ok(unused.some((code) => daysLeft(code) > 20));
  assert.deepEqual(codes.map(({ benefit }) => benefit.benefit_type).toSorted(), [
    'birthday',
    'level',
    'normal',
    'normal',
    'normal',
  ]);

  const { points } = await read<{ points: number }>(`/v1/clients/${demo.clientCode}`);
  assert.ok(points >= 690 && points < 750, `nearly breakfast for two, not ${points}`);
  const program = await read<{ earning: { double_points: { is_open: boolean }[] } }>('/v1/public/program');
  assert.deepEqual(
    program.earning.double_points.map((window) => window.is_open),
    [true, false],
  );

  const { rows } = await sql<{ hour: number; amount: number }>`
    select extract(hour from at at time zone 'Europe/Lisbon')::integer as hour, amount
      from movements
     where commerce_id = ${demo.commerceId} and type = 'purchase'`.execute(db);
  assert.ok(rows.length > 800, String(rows.length));
  for (const { hour, amount } of rows)
    assert.ok(hour >= 6 && hour < 19 && amount >= 2 && amount <= 40, `${amount} at ${hour}`);
  // The console shows the balance after each of them.
  const blank = await sql`
    select from movements where commerce_id = ${demo.commerceId} and type = 'purchase' and balance_after is null`.execute(
    db,
  );
  assert.equal(blank.rows.length, 0);
  assert.deepEqual((await verifyLedger(db)).differences, []);
});

test('the demo in Spanish is the same shop, and all of its own texts are Spanish', async (t) => {
  const db = await anotherDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'loyalty-demo-'));
  t.after(() => rm(folder, { recursive: true }));
  const demo = (await findOrMakeDemo(db, folder, () => {}, 'es'))!;
  const { program } = (await readCommerce(db, demo.commerceId))!;
  assert.deepEqual([program.name, program.locale], ['Panadería del Puerto', 'es']);
  const [english, spanish] = await Promise.all(
    ['demo-program.yaml', 'demo-program.es.yaml'].map(async (name) => {
      const text = await readFile(new URL(name, import.meta.url), 'utf8');
      const read = readProgram(text);
      assert.ok(read.ok);
      return { text, program: read.program };
    }),
  );
  const figures = ({ program: { benefits, levels, rewards } }: NonNullable<typeof english>) => ({
    benefits: benefits.map(({ product, ...rest }) => ({
      ...rest,
      title: null,
      description: null,
      product: product && { ...product, name: null },
    })),
    ladder: levels.ladder.map((tier) => ({ ...tier, name: null })),
    rewards,
  });
  assert.deepEqual(figures(spanish!), figures(english!));
  // A text that both have was forgotten.
  const textsOf = ({ text }: { text: string }) =>
    [...text.matchAll(/(?:title|description|name|tagline|category_name): ([^,\n]+)/g)].map(
      ([, said]) => said!,
    );
  assert.deepEqual(
    textsOf(spanish!).filter((said) => textsOf(english!).includes(said)),
    [],
  );
  assert.deepEqual((await verifyLedger(db)).differences, []);
});
