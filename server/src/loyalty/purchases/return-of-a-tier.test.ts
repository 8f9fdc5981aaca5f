/** A return of the purchases that reached a tier takes away the tier and its benefit. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setClock } from '#commerces/clock.ts';
import { assertBooksAgree } from '#test/books.ts';
import { service, type Answer } from '#test/harness.ts';
import { benefit, makeShop, type MadeMember, type ProgramFields, type Shop } from '#test/make.ts';

const LADDER = [
  { name: 'Bronze', threshold: 0 },
  { name: 'Silver', threshold: 1000, benefit: 'drink' },
  { name: 'Gold', threshold: 5000, benefit: 'dinner' },
];
const PROGRAM: ProgramFields = {
  levels: { ladder: LADDER },
  benefits: [gift('drink'), gift('dinner')],
};

test('a full return takes away the tier and its benefit, and reaching the tier again gives a new one', async () => {
  const shop = await makeShop(PROGRAM);
  const member = await shop.member();
  const purchase = await buy(shop, member, 5_000);
  const [dinner, drink] = await giftsOf(shop, member);
  assert.deepEqual([dinner?.id, drink?.id], ['dinner', 'drink']);

  assert.equal((await reverse(shop, purchase)).status, 201);
  assert.equal(await tierOf(shop, member), 'Bronze');
  await assertVoid(shop, member, [dinner!.code, drink!.code]);
  await assertBooksAgree((await service()).db, shop.id);

  await buy(shop, member, 1_500);
  const [again, ...others] = await giftsOf(shop, member);
  assert.equal(again?.id, 'drink');
  assert.notEqual(again?.code, drink!.code);
  assert.deepEqual(others, []);
  assert.equal((await redeem(shop, again.code)).status, 200);
  await assertVoid(shop, member, [dinner!.code, drink!.code]);
  await assertBooksAgree((await service()).db, shop.id);
});

test('a purchase that is returned in pieces takes its tiers and their benefits one by one', async () => {
  const shop = await makeShop(PROGRAM);
  const member = await shop.member();
  const purchase = await buy(shop, member, 5_000);
  const [dinner, drink] = await giftsOf(shop, member);
  const seen = [];
  for (const amount of [1, 3_999, 1]) {
    await reverse(shop, purchase, amount);
    seen.push([await tierOf(shop, member), (await giftsOf(shop, member)).map(({ id }) => id)]);
  }
  assert.deepEqual(seen, [
    ['Silver', ['drink']],
    ['Silver', ['drink']],
    ['Bronze', []],
  ]);
  await assertVoid(shop, member, [dinner!.code, drink!.code]);
});

for (const [what, order] of [
  ['in their order', [0, 1]],
  ['the last one first', [1, 0]],
] as const) {
  test(`two purchases that reached a tier each are returned ${what}: both tiers and benefits are gone`, async () => {
    const shop = await makeShop(PROGRAM);
    const member = await shop.member();
    const purchases = [await buy(shop, member, 1_000), await buy(shop, member, 4_000)];
    const codes = (await giftsOf(shop, member)).map(({ code }) => code);
    assert.equal(codes.length, 2);
    for (const place of order) assert.equal((await reverse(shop, purchases[place]!)).status, 201);
    assert.equal(await tierOf(shop, member), 'Bronze');
    await assertVoid(shop, member, codes);
  });
}

test('a code that was used stays used, and reaching the tier again issues no other', async () => {
  const shop = await makeShop(PROGRAM);
  const member = await shop.member();
  const purchase = await buy(shop, member, 1_000);
  const [drink] = await giftsOf(shop, member);
  assert.equal((await redeem(shop, drink!.code)).status, 200);
  await reverse(shop, purchase);
  assert.deepEqual(await giftsOf(shop, member), [{ ...drink!, used: true }]);
  await buy(shop, member, 1_000);
  assert.deepEqual(await giftsOf(shop, member), [{ ...drink!, used: true }]);
  await assertBooksAgree((await service()).db, shop.id);
});

test('a benefit that another purchase had earned outlives the return of one that reached the tier again', async () => {
  const yearly = { ...PROGRAM, levels: { valid_months: 12, ladder: LADDER }, sandbox: true };
  const shop = await makeShop(yearly);
  await at(shop, '2027-01-10');
  const member = await shop.member();
  await buy(shop, member, 1_000);
  const gifts = await giftsOf(shop, member);
  await at(shop, '2028-02-10'); // Bronze again
  const second = await buy(shop, member, 1_000);
  assert.equal(await tierOf(shop, member), 'Silver');
  await reverse(shop, second);
  assert.equal(await tierOf(shop, member), 'Bronze');
  assert.deepEqual(await giftsOf(shop, member), gifts);
});

test('a return also takes the tier of someone who left', async () => {
  const shop = await makeShop(PROGRAM);
  const member = await shop.member();
  const purchase = await buy(shop, member, 1_000);
  const [drink] = await giftsOf(shop, member);
  await shop.leave(member);
  await reverse(shop, purchase);
  assert.equal(await tierOf(shop, member), 'Bronze');
  await assertVoid(shop, member, [drink!.code]);
});

test('after a move down, a return of an older purchase does not change how much is still to be earned', async () => {
  const yearly = { ...PROGRAM, levels: { valid_months: 12, ladder: LADDER }, sandbox: true };
  const shop = await makeShop(yearly);
  await at(shop, '2027-01-10');
  const member = await shop.member();
  await buy(shop, member, 1_000);
  const older = await buy(shop, member, 700);
  await at(shop, '2028-02-10');
  const toEarn = async () => {
    const { body } = await (await shop.browser(member)).get('/v1/me/level');
    const { next_level, total_earned_points } = body as {
      next_level: { threshold: number };
      total_earned_points: number;
    };
    return [next_level.threshold - total_earned_points, total_earned_points];
  };
  assert.deepEqual(await toEarn(), [1_000, 1_700]);
  const later = await buy(shop, member, 300);
  assert.deepEqual(await toEarn(), [700, 2_000]);
  await reverse(shop, older, 500);
  assert.deepEqual(await toEarn(), [700, 1_500]);
  await reverse(shop, later, 100);
  assert.deepEqual(await toEarn(), [800, 1_400]);
  await buy(shop, member, 800);
  assert.equal(await tierOf(shop, member), 'Silver');
});

test('a redemption races a return that takes the tier: the code is either used or void', async () => {
  const shop = await makeShop(PROGRAM);
  const outcomes = { used: 0, void: 0 };
  await Promise.all(
    Array.from({ length: 40 }, async (_, i) => {
      const member = await shop.member();
      const purchase = await buy(shop, member, 1_000);
      const [drink] = await giftsOf(shop, member);
      const calls = [() => redeem(shop, drink!.code), () => reverse(shop, purchase)];
      const answers = await Promise.all((i % 2 === 0 ? calls : calls.toReversed()).map((call) => call()));
      const [redeemed, returned] = i % 2 === 0 ? answers : answers.toReversed();
      assert.equal(returned!.status, 201);
      assert.equal(await tierOf(shop, member), 'Bronze');
      if (redeemed!.status === 200) {
        outcomes.used++;
        assert.deepEqual(await giftsOf(shop, member), [{ ...drink!, used: true }]);
      } else {
        outcomes.void++;
        await assertVoid(shop, member, [drink!.code]);
      }
    }),
  );
  assert.equal(outcomes.used + outcomes.void, 40);
  await assertBooksAgree((await service()).db, shop.id);
});

/** Asserts that no list shows the codes and every till gets the same 400. */
async function assertVoid(shop: Shop, member: MadeMember, codes: readonly number[]): Promise<void> {
  const own = (await (await shop.browser(member)).get('/v1/me/benefits')).body as Redeemable[];
  const seen = (await shop.get(`/v1/clients/${member.code}/benefits`)).body as Redeemable[];
  assert.deepEqual(own, seen);
  for (const code of codes) {
    assert.ok(!own.some(({ client_benefit_code }) => client_benefit_code === code));
    const answers = [
      await shop.get(`/v1/benefits/preview/${code}`),
      await shop.get(`/v2/benefits/preview/${code}`),
      await redeem(shop, code),
    ];
    for (const { status, body } of answers) {
      assert.equal(status, 400);
      assert.match((body as { message: string }).message, /is void/);
    }
  }
}

