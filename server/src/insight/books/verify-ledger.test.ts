import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDatabase, sql, transaction, type Database, type Db, type Tx } from '#db/database.ts';
import { adjustPoints } from '#corrections/adjust-points.ts';
import { earlier } from '#test/earlier.ts';
import { exchangeBenefit } from '#test/exchange-benefit.ts';
import { redeemVoucher } from '#vouchers/redeem-voucher.ts';
import { expectTampering } from '#test/database.ts';
import { service } from '#test/harness.ts';
import { storeFlatFactors } from '#test/release-01.ts';
import { benefit, makeShop, type MadeMember, type Shop } from '#test/make.ts';
import { pinFromCommandLine } from '#test/staff.ts';
import { onOneServer } from '#test/on-cluster.ts';
import { verifyLedger, type Difference } from './verify-ledger.ts';

test('books that only the service wrote have no differences', async () => {
  const { db } = await service();
  const { shop } = await shopWithHistory();
  const verified = await verifyLedger(db, { commerceIds: [shop.id] });
  const { checked, ...counted } = verified;
  assert.deepEqual(counted, { commerces: 1, members: 2, movements: 8, unsealed: 8, differences: [] });
  assert.deepEqual(
    checked.map(({ commerceId, differences }) => [commerceId, differences]),
    [[shop.id, 0]],
  );
});

const EARLY = 'points are written off once they have expired';
const REWARDED = 'points of a reward are good until the day that its program gives';

/** Each change of an adjustment by 40 points whose day was set by hand, and the invariant that it breaks. */
const adjustments: [what: string, statement: ReturnType<typeof sql>, invariant: string][] = [
  ['the points earned', sql`points_earned = 39`, 'a movement changes only what its type may'],
  [
    'the day set by hand',
    sql`snapshot = snapshot || '{"expiresOn": "2098-01-01"}'`,
    'points of an adjustment are good until the day that its program or staff gave',
  ],
  [
    'the note that there was a day',
    sql`snapshot = snapshot - 'expiresOn'`,
    'points of an adjustment are good until the day that its program or staff gave',
  ],
  ['the balance after it', sql`balance_after = 41`, 'the balance that a shop was told was right'],
  ['its type', sql`type = 'reward'`, 'an idempotency key points at what its call made'],
];
for (const [what, change, invariant] of adjustments) {
  test(`an adjustment is named after a change of ${what}`, async () => {
    const { db } = await service();
    const shop = await makeShop({ points_expiration: { mode: 'rolling', months: 6 } });
    const { memberId } = await shop.member();
    const request = { key: 'k', path: {}, body: {} };
    const { answer } = await transaction(db, (tx) =>
      adjustPoints(tx, {
        commerceId: shop.id,
        memberId,
        points: 40,
        reason: 'A test',
        expiresOn: '2099-01-01',
        request,
      }),
    );
    assert.deepEqual(await differencesOf(db, shop), []);
    await tamper(db, shop, (tx) =>
      sql`update movements set ${change} where commerce_id = ${shop.id} and id = ${answer.adjustmentId}`.execute(
        tx,
      ),
    );
    const differences = await differencesOf(db, shop);
    assert.ok(
      differences.some((one) => one.invariant === invariant && one.movement === answer.adjustmentId),
      JSON.stringify(differences),
    );
  });
}

