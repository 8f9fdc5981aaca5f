/** The effect of the migration to tier ids on the rows of version 0.1.0, and on those that its processes write meanwhile. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { test, type TestContext } from 'node:test';
import * as fc from '#test/random.ts';
import { sql, type Database } from '#db/database.ts';
import { migrate } from '#db/migrate.ts';
import { slugOf } from '#program/tier-ids.ts';
import { open, testDatabase } from './database.ts';
import { dropDatabase } from './drop-database.ts';

test('tiers of stored programs keep their id under another name in their place, and in another place', async (t) => {
  const db = await databaseOfOld(t);
  await insertCommerce(db, 1, [
    [named('Bronze'), named('Silver'), named('Gold')],
    [named('Bronze'), named('Plata'), named('Gold')],
    [named('Plata'), named('Gold'), named('★')],
    [named('Gold'), named('Plata'), named('Bronze'), named('gold!')],
  ]);
  await migrate(db);
  assert.deepEqual(await ladders(db), [
    ['bronze', 'silver', 'gold'],
    ['bronze', 'silver', 'gold'],
    ['silver', 'gold', 'tier-3'],
    ['gold', 'silver', 'tier-3', 'tier-4'],
  ]);
});

test('members hold the tier that they were answered with, and codes know theirs', async (t) => {
  const db = await databaseOfOld(t);
  await insertCommerce(db, 1, [
    [named('Bronze', 'cup'), named('Silver', 'drink')],
    [named('Silver', 'drink'), named('Gold', 'dinner')],
  ]);
  await insertCommerce(db, 2, [[]]);
  const [first, second, above, none, stale] = [
    await insertMember(db, 1, 1),
    await insertMember(db, 1, 2),
    await insertMember(db, 1, 7),
    await insertMember(db, 1, null),
    await insertMember(db, 2, 2),
  ];
  await insertGift(db, second, '1', 'cup', '2027-01-01');
  await insertGift(db, second, '2', 'drink', '2027-01-02');
  // A tier that the program no longer says, and never said of this benefit.
  await insertGift(db, second, '9', 'dinner', '2027-01-03');
  await insertGift(db, first, '1', 'drink', '2027-01-03');
  await migrate(db);

  assert.deepEqual(await tiers(db), [
    [first, 'silver', 1],
    [second, 'gold', 2],
    [above, 'gold', 2],
    [none, null, null],
    [stale, null, null],
  ]);
  const { rows } = await sql`
    select member_id as member, benefit_id as benefit, tier_id as tier from vouchers order by member_id, issued_at`.execute(
    db,
  );
  assert.deepEqual(rows, [
    { member: first, benefit: 'drink', tier: 'silver' },
    { member: second, benefit: 'cup', tier: 'bronze' },
    { member: second, benefit: 'drink', tier: 'silver' },
    { member: second, benefit: 'dinner', tier: null },
  ]);
  assert.deepEqual(await noted(db, second), ['9', 'bronze', 'silver']);
  assert.deepEqual(await noted(db, first), ['silver']);
});

test('a benefit that version 0.1.0 had issued twice for a tier is noted once by its id, and stays noted twice', async (t) => {
  const db = await databaseOfOld(t);
  await insertCommerce(db, 1, [[named('Silver', 'drink')], [named('Bronze'), named('Silver', 'drink')]]);
  const member = await insertMember(db, 1, 2);
  await insertGift(db, member, '1', 'drink', '2027-01-01');
  await insertGift(db, member, '2', 'drink', '2027-01-02');
  await migrate(db);
  assert.deepEqual(await noted(db, member), ['2', 'silver']);
});

test('periods and climbs go on as they had begun', async (t) => {
  const db = await databaseOfOld(t);
  await insertCommerce(db, 1, [[named('Bronze'), named('Silver')]], 12);
  const usual = await insertMember(db, 1, 2, { reached: '2027-01-31T12:00:00Z', expires: '2028-01-31' });
  const drifted = await insertMember(db, 1, 2, { reached: '2027-01-31T12:00:00Z', expires: '2028-02-28' });
  const dated = await insertMember(db, 1, 2, { reached: '2027-01-15T12:00:00Z', expires: '2028-06-20' });
  const moved = await insertMember(db, 1, 1, { reached: '2027-06-30T21:59:59.999Z', expires: '2028-06-30' });
  await sql`update members set tier_climb_base_points = 30, tier_climb_base_amount = 30 where id = ${moved}`.execute(
    db,
  );
  for (const [points, at] of [
    [10, '2027-01-01'],
    [20, '2027-02-01'],
    [5, '2027-08-01'],
  ] as const)
    await sql`
      insert into movements (commerce_id, member_id, type, at, points, points_earned, amount)
      values (1, ${moved}, 'purchase', ${at}, ${points}, ${points}, ${points})`.execute(db);
  await migrate(db);
  const { rows } = await sql`
    select id, tier_period_from as "from", tier_climb_from as climb from members order by id`.execute(db);
  assert.deepEqual(rows, [
    { id: usual, from: null, climb: null },
    { id: drifted, from: null, climb: null },
    { id: dated, from: '2027-06-20', climb: null },
    { id: moved, from: null, climb: new Date('2027-02-01T00:00:00Z') },
  ]);
});

test('processes of version 0.1.0 and later ones see what the others write', async (t) => {
  const db = await databaseOfOld(t);
  await insertCommerce(db, 1, [[named('Bronze', 'cup'), named('Silver', 'drink'), named('Gold', 'dinner')]]);
  const member = await insertMember(db, 1, 1);
  await migrate(db);

  await sql`update members set tier_rank = 2, tier_reached_at = '2027-05-05' where id = ${member}`.execute(
    db,
  );
  assert.deepEqual(await tiers(db), [[member, 'silver', 2]]);
  await sql`update members set tier_id = 'gold' where id = ${member}`.execute(db);
  assert.deepEqual(await tiers(db), [[member, 'gold', 3]]);
  await sql`update members set points_earned = 7 where id = ${member}`.execute(db);
  assert.deepEqual(await tiers(db), [[member, 'gold', 3]]);
  await sql`update members set tier_rank = null where id = ${member}`.execute(db);
  assert.deepEqual(await tiers(db), [[member, null, null]]);

  assert.deepEqual(await claim(db, member, '2'), ['2']);
  assert.deepEqual(await claim(db, member, '2'), []);
  assert.deepEqual(await claim(db, member, 'silver'), []);
  await insertVoucher(db, member, 'drink', '2027-05-05');
  assert.deepEqual(await claim(db, member, 'gold'), ['gold']);
  assert.deepEqual(await claim(db, member, '3'), []);
  assert.deepEqual(await noted(db, member), ['gold', 'silver']);
  const { rows } = await sql`select tier_id as tier from vouchers`.execute(db);
  assert.deepEqual(rows, [{ tier: 'silver' }]);

  await insertVersion(db, 1, 2, [named('Zinc'), named('Bronze'), named('Silver')], null);
  assert.deepEqual((await ladders(db))[1], ['zinc', 'bronze', 'silver']);
});

test('the database makes the same id of a name as the program', async () => {
  const db = await testDatabase();
  const anyName = fc.oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 100 }),
    fc.string({ unit: fc.constantFrom(...Array.from('Ñáéß★ÅZİſKﬁ½-_. 9aZ')), minLength: 1, maxLength: 100 }),
  );
  const names = fc.sample(
    anyName.filter((name) => !name.includes('\0') && name.isWellFormed()),
    5_000,
  );
  const { rows } = await sql<{ slug: string }>`
    select tier_slug(name) as slug from unnest(${names}::text[]) with ordinality as n(name, place) order by place`.execute(
    db,
  );
  assert.deepEqual(
    rows.map(({ slug }) => slug),
    names.map(slugOf),
  );
});

interface OldTier {
  readonly name: string;
  readonly threshold: number;
  readonly benefit: string | null;
}

function named(name: string, benefit: string | null = null): OldTier {
  return { name, threshold: 0, benefit };
}

/** A database with the schema of version 0.1.0. */
async function databaseOfOld(t: TestContext): Promise<Database> {
  const name = `old_${process.pid}_${Math.random().toString(36).slice(2, 8)}`;
  const admin = open('postgres', 1);
  await sql`create database ${sql.id(name)}`.execute(admin);
  const db = open(name, 2);
  t.after(async () => {
    await db.destroy();
    await dropDatabase(admin, name);
    await admin.destroy();
  });
  const folder = new URL('../src/platform/db/migrations/', import.meta.url);
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql') && file < '0005').sort();
  await sql`create table schema_migrations (name varchar(255) primary key, timestamp varchar(255) not null)`.execute(
    db,
  );
  for (const file of files) {
    await sql.raw(await readFile(new URL(file, folder), 'utf8')).execute(db);
    await sql`insert into schema_migrations (name, timestamp) values (${file.slice(0, -4)}, now())`.execute(
      db,
    );
  }
  return db;
}

