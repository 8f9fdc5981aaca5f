import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import * as fc from '#test/random.ts';
import { sql, type Database } from '#db/database.ts';
import { findMember } from '#members/lock-members.ts';
import { testDatabase } from '#test/database.ts';
import { benefit, makeShop, stampCard, type Shop } from '#test/make.ts';
import { importPurchases, type ImportOptions } from './import-purchases.ts';
import { independentParts } from './independent-parts.ts';
import type { PurchaseFields } from './read-purchase-row.ts';

let db: Database;
before(async () => {
  db = await testDatabase();
});

test('past purchases are recorded at their dates, oldest first, by the normal rules', async () => {
  const shop = await makeShop({
    time_zone: 'America/New_York',
    points_expiration: { mode: 'rolling', months: 12 },
    levels: {
      ladder: [
        { name: 'Bronze', threshold: 0 },
        { name: 'Gold', threshold: 100, points_multiplier: 2 },
      ],
    },
  });
  const ana = { client_email: 'Ana@example.com' };
  const result = await run(shop, [
    { ...ana, amount: '10', date: '2020-03-01', id_suc: '3', counter_id: '7' },
    { ...ana, amount: '100', date: '2020-01-31T23:30' },
    { ...ana, amount: '5', date: '2020-02-01T05:00:00+01:00' },
  ]);
  assert.deepEqual(result, {
    rows: 3,
    imported: 3,
    repeated: 0,
    refused: [],
    waiting: { buyers: 1, points: 0 },
    tiers: [{ name: 'Gold', members: 1 }],
    tierCodes: 0,
  });
  const { rows } = await sql`
    select at, amount, points, split, branch_id as branch, register_id as register
      from movements where commerce_id = ${shop.id} order by id`.execute(db);
  const none = { branch: null, register: null };
  assert.deepEqual(rows, [
    { at: new Date('2020-02-01T04:00Z'), amount: 5, points: 5, split: [['2021-01-31', false, 5]], ...none },
    {
      at: new Date('2020-02-01T04:30Z'),
      amount: 100,
      points: 100,
      split: [['2021-01-31', false, 100]],
      ...none,
    },
    {
      at: new Date('2020-03-01T05:00Z'),
      amount: 10,
      points: 20,
      split: [['2021-03-01', false, 20]],
      branch: 3,
      register: 7,
    },
  ]);
  const member = await findMember(db, { commerceId: shop.id, email: 'ana@example.com' });
  assert.deepEqual(
    [member?.state, member?.figures, member?.purchases],
    ['invited', { points: 125, amount: 115 }, 3],
  );
});

const everyday = [
  { client_email: 'a@example.com', amount: '10', date: '2021-05-01' },
  { client_email: 'a@example.com', amount: '10', date: '2021-05-01' },
  { client_email: 'a@example.com', amount: '10', date: '2021-05-01', external_id: 'A-1' },
  { client_email: 'b@example.com', amount: '7', date: '2021-04-01T10:00', external_id: 'B-1' },
];

test('a file imported again counts nothing twice, and two equal purchases are two', async () => {
  const shop = await makeShop();
  assert.deepEqual(await runCounts(shop, everyday), [4, 4, 0, []]);
  assert.deepEqual(await runCounts(shop, everyday), [4, 0, 4, []]);
  const more = [...everyday.toReversed(), everyday[0]!];
  assert.deepEqual(await runCounts(shop, more), [5, 1, 4, []]);
  assert.equal(await amountOf(shop), 47);
});

test('one external id is one purchase, and another purchase under it is refused by its line', async () => {
  const shop = await makeShop();
  const row = { client_email: 'a@example.com', amount: '10', date: '2021-05-01', external_id: 'A-1' };
  for (const dryRun of [true, false]) {
    assert.deepEqual(await runCounts(shop, [row, row, { ...row, amount: '11' }], { dryRun }), [
      3,
      1,
      1,
      [{ line: 4, reason: 'external_id: line 2 has the same id and is another purchase' }],
    ]);
  }
  const { refused } = await run(shop, [{ ...row, amount: '12' }]);
  assert.deepEqual(refused, [
    { line: 2, reason: 'external_id: a purchase with this id was recorded before, and it was another' },
  ]);
});

