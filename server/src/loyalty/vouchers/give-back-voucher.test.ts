import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setClock } from '#commerces/clock.ts';
import { sql, transaction } from '#db/database.ts';
import { enrolMember } from '#enrolment/enrol-member.ts';
import { assertBooksAgree } from '#test/books.ts';
import { service } from '#test/harness.ts';
import { benefit, makeShop, type MadeMember, type ProgramFields, type Shop } from '#test/make.ts';
import { exchangeBenefit } from '#test/exchange-benefit.ts';
import { SoldOut } from './exchange-benefit.ts';
import { giveBackVoucher, VoucherWasAGift } from './give-back-voucher.ts';
import { redeemVoucher, UnknownVoucher, VoucherGivenBack, VoucherUsed } from './redeem-voucher.ts';

test('an unused code is given back for its points once, and is no longer valid', async () => {
  const { db } = await service();
  const shop = await makeShop(selling());
  const member = await shop.member();
  await buy(shop, member, 100);
  const code = await exchange(shop, member);
  assert.equal(await pointsOf(shop, member), 40);

  const { answer, entry } = await giveBack(shop, code, 'Bought by mistake');
  assert.deepEqual([answer.points, answer.balance], [60, 100]);
  assert.deepEqual(entry, {
    action: 'voucher.give_back',
    memberId: member.memberId,
    movementId: answer.giveBackId,
    subject: String(code),
    before: { points: 40 },
    after: { points: 100 },
    personal: { reason: 'Bought by mistake' },
  });
  assert.equal(await pointsOf(shop, member), 100);
  await assert.rejects(giveBack(shop, code), VoucherGivenBack);
  await assert.rejects(redeemVoucher(db, { commerceId: shop.id, code }), VoucherGivenBack);
  await assertBooksAgree(db, shop.id);
});

test('a code that was used, given as a reward or never issued is not given back', async () => {
  const { db } = await service();
  const gift = benefit('cookie', { benefit_type: 'welcome', cost: 0 });
  const shop = await makeShop({
    benefits: [benefit('coffee', { cost: 60 }), gift],
    rewards: { welcome: { benefit: 'cookie' } },
  });
  const member = await shop.member();
  await buy(shop, member, 100);
  const code = await exchange(shop, member);
  await redeemVoucher(db, { commerceId: shop.id, code });
  await assert.rejects(giveBack(shop, code), VoucherUsed);
  const { rows } = await sql<{ code: number }>`
    select code from vouchers where commerce_id = ${shop.id} and source = 'welcome'`.execute(db);
  await assert.rejects(giveBack(shop, rows[0]!.code), VoucherWasAGift);
  await assert.rejects(giveBack(shop, 12345678901234), UnknownVoucher);
  const other = await makeShop();
  await assert.rejects(giveBack(other, code), UnknownVoucher);
  await assertBooksAgree(db, shop.id);
});

test('giving a code back frees its place under the limit', async () => {
  const { db } = await service();
  const shop = await makeShop(selling({ buy_limit: 1 }));
  const member = await shop.member();
  await buy(shop, member, 200);
  const code = await exchange(shop, member);
  await assert.rejects(exchange(shop, member), SoldOut);
  await giveBack(shop, code);
  await exchange(shop, member);
  await assertBooksAgree(db, shop.id);
});

const returns: [how: string, on: string, expiresOn: string][] = [
  ['before their expiry date, with that date', '2027-02-01', '2027-03-10'],
  ['on their expiry date, with that date', '2027-03-10', '2027-03-10'],
  ['after their expiry date, with 30 days of grace', '2027-03-11', '2027-04-10'],
];
for (const [how, on, expiresOn] of returns) {
  test(`points come back ${how}`, async () => {
    const { db } = await service();
    const shop = await makeShop({ ...selling(), ...expiring('rolling') });
    await at(shop, '2027-01-10');
    const member = await shop.member();
    await buy(shop, member, 60);
    const code = await exchange(shop, member);
    await at(shop, on);
    await giveBack(shop, code);
    assert.deepEqual(await lotsOf(shop), [{ expiresOn, points: 60 }]);
    await assertBooksAgree(db, shop.id);
  });
}

