import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addMonths, localDay } from '#calendar/calendar.ts';
import { sql, transaction } from '#db/database.ts';
import { expirePoints } from '#jobs/expire-points.ts';
import { readExplanation } from '#books/read-explanation.ts';
import { PersonErased, UnknownMember } from '#members/refusals.ts';
import { BeyondCounting } from '#points/countable.ts';
import { KeyReused } from '#batching/idempotency.ts';
import { exchangeBenefit } from '#test/exchange-benefit.ts';
import { assertBooksAgree } from '#test/books.ts';
import { service } from '#test/harness.ts';
import { benefit, makeShop, type MadeMember, type Shop } from '#test/make.ts';
import { adjustPoints, type PointsToAdjust } from './adjust-points.ts';
import { CannotBeAdjusted } from './decide-adjustment.ts';

const { db } = await service();
const timeZone = 'Europe/Madrid';

test('added points are in the balance, count as earned, and their reason is in the history', async () => {
  const shop = await makeShop();
  const member = await shop.member();
  const { answer, entry } = await adjust(shop, member, 40, { reason: 'Sorry for the cold coffee' });
  assert.deepEqual([answer.points, answer.balance, answer.replayed], [40, 40, false]);
  assert.deepEqual(entry, {
    action: 'points.adjust',
    memberId: member.memberId,
    movementId: answer.adjustmentId,
    before: { points: 0 },
    after: { points: 40 },
    personal: { reason: 'Sorry for the cold coffee' },
  });

  const { body } = await (await shop.browser(member)).get('/v1/me/activity');
  const [item] = (body as { results: object[] }).results;
  assert.deepEqual(item, {
    type: 'points_special_reward',
    date: (item as { date: string }).date,
    points: 40,
    benefit: null,
    amount: null,
    event: null,
    additional_note: 'Sorry for the cold coffee',
  });
  assert.equal((await earnedBy(shop, member)).earned, 40);
  const { sentence } = (await readExplanation(db, shop.id, answer.adjustmentId))!;
  assert.equal(sentence, 'Sorry for the cold coffee: 40 points (40 without a date).');
  await assertBooksAgree(db, shop.id);
});

test('the reason stands beside the ledger, and without it the history says who adjusted the points', async () => {
  const shop = await makeShop({ locale: 'es' });
  const member = await shop.member();
  const { answer } = await adjust(shop, member, 40, { reason: 'María López llamó' });
  const { rows } = await sql<{ text: string }>`
    select m::text as text from movements m where commerce_id = ${shop.id} and id = ${answer.adjustmentId}`.execute(
    db,
  );
  assert.doesNotMatch(rows[0]!.text, /María/);
  await sql`delete from movement_notes where commerce_id = ${shop.id} and member_id = ${member.memberId}`.execute(
    db,
  );
  const { body } = await (await shop.browser(member)).get('/v1/me/activity');
  const { results } = body as { results: { additional_note: string }[] };
  assert.equal(results[0]!.additional_note, 'Ajustado por el comercio');
  await assertBooksAgree(db, shop.id);
});

test('a mistake and its correction leave no trace in the balance and in the points earned', async () => {
  const shop = await makeShop();
  const member = await shop.member();
  await shop.sell(member, 100);
  await adjust(shop, member, 1000);
  const { answer } = await adjust(shop, member, -1000, { reason: 'Typed a zero too many' });
  assert.deepEqual([answer.points, answer.balance], [-1000, 100]);
  assert.deepEqual(await earnedBy(shop, member), { earned: 100, amount: 100, purchases: 1 });
  await assertBooksAgree(db, shop.id);
});

test('points are taken from what expires first, and never more than there are', async () => {
  const shop = await makeShop({
    sandbox: true,
    clock: '2027-01-10T10:00:00Z',
    points_expiration: { mode: 'rolling', months: 2 },
  });
  const member = await shop.member();
  await shop.sell(member, 30);
  await shop.moveClock('10 days');
  await shop.sell(member, 30);
  await assert.rejects(adjust(shop, member, -61), {
    status: 400,
    code: 'points_short',
    message: 'the points could not be adjusted: the balance is 60, and no more can be taken',
  });
  const { answer } = await adjust(shop, member, -40, { reason: 'Counted twice' });
  assert.deepEqual(await daysOf(shop, member), [['2027-03-20', 20]]);
  const { sentence } = (await readExplanation(db, shop.id, answer.adjustmentId))!;
  assert.equal(
    sentence,
    'Counted twice: 40 points taken (-30 until March 10, 2027, -10 until March 20, 2027).',
  );
  await assertBooksAgree(db, shop.id);
});