test('a repeated external id names the line of the purchase that was recorded, in another batch too', async () => {
  const shop = await makeShop();
  const row = { client_email: 'a@example.com', amount: '10', date: '2021-05-01' };
  const others = Array.from({ length: 600 }, () => ({ ...row, date: '2021-04-01' }));
  const { refused } = await run(shop, [
    { ...row, amount: '2', external_id: 'X', date: '2021-05-02' },
    ...others,
    { ...row, amount: '0', external_id: 'X', date: '2021-01-01' },
    { ...row, amount: '1', external_id: 'X', date: '2021-03-01' },
  ]);
  assert.deepEqual(
    refused.map(({ line, reason }) => [line, reason]),
    [
      [2, 'external_id: line 604 has the same id and is another purchase'],
      [603, 'the consumption could not be created: the amount must be above zero'],
    ],
  );
});

const LADDER = {
  levels: {
    ladder: [
      { name: 'Silver', threshold: 50, benefit: 'gift' },
      { name: 'Gold', threshold: 100, benefit: 'gift' },
    ],
  },
  benefits: [benefit('gift', { benefit_type: 'level', cost: 0 })],
};

test('an import and its dry run say how many points wait for people who are not members, and the effect on tiers', async () => {
  const shop = await makeShop(LADDER);
  const { code } = await shop.member();
  const date = '2021-05-01';
  const rows = [
    { client_code: String(code), amount: '60', date },
    { client_code: String(code), amount: '60', date: '2021-06-01' },
    { client_email: 'a@example.com', amount: '70', date },
    { client_email: 'b@example.com', amount: '7', date },
    { client_email: 'b@example.com', amount: '8', date },
    { client_email: 'c@example.com', amount: '0', date },
  ];
  for (const dryRun of [true, false]) {
    const { waiting, tiers, tierCodes } = await run(shop, rows, { dryRun });
    assert.deepEqual(waiting, { buyers: 2, points: 85 });
    assert.deepEqual(tiers, [
      { name: 'Silver', members: 1 },
      { name: 'Gold', members: 1 },
    ]);
    assert.equal(tierCodes, 2);
  }
  const again = await run(shop, rows);
  assert.deepEqual([again.waiting, again.tiers, again.tierCodes], [{ buyers: 2, points: 85 }, [], 0]);
});

test('points that cannot be spent yet are points that purchases earn, and that wait for people who are not members', async () => {
  for (const pending of [{ days: 14 }, { until: 'confirmed', cancel_after_days: 30 }]) {
    const clock = { sandbox: true, clock: '2027-03-01T10:00:00Z' };
    const shop = await makeShop({ ...clock, earning: { money_per_point: 1, pending } });
    const { code } = await shop.member();
    const date = '2027-03-01T09:00:00Z';
    const rows = [
      { client_code: String(code), amount: '60', date },
      { client_email: 'a@example.com', amount: '70', date },
      // These have waited long enough.
      { client_email: 'a@example.com', amount: '8', date: '2021-05-01' },
    ];
    const tried = await run(shop, rows, { dryRun: true });
    assert.equal((tried as typeof tried & { points: number }).points, 138);
    assert.deepEqual(tried.waiting, { buyers: 1, points: 78 });
    assert.deepEqual((await run(shop, rows)).waiting, { buyers: 1, points: 78 });
  }
});

test('the buyers of many batches are counted once each', async () => {
  const shop = await makeShop();
  const rows = Array.from({ length: 1_100 }, (_, i) => ({
    client_email: `p${i % 550}@example.com`,
    amount: '1',
    date: '2021-05-01',
  }));
  for (const dryRun of [true, false])
    assert.deepEqual((await run(shop, rows, { dryRun })).waiting, { buyers: 550, points: 1_100 });
});

test('a key from a shop never collides with a row of a file', async () => {
  const shop = await makeShop();
  const member = await shop.member();
  const key = { 'idempotency-key': 'id/A-1' };
  await shop.post('/v1/consumptions/client-code', { client_code: member.code, amount: 10 }, key);
  const row = { client_code: String(member.code), amount: '10', date: '2021-05-01', external_id: 'A-1' };
  assert.equal((await run(shop, [row])).imported, 1);
  assert.equal(await amountOf(shop), 20);
});

