import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { sql, transaction, type Database } from '#db/database.ts';
import { findMember } from '#members/lock-members.ts';
import { assertBooksAgree } from '#test/books.ts';
import { testDatabase } from '#test/database.ts';
import { benefit, makeShop, type Shop } from '#test/make.ts';
import { enrolMember } from './enrol-member.ts';
import { importMembers, type ImportOptions } from './import-members.ts';
import type { MemberFields } from './read-member-row.ts';

let db: Database;
before(async () => {
  db = await testDatabase();
});

const LADDER = {
  levels: {
    ladder: [
      { name: 'Bronze', threshold: 0 },
      { name: 'Silver', threshold: 100, benefit: 'gift' },
    ],
  },
  benefits: [benefit('gift', { benefit_type: 'level', cost: 0 })],
};

test('imported people are members with their details, their place in the list and their opening balance', async () => {
  const shop = await makeShop();
  const result = await run(shop, [
    {
      email: 'Ana@example.com',
      username: 'Ana',
      birth_date: '1990-05-17',
      phone: '+5491122334455',
      points: '120',
    },
    { email: 'bo@example.com' },
  ]);
  assert.deepEqual(result, {
    rows: 2,
    imported: 2,
    existing: 0,
    refused: [],
    warnings: [],
    unchanged: { members: 0, lines: [] },
    onTop: { members: 0, points: 0, lines: [] },
    tiers: [],
    tierCodes: 0,
  });
  const ana = await findMember(db, { commerceId: shop.id, email: 'ana@example.com' });
  assert.deepEqual(
    [ana?.state, ana?.username, ana?.birthDate, ana?.phone, ana?.figures],
    ['member', 'Ana', '1990-05-17', '+5491122334455', { points: 120, amount: 0 }],
  );
  assert.deepEqual((await shop.get('/v1/clients/list')).body, {
    items: [
      { code: ana?.code, username: 'Ana', email: 'ana@example.com', points: 120 },
      {
        code: (await findMember(db, { commerceId: shop.id, email: 'bo@example.com' }))?.code,
        username: 'bo',
        email: 'bo@example.com',
        points: 0,
      },
    ],
    total: 2,
    limit: 20,
    offset: 0,
  });
  assert.deepEqual(await movementsOf(shop), [
    { type: 'adjustment', points: 120, earned: 120, event: null, note: { of: 'opening' } },
  ]);
  await assertBooksAgree(db, shop.id);
});

test('importing the same file again, or a longer one, changes nobody who was imported before', async () => {
  const shop = await makeShop(LADDER);
  const file = [
    { email: 'a@example.com', points: '150' },
    { email: 'b@example.com', points: '7' },
  ];
  await run(shop, file);
  const again = await run(shop, [...file, { email: 'c@example.com', points: '1' }]);
  assert.deepEqual([again.imported, again.existing], [1, 2]);
  assert.equal((await movementsOf(shop)).length, 3);
  assert.equal(await count(shop, 'vouchers'), 1);
  await assertBooksAgree(db, shop.id);
});

test('twenty concurrent imports of one file import each person once', async () => {
  const shop = await makeShop(LADDER);
  const file = Array.from({ length: 40 }, (_, i) => ({
    email: `p${(i * 17) % 40}@example.com`,
    points: '100',
  }));
  const results = await Promise.all(Array.from({ length: 20 }, () => run(shop, file)));
  assert.equal(
    results.reduce((sum, { imported }) => sum + imported, 0),
    40,
  );
  assert.equal((await movementsOf(shop)).length, 40);
  assert.equal(await count(shop, 'vouchers'), 40);
  await assertBooksAgree(db, shop.id);
});

test('an opening balance reaches tiers, and their benefits are given', async () => {
  const shop = await makeShop(LADDER);
  await run(shop, [
    { email: 'low@example.com', points: '99' },
    { email: 'high@example.com', points: '100' },
  ]);
  const tierOf = async (name: string) =>
    (await findMember(db, { commerceId: shop.id, email: `${name}@example.com` }))?.standing.tierId;
  assert.deepEqual([await tierOf('low'), await tierOf('high')], ['bronze', 'silver']);
  assert.equal(await count(shop, 'vouchers'), 1);
});

test('an opening balance expires as the program says for rewards', async () => {
  const shop = await makeShop({ points_expiration: { mode: 'rolling', months: 12 } });
  await run(shop, [{ email: 'a@example.com', points: '5' }]);
  const { rows } = await sql<{ right: boolean }>`
    select expires_on = ((program_now(c.clock_offset) at time zone c.time_zone)::date + interval '12 months')::date as right
      from balances b join commerces c on c.id = b.commerce_id
     where b.commerce_id = ${shop.id}`.execute(db);
  assert.deepEqual(rows, [{ right: true }]);
});