test('in rolling mode points expire by the program, or on a day set by hand', async () => {
  const shop = await makeShop({ points_expiration: { mode: 'rolling', months: 6 } });
  const member = await shop.member();
  const today = localDay(new Date(), timeZone);
  const [own, byHand] = [addMonths(today, 6), addMonths(today, 18)];
  await adjust(shop, member, 10);
  await adjust(shop, member, 10, { expiresOn: today });
  const { answer } = await adjust(shop, member, 10, { expiresOn: byHand, reason: 'A prize' });
  assert.deepEqual(await daysOf(shop, member), [
    [today, 10],
    [own, 10],
    [byHand, 10],
  ]);
  const { sentence } = (await readExplanation(db, shop.id, answer.adjustmentId))!;
  assert.match(sentence, /^A prize: 10 points \(10 until .*\); the day was set by hand\.$/);
  const yesterday = localDay(new Date(Date.now() - 86_400_000), timeZone);
  await assert.rejects(adjust(shop, member, 10, { expiresOn: yesterday }), { code: 'invalid_expiry' });
  await assert.rejects(adjust(shop, member, -5, { expiresOn: byHand }), { code: 'invalid_expiry' });
  await assertBooksAgree(db, shop.id);
});

test('in accumulated mode an adjustment takes the date of the member and does not move it', async () => {
  const shop = await makeShop({
    sandbox: true,
    clock: '2027-01-10T10:00:00Z',
    points_expiration: { mode: 'accumulated', months: 2 },
  });
  const [buyer, newcomer] = [await shop.member(), await shop.member()];
  await shop.sell(buyer, 30);
  await shop.moveClock('20 days');
  await adjust(shop, buyer, 10);
  await adjust(shop, newcomer, 10);
  assert.deepEqual(await daysOf(shop, buyer), [['2027-03-10', 40]]);
  assert.deepEqual(await daysOf(shop, newcomer), [['2027-03-30', 10]]);
  await adjust(shop, buyer, -40);
  assert.deepEqual(await daysOf(shop, buyer), []);
  await assert.rejects(adjust(shop, buyer, 10, { expiresOn: '2027-12-31' }), { code: 'invalid_expiry' });
  await assertBooksAgree(db, shop.id);
});

test('added points pay off a debt first', async () => {
  const shop = await makeShop({ benefits: [benefit('coffee', { cost: 100 })] });
  const member = await shop.member();
  const bought = await shop.post('/v1/consumptions/client-code', { client_code: member.code, amount: 100 });
  await shop.voucher(member, 'coffee');
  await shop.post(`/v1/consumptions/${bought.headers.get('x-consumption-id')}/reversal`, {});
  assert.equal((await adjust(shop, member, 30)).answer.balance, -70);
  await assert.rejects(adjust(shop, member, -1), { code: 'points_short' });
  await assertBooksAgree(db, shop.id);
});

test('added points lift the tier and hand out its benefit once; taken ones lower nothing', async () => {
  const shop = await makeShop(withTiers());
  const member = await shop.member();
  await adjust(shop, member, 120);
  assert.deepEqual(await tierOf(shop, member), ['Gold', 1]);
  await adjust(shop, member, -120);
  assert.deepEqual(await tierOf(shop, member), ['Gold', 1]);
  await adjust(shop, member, 120);
  assert.deepEqual(await tierOf(shop, member), ['Gold', 1]);
  await assertBooksAgree(db, shop.id);
});

test('people who are invited, left or blocked are adjusted, and the tier of those who are away stands still', async () => {
  const shop = await makeShop(withTiers());
  const [left, blocked] = [await shop.member(), await shop.member()];
  await shop.leave(left);
  await shop.block(blocked);
  for (const away of [left, blocked]) {
    assert.equal((await adjust(shop, away, 120)).answer.balance, 120);
    assert.deepEqual(await tierOf(shop, away), [null, 0]);
  }
  const email = `${shop.slug}@example.com`;
  await shop.post('/v1/consumptions/email', { client_email: email, amount: 10 });
  const { rows } = await sql<{ memberId: number }>`
    select id as "memberId" from members where commerce_id = ${shop.id} and email = ${email}`.execute(db);
  assert.equal((await adjust(shop, rows[0]!, 5)).answer.balance, 15);
  await assertBooksAgree(db, shop.id);
});

test('an erased person, a stranger and a member of another commerce are refused', async () => {
  const shop = await makeShop();
  const [member, other] = [await shop.member(), await (await makeShop()).member()];
  await shop.erase(member);
  await assert.rejects(adjust(shop, member, 5), PersonErased);
  await assert.rejects(adjust(shop, { memberId: 999_999_999 }, 5), UnknownMember);
  await assert.rejects(adjust(shop, other, 5), UnknownMember);
});

test('0 points and figures past counting are refused', async () => {
  const shop = await makeShop();
  const member = await shop.member();
  await assert.rejects(adjust(shop, member, 0), CannotBeAdjusted);
  await adjust(shop, member, Number.MAX_SAFE_INTEGER);
  await assert.rejects(adjust(shop, member, 1), BeyondCounting);
  await assert.rejects(adjust(shop, member, 2 ** 53), BeyondCounting);
  await assert.rejects(adjust(shop, member, -(2 ** 53)), BeyondCounting);
  await assertBooksAgree(db, shop.id);
});