test('bad lines are reported by number and reason, the good ones are taken, and strangers get no row for a bad one', async () => {
  const shop = await makeShop({ earning: { money_per_point: 1, max_amount: 1000 } });
  const left = await shop.member();
  await sql`update members set state = 'left', left_at = now() where commerce_id = ${shop.id} and id = ${left.memberId}`.execute(
    db,
  );
  const good = { client_email: 'a@example.com', amount: '10', date: '2021-05-01' };
  const stranger = { ...good, client_email: 'nobody@example.com' };
  const tomorrow = new Date(Date.now() + 24 * 60 * 60 * 1000).toISOString();
  const result = await run(shop, [
    good,
    { ...stranger, amount: '0' },
    { ...stranger, amount: '1001' },
    { ...stranger, amount: '11.77' },
    { ...good, date: tomorrow },
    { ...good, date: '2021-02-30' },
    { ...good, date: '01/05/2021' },
    { ...good, client_email: 'a@b@c' },
    { ...good, client_code: '123456789' },
    { client_code: '123456789', amount: '10', date: '2021-05-01' },
    { client_code: String(left.code), amount: '10', date: '2021-05-01' },
    { ...good, counter_id: 'x' },
    { amount: '10', date: '2021-05-01' },
  ]);
  assert.deepEqual([result.rows, result.imported], [13, 1]);
  assert.deepEqual(
    result.refused.map(({ line, reason }) => `${line} ${reason}`),
    [
      '3 the consumption could not be created: the amount must be above zero',
      '4 the consumption could not be created: the amount is above 1000',
      '5 amount must be a whole number of currency units, such as 1750, not "11.77"',
      `6 date is in the future of the commerce's clock: "${tomorrow}"`,
      '7 date must be a day, a local time or an instant (2026-03-01, 2026-03-01T18:30, 2026-03-01T18:30:00Z), not "2021-02-30"',
      '8 date must be a day, a local time or an instant (2026-03-01, 2026-03-01T18:30, 2026-03-01T18:30:00Z), not "01/05/2021"',
      '9 client_email "a@b@c": The part after the @-sign is not valid. It should have a period.',
      '10 client_email and client_code are both given: leave one column out with --ignore',
      '11 the client does not exist',
      '12 the client exists but cannot have consumptions',
      '13 counter_id must be a whole number, not "x"',
      '14 client_email and client_code are missing',
    ],
  );
  const { rows } =
    await sql`select email from members where commerce_id = ${shop.id} and state = 'invited'`.execute(db);
  assert.deepEqual(rows, [{ email: 'a@example.com' }]);
});

test('an import sends no invitations unless requested', async () => {
  const shop = await makeShop();
  const mails = async () =>
    (await sql`select from outbox where commerce_id = ${shop.id}`.execute(db)).rows.length;
  await run(shop, everyday);
  assert.equal(await mails(), 0);
  await run(shop, [{ client_email: 'c@example.com', amount: '1', date: '2021-05-01' }], { invite: true });
  assert.equal(await mails(), 1);
});

test('importing any file, in any order, in parts and repeatedly, gives the sum of its good rows', async () => {
  const row = fc.record({
    client_email: fc.constantFrom('a@example.com', 'b@example.com', 'c@example.com'),
    amount: fc.integer({ min: -1, max: 5 }).map(String),
    date: fc.constantFrom('2021-01-01', '2021-01-02T10:00', '2021-01-02T10:00Z', '2021-01-03'),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(row, { maxLength: 12 }), async (rows) => {
      const shop = await makeShop({ points_expiration: { mode: 'accumulated', months: 6 } });
      await run(shop, rows);
      await run(shop, rows.slice(rows.length / 2));
      await run(shop, rows.toReversed());
      const good = rows.map(({ amount }) => Number(amount)).filter((amount) => amount > 0);
      assert.equal(
        await amountOf(shop),
        good.reduce((sum, amount) => sum + amount, 0),
      );
    }),
    { numRuns: 25 },
  );
});