test('points that were waiting for an address become the imported member’s own', async () => {
  const shop = await makeShop(LADDER);
  await shop.post('/v1/consumptions/email', { client_email: 'w@example.com', amount: 60 });
  await run(shop, [{ email: 'w@example.com', points: '40' }]);
  const member = await findMember(db, { commerceId: shop.id, email: 'w@example.com' });
  assert.deepEqual([member?.state, member?.figures.points], ['member', 100]);
  assert.equal(member?.standing.tierId, 'silver');
  await assertBooksAgree(db, shop.id);
});

test('people who joined and left on their own are not changed', async () => {
  const shop = await makeShop();
  const member = await shop.member('gone');
  await sql`update members set state = 'left', left_at = now() where commerce_id = ${shop.id}`.execute(db);
  const result = await run(shop, [{ email: member.email, points: '10', username: 'Other' }]);
  assert.deepEqual([result.imported, result.existing], [0, 1]);
  const after = await findMember(db, { commerceId: shop.id, email: member.email });
  assert.deepEqual([after?.state, after?.username, after?.figures.points], ['left', 'gone', 0]);
});

test('the welcome reward is given only if it is asked for, and never later', async () => {
  const shop = await makeShop({ rewards: { welcome: { points: 50 } } });
  await run(shop, [{ email: 'without@example.com' }]);
  assert.deepEqual(await movementsOf(shop), []);
  await run(shop, [{ email: 'with@example.com', points: '5' }], { welcome: true });
  assert.deepEqual(
    (await movementsOf(shop)).map(({ type, points, event }) => [type, points, event]),
    [
      ['adjustment', 5, null],
      ['reward', 50, 'welcome'],
    ],
  );
  const later = await transaction(db, (tx) => enrolMember(tx, shop.id, 'without@example.com'));
  assert.deepEqual([later.joined, later.welcomePoints], [false, null]);
  await assertBooksAgree(db, shop.id);
});

test('invalid rows are reported with their line numbers, and the others are imported', async () => {
  const shop = await makeShop();
  const result = await run(shop, [
    { email: 'a@example.com' },
    { email: 'nobody' },
    { email: 'A@Example.com', points: '9' },
    { email: 'b@example.com', points: 'many' },
    { email: 'b@example.com', points: '3' },
  ]);
  assert.deepEqual([result.rows, result.imported, result.existing], [5, 2, 0]);
  assert.deepEqual(
    result.refused.map(({ line, reason }) => [line, reason.slice(0, 20)]),
    [
      [3, 'email "nobody": An e'],
      [4, 'email: line 2 has th'],
      [5, 'points must be a who'],
    ],
  );
});

test('a dry run tells what an import would do and stores nothing', async () => {
  const shop = await makeShop({ ...LADDER, rewards: { welcome: { points: 5 } } });
  const rows = [
    { email: 'a@example.com', points: '120' },
    { email: 'b@example.com' },
    { email: 'a@example.com', points: '1' },
    { email: 'nobody' },
  ];
  const tried = await run(shop, rows, { dryRun: true, welcome: true });
  const { rows: stored } = await sql`
    select 1 from members where commerce_id = ${shop.id}
     union all
    select 1 from movements where commerce_id = ${shop.id}`.execute(db);
  assert.deepEqual(stored, []);
  const { points, ...counts } = tried as typeof tried & { points: number };
  assert.equal(points, 120);
  assert.deepEqual(counts, await run(shop, rows, { welcome: true }));
  assert.deepEqual([counts.imported, counts.refused.length], [2, 2]);
});

test('a field that cannot be used is left out with a warning, and the member is imported with the points', async () => {
  const shop = await makeShop();
  const rows = [{ email: 'a@example.com', phone: '0151 1', birth_date: '3.4.1990', points: '7' }];
  const { imported, refused, warnings } = await run(shop, rows);
  assert.deepEqual([imported, refused], [1, []]);
  assert.deepEqual(
    warnings.map(({ line, reason }) => [line, reason.split(' left out')[0]]),
    [
      [2, 'birth_date "3.4.1990"'],
      [2, 'phone "0151 1"'],
    ],
  );
  const member = await findMember(db, { commerceId: shop.id, email: 'a@example.com' });
  assert.deepEqual([member?.figures.points, member?.phone, member?.birthDate], [7, null, null]);
  assert.deepEqual((await run(shop, rows)).warnings, []);
});

