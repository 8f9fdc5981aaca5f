import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql, transaction } from '#db/database.ts';
import { expireTiers } from '#jobs/expire-tiers.ts';
import { PersonErased, UnknownMember } from '#members/refusals.ts';
import { reversePurchase } from '#purchases/reverse-purchase.ts';
import { assertBooksAgree } from '#test/books.ts';
import { service } from '#test/harness.ts';
import { benefit, makeShop, type MadeMember, type ProgramFields, type Shop } from '#test/make.ts';
import { storedPurchaseId } from '#test/stored-id.ts';
import { adjustPoints } from './adjust-points.ts';
import { pinFromCommandLine } from '#test/staff.ts';
import { unpinTier } from './unpin-tier.ts';

const { db } = await service();

test('a pinned tier is held and multiplies, has no end and no next tier, and unpinning gives the earned one back', async () => {
  const shop = await makeShop(ladder());
  const member = await shop.member();
  await shop.sell(member, 120);
  const before = await levelOf(shop, member);
  const { answer, entry } = await pin(shop, member, 'gold');
  assert.deepEqual(answer, { tierId: 'gold', isPinned: true });
  assert.deepEqual(entry, {
    action: 'tier.pin',
    memberId: member.memberId,
    before: { level: 'silver', pinned: false },
    after: { level: 'gold', pinned: true },
    personal: { reason: 'A test' },
  });
  const { reached_at: reachedAt, ...level } = await levelOf(shop, member);
  assert.deepEqual(level, { name: 'gold', expiration_date: null, is_expired: false, next_level: null });
  assert.ok(new Date(reachedAt!) > new Date(before.reached_at!));

  await shop.sell(member, 10);
  assert.equal(await pointsOf(shop, member), 120 + 10 * 3);
  const unpinned = await unpin(shop, member);
  assert.deepEqual(unpinned.answer, { tierId: 'silver', isPinned: false });
  assert.deepEqual(unpinned.entry?.before, { level: 'gold', pinned: true });
  assert.deepEqual(await levelOf(shop, member), before);
  await assertBooksAgree(db, shop.id);
});

test('pinning hands out the benefits on the way once, and unpinning takes none', async () => {
  const shop = await makeShop(ladder());
  const member = await shop.member();
  await pin(shop, member, 'gold');
  assert.deepEqual(await giftsOf(shop, member), ['gold', 'silver']);
  await unpin(shop, member);
  await pin(shop, member, 'silver');
  await shop.sell(member, 1200);
  assert.deepEqual(await giftsOf(shop, member), ['gold', 'silver']);
  assert.deepEqual((await unpin(shop, member)).answer, { tierId: 'gold', isPinned: false });
  assert.deepEqual(await giftsOf(shop, member), ['gold', 'silver']);
  await assertBooksAgree(db, shop.id);
});

test('what a purchase earns beneath a pin is handed out, and goes with its return', async () => {
  const shop = await makeShop(ladder());
  const member = await shop.member();
  await pin(shop, member, null);
  assert.equal((await (await shop.browser(member)).get('/v1/me/level')).status, 404);
  const bought = await shop.post('/v1/consumptions/client-code', { client_code: member.code, amount: 150 });
  assert.deepEqual(await giftsOf(shop, member), ['silver']);
  const purchaseId = await storedPurchaseId(bought);
  await transaction(db, (tx) => reversePurchase(tx, { commerceId: shop.id, purchaseId }));
  assert.deepEqual(await giftsOf(shop, member), []);
  assert.deepEqual((await unpin(shop, member)).answer, { tierId: null, isPinned: false });
  await assertBooksAgree(db, shop.id);
});

test('a pinned tier does not end, and the period that ended meanwhile counts when it is unpinned', async () => {
  const shop = await makeShop({
    ...ladder({ valid_months: 2 }),
    sandbox: true,
    clock: '2027-01-10T10:00:00Z',
  });
  const [pinned, other] = [await shop.member(), await shop.member()];
  for (const member of [pinned, other]) await shop.sell(member, 1200);
  await pin(shop, pinned, 'gold');
  await shop.moveClock('63 days');
  await expireTiers.run(db, shop.id);
  assert.equal((await levelOf(shop, pinned)).is_expired, false);
  assert.equal((await levelOf(shop, other)).is_expired, true);
  await unpin(shop, pinned);
  assert.deepEqual(
    { ...(await levelOf(shop, pinned)), reached_at: null },
    { ...(await levelOf(shop, other)), reached_at: null },
  );
  await assertBooksAgree(db, shop.id);
});

test('changes of the ladder leave a pinned tier alone, unless it is removed', async () => {
  const shop = await makeShop(ladder());
  const member = await shop.member();
  await shop.sell(member, 120);
  await pin(shop, member, 'gold');
  await shop.apply(
    ladder({}, [
      ['silver', 100, 2],
      ['gold', 9000, 3],
    ]),
  );
  assert.equal((await levelOf(shop, member)).name, 'gold');
  await shop.apply(ladder({}, [['silver', 5000, 2]]));
  assert.equal((await levelOf(shop, member)).name, 'silver');
  assert.equal((await levelOf(shop, member)).next_level, null);
  await assertBooksAgree(db, shop.id);
});