test('a repeated key returns the first adjustment, also to two calls at once, and changes nothing', async () => {
  const shop = await makeShop();
  const member = await shop.member();
  const request = { key: 'k1', path: {}, body: { points: 25 } };
  const calls = await Promise.all(Array.from({ length: 8 }, () => adjust(shop, member, 25, { request })));
  const made = calls.filter(({ entry }) => entry !== null);
  assert.equal(made.length, 1);
  for (const { answer } of calls)
    assert.deepEqual({ ...answer, replayed: false }, { ...made[0]!.answer, replayed: false });
  const other = { key: 'k1', path: {}, body: { points: 26 } };
  await assert.rejects(adjust(shop, member, 26, { request: other }), KeyReused);
  // A refusal is not stored.
  const taking = { key: 'k2', path: {}, body: { points: -30 } };
  await assert.rejects(adjust(shop, member, -30, { request: taking }), { code: 'points_short' });
  await adjust(shop, member, 5);
  assert.equal((await adjust(shop, member, -30, { request: taking })).answer.balance, 0);
  await assertBooksAgree(db, shop.id);
});

test('two people take the same last points at once: one of them gets them', async () => {
  const shop = await makeShop();
  const member = await shop.member();
  for (let round = 0; round < 5; round++) {
    await shop.sell(member, 50);
    const taken = await Promise.allSettled([adjust(shop, member, -50), adjust(shop, member, -50)]);
    assert.deepEqual(taken.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
  }
  await assertBooksAgree(db, shop.id);
});

for (const mode of ['rolling', 'accumulated'] as const) {
  test(`adjustments, purchases, exchanges and the expiry job at once: every point is accounted for (${mode})`, async () => {
    const shop = await makeShop({
      sandbox: true,
      clock: '2027-01-10T10:00:00Z',
      points_expiration: { mode, months: 2 },
      benefits: [benefit('coffee', { cost: 10 })],
      codes: { max_unused: 1000 },
    });
    const member = await shop.member();
    await shop.sell(member, 500); // expires in the middle of the rounds
    await shop.moveClock('58 days');
    for (let round = 0; round < 6; round++) {
      await Promise.all([
        ...Array.from({ length: 4 }, () => [
          shop.sell(member, 50),
          adjust(shop, member, 20),
          adjust(shop, member, -20),
          exchangeBenefit(db, { commerceId: shop.id, userId: member.userId, benefitId: 'coffee' }),
        ]).flat(),
        shop.moveClock('1 day'),
        expirePoints.run(db, shop.id),
      ]);
    }
    await assertBooksAgree(db, shop.id);
    const { rows } = await sql<{ points: number }>`
      select sum(points)::bigint as points from movements
       where commerce_id = ${shop.id} and type <> 'expiry'`.execute(db);
    assert.equal(rows[0]!.points, 500 + 6 * 4 * (50 - 10));
  });
}

type More = Partial<Pick<PointsToAdjust, 'reason' | 'expiresOn' | 'request'>>;

function adjust(shop: Shop, { memberId }: Pick<MadeMember, 'memberId'>, points: number, more: More = {}) {
  return transaction(db, (tx) =>
    adjustPoints(tx, { commerceId: shop.id, memberId, points, reason: 'A test', ...more }),
  );
}

async function earnedBy(shop: Shop, { memberId }: MadeMember) {
  const { rows } = await sql`
    select points_earned as earned, amount_spent as amount, purchases
      from members where commerce_id = ${shop.id} and id = ${memberId}`.execute(db);
  return rows[0] as { earned: number; amount: number; purchases: number };
}

async function daysOf(shop: Shop, { memberId }: MadeMember): Promise<[string, number][]> {
  const { rows } = await sql<{ day: string; points: number }>`
    select expires_on as day, points from balances
     where commerce_id = ${shop.id} and member_id = ${memberId} order by expires_on`.execute(db);
  return rows.map(({ day, points }) => [day, points]);
}

async function tierOf(shop: Shop, { memberId }: MadeMember): Promise<[string | null, number]> {
  const { rows } = await sql<{ tierId: string | null; codes: number }>`
    select m.tier_id as "tierId",
           (select count(*) from vouchers v where v.commerce_id = m.commerce_id and v.member_id = m.id) as codes
      from members m where m.commerce_id = ${shop.id} and m.id = ${memberId}`.execute(db);
  const { tierId, codes } = rows[0]!;
  return [tierId === 'gold' ? 'Gold' : tierId, codes];
}

function withTiers() {
  return {
    levels: { ladder: [{ name: 'Gold', threshold: 100, points_multiplier: 1, benefit: 'gold-gift' }] },
    benefits: [benefit('gold-gift', { benefit_type: 'level', cost: 0 })],
  };
}