/** A change that somebody made to 100 points that are valid for 12 months, with all sums made right, and the invariant that it breaks. */
const wrongDays: [
  what: string,
  type: string,
  at: string,
  points: number,
  split: string,
  invariant: string,
][] = [
  ['written off too early', 'expiry', 'now()', -100, '[[D, false, -100]]', EARLY],
  ['written off in the future', 'expiry', "now() + interval '13 months'", -100, '[[D, false, -100]]', EARLY],
  [
    'moved to a day far away',
    'redate',
    'now()',
    0,
    '[[D, false, -100], ["2999-01-01", false, 100]]',
    'a change of the program moves points to the day that it gives',
  ],
  [
    'made valid for ever',
    'redate',
    'now()',
    0,
    '[[D, false, -100], ["infinity", false, 100]]',
    'a change of the program moves points to the day that it gives',
  ],
  [
    'moved to an earlier day',
    'redate',
    'now()',
    0,
    '[[D, false, -100], [E, false, 100]]',
    'a change of the program lets no points expire sooner',
  ],
  ['given until a day far away', 'reward', 'now()', 7, '[["2998-01-01", false, 7]]', REWARDED],
  ['given for ever', 'reward', 'now()', 7, '[["infinity", false, 7]]', REWARDED],
  [
    'given back until a day far away',
    'give_back',
    'now()',
    7,
    '[["2998-01-01", false, 7]]',
    'points given back are good until a day that they may come back to',
  ],
  [
    'given by a return',
    'reversal',
    'now()',
    7,
    '[["2998-01-01", false, 7]]',
    'a return moves points only to the day that its program gives',
  ],
];
for (const [what, type, at, points, split, invariant] of wrongDays) {
  test(`points that were ${what} are named, though all sums agree`, async () => {
    const { db } = await service();
    const shop = await makeShop({ points_expiration: { mode: 'rolling', months: 12 } });
    const member = await shop.member();
    await shop.sell(member, 100);
    assert.deepEqual(await differencesOf(db, shop), []);
    expectTampering(shop.id);
    const { rows } = await sql<{ id: number }>`
      with held as (select * from balances where commerce_id = ${shop.id} and member_id = ${member.memberId})
      insert into movements (commerce_id, member_id, type, reverses_id, at, points, points_earned, split, snapshot)
      select commerce_id, member_id, ${type},
             case when ${type} = 'reversal' then (select min(id) from movements where commerce_id = ${shop.id}) end, ${sql.raw(at)}, ${points}::bigint,
             case when ${type} in ('reward', 'reversal') then ${points}::bigint else 0 end,
             replace(replace(${split}, 'D', to_jsonb(expires_on)::text), 'E', to_jsonb(expires_on - 1)::text)::jsonb,
             '{"rule": 1, "version": 1}'
        from held
      returning id`.execute(db);
    await sql`
      update members set points_earned = (select sum(points_earned) from movements where commerce_id = ${shop.id})
       where commerce_id = ${shop.id} and id = ${member.memberId}`.execute(db);
    await sql`delete from balances where commerce_id = ${shop.id}`.execute(db);
    await sql`
      insert into balances (commerce_id, member_id, expires_on, moving, points)
      select commerce_id, member_id, (lot ->> 0)::date, (lot ->> 1)::boolean, sum((lot ->> 2)::bigint)
        from movements, jsonb_array_elements(split) as lot
       where commerce_id = ${shop.id}
       group by 1, 2, 3, 4 having sum((lot ->> 2)::bigint) <> 0`.execute(db);
    const differences = await differencesOf(db, shop);
    assert.ok(
      differences.some((one) => one.invariant === invariant && one.movement === rows[0]!.id),
      JSON.stringify(differences),
    );
  });
}

test('a pin over a tier that the program does not have is found', async () => {
  const { db } = await service();
  const shop = await makeShop({
    levels: { ladder: [{ name: 'Gold', threshold: 100, points_multiplier: 1 }] },
  });
  const { memberId } = await shop.member();
  await pinFromCommandLine(db, { commerceId: shop.id, memberId, tierId: 'gold', reason: 'A test' });
  assert.deepEqual(await differencesOf(db, shop), []);
  expectTampering(shop.id);
  await sql`update members set tier_beneath = 'silver' where commerce_id = ${shop.id}`.execute(db);
  assert.deepEqual((await differencesOf(db, shop)).map(({ says }) => says).sort(), [
    'holds silver beneath a pin, but 0 points earned and 0 spent, with the pins, give gold at most',
    'holds silver, which is not a tier of the program',
  ]);
});

/** Each change, and the update that makes it. */
const alterations: [name: string, statement: ReturnType<typeof sql>][] = [
  ['points', sql`points = points + 5`],
  ['points earned', sql`points_earned = points_earned + 5`],
  ['an amount', sql`amount = amount + 5`],
  ['the days', sql`split = '[["infinity", false, 1000]]'`],
  [
    'points, figures and days together',
    sql`points = 95, points_earned = 95, split = '[["infinity", false, 95]]'`,
  ],
  ['what a factor said', sql`snapshot = jsonb_set(snapshot, '{factors, 0, 2}', '2000')`],
  [
    'what a factor said, and the points by it',
    sql`snapshot = jsonb_set(snapshot, '{factors}', '[["money", 50, 2000]]'), points = 50, points_earned = 50, split = '[["infinity", false, 50]]'`,
  ],
  ['the figure after a factor', sql`snapshot = jsonb_set(snapshot, '{factors, 0, 1}', '99')`],
  [
    'the number of factors, by one more',
    sql`snapshot = jsonb_set(snapshot, '{factors, 1}', '["double", 200]')`,
  ],
  ['the kind of a factor', sql`snapshot = jsonb_set(snapshot, '{factors, 0, 0}', '"luck"')`],
  ['the list of factors', sql`snapshot = snapshot - 'factors'`],
  ['the version of the program', sql`snapshot = snapshot || '{"rule": 7}'`],
  ['the number of purchases', sql`purchases = 0`],
];
for (const [what, change] of alterations) {
  test(`a movement is named after a change of ${what}`, async () => {
    const { db } = await service();
    const { shop, member } = await shopWithHistory();
    const id = await idOf(db, shop, member, 'purchase');
    await tamper(db, shop, (tx) =>
      sql`update movements set ${change} where commerce_id = ${shop.id} and id = ${id}`.execute(tx),
    );
    const differences = await differencesOf(db, shop);
    assert.ok(
      differences.some((difference) => difference.movement === id && difference.member === member.code),
    );
  });
}

