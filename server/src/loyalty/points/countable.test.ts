/** Numbers are exact up to 2^53 − 1. No figure of a member exceeds it, and only the call that would exceed it is refused. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCommerce } from '#commerces/commerce.ts';
import { setClock } from '#commerces/clock.ts';
import { sql, transaction } from '#db/database.ts';
import { importMembers } from '#enrolment/import-members.ts';
import { lockMember, type MemberRef } from '#members/lock-members.ts';
import { importPurchases } from '#purchases/import-purchases.ts';
import { creditPoints } from '#tiers/credit-points.ts';
import { giveBackVoucher } from '#vouchers/give-back-voucher.ts';
import { assertBooksAgree } from '#test/books.ts';
import { expectTampering } from '#test/database.ts';
import { service, type Answer } from '#test/harness.ts';
import { benefit, makeShop, type MadeMember, type Shop } from '#test/make.ts';
import { signIn } from '#test/sign-in.ts';
import { birthdays } from '#jobs/birthdays.ts';
import { withLots } from './locked-member.ts';
import { storeMovements } from './store-movements.ts';

const { db } = await service();

const MOST = Number.MAX_SAFE_INTEGER;
const TRILLION = 1_000_000_000_000;

for (const expiration of [{ mode: 'none' }, { mode: 'rolling', months: 12 }]) {
  test(`a purchase fills the figures up to 2^53 − 1, and the next is a 400 that records nothing (${expiration.mode})`, async () => {
    const shop = await makeShop({ points_expiration: expiration, sandbox: true });
    const member = await shop.member();
    await adjust(shop, member, MOST - 100);
    await shop.moveClock('1 day'); // a lot of its own, where points have dates
    assert.equal((await buy(shop, member, 100)).status, 201);
    const before = await everything(shop, member);
    assert.equal(before.points, MOST);

    const refused = await buy(shop, member, 1);
    assert.equal(refused.status, 400);
    assert.match((refused.body as { message: string }).message, /could not be created/);
    assert.deepEqual(await everything(shop, member), before);
    const byEmail = await shop.post('/v1/consumptions/email', { client_email: member.email, amount: 1 });
    assert.equal(byEmail.status, 400);
    await assertBooksAgree(db, shop.id);
  });
}

test('points in whole trillions reach the same limit as points one by one', async () => {
  const shop = await makeShop({ earning: { money_per_point: 0.001, max_amount: TRILLION } });
  const member = await shop.member();
  const statuses = [];
  for (let i = 0; i < 12; i++) statuses.push((await buy(shop, member, TRILLION)).status);
  assert.deepEqual(statuses, [...Array(9).fill(201), 400, 400, 400]);
  assert.equal((await buy(shop, member, 7_199_254_740)).status, 201);
  assert.equal((await buy(shop, member, 1)).status, 400);
  assert.equal((await everything(shop, member)).points, 9_007_199_254_740_000);
  await assertBooksAgree(db, shop.id);
});

test('the amount spent has the same limit, even with few points', async () => {
  const shop = await makeShop({ earning: { money_per_point: 1_000_000_000, max_amount: TRILLION } });
  const member = await shop.member();
  assert.equal((await buy(shop, member, 1)).status, 201);
  expectTampering(shop.id);
  await sql`update members set amount_spent = ${MOST - 5} where commerce_id = ${shop.id}`.execute(db);
  assert.equal((await buy(shop, member, 6)).status, 400);
  assert.equal((await buy(shop, member, 5)).status, 201);
  assert.equal((await buy(shop, member, 1)).status, 400);
});

test('a refused purchase keeps its key free, and does not affect the purchases recorded with it', async () => {
  const shop = await makeShop();
  const [full, ...others] = await Promise.all(Array.from({ length: 12 }, () => shop.member()));
  await adjust(shop, full!, MOST);
  const answers = await Promise.all([
    ...others.map((member) => buy(shop, member, 3)),
    buy(shop, full!, 1, 'key'),
    ...others.map((member) => buy(shop, member, 4)),
  ]);
  assert.deepEqual(
    answers.map(({ status }) => status).filter((status) => status !== 201),
    [400],
  );
  for (const member of others) assert.equal((await everything(shop, member)).points, 7);
  const { rows } = await sql`select from idempotency_keys where commerce_id = ${shop.id}`.execute(db);
  assert.equal(rows.length, 0);
  await assertBooksAgree(db, shop.id);
});

test('an import of purchases refuses only the lines that exceed the limit', async () => {
  const shop = await makeShop();
  const [full, other] = [await shop.member(), await shop.member()];
  await adjust(shop, full, MOST - 10);
  const lines = (async function* () {
    for (const [i, [who, amount]] of [
      [full, 8],
      [other, 5],
      [full, 3],
      [full, 2],
    ].entries() as ArrayIterator<[number, [MadeMember, number]]>)
      yield {
        line: i + 2,
        fields: { client_email: who.email, amount: String(amount), date: `2024-01-0${i + 1}` },
      };
  })();
  const { imported, refused } = await importPurchases(db, shop.id, lines);
  assert.equal(imported, 3);
  assert.deepEqual(
    refused.map(({ line }) => line),
    [4],
  );
  assert.match(refused[0]!.reason, /could not be created/);
  assert.equal((await everything(shop, full)).points, MOST);
  await assertBooksAgree(db, shop.id);
});

test('an import of members refuses only the line whose opening points exceed the limit', async () => {
  const shop = await makeShop({ rewards: { welcome: { points: 4 } } });
  await waitingPoints(shop, 'full@example.com', MOST - 10);
  await waitingPoints(shop, 'nearly@example.com', MOST - 10);
  const lines = (async function* () {
    yield { line: 2, fields: { email: 'full@example.com', points: '11' } };
    yield { line: 3, fields: { email: 'nearly@example.com', points: '8' } };
    yield { line: 4, fields: { email: 'new@example.com', points: '5' } };
  })();
  const { imported, refused } = await importMembers(db, shop.id, lines, { welcome: true });
  assert.equal(imported, 2);
  assert.deepEqual(
    refused.map(({ line }) => line),
    [2],
  );
  assert.match(refused[0]!.reason, /points/);
  const { body } = await shop.get('/v1/clients/list');
  assert.deepEqual(
    (body as { items: { email: string; points: number }[] }).items.map(({ email, points }) => [
      email,
      points,
    ]),
    [
      ['nearly@example.com', MOST - 2], // no welcome: 4 more do not fit
      ['new@example.com', 9],
    ],
  );
  await assertBooksAgree(db, shop.id);
});

test('a member without room for the welcome joins without it', async () => {
  const shop = await makeShop({ rewards: { welcome: { points: 11 } } });
  const email = `full-${shop.slug}@example.com`;
  await waitingPoints(shop, email, MOST - 10);
  await signIn(shop.id, email);
  const { body } = await shop.post('/v1/clients/email', { client_email: email });
  assert.equal((body as { points: number }).points, MOST - 10);
  await assertBooksAgree(db, shop.id);
});

test('a job skips a member without room for the reward, and rewards the others', async () => {
  const shop = await makeShop({ sandbox: true, rewards: { birthday: { points: 11 } } });
  await setClock(db, shop.id, new Date('2027-01-10T10:00:00Z'));
  const members = [await shop.member(), await shop.member(), await shop.member()];
  for (const member of members)
    await (await shop.browser(member)).patch('/v1/me', { birth_date: '1990-03-01' });
  await adjust(shop, members[1]!, MOST - 10);
  await setClock(db, shop.id, new Date('2027-03-01T10:00:00Z'));
  assert.equal(await birthdays.run(db, shop.id), 2);
  const points = await Promise.all(members.map((member) => everything(shop, member)));
  assert.deepEqual(
    points.map((one) => one.points),
    [11, MOST - 10, 11],
  );
  await assertBooksAgree(db, shop.id);
});

test('a balance above the points earned has the same limit', async () => {
  const shop = await makeShop({
    earning: { money_per_point: 0.001, max_amount: TRILLION, returns: 'clamp' },
    benefits: [benefit('yacht', { cost: 5_000 * TRILLION })],
  });
  const member = await shop.member();
  const bought = [];
  for (let i = 0; i < 5; i++)
    bought.push((await buy(shop, member, TRILLION)).headers.get('x-consumption-id'));
  const code = await shop.voucher(member, 'yacht');
  // The points were spent, so the returns take none back: earned points are 0, and the voucher stays.
  for (const id of bought) assert.equal((await shop.post(`/v1/consumptions/${id}/reversal`, {})).status, 201);
  for (let i = 0; i < 5; i++) assert.equal((await buy(shop, member, TRILLION)).status, 201);
  const before = await everything(shop, member);
  await assert.rejects(
    transaction(db, (tx) => giveBackVoucher(tx, { commerceId: shop.id, code })),
    /could not be created/,
  );
  assert.deepEqual(await everything(shop, member), before);
  await assertBooksAgree(db, shop.id);
});

/** Adds points as staff do. */
async function adjust(shop: Shop, { memberId }: MadeMember, points: number): Promise<void> {
  await credit(shop, { commerceId: shop.id, id: memberId }, points);
}