test('an unknown tier, an erased person and a stranger are refused; repeating changes nothing', async () => {
  const shop = await makeShop(ladder());
  const [member, erased] = [await shop.member(), await shop.member()];
  await shop.erase(erased);
  await assert.rejects(pin(shop, member, 'platinum'), { code: 'unknown_level' });
  await assert.rejects(pin(shop, erased, 'gold'), PersonErased);
  await assert.rejects(pin(shop, { memberId: 999_999_999 }, 'gold'), UnknownMember);
  assert.equal((await unpin(shop, member)).entry, null);
  await pin(shop, member, 'gold');
  assert.equal((await pin(shop, member, 'gold')).entry, null);
  assert.deepEqual((await pin(shop, member, 'silver')).entry?.before, { level: 'gold', pinned: true });
});

test('the tier of someone who is away is pinned, and what was earned before shows when it is unpinned', async () => {
  const shop = await makeShop(ladder());
  const member = await shop.member();
  await shop.sell(member, 120);
  await shop.leave(member);
  await pin(shop, member, 'gold');
  assert.deepEqual(await giftsOf(shop, member), ['silver']);
  assert.equal((await levelOf(shop, member)).name, 'gold');
  assert.deepEqual((await unpin(shop, member)).answer, { tierId: 'silver', isPinned: false });
  await assertBooksAgree(db, shop.id);
});

test('a tier is pinned and removed from the program at once: nobody holds a tier that is gone', async () => {
  const shop = await makeShop(ladder());
  const members = await Promise.all(Array.from({ length: 3 }, () => shop.member()));
  for (let round = 0; round < 4; round++) {
    await Promise.allSettled([
      ...members.map((member) => pin(shop, member, 'gold')),
      shop.apply(ladder({}, [['silver', 100, 1]])),
    ]);
    await assertBooksAgree(db, shop.id);
    await shop.apply(ladder());
  }
});

test('pins, unpins, purchases, returns, adjustments and the job at once: the books agree and each benefit is given once', async () => {
  const shop = await makeShop({
    ...ladder({ valid_months: 1 }),
    sandbox: true,
    clock: '2027-01-10T10:00:00Z',
  });
  const member = await shop.member();
  for (let round = 0; round < 8; round++) {
    const bought = await shop.post('/v1/consumptions/client-code', { client_code: member.code, amount: 150 });
    const purchaseId = await storedPurchaseId(bought);
    await Promise.all([
      pin(shop, member, round % 2 === 0 ? 'gold' : 'silver'),
      unpin(shop, member),
      shop.sell(member, 60),
      transaction(db, (tx) => reversePurchase(tx, { commerceId: shop.id, purchaseId })),
      transaction(db, (tx) =>
        adjustPoints(tx, { commerceId: shop.id, memberId: member.memberId, points: 30, reason: 'A test' }),
      ),
      shop.moveClock('11 days'),
      expireTiers.run(db, shop.id),
    ]);
    const gifts = await giftsOf(shop, member);
    assert.equal(new Set(gifts).size, gifts.length, 'a benefit was handed out twice');
  }
  await unpin(shop, member);
  await assertBooksAgree(db, shop.id);
});

function pin(shop: Shop, { memberId }: Pick<MadeMember, 'memberId'>, tierId: string | null) {
  return pinFromCommandLine(db, { commerceId: shop.id, memberId, tierId, reason: 'A test' });
}

function unpin(shop: Shop, { memberId }: MadeMember) {
  return transaction(db, (tx) => unpinTier(tx, { commerceId: shop.id, memberId }));
}

interface Level {
  readonly name: string;
  readonly reached_at: string | null;
  readonly expiration_date: string | null;
  readonly is_expired: boolean;
  readonly next_level: object | null;
}

async function levelOf(shop: Shop, member: MadeMember): Promise<Level> {
  const { body } = await (await shop.browser(member)).get('/v1/me/level');
  const { name, reached_at, expiration_date, is_expired, next_level } = body as Level;
  return { name, reached_at, expiration_date, is_expired, next_level };
}

async function pointsOf(shop: Shop, { code }: MadeMember): Promise<number> {
  return ((await shop.get(`/v1/clients/${code}`)).body as { points: number }).points;
}

/** The ids of the tiers whose code the member holds. */
async function giftsOf(shop: Shop, { memberId }: MadeMember): Promise<string[]> {
  const { rows } = await sql<{ tierId: string }>`
    select tier_id as "tierId" from vouchers
     where commerce_id = ${shop.id} and member_id = ${memberId} and given_back_at is null
     order by tier_id`.execute(db);
  return rows.map(({ tierId }) => tierId);
}

function ladder(
  more: ProgramFields = {},
  tiers: readonly (readonly [id: string, threshold: number, multiplier: number])[] = [
    ['silver', 100, 1],
    ['gold', 1000, 3],
  ],
): ProgramFields {
  return {
    levels: {
      threshold_type: 'amount',
      ladder: tiers.map(([id, threshold, multiplier]) => ({
        id,
        name: id,
        threshold,
        points_multiplier: multiplier,
        benefit: `${id}-gift`,
      })),
      ...more,
    },
    benefits: ['silver', 'gold', 'top'].map((id) =>
      benefit(`${id}-gift`, { benefit_type: 'level', cost: 0 }),
    ),
  };
}