/** The inputs of a purchase's computation, as release 0.1 stored them. */
const flatAlterations: typeof alterations = [
  ['the money for one point', sql`snapshot = snapshot || '{"moneyPerPoint": 2000}'`],
  ['the points of the money', sql`snapshot = snapshot || '{"base": 99}'`],
  ['double points', sql`snapshot = snapshot || '{"double": true}'`],
  ['the multiplier', sql`snapshot = snapshot || '{"multiplier": 2000}'`],
  ['its multiplier and double points', sql`snapshot = snapshot || '{"multiplier": 500, "double": true}'`],
];
for (const [what, change] of flatAlterations) {
  test(`a purchase of release 0.1 agrees, and is named after a change of ${what}`, async () => {
    const { db } = await service();
    const { shop, member } = await shopWithHistory();
    await storeFlatFactors(db, shop.id);
    assert.deepEqual(await differencesOf(db, shop), []);
    const id = await idOf(db, shop, member, 'purchase');
    await tamper(db, shop, (tx) =>
      sql`update movements set ${change} where commerce_id = ${shop.id} and id = ${id}`.execute(tx),
    );
    const differences = await differencesOf(db, shop);
    assert.ok(differences.some(({ movement, member: code }) => movement === id && code === member.code));
  });
}

test('a movement that was moved to another member is named', async () => {
  const { db } = await service();
  const { shop, member, other } = await shopWithHistory();
  const id = await idOf(db, shop, member, 'purchase');
  await tamper(db, shop, (tx) =>
    sql`update movements set member_id = ${other.memberId} where commerce_id = ${shop.id} and id = ${id}`.execute(
      tx,
    ),
  );
  const differences = await differencesOf(db, shop);
  assert.ok(differences.some(({ movement, member: code }) => movement === id && code === other.code));
  assert.ok(differences.some(({ movement, member: code }) => movement === null && code === member.code));
});

for (const type of ['purchase', 'exchange', 'usage', 'reward'] as const) {
  test(`the member is named after a movement of type ${type} is removed`, async () => {
    const { db } = await service();
    const { shop, member } = await shopWithHistory();
    const id = await idOf(db, shop, member, type);
    await tamper(db, shop, (tx) =>
      sql`delete from movements where commerce_id = ${shop.id} and id = ${id}`.execute(tx),
    );
    const differences = await differencesOf(db, shop);
    assert.ok(differences.length > 0);
    assert.ok(differences.every(({ movement }) => movement === null || movement === id));
    assert.ok(differences.some(({ member: code }) => code === member.code));
  });

  test(`a second movement of one ${type} is named`, async () => {
    const { db } = await service();
    const { shop, member } = await shopWithHistory();
    const id = await idOf(db, shop, member, type);
    const columns = sql.raw(
      'commerce_id, member_id, type, at, points, points_earned, amount, purchases, split, snapshot, voucher_code, event',
    );
    let added: number | undefined;
    await tamper(db, shop, async (tx) => {
      const { rows } = await sql<{ id: number }>`
        insert into movements (${columns}) select ${columns} from movements where commerce_id = ${shop.id} and id = ${id}
        returning id`.execute(tx);
      added = rows[0]!.id;
    });
    const differences = await differencesOf(db, shop);
    assert.ok(differences.some(({ movement, member: code }) => movement === added && code === member.code));
  });
}