test('existing members with another balance in the file are named by line, and a file without points names none', async () => {
  const shop = await makeShop();
  await run(shop, [
    { email: 'a@example.com', points: '10' },
    { email: 'b@example.com', points: '20' },
  ]);
  const evening = [
    { email: 'a@example.com', points: '10' },
    { email: 'b@example.com', points: '25' },
    { email: 'c@example.com', points: '1' },
  ];
  for (const dryRun of [true, false]) {
    const { existing, unchanged } = await run(shop, evening, { dryRun });
    assert.deepEqual(
      [existing, unchanged],
      [2, { members: 1, lines: [{ line: 3, balance: 20, inFile: 25 }] }],
    );
  }
  assert.equal((await run(shop, [{ email: 'b@example.com' }])).unchanged.members, 0);
  assert.equal((await run(shop, [{ email: 'b@example.com', points: '0' }])).unchanged.members, 1);
});

test('the list of members with another balance is bounded, and its count is not', async () => {
  const shop = await makeShop();
  const people = (points: string) =>
    Array.from({ length: 120 }, (_, i) => ({ email: `p${i}@example.com`, points }));
  await run(shop, people('1'));
  const { unchanged } = await run(shop, people('2'));
  assert.deepEqual([unchanged.members, unchanged.lines.length], [120, 100]);
});

test('an import says where its points come on top of points that were waiting', async () => {
  const shop = await makeShop();
  for (const name of ['w', 'x', 'y'])
    await shop.post('/v1/consumptions/email', { client_email: `${name}@example.com`, amount: 60 });
  const rows = [
    { email: 'new@example.com', points: '5' },
    { email: 'w@example.com', points: '40' },
    { email: 'x@example.com' },
    { email: 'y@example.com', points: '1' },
  ];
  for (const dryRun of [true, false]) {
    const { onTop } = await run(shop, rows, { dryRun });
    assert.deepEqual(onTop, {
      members: 2,
      points: 120,
      lines: [
        { line: 3, waiting: 60, inFile: 40 },
        { line: 5, waiting: 60, inFile: 1 },
      ],
    });
  }
});

test('an import and its dry run count the members by tier and the codes that tiers give', async () => {
  const shop = await makeShop(LADDER);
  const file = Array.from({ length: 600 }, (_, i) => ({
    email: `p${i}@example.com`,
    points: i < 550 ? '150' : '3',
  }));
  for (const dryRun of [true, false]) {
    const { tiers, tierCodes } = await run(shop, file, { dryRun });
    assert.deepEqual(tiers, [
      { name: 'Bronze', members: 50 },
      { name: 'Silver', members: 550 },
    ]);
    assert.equal(tierCodes, 550);
  }
  assert.equal(await count(shop, 'vouchers'), 550);
});

test('a tier whose benefit is added after the import gives no codes to the members who were imported into it', async () => {
  const [bronze, silver] = LADDER.levels.ladder;
  const shop = await makeShop({ levels: { ladder: [bronze!, { ...silver!, benefit: null }] } });
  const before = await run(shop, [{ email: 'a@example.com', points: '150' }]);
  assert.deepEqual([before.tiers, before.tierCodes], [[{ name: 'Silver', members: 1 }], 0]);
  await shop.apply(LADDER);
  assert.equal(await count(shop, 'vouchers'), 0);
  assert.equal((await run(shop, [{ email: 'b@example.com', points: '150' }])).tierCodes, 1);
});

test('a file of many batches keeps its order in the list of clients', async () => {
  const shop = await makeShop();
  const file = Array.from({ length: 1_203 }, (_, i) => ({ email: `n${(i * 571) % 1_203}@example.com` }));
  const rows: number[] = [];
  const result = await run(shop, file, { onProgress: (n) => rows.push(n) });
  assert.equal(result.imported, 1_203);
  assert.deepEqual(rows, [500, 1_000, 1_203]);
  const { rows: listed } = await sql<{ email: string }>`
    select email from members where commerce_id = ${shop.id} order by ordinal`.execute(db);
  assert.deepEqual(listed, file);
});

function run(shop: Shop, people: readonly MemberFields[], options: ImportOptions = {}) {
  return importMembers(db, shop.id, linesOf(people), options);
}

async function* linesOf(people: readonly MemberFields[]) {
  for (const [i, fields] of people.entries()) yield { line: i + 2, fields };
}

async function movementsOf(shop: Shop) {
  const { rows } = await sql<{
    type: string;
    points: number;
    earned: number;
    event: string | null;
    note: object | null;
  }>`
    select type, points, points_earned as earned, event, snapshot -> 'note' as note
      from movements where commerce_id = ${shop.id} order by id`.execute(db);
  return rows;
}

async function count(shop: Shop, table: 'vouchers'): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) from ${sql.id(table)} where commerce_id = ${shop.id}`.execute(db);
  return rows[0]!.count;
}
