/** The effect of a change of the ladder on those who stand on it: the cases of old, as members and shops see them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'yaml';
import { readCommerce } from '#commerces/commerce.ts';
import { sql, transaction } from '#db/database.ts';
import { enrolMember } from '#enrolment/enrol-member.ts';
import { writeProgram } from '#program/write-program.ts';
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

test('a member who has left or is blocked is lifted by no new ladder, and by coming back', async () => {
  const { db } = await service();
  const gifts = [gift('drink')];
  const shop = await makeShop({ ...withLadder([SILVER]), benefits: gifts });
  const [left, blocked] = [await shop.member(), await shop.member()];
  for (const member of [left, blocked]) await shop.sell(member, 60);
  await shop.leave(left);
  await shop.block(blocked);
  const lower = { ...withLadder([{ ...SILVER, threshold: 50, benefit: 'drink' }]), benefits: gifts };
  assert.deepEqual(
    (await shop.apply(lower)).filter((line) => line.startsWith('members')),
    [],
  );
  for (const member of [left, blocked]) assert.equal(await statusOf(shop, member), 404);

  await transaction(db, (tx) => enrolMember(tx, shop.id, left.email));
  const { name, reached_at } = await levelOf(shop, left);
  assert.equal(name, 'Silver');
  assert.equal((await levelOf(shop, left)).reached_at, reached_at);
  assert.deepEqual(await giftsOf(shop, left), ['drink']);
});

test('apply and its dry run tell what becomes of how many members, and applied again nothing changes', async () => {
  const gifts = [gift('drink'), gift('plate')];
  const shop = await makeShop({ ...withLadder([BRONZE, SILVER, GOLD]), benefits: gifts });
  for (const amount of [0, 0, 60, 150, 1500, 1500, 1500]) {
    const member = await shop.member();
    if (amount > 0) await shop.sell(member, amount);
  }
  const next = withLadder([
    { ...SILVER, threshold: 50, benefit: 'drink' },
    { name: 'Platinum', id: 'platinum', threshold: 2000, benefit: 'plate' },
  ]);
  const expected = [
    'levels.ladder.silver.threshold: 100 → 50',
    'levels.ladder.silver.benefit: none → drink',
    'levels.ladder.platinum: added',
    'levels.ladder.bronze: removed',
    'levels.ladder.gold: removed',
    'members who are left without a tier: 2',
    'members who reach a higher tier: 1',
    "members who get a tier's benefit: 1",
    'members who fall to a lower tier because theirs is removed: 3',
  ];
  const file = { ...next, benefits: gifts };
  assert.deepEqual((await shop.apply(file, { dryRun: true })).toSorted(), expected.toSorted());
  assert.deepEqual((await shop.apply(file)).toSorted(), expected.toSorted());
  assert.deepEqual(await shop.apply(file), []);
});

test('another name or picture of a tier moves nobody', async () => {
  const shop = await makeShop(withLadder([BRONZE, SILVER], { valid_months: 12 }));
  const member = await shop.member();
  await shop.sell(member, 150);
  const before = await levelOf(shop, member);
  const icon_url = 'https://luna.example/plata.png';
  const changes = await shop.apply(
    withLadder([BRONZE, { ...SILVER, id: 'silver', name: 'Plata', icon_url }], { valid_months: 12 }),
  );
  assert.deepEqual(changes, [
    'levels.ladder.silver.name: Silver → Plata',
    `levels.ladder.silver.icon_url: ${icon_url}`.replace(': https', ': none → https'),
  ]);
  assert.deepEqual(await levelOf(shop, member), { ...before, name: 'Plata', icon_url });
});

test('a tier that was renewed keeps its period when the ladder changes', async () => {
  const levels = { valid_months: 12 };
  const shop = await makeShop({
    ...withLadder([SILVER], levels),
    sandbox: true,
    clock: '2027-01-10T12:00:00Z',
  });
  const member = await shop.member();
  await shop.sell(member, 150);
  await shop.sell(member, 150);
  await shop.moveClock('400 days');
  const before = await levelOf(shop, member);
  assert.equal(before.expiration_date?.slice(0, 10), '2029-01-10');
  await shop.apply({ ...withLadder([SILVER, GOLD], levels), sandbox: true });
  const { expiration_date, reached_at } = await levelOf(shop, member);
  assert.deepEqual([expiration_date, reached_at], [before.expiration_date, before.reached_at]);
});

test('a file without ids finds its tiers by name, wherever they stand', async () => {
  const shop = await makeShop(withLadder([named('Nivel Uno', 10), named('Árbol', 20), named('★', 30)]));
  assert.deepEqual(await idsOf(shop), ['nivel-uno', 'arbol', 'tier-3']);
  await shop.apply(withLadder([named('★', 10), named('Nivel Uno', 20), named('Árbol', 30)]));
  assert.deepEqual(await idsOf(shop), ['tier-3', 'nivel-uno', 'arbol']);
  await shop.apply(
    withLadder([named('★', 10), named('Nivel Uno', 20), named('Árbol', 30), named('arbol', 40)]),
  );
  assert.deepEqual(await idsOf(shop), ['tier-3', 'nivel-uno', 'arbol', 'tier-4']);
});

test('an exported file has the ids, and applied it changes nothing', async () => {
  const shop = await makeShop(withLadder([BRONZE, SILVER]));
  const { program } = (await readCommerce((await service()).db, shop.id))!;
  const exported = parse(writeProgram(program)) as { levels: { ladder: { id: string }[] } };
  assert.deepEqual(
    exported.levels.ladder.map(({ id }) => id),
    ['bronze', 'silver'],
  );
  assert.deepEqual(await shop.apply(exported), []);
});

test('a file without ids in which one tier is missing and one is unknown is refused, with the ids to write', async () => {
  const shop = await makeShop(withLadder([BRONZE, SILVER, GOLD]));
  const renamed = withLadder([BRONZE, { ...SILVER, name: 'Plata' }, GOLD]);
  await assert.rejects(shop.apply(renamed), {
    name: 'Error',
    message: [
      'levels.ladder: missing Silver, and unknown Plata, which may be a new name. Write the id of each tier:',
      '  Bronze: id bronze',
      '  Plata: id silver if it is Silver under a new name, id plata if it is a new tier',
      '  Gold: id gold',
    ].join('\n'),
  });
  const told = withLadder([BRONZE, { ...SILVER, id: 'silver', name: 'Plata' }, GOLD]);
  assert.deepEqual(await shop.apply(told), ['levels.ladder.silver.name: Silver → Plata']);
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

async function idsOf(shop: Shop): Promise<(string | null)[]> {
  const { program } = (await readCommerce((await service()).db, shop.id))!;
  return program.levels.ladder.map(({ id }) => id);
}