const changes: [invariant: string, statement: (shop: Shop, member: MadeMember) => ReturnType<typeof sql>][] =
  [
    [
      'points by day are the sum of the movements',
      (shop, { memberId }) =>
        sql`update balances set points = points + 1 where commerce_id = ${shop.id} and member_id = ${memberId}`,
    ],
    [
      'lifetime figures are the sum of the movements',
      (shop, { memberId }) =>
        sql`update members set points_earned = points_earned + 1 where commerce_id = ${shop.id} and id = ${memberId}`,
    ],
    [
      'what was sold is what was issued, within its limit',
      (shop) => sql`update benefits set sold = sold + 1 where commerce_id = ${shop.id}`,
    ],
    [
      'what was bought was paid once, at its cost',
      (shop) => sql`update vouchers set cost = cost - 1 where commerce_id = ${shop.id}`,
    ],
    [
      'a code is used as the ledger says, once at most',
      (shop) => sql`update vouchers set used_at = null where commerce_id = ${shop.id}`,
    ],
    [
      'what was given back is paid back once',
      (shop) =>
        sql`update vouchers set used_at = null, given_back_at = used_at where commerce_id = ${shop.id}`,
    ],
    [
      'a reward was handed out as often as it is noted',
      (shop) => sql`delete from rewards where commerce_id = ${shop.id}`,
    ],
    [
      'the list of members is dense, and its total right',
      (shop) => sql`update enrolments set total = total + 1 where commerce_id = ${shop.id}`,
    ],
    [
      'an idempotency key points at what its call made',
      (shop) => sql`update idempotency_keys set result = 1 where commerce_id = ${shop.id}`,
    ],
    [
      'two idempotency keys never made one thing',
      (shop) =>
        sql`insert into idempotency_keys select commerce_id, operation, key || '2', fingerprint, result from idempotency_keys where commerce_id = ${shop.id}`,
    ],
  ];
for (const [invariant, change] of changes) {
  test(`a breach of this invariant is reported: ${invariant}`, async () => {
    const { db } = await service();
    const { shop, member } = await shopWithHistory();
    await tamper(db, shop, (tx) => change(shop, member).execute(tx));
    const differences = await differencesOf(db, shop);
    assert.ok(differences.some((difference) => difference.invariant === invariant));
  });
}

const ofTiers: [invariant: string, statement: (shop: Shop) => ReturnType<typeof sql>][] = [
  [
    "a tier's code is void where a return took the tier away, and only there",
    (shop) => sql`update vouchers set given_back_at = null where commerce_id = ${shop.id}`,
  ],
  [
    "a tier's code is void where a return took the tier away, and only there",
    (shop) =>
      sql`update vouchers set given_back_at = ${earlier('given_back_at', '1 hour')} where commerce_id = ${shop.id}`,
  ],
  [
    'a reward was handed out as often as it is noted',
    (shop) =>
      sql`insert into rewards select commerce_id, member_id, 'level', tier_id, issued_at from vouchers where commerce_id = ${shop.id}`,
  ],
  [
    'a tier that is held is one of the program in force',
    (shop) =>
      // Bypasses the trigger that looks up the tier's place.
      sql`update members set tier_id = 'gone'
           where commerce_id = ${shop.id} and set_config('loyalty.finishing', 'yes', true) = 'yes'`,
  ],
];
for (const [invariant, change] of ofTiers) {
  const skip =
    invariant.startsWith('a tier that is held') &&
    onOneServer('no trigger looks up the place, and no statement may bypass one');
  test(`a breach of this invariant is reported for a returned tier: ${invariant}`, { skip }, async () => {
    const { db } = await service();
    const shop = await makeShop({
      levels: {
        ladder: [
          { name: 'Bronze', threshold: 0 },
          { name: 'Silver', threshold: 100, benefit: 'drink' },
        ],
      },
      benefits: [benefit('drink', { benefit_type: 'level', cost: 0 })],
    });
    const member = await shop.member();
    const sold = await shop.post('/v1/consumptions/client-code', { client_code: member.code, amount: 100 });
    await shop.post(`/v1/consumptions/${sold.headers.get('x-consumption-id')}/reversal`, {});
    assert.deepEqual(await differencesOf(db, shop), []);
    await tamper(db, shop, (tx) => change(shop).execute(tx));
    const differences = await differencesOf(db, shop);
    assert.ok(differences.some((difference) => difference.invariant === invariant));
  });
}

test('a schema guard that is switched off is reported', async () => {
  const { db } = await service();
  const { shop } = await shopWithHistory();
  await sql`alter table movements disable trigger movements_are_append_only`.execute(db);
  const differences = await differencesOf(db, shop);
  await sql`alter table movements enable trigger movements_are_append_only`.execute(db);
  assert.deepEqual(
    differences.map(({ commerce, says }) => [commerce, says]),
    [[null, 'trigger movements_are_append_only of movements is switched off']],
  );
});