test('points without an expiry date get one if points expire by now', async () => {
  const shop = await makeShop({ ...selling(), sandbox: true });
  await at(shop, '2027-01-10');
  const member = await shop.member();
  await buy(shop, member, 60);
  const code = await exchange(shop, member);
  await shop.apply({ ...selling(), ...expiring('rolling') });
  await giveBack(shop, code);
  assert.deepEqual(await lotsOf(shop), [{ expiresOn: '2027-03-10', points: 60 }]);
});

test('if a code is given back and redeemed at once, exactly one of the two happens', async () => {
  const { db } = await service();
  const shop = await makeShop(selling());
  const member = await shop.member();
  await buy(shop, member, 60);
  let used = 0;
  for (let round = 0; round < 20; round++) {
    const code = await exchange(shop, member);
    const [redeemed, ...back] = await Promise.allSettled([
      redeemVoucher(db, { commerceId: shop.id, code }),
      giveBack(shop, code),
      giveBack(shop, code),
    ]);
    const done = back.filter((outcome) => outcome.status === 'fulfilled').length;
    assert.equal(done + (redeemed.status === 'fulfilled' ? 1 : 0), 1);
    if (redeemed.status === 'fulfilled') {
      used++;
      await buy(shop, member, 60);
    }
    assert.equal(await pointsOf(shop, member), 60);
  }
  const { rows } = await sql<{ sold: number }>`
    select sold from benefits where commerce_id = ${shop.id}`.execute(db);
  assert.equal(rows[0]!.sold, used);
  await assertBooksAgree(db, shop.id);
});

test('a member who has left gets the points back too', async () => {
  const { db } = await service();
  const shop = await makeShop(selling());
  const member = await shop.member();
  await buy(shop, member, 60);
  const code = await exchange(shop, member);
  await sql`update members set state = 'left', left_at = now() where id = ${member.memberId}`.execute(db);
  await giveBack(shop, code);
  await transaction(db, (tx) => enrolMember(tx, shop.id, member.email));
  assert.equal(await pointsOf(shop, member), 60);
});

async function giveBack(shop: Shop, code: number, reason?: string) {
  const { db } = await service();
  return transaction(db, (tx) => giveBackVoucher(tx, { commerceId: shop.id, code, reason }));
}

function selling(fields: ProgramFields = {}): ProgramFields {
  return { benefits: [benefit('coffee', { cost: 60, ...fields })] };
}

function expiring(mode: string): ProgramFields {
  return { points_expiration: { mode, months: 2 }, sandbox: true };
}

async function at(shop: Shop, day: string): Promise<void> {
  await setClock((await service()).db, shop.id, new Date(`${day}T10:00:00Z`));
}

async function buy(shop: Shop, member: MadeMember, amount: number): Promise<void> {
  const answer = await shop.post('/v1/consumptions/client-code', { client_code: member.code, amount });
  assert.equal(answer.status, 201);
}

async function exchange(shop: Shop, member: MadeMember): Promise<number> {
  const { db } = await service();
  const wish = { commerceId: shop.id, userId: member.userId, benefitId: 'coffee' };
  return (await exchangeBenefit(db, wish)).voucher.code;
}

async function pointsOf(shop: Shop, member: MadeMember): Promise<unknown> {
  return ((await shop.get(`/v1/clients/${member.code}`)).body as { points: number }).points;
}

async function lotsOf(shop: Shop): Promise<unknown[]> {
  const { rows } = await sql`
    select expires_on as "expiresOn", points from balances where commerce_id = ${shop.id} order by expires_on`.execute(
    (await service()).db,
  );
  return rows.map((row) => ({ ...(row as object) }));
}