test('a dry run tells what an import would do and stores nothing', async () => {
  const row = fc.record({
    buyer: fc.constantFrom('a@example.com', 'b@example.com', 'member by address', 'member by code'),
    amount: fc.integer({ min: 0, max: 60 }).map(String),
    date: fc.constantFrom('2021-01-01', '2021-01-02T10:00', '2021-01-02T10:00Z', '2021-01-03', 'never'),
    external_id: fc.constantFrom('', '', 'X-1', 'X-2'),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(row, { maxLength: 15 }), async (drawn) => {
      const shop = await makeShop({
        levels: {
          ladder: [
            { name: 'Bronze', threshold: 0 },
            { name: 'Gold', threshold: 50, points_multiplier: 2 },
          ],
        },
      });
      const { code, memberId } = await shop.member();
      const member = await findMember(db, { commerceId: shop.id, id: memberId });
      const rows = drawn.map(({ buyer, ...rest }): PurchaseFields => {
        if (buyer === 'member by code') return { ...rest, client_code: String(code) };
        return { ...rest, client_email: buyer === 'member by address' ? member!.email! : buyer };
      });
      const before = await countAll(shop);
      const tried = await run(shop, rows, { dryRun: true, invite: true });
      assert.deepEqual(await countAll(shop), before);
      const { points, ...counts } = tried as typeof tried & { points: number };
      assert.deepEqual(counts, await run(shop, rows));
      assert.equal(points, (await countAll(shop)).points);
    }),
    { numRuns: 30 },
  );
});

test('a part of a dry run holds all rows that depend on each other, and few others', () => {
  const row = (buyer: string, externalId: string | null = null) => ({ buyer, externalId });
  const rows = [
    row('a'),
    row('b', 'x'),
    row('c'),
    row('a', 'y'),
    row('d', 'x'),
    row('e', 'y'),
    row('f', 'x'),
  ];
  const parts = [...independentParts(rows, ({ buyer }) => buyer, 2)];
  assert.deepEqual(
    parts.map((part) => part.map(({ buyer }) => buyer).join('')),
    ['aae', 'bdf', 'c'],
  );
  const alone = Array.from({ length: 5 }, (_, index) => row(String(index)));
  assert.deepEqual(
    [...independentParts(alone, ({ buyer }) => buyer, 2)].map(({ length }) => length),
    [2, 2, 1],
  );
});

/** Counts what an import may change. */
async function countAll(shop: Shop) {
  const { rows } = await sql<{ points: number }>`
    select count(*)::int as movements,
           coalesce(sum(points), 0)::int as points,
           (select count(*)::int from members where commerce_id = ${shop.id}) as members,
           (select count(*)::int from outbox where commerce_id = ${shop.id}) as mails,
           (select count(*)::int from idempotency_keys where commerce_id = ${shop.id}) as keys
      from movements where commerce_id = ${shop.id}`.execute(db);
  return rows[0]!;
}

/** Imports rows as if from a file: the header is line 1. */
async function run(shop: Shop, rows: readonly PurchaseFields[], options?: ImportOptions) {
  const lines = (async function* () {
    for (const [i, fields] of rows.entries()) yield { line: i + 2, fields };
  })();
  return importPurchases(db, shop.id, lines, options);
}

async function runCounts(shop: Shop, rows: readonly PurchaseFields[], options?: ImportOptions) {
  const result = await run(shop, rows, options);
  return [result.rows, result.imported, result.repeated, result.refused];
}

async function amountOf(shop: Shop): Promise<number> {
  const { rows } = await sql<{ amount: number }>`
    select coalesce(sum(amount), 0)::bigint as amount from movements where commerce_id = ${shop.id}`.execute(
    db,
  );
  return rows[0]!.amount;
}