/** Two members with welcome points, three purchases, one with a key, an exchange and its use. */
async function shopWithHistory(): Promise<{ shop: Shop; member: MadeMember; other: MadeMember }> {
  const { db } = await service();
  const shop = await makeShop({
    benefits: [benefit('coffee', { cost: 7 })],
    rewards: { welcome: { points: 50 } },
  });
  const member = await shop.member();
  const other = await shop.member();
  for (const [amount, headers] of [
    [100, { 'idempotency-key': 'k' }],
    [20, {}],
    [30, {}],
  ] as const) {
    await shop.post('/v1/consumptions/client-code', { client_code: member.code, amount }, headers);
  }
  await shop.post('/v1/consumptions/client-code', { client_code: other.code, amount: 11 });
  const exchange = { commerceId: shop.id, userId: member.userId, benefitId: 'coffee' };
  const { voucher } = await exchangeBenefit(db, exchange);
  await redeemVoucher(db, { commerceId: shop.id, code: voucher.code });
  return { shop, member, other };
}

/** Returns the id of a member's first movement of a type. */
async function idOf(db: Db, shop: Shop, { memberId }: MadeMember, type: string): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    select min(id) as id from movements where commerce_id = ${shop.id} and member_id = ${memberId} and type = ${type}`.execute(
    db,
  );
  return rows[0]!.id;
}

/** Makes changes that the append-only trigger refuses. */
async function tamper(database: Database, shop: Shop, work: (tx: Tx) => Promise<unknown>): Promise<void> {
  expectTampering(shop.id);
  await transaction(database, async (tx) => {
    await sql`alter table movements disable trigger movements_are_append_only`.execute(tx);
    await work(tx);
    await sql`alter table movements enable trigger movements_are_append_only`.execute(tx);
  });
}

async function differencesOf(db: Database, shop: Shop): Promise<readonly Difference[]> {
  return (await verifyLedger(db, { commerceIds: [shop.id] })).differences;
}

/** Leftovers that an erased person can have, and how they come about. */
const leftOvers: [says: RegExp, write: (shop: Shop, memberId: number) => ReturnType<typeof sql>][] = [
  [
    /holds 5 points/,
    (shop, memberId) => sql`
      insert into balances (commerce_id, member_id, expires_on, moving, points)
      values (${shop.id}, ${memberId}, 'infinity', false, 5)`,
  ],
  [
    /code \d+ can be used/,
    (shop, memberId) => sql`
      update vouchers set used_at = null, given_back_at = null
       where commerce_id = ${shop.id} and member_id = ${memberId}`,
  ],
  [
    /a note of staff is left/,
    (shop, memberId) => sql`
      insert into movement_notes (commerce_id, movement_id, member_id, note)
      select commerce_id, min(id), member_id, 'for Eva' from movements
       where commerce_id = ${shop.id} and member_id = ${memberId} group by 1, 3`,
  ],
  [
    /a word of the name is left/,
    (shop, memberId) => sql`
      insert into member_words (commerce_id, member_id, word, name) values (${shop.id}, ${memberId}, 'eva', 'eva')`,
  ],
  [
    /still a member/,
    (shop, memberId) => sql`
      update members set state = 'member' where commerce_id = ${shop.id} and id = ${memberId}`,
  ],
];
for (const [says, write] of leftOvers) {
  test(`of an erased person, it is found that ${says.source}`, async () => {
    const { db } = await service();
    const { shop, member } = await shopWithHistory();
    await shop.erase(member);
    assert.deepEqual(await differencesOf(db, shop), []);
    expectTampering(shop.id);
    await write(shop, member.memberId).execute(db);
    assert.ok(
      (await differencesOf(db, shop)).some((one) => says.test(one.says) && one.member === member.code),
    );
  });
}

test('on a cluster, no lane of a verification waits for a connection', async (t) => {
  const shops = await Promise.all(Array.from({ length: 6 }, () => makeShop()));
  const waiting: number[] = [];
  const { db: tested } = await service();
  const db = openDatabase({
    ...tested.address,
    cluster: 'citus',
    trustsMachines: true,
    poolSize: 2,
    onConnection: (client) => {
      const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>;
      client.query = ((...args: unknown[]) => {
        waiting.push(db.pool.waitingCount);
        return query(...args);
      }) as typeof client.query;
    },
  });
  t.after(() => db.destroy());
  const { commerces } = await verifyLedger(db, { commerceIds: shops.map(({ id }) => id), parallel: 6 });
  assert.equal(commerces, 6);
  assert.ok(Math.max(...waiting) <= 1, `${Math.max(...waiting)} waited`);
});