/** Makes points wait for an address: some from a purchase, the rest from an adjustment. */
async function waitingPoints(shop: Shop, email: string, points: number): Promise<void> {
  const answer = await shop.post('/v1/consumptions/email', { client_email: email, amount: 1 });
  assert.equal(answer.status, 201);
  await credit(shop, { commerceId: shop.id, email }, points - 1);
}

async function credit(shop: Shop, ref: MemberRef, points: number): Promise<void> {
  await transaction(db, async (tx) => {
    const [stored] = await withLots(tx, [(await lockMember(tx, ref))!]);
    const member = stored && { ...stored, lots: stored.storedLots, past: [], movements: [] };
    const commerce = await readCommerce(tx, shop.id);
    const facts = { type: 'adjustment', event: null } as const;
    await storeMovements(tx, [creditPoints(member!, commerce!, points, facts).member]);
  });
}

function buy(shop: Shop, { code }: MadeMember, amount: number, key?: string): Promise<Answer> {
  const headers = key === undefined ? {} : { 'idempotency-key': key };
  return shop.post('/v1/consumptions/client-code', { client_code: code, amount }, headers);
}

/** Returns the balance and everything that a purchase stores. */
async function everything(shop: Shop, { code, memberId }: MadeMember) {
  const { body, status } = await shop.get(`/v1/clients/${code}`);
  assert.equal(status, 200);
  const { rows } = await sql`
    select m.*, (select count(*) from movements v where v.commerce_id = m.commerce_id and v.member_id = m.id) as movements,
           (select array_agg(b.points::text) from balances b where b.commerce_id = m.commerce_id and b.member_id = m.id) as lots
      from members m
     where m.commerce_id = ${shop.id} and m.id = ${memberId}`.execute(db);
  return { points: (body as { points: number }).points, row: rows[0] };
}

test('the database itself refuses a figure above the limit', async () => {
  const shop = await makeShop();
  const member = await shop.member();
  await buy(shop, member, 1);
  for (const column of ['points_earned', 'amount_spent', 'purchases'])
    await assert.rejects(
      sql`update members set ${sql.id(column)} = ${MOST}::bigint + 1 where commerce_id = ${shop.id}`.execute(
        db,
      ),
      /figures_are_exact/,
    );
  await assert.rejects(
    sql`update balances set points = ${MOST}::bigint + 1 where commerce_id = ${shop.id}`.execute(db),
    /points_are_exact/,
  );
});
