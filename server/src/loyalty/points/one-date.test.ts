/** If the whole balance has one date, only purchases and exchanges move it. Everything else takes it as it is. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setClock } from '#commerces/clock.ts';
import { transaction } from '#db/database.ts';
import { NOWHERE } from '#points/purchase-facts.ts';
import { recordPurchases } from '#purchases/record-purchases.ts';
import { giveBackVoucher } from '#vouchers/give-back-voucher.ts';
import { assertBooksAgree } from '#test/books.ts';
import { service } from '#test/harness.ts';
import { benefit, makeShop, type MadeMember, type Shop } from '#test/make.ts';
import { birthdays } from '#jobs/birthdays.ts';

const { db } = await service();

test('a reward starts the date if there is none, and the next one takes it', async () => {
  const { shop, member } = await welcomed('2027-01-10');
  assert.deepEqual(await datesOf(shop, member), [[20, '2027-07-10']]);
  await birthday(shop, member, '2027-03-01');
  assert.deepEqual(await datesOf(shop, member), [[50, '2027-07-10']]);
  await assertBooksAgree(db, shop.id);
});

test('once the date has passed a reward starts a new one, and the next one takes that', async () => {
  const { shop, member } = await welcomed('2027-01-10', 12);
  await at(shop, '2027-01-20');
  await shop.sell(member, 100);
  assert.deepEqual(await datesOf(shop, member), [[120, '2028-01-20']]);
  await birthday(shop, member, '2028-01-21');
  assert.deepEqual(await datesOf(shop, member), [[30, '2029-01-21']]);
  await birthday(shop, member, '2029-01-15');
  assert.deepEqual(await datesOf(shop, member), [[60, '2029-01-21']]);
  await assertBooksAgree(db, shop.id);
});

test('an exchange that spends everything moves the date, and a later reward takes it', async () => {
  const { shop, member } = await welcomed('2027-01-10');
  await at(shop, '2027-02-01');
  await shop.voucher(member, 'coffee');
  assert.deepEqual(await datesOf(shop, member), []);
  await birthday(shop, member, '2027-06-01');
  assert.deepEqual(await datesOf(shop, member), [[30, '2027-08-01']]);
});

test('points given back take the date; if it has passed, they start a new one without a grace', async () => {
  const { shop, member } = await welcomed('2027-01-10');
  await at(shop, '2027-02-01');
  const codes = [await shop.voucher(member, 'coffee')];
  await at(shop, '2027-03-01');
  await transaction(db, (tx) => giveBackVoucher(tx, { commerceId: shop.id, code: codes[0]! }));
  assert.deepEqual(await datesOf(shop, member), [[20, '2027-08-01']]);

  codes.push(await shop.voucher(member, 'coffee'));
  await at(shop, '2027-09-02'); // a day after 6 months from 1 March
  await transaction(db, (tx) => giveBackVoucher(tx, { commerceId: shop.id, code: codes[1]! }));
  assert.deepEqual(await datesOf(shop, member), [[20, '2028-03-02']]);
  await assertBooksAgree(db, shop.id);
});

test('a switch to accumulated takes the latest date that is held, and a purchase does not take it back', async () => {
  const rolling = { ...REWARDING, points_expiration: { mode: 'rolling', months: 24 } };
  const shop = await makeShop(rolling);
  await at(shop, '2027-01-10');
  const member = await shop.member(); // welcome: until 10 January 2029
  await at(shop, '2027-02-10');
  await shop.sell(member, 100); // until 10 February 2029
  await shop.apply({ ...rolling, points_expiration: { mode: 'accumulated', months: 6 } });
  assert.deepEqual(await datesOf(shop, member), [[120, '2029-02-10']]);
  await shop.sell(member, 1);
  await birthday(shop, member, '2027-03-01');
  assert.deepEqual(await datesOf(shop, member), [[151, '2029-02-10']]);
  await at(shop, '2028-12-01');
  await shop.sell(member, 1);
  assert.deepEqual(await datesOf(shop, member), [[152, '2029-06-01']]);
  await assertBooksAgree(db, shop.id);
});

test('a purchase that is reported late shares the date, unless its points had gone before the next purchase', async () => {
  const { shop, member } = await welcomed('2026-12-01');
  await at(shop, '2027-03-01');
  await shop.sell(member, 10);
  await late(shop, member, 5, '2027-01-15');
  assert.deepEqual(await datesOf(shop, member), [[35, '2027-09-01']]);
  await late(shop, member, 7, '2026-08-31'); // until 28 February: a day too early for the purchase of 1 March
  assert.deepEqual(await datesOf(shop, member), [[35, '2027-09-01']]);
  await assertBooksAgree(db, shop.id);
});

const REWARDING = {
  sandbox: true,
  benefits: [benefit('coffee', { cost: 20 })],
  rewards: { welcome: { points: 20 }, birthday: { points: 30 } },
};

/** Makes a shop whose balances have one date, and a member who joined on that day. */
async function welcomed(day: string, months = 6): Promise<{ shop: Shop; member: MadeMember }> {
  const shop = await makeShop({ ...REWARDING, points_expiration: { mode: 'accumulated', months } });
  await at(shop, day);
  return { shop, member: await shop.member() };
}

/** Moves the clock to a birthday of the member and lets the job reward it. */
async function birthday(shop: Shop, member: MadeMember, day: string): Promise<void> {
  await (await shop.browser(member)).patch('/v1/me', { birth_date: `1990${day.slice(4)}` });
  await at(shop, day);
  await birthdays.run(db, shop.id);
}

async function late({ id }: Shop, { code }: MadeMember, amount: number, day: string): Promise<void> {
  const call = {
    commerceId: id,
    buyer: { code },
    amount,
    ...NOWHERE,
    late: { at: new Date(`${day}T10:00:00Z`), isLatest: false },
  };
  const [outcome] = await transaction(db, (tx) => recordPurchases(tx, [call]));
  assert.ok(outcome!.recorded);
}

/** Returns the expiries as the member sees them. */
async function datesOf(shop: Shop, member: MadeMember): Promise<[points: number, day: string][]> {
  const { body } = await (await shop.browser(member)).get('/v1/me/points/expirations');
  return (body as { points: number; expiration_date: string }[]).map(({ points, expiration_date: end }) => [
    points,
    end.slice(0, 10),
  ]);
}

async function at(shop: Shop, day: string): Promise<void> {
  await setClock(db, shop.id, new Date(`${day}T10:00:00Z`));
}