async function insertCommerce(
  db: Database,
  id: number,
  ladders: readonly (readonly OldTier[])[],
  validMonths: number | null = null,
): Promise<void> {
  await sql`
    insert into commerces (id, slug, status, sandbox, time_zone, program_version)
    values (${id}, ${`shop-${id}`}, 'active', false, 'Europe/Madrid', ${ladders.length})`.execute(db);
  for (const [i, ladder] of ladders.entries()) await insertVersion(db, id, i + 1, ladder, validMonths);
  for (const { benefit } of ladders.flat())
    if (benefit !== null)
      await sql`
        insert into benefits (commerce_id, id, position, benefit_type, type, title, description, cost, version)
        values (${id}, ${benefit}, 1, 'level', 'free_product', 'Gift', '', 0, 1) on conflict do nothing`.execute(
        db,
      );
}

async function insertVersion(
  db: Database,
  commerceId: number,
  version: number,
  ladder: readonly OldTier[],
  validMonths: number | null,
): Promise<void> {
  const program = { levels: { threshold_type: 'points', valid_months: validMonths, ladder } };
  await sql`
    insert into programs (commerce_id, version, program)
    values (${commerceId}, ${version}, ${JSON.stringify(program)}::jsonb)`.execute(db);
}

async function insertMember(
  db: Database,
  commerceId: number,
  rank: number | null,
  { reached = '2027-01-01T12:00:00Z', expires = null as string | null } = {},
): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    insert into members (commerce_id, state, email, tier_rank, tier_reached_at, tier_expires_on)
    values (${commerceId}, 'invited', ${`${Math.random()}@example.com`}, ${rank},
            case when ${rank}::integer is not null then ${reached}::timestamptz end, ${expires})
    returning id`.execute(db);
  return rows[0]!.id;
}

async function insertGift(
  db: Database,
  memberId: number,
  period: string,
  benefitId: string,
  at: string,
): Promise<void> {
  await sql`
    insert into rewards (commerce_id, member_id, event, period, given_at)
    values (1, ${memberId}, 'level', ${period}, ${at})`.execute(db);
  await insertVoucher(db, memberId, benefitId, at);
}

async function insertVoucher(db: Database, memberId: number, benefitId: string, at: string): Promise<void> {
  await sql`
    insert into vouchers (commerce_id, code, member_id, benefit_id, benefit, source, cost, issued_at)
    values (1, ${10_000_000_000_000 + Math.floor(Math.random() * 1e12)}, ${memberId}, ${benefitId}, '{}', 'level', 0, ${at})`.execute(
    db,
  );
}

/** As version 0.1.0 claims a reward: gives what was not noted before. */
async function claim(db: Database, memberId: number, period: string): Promise<string[]> {
  const { rows } = await sql<{ period: string }>`
    insert into rewards (commerce_id, member_id, event, period, given_at)
    values (1, ${memberId}, 'level', ${period}, '2027-05-05')
        on conflict do nothing
    returning period`.execute(db);
  return rows.map((row) => row.period);
}

async function noted(db: Database, memberId: number): Promise<string[]> {
  const { rows } = await sql<{ period: string }>`
    select period from rewards where member_id = ${memberId} order by period`.execute(db);
  return rows.map((row) => row.period);
}

async function tiers(db: Database): Promise<(readonly [number, string | null, number | null])[]> {
  const { rows } = await sql<{ id: number; tier: string | null; rank: number | null }>`
    select id, tier_id as tier, tier_rank as rank from members order by id`.execute(db);
  return rows.map(({ id, tier, rank }) => [id, tier, rank] as const);
}

async function ladders(db: Database): Promise<string[][]> {
  const { rows } = await sql<{ ids: string[] }>`
    select array(select t ->> 'id' from jsonb_array_elements(program #> '{levels,ladder}') with ordinality as l(t, place)
                  order by place) as ids
      from programs order by commerce_id, version`.execute(db);
  return rows.map((row) => row.ids);
}