interface Redeemable {
  readonly client_benefit_code: number;
  readonly used: boolean;
  readonly benefit: { readonly id: string };
}

/** Returns them as the shop lists them, by benefit id. */
async function giftsOf(shop: Shop, member: MadeMember) {
  const { body } = await shop.get(`/v1/clients/${member.code}/benefits`);
  return (body as Redeemable[])
    .map(({ client_benefit_code: code, used, benefit }) => ({ id: benefit.id, code, used }))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

function gift(id: string): ProgramFields {
  return benefit(id, { benefit_type: 'level', cost: 0 });
}

async function at(shop: Shop, day: string): Promise<void> {
  await setClock((await service()).db, shop.id, new Date(`${day}T10:00:00Z`));
}

async function buy(shop: Shop, member: MadeMember, amount: number): Promise<number> {
  const answer = await shop.post('/v1/consumptions/client-code', { client_code: member.code, amount });
  assert.equal(answer.status, 201);
  return Number(answer.headers.get('x-consumption-id'));
}

function reverse(shop: Shop, id: number, amount?: number): Promise<Answer> {
  return shop.post(`/v1/consumptions/${id}/reversal`, amount === undefined ? {} : { amount });
}

function redeem(shop: Shop, code: number): Promise<Answer> {
  return shop.post('/v1/benefits/redeem', { client_benefit_code: code });
}

async function tierOf(shop: Shop, member: MadeMember): Promise<string> {
  const { body } = await (await shop.browser(member)).get('/v1/me/level');
  return (body as { name: string }).name;
}
