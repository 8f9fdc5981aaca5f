/** What a change of the ladder does to those who stand on it: the cases of old, as members and shops see them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '#db/database.ts';
import { service } from '#test/harness.ts';
import { benefit, makeShop, type MadeMember, type ProgramFields, type Shop } from '#test/make.ts';

const BRONZE = { name: 'Bronze', threshold: 0 };
const SILVER = { name: 'Silver', threshold: 100, points_multiplier: 2 };
const GOLD = { name: 'Gold', threshold: 1000, points_multiplier: 3 };

test('the lowest tier is removed: those above it keep their tier, and those on it have none', async () => {
  const shop = await makeShop(withLadder([BRONZE, SILVER, GOLD]));
  const silver = await shop.member();
  await shop.sell(silver, 150);
  const bronze = await shop.member();
  await shop.apply(withLadder([SILVER, GOLD]));

  assert.equal((await levelOf(shop, silver)).name, 'Silver');
  assert.equal((await levelOf(shop, silver)).rank, 1);
  assert.equal(await statusOf(shop, bronze), 404);
  await shop.sell(silver, 10);
  assert.equal((await levelOf(shop, silver)).total_earned_points, 170); // 150 + 2 × 10
  await shop.sell(bronze, 10);
  assert.equal(await statusOf(shop, bronze), 404);
});

test('a tier is added below: whoever stands above it notices nothing and gets nothing again', async () => {
  const gifts = [gift('drink'), gift('cup')];
  const silver = { ...SILVER, benefit: 'drink' };
  const shop = await makeShop({ ...withLadder([silver, GOLD]), benefits: gifts });
  const member = await shop.member();
  await shop.sell(member, 150);
  const before = await levelOf(shop, member);
  assert.deepEqual(await giftsOf(shop, member), ['drink']);

  await shop.apply({ ...withLadder([{ ...BRONZE, benefit: 'cup' }, silver, GOLD]), benefits: gifts });
  assert.deepEqual(await levelOf(shop, member), {
    ...before,
    rank: 2,
    next_level: { ...before.next_level, rank: 3 },
  });
  assert.deepEqual(await giftsOf(shop, member), ['drink']);
  await shop.sell(member, 1);
  assert.deepEqual(await giftsOf(shop, member), ['drink']);
});

test('a tier that was raised and has a new one below keeps its holder', async () => {
  const shop = await makeShop(withLadder([named('A', 100), named('B', 150)]));
  const member = await shop.member();
  await shop.sell(member, 200);
  const { reached_at } = await levelOf(shop, member);
  await shop.apply(withLadder([named('Z', 50), named('A', 100), named('B', 1000)]));
  const level = await levelOf(shop, member);
  assert.deepEqual([level.name, level.rank, level.reached_at], ['B', 3, reached_at]);
});

test("the lowest tier is removed: whoever reaches the next one later gets that one's benefit", async () => {
  const gifts = [gift('cup'), gift('drink')];
  const [bronze, silver] = [
    { ...BRONZE, benefit: 'cup' },
    { ...SILVER, benefit: 'drink' },
  ];
  const shop = await makeShop({ ...withLadder([bronze, silver]), benefits: gifts });
  const member = await shop.member();
  assert.deepEqual(await giftsOf(shop, member), ['cup']);
  await shop.apply({ ...withLadder([silver]), benefits: gifts });
  await shop.sell(member, 150);
  assert.equal((await levelOf(shop, member)).name, 'Silver');
  assert.deepEqual(await giftsOf(shop, member), ['cup', 'drink']);
});

function withLadder(ladder: readonly ProgramFields[], more: ProgramFields = {}): ProgramFields {
  return { levels: { ladder, ...more } };
}

function named(name: string, threshold: number): ProgramFields {
  return { name, threshold };
}

function gift(id: string): ProgramFields {
  return benefit(id, { benefit_type: 'level', cost: 0 });
}

interface Level {
  readonly name: string;
  readonly rank: number;
  readonly reached_at: string;
  readonly expiration_date: string | null;
  readonly is_expired: boolean;
  readonly next_level: object | null;
  readonly total_earned_points: number;
}

async function levelOf(shop: Shop, member: MadeMember): Promise<Level> {
  const { status, body } = await (await shop.browser(member)).get('/v1/me/level');
  assert.equal(status, 200);
  return body as Level;
}

async function statusOf(shop: Shop, member: MadeMember): Promise<number> {
  return (await (await shop.browser(member)).get('/v1/me/level')).status;
}

/** Ids of the benefits that tiers have handed out to a member, in alphabetical order. */
async function giftsOf(shop: Shop, { memberId }: MadeMember): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select benefit_id as id from vouchers
     where commerce_id = ${shop.id} and member_id = ${memberId} and source = 'level' and given_back_at is null
     order by benefit_id`.execute((await service()).db);
  return rows.map((row) => row.id);
}