test('lines and a channel of a row earn by rules, stamp, are kept, and are part of what recognises the row', async () => {
  const shop = await makeShop({
    sandbox: true,
    earning: {
      money_per_point: 1,
      exclude: { categories: ['tobacco'] },
      rules: [
        { id: 'coffee', title: 'Double on coffee', when: { categories: ['coffee'] }, give: { multiply: 2 } },
        { id: 'web', title: 'On the web', when: { channels: ['web'] }, give: { points: 3 } },
      ],
    },
    benefits: [benefit('loaf', { on_sale: false })],
    stamps: [stampCard('loaves', 'loaf', { per: 'unit', need: 10, when: { products: ['loaf'] } })],
  });
  const row = { client_email: 'eva@example.com', date: '2026-03-02', amount: '17' };
  const lines = (...entries: object[]) =>
    JSON.stringify(entries.map((entry, at) => ({ id: `${at}`, ...entry })));
  const breakfast = lines(
    { categories: ['coffee'], amount: 7, units: 2 },
    { product: 'loaf', units: 3, amount: 6, discounted: false },
    { categories: ['tobacco'], amount: 4 },
  );
  const rows = [
    { ...row, lines: breakfast },
    { ...row, lines: breakfast, channel: 'web', external_id: 'A-1' },
    row,
  ];
  const tried = await run(shop, rows, { dryRun: true });
  assert.deepEqual([tried.imported, 'points' in tried && tried.points], [3, 20 + 23 + 17]);
  const { imported, refused } = await run(shop, rows);
  assert.deepEqual([imported, refused], [3, []]);
  const { rows: stored } = await sql`
    select m.points, l.lines
      from movements m
      left join purchase_lines l on l.commerce_id = m.commerce_id and l.purchase_id = m.id
     where m.commerce_id = ${shop.id}
     order by m.id`.execute(db);
  const kept = [
    { id: '0', categories: ['coffee'], units: 2, amount: 7 },
    { id: '1', product: 'loaf', units: 3, amount: 6 },
    { id: '2', categories: ['tobacco'], amount: 4 },
  ];
  assert.deepEqual(stored, [
    { points: 20, lines: kept },
    { points: 23, lines: kept },
    { points: 17, lines: null },
  ]);
  const { rows: cards } = await sql`select have from stamp_cards where commerce_id = ${shop.id}`.execute(db);
  assert.deepEqual(cards, [{ have: 6 }]);
  // Written in another way, it is the same; with other lines, it is another purchase.
  const again = await run(shop, [
    { ...row, lines: breakfast.replaceAll(',', ' , ') },
    { ...row, lines: lines({ amount: 17 }) },
  ]);
  assert.deepEqual([again.repeated, again.imported], [1, 1]);
});

test('wrong lines are refused by their row, with the reason', async () => {
  const shop = await makeShop();
  const wrong: readonly (readonly [string, RegExp])[] = [
    ['loaf', /^lines must be JSON/],
    ['{"id":"1","amount":5}', /^lines must be a list/],
    ['[5]', /^lines: entry 1 must be an object/],
    ['[{"amount":5}]', /^lines: entry 1 needs an id/],
    ['[{"id":"1","amount":5.5}]', /^lines: entry 1 needs an amount in whole currency units/],
    ['[{"id":"1","amount":5,"units":0}]', /^lines: entry 1 has units/],
    ['[{"id":"1","amount":5,"unit":1}]', /^lines: entry 1 has "unit", which is no field of a line/],
    ['[{"id":"1","amount":5,"categories":"bread"}]', /^lines: entry 1 has categories/],
    ['[{"id":"1","amount":2},{"id":"1","amount":3}]', /^lines: each entry needs an id of its own/],
    ['[{"id":"1","amount":4}]', /^lines: the amounts are 4 together, and amount is 5/],
    [
      JSON.stringify(Array.from({ length: 101 }, (_, id) => ({ id: `${id}`, amount: 0 }))),
      /^lines has 101 entries/,
    ],
  ];
  const row = { client_email: 'eva@example.com', date: '2026-03-02', amount: '5' };
  const { imported, refused } = await run(shop, [
    ...wrong.map(([lines]) => ({ ...row, lines })),
    { ...row, channel: 'x'.repeat(65) },
    row,
  ]);
  assert.equal(imported, 1);
  for (const [i, [, reason]] of wrong.entries()) assert.match(refused[i]!.reason, reason);
  assert.match(refused.at(-1)!.reason, /^channel must be/);
});
