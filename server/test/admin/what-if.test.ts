/** The questions of an owner before publishing a program. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { applyProgram } from '#apply/apply-program.ts';
import { readCommerce } from '#commerces/commerce.ts';
import { sql, transaction } from '#db/database.ts';
import { findMember } from '#members/lock-members.ts';
import { NOWHERE } from '#points/purchase-facts.ts';
import { recordPurchases } from '#purchases/record-purchases.ts';
import type { Program } from '#program/program.ts';
import { standingAt } from '#tiers/standing.ts';
import { createAdminClient, type WhatIf, type WhatIfLine } from '../../../sdk/src/admin.ts';
import { service } from '#test/harness.ts';
import { benefit, makeShop, type Shop } from '#test/make.ts';
import { makeStaff, makeStaffKey } from '#test/staff.ts';

async function programOf(shop: Shop, changes: object = {}): Promise<Program> {
  const { db } = await service();
  return { ...(await readCommerce(db, shop.id))!.program, ...changes };
}

async function clientOf(shop: Shop) {
  const { url } = await service();
  const { key } = await makeStaffKey(shop, 'owner');
  return createAdminClient({ baseUrl: url, key });
}

async function ask(
  shop: Shop,
  program: Program,
  range: { from?: string; to?: string } = {},
): Promise<WhatIf> {
  const lines: WhatIfLine[] = [];
  for await (const line of (await clientOf(shop)).whatIf({ program, ...range })) lines.push(line);
  assert.deepEqual(lines[0], { type: 'progress', done: 0, purchases: 0 });
  const last = lines.at(-1)!;
  assert.ok(last.type === 'result');
  assert.equal(lines.filter(({ type }) => type === 'result').length, 1);
  return last;
}

test('a tier that has expired counts as none in a what-if, as in the report of tiers', async () => {
  const shop = await makeShop({
    sandbox: true,
    clock: '2027-01-10T10:00:00Z',
    levels: { valid_months: 1, ladder: [{ id: 'gold', name: 'Gold', threshold: 100 }] },
  });
  await shop.sell(await shop.member('ana'), 150);
  await shop.moveClock('80 days');
  await shop.sell(await shop.member('rui'), 150);
  const client = await clientOf(shop);
  const { levels } = await client.getLevelsReport();
  assert.deepEqual(
    levels.map(({ level_id: id, members }) => [id, members]),
    [
      [null, 1],
      ['gold', 1],
    ],
  );
  const said = await ask(shop, await programOf(shop));
  assert.deepEqual(
    said.levels.map(({ level_id: id, members }) => [id, members]),
    [
      ['gold', { then: 1, now: 1 }],
      [null, { then: 1, now: 1 }],
    ],
  );
});

test('a what-if plays returns of cents as they were, also one that took no whole unit back', async () => {
  const shop = await makeShop({ sandbox: true, clock: '2027-01-10T10:00:00Z' });
  const manager = await makeStaff(shop, 'manager');
  const member = await shop.member();
  const once = () => ({ 'idempotency-key': randomUUID() });
  const sale = { client_email: member.email, amount: 3, cents: 40 };
  const { body } = await manager.post('purchases', sale, once());
  const { consumption_id: id } = body as { consumption_id: number };
  for (const part of [{ cents: 40 }, { amount: 1, cents: 70 }])
    assert.equal((await manager.post(`purchases/${id}/reversal`, part, once())).status, 201);
  const { points } = await ask(shop, await programOf(shop));
  assert.deepEqual(points.earned, { then: 3, now: 3 });
  assert.deepEqual(points.taken_back, { then: 2, now: 2 });
});

test('an owner who doubles the price of a point sees who could not have paid, and nothing is changed', async () => {
  const shop = await makeShop({
    sandbox: true,
    clock: '2027-01-10T10:00:00Z',
    benefits: [benefit('coffee', { cost: 70 }), benefit('tea', { cost: 20 })],
    levels: { ladder: [{ id: 'gold', name: 'Gold', threshold: 150 }] },
  });
  const [ana, rui] = [await shop.member('ana'), await shop.member('rui')];
  await shop.sell(ana, 101);
  await shop.voucher(ana, 'coffee');
  await shop.moveClock('40 days');
  await shop.sell(ana, 60);
  await shop.sell(rui, 30);
  await shop.voucher(rui, 'tea');
  const { db } = await service();
  const count = async () =>
    (
      await sql`select (select count(*) from movements where commerce_id = ${shop.id}) as movements,
                      (select count(*) from programs where commerce_id = ${shop.id}) as programs`.execute(db)
    ).rows;
  const before = await count();

  const program = await programOf(shop, {
    earning: { money_per_point: 2, max_amount: 1_000, returns: 'negative', double_points: [] },
    points_expiration: { mode: 'rolling', months: 1 },
  });
  const said = await ask(shop, program);
  assert.deepEqual(
    [said.from, said.to, said.base_version, said.purchases, said.amount, said.buyers],
    ['2026-02-19', '2027-02-19', 1, 3, 191, 2],
  );
  // 101 earns 50 and ends on 10 February; 60 earns 30, 30 earns 15.
  assert.deepEqual(said.points.earned, { then: 191, now: 95 });
  assert.deepEqual(said.points.spent, { then: 90, now: 0 });
  assert.deepEqual(said.points.expired, { then: 0, now: 50 });
  assert.deepEqual(said.impossible.exchanges, { count: 2, points: 90 });
  assert.deepEqual(
    said.months.filter(({ purchases }) => purchases > 0),
    [
      {
        month: '2027-01',
        purchases: 1,
        earned: { then: 101, now: 50 },
        taken_back: { then: 0, now: 0 },
        expired: { then: 0, now: 0 },
      },
      {
        month: '2027-02',
        purchases: 2,
        earned: { then: 90, now: 45 },
        taken_back: { then: 0, now: 0 },
        expired: { then: 0, now: 50 },
      },
    ],
  );
  assert.equal(said.months.length, 13);
  assert.deepEqual(said.levels, [
    { level_id: 'gold', name: 'Gold', earned: { then: 0, now: 0 }, members: { then: 1, now: 0 } },
    { level_id: null, name: null, earned: { then: 191, now: 95 }, members: { then: 1, now: 2 } },
  ]);
  assert.deepEqual(said.liability, {
    points: { then: 101, now: 45 },
    people: { then: 2, now: 2 },
    ends: [
      { month: '2027-03', points: { then: 0, now: 45 } },
      { month: null, points: { then: 101, now: 0 } },
    ],
  });
  assert.deepEqual(
    said.members.map(({ client_code, username, then, now }) => [client_code, username, then, now]),
    [
      [
        ana.code,
        'ana',
        { points: 91, earned: 161, level_id: 'gold', level_name: 'Gold' },
        { points: 30, earned: 80, level_id: null, level_name: null },
      ],
      [
        rui.code,
        'rui',
        { points: 10, earned: 30, level_id: null, level_name: null },
        { points: 15, earned: 15, level_id: null, level_name: null },
      ],
    ],
  );
  assert.equal(said.members_changed, 2);
  assert.deepEqual(said.publishing, {
    changes: [],
    moves: [],
    benefits: 0,
    redated: { members: 2, points: 101 },
    ends: [
      { month: '2027-03', before: 0, after: 101 },
      { month: null, before: 101, after: 0 },
    ],
  });
  const owner = await makeStaff(shop, 'owner');
  const page = await owner.get(`members/${said.members[0]!.member_id}`);
  assert.equal(page.status, 200, 'each member can be opened');
  assert.deepEqual(await count(), before);
});

test('a new price says how many of the last exchanges it would have allowed, and who can pay it', async () => {
  const shop = await makeShop({
    sandbox: true,
    clock: '2027-01-10T10:00:00Z',
    benefits: [benefit('cake', { title: 'Cherry cake', cost: 50 }), benefit('tea', { cost: 20 })],
  });
  const [ana, rui, eva] = [await shop.member('ana'), await shop.member('rui'), await shop.member('eva')];
  await shop.sell(ana, 130);
  await shop.voucher(ana, 'cake');
  await shop.voucher(ana, 'cake');
  await shop.sell(rui, 60);
  await shop.voucher(rui, 'cake');
  await shop.voucher(ana, 'tea');
  await shop.sell(eva, 70);
  await shop.sell(await shop.member('tom'), 90);
  const before = await programOf(shop);
  const dearer = {
    ...before,
    benefits: before.benefits.map((one) => (one.id === 'cake' ? { ...one, cost: 80 } : one)),
  };
  // Ana had 130 and then 80, Rui 60. Eva and Tom can pay 50 now, and only Tom 80.
  assert.deepEqual((await ask(shop, dearer)).prices, [
    {
      benefit_id: 'cake',
      title: 'Cherry cake',
      cost: { before: 50, after: 80 },
      bought: 3,
      payable: 2,
      members_able: { then: 2, now: 1 },
    },
  ]);
  assert.deepEqual((await ask(shop, before)).prices, []);
});

test('a period of double points that the proposed program lacks is named', async () => {
  const double_points = [{ from: '2027-01-01T00:00:00Z', to: '2027-01-31T00:00:00Z' }];
  const earning = { money_per_point: 1, double_points };
  const shop = await makeShop({ sandbox: true, clock: '2027-01-10T10:00:00Z', earning });
  await shop.sell(await shop.member(), 10);
  const program = await programOf(shop);
  const said = await ask(shop, { ...program, earning: { ...program.earning, double_points: [] } });
  assert.deepEqual(
    [said.points.earned, said.points.doubled],
    [
      { then: 20, now: 10 },
      { then: 20, now: 0 },
    ],
  );
  assert.match(
    said.warnings.join('\n'),
    /a period of double points in this time is not in the proposed program/,
  );
  assert.deepEqual((await ask(shop, program)).warnings, []);
});

test('a range is cut at its days, in the calendar of the shop', async () => {
  const shop = await makeShop({ sandbox: true, clock: '2027-01-10T22:30:00Z' });
  const member = await shop.member();
  await shop.sell(member, 1); // 10 January in Madrid
  await shop.moveClock('1 hour');
  await shop.sell(member, 10); // 11 January
  await shop.moveClock('24 hours');
  await shop.sell(member, 100); // 12 January
  const program = await programOf(shop);
  const earned = async (range: object) => (await ask(shop, program, range)).points.earned.then;
  assert.equal(await earned({}), 111);
  assert.equal(await earned({ from: '2027-01-11' }), 110);
  assert.equal(await earned({ from: '2027-01-11', to: '2027-01-11' }), 10);
  assert.equal(await earned({ to: '2027-01-10' }), 1);
});

test('a tier whose last day is over in the proposed time zone is shown to end, and ends', async () => {
  const ladder = [
    { id: 'silver', name: 'Silver', threshold: 0 },
    { id: 'gold', name: 'Gold', threshold: 50 },
  ];
  const shop = await makeShop({
    sandbox: true,
    clock: '2027-01-10T15:00:00Z',
    time_zone: 'America/New_York',
    levels: { valid_months: 1, ladder },
  });
  const member = await shop.member();
  await shop.sell(member, 60); // gold until 10 February
  await shop.moveClock('31 days 9 hours'); // 10 February in New York, 11 February in Tokyo
  const program = await programOf(shop, { time_zone: 'Asia/Tokyo' });
  const { publishing } = await ask(shop, program);
  assert.deepEqual(publishing.moves, [{ from: 'gold', to: 'silver', members: 1 }]);

  const { db } = await service();
  const tier = async () => {
    const { rules, now } = (await readCommerce(db, shop.id))!;
    const found = await findMember(db, { commerceId: shop.id, code: member.code });
    return standingAt(found!, rules, now).standing.tierId;
  };
  assert.equal(await tier(), 'gold');
  await applyProgram(db, program);
  assert.equal(await tier(), 'silver');
});

test('a program that is not valid, and a range that is none, are refused at their place', async () => {
  const shop = await makeShop();
  const owner = await makeStaff(shop, 'owner');
  const program = await programOf(shop);
  const refusal = async (body: object) => {
    const { status, body: answer } = await owner.post('program/what-if', { program, ...body });
    const { detail } = answer as { detail: { loc: unknown[] }[] };
    return [status, detail[0]!.loc];
  };
  const earning = { ...program.earning, money_per_point: -1 };
  assert.deepEqual(await refusal({ program: { ...program, earning } }), [
    422,
    ['body', 'program', 'earning', 'money_per_point'],
  ]);
  assert.deepEqual(await refusal({ from: '2031-01-01' }), [422, ['body', 'from']]);
  assert.deepEqual(await refusal({ from: '1850-01-01' }), [422, ['body', 'from']]);
  assert.deepEqual(await refusal({ from: '2026-02-01', to: '2026-01-01' }), [422, ['body', 'to']]);
});

test('a commerce has one what-if at a time, and it ends when its caller goes away', async () => {
  const shop = await makeShop();
  const { db } = await service();
  const buyers = await Promise.all(Array.from({ length: 20 }, () => shop.member()));
  const calls = Array.from({ length: 6_000 }, (_, i) => ({
    commerceId: shop.id,
    buyer: { code: buyers[i % buyers.length]!.code },
    amount: 5,
    ...NOWHERE,
  }));
  await transaction(db, (tx) => recordPurchases(tx, calls));
  const client = await clientOf(shop);
  // A connection from before may have been closed meanwhile. This call is tried again, a stream is not.
  const { program } = await client.getProgramModel();

  const stopping = new AbortController();
  const first = client.whatIf({ program }, { signal: stopping.signal });
  await first.next();
  await assert.rejects(client.whatIf({ program }).next(), {
    status: 503,
    message: 'a what-if of this commerce is running: try again in a moment',
  });
  // Purchases go on, by the same person too.
  await shop.sell(buyers[0]!, 7);
  stopping.abort();
  await assert.rejects(async () => {
    for await (const _ of first);
  });
  let said: WhatIf | null = null;
  for (let tries = 0; said === null && tries < 100; tries++) {
    said = await ask(shop, program).catch(() => null);
    if (said === null) await pause(50);
  }
  assert.equal(said!.purchases, 6_001);
  const { rows } = await sql`
    select from pg_stat_activity
     where datname = current_database() and state = 'idle in transaction'`.execute(db);
  assert.equal(rows.length, 0);
});
