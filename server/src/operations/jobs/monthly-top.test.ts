import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setClock } from '#commerces/clock.ts';
import { duringImport } from '#commerces/import-turn.ts';
import { sql, transaction } from '#db/database.ts';
import { lockMember } from '#members/lock-members.ts';
import { service } from '#test/harness.ts';
import { makeShop, type MadeMember, type Shop } from '#test/make.ts';
import { untilOneWaits } from '#test/until-one-waits.ts';
import { monthlyTop } from './monthly-top.ts';
import { monthToReward } from './months-to-reward.ts';

const PROGRAM = { sandbox: true, rewards: { monthly_top: { points: 1000, settle_days: 3 } } };

const months: [today: string, settleDays: number, month: string, why: string][] = [
  ['2027-06-03', 3, '2027-04-01', 'May purchases can still be returned'],
  ['2027-06-04', 3, '2027-05-01', 'three days after the end of May'],
  ['2027-06-01', 0, '2027-05-01', 'at once'],
  ['2028-01-04', 3, '2027-12-01', 'across the turn of the year'],
  ['2027-03-28', 28, '2027-01-01', 'February purchases can be returned until 28 March'],
];
for (const [today, settleDays, month, why] of months) {
  test(`on ${today} the month to reward is ${month}: ${why}`, () =>
    assert.equal(monthToReward(today, settleDays), month));
}

type Story = (
  shop: Shop,
  a: MadeMember,
  b: MadeMember,
  buy: (member: MadeMember, at: string, amount: number) => Promise<number>,
) => Promise<void>;

const stories: [what: string, winner: 'a' | 'b' | null, story: Story][] = [
  [
    'goes to the member with the highest amount in the local month',
    'b',
    async (_shop, a, b, buy) => {
      await buy(a, '2027-04-30T21:59:00Z', 500); // still April in Madrid
      await buy(a, '2027-05-01T10:00:00Z', 100);
      await buy(b, '2027-04-30T22:00:00Z', 101);
    },
  ],
  [
    'does not count what was returned, whenever that was',
    'b',
    async (shop, a, b, buy) => {
      const id = await buy(a, '2027-05-02T10:00:00Z', 500);
      await buy(b, '2027-05-03T10:00:00Z', 100);
      await at(shop, '2027-06-02T10:00:00Z');
      await shop.post(`/v1/consumptions/${id}/reversal`, { amount: 450 });
    },
  ],
  [
    'goes to the member who reached the total first if two are equal',
    'b',
    async (_shop, a, b, buy) => {
      await buy(a, '2027-05-02T10:00:00Z', 60);
      await buy(b, '2027-05-03T10:00:00Z', 100);
      await buy(a, '2027-05-04T10:00:00Z', 40);
    },
  ],
  [
    'goes to nobody if nobody bought',
    null,
    async (shop, a, _b, buy) => {
      const id = await buy(a, '2027-05-02T10:00:00Z', 60);
      await shop.post(`/v1/consumptions/${id}/reversal`, {});
    },
  ],
  [
    'goes to the next member if the first has left',
    'b',
    async (_shop, a, b, buy) => {
      await buy(a, '2027-05-02T10:00:00Z', 600);
      await buy(b, '2027-05-03T10:00:00Z', 100);
      const { db } = await service();
      await sql`update members set state = 'left', left_at = now() where id = ${a.memberId}`.execute(db);
    },
  ],
];
for (const [what, winner, story] of stories) {
  test(`the reward of a month ${what}`, async () => {
    const { db } = await service();
    const shop = await makeShop(PROGRAM);
    const people = { a: await shop.member(), b: await shop.member() };
    await story(shop, people.a, people.b, async (member, instant, amount) => {
      await at(shop, instant);
      const body = { client_code: member.code, amount };
      const answer = await shop.post('/v1/consumptions/client-code', body);
      return Number(answer.headers.get('x-consumption-id'));
    });
    await at(shop, '2027-06-03T21:59:00Z'); // 23:59 on the third day
    await monthlyTop.run(db, shop.id); // for April, if anyone bought then
    assert.deepEqual(await rewardsOf(shop), []);
    await at(shop, '2027-06-03T22:00:00Z');
    const counts = await Promise.all(Array.from({ length: 10 }, () => monthlyTop.run(db, shop.id)));
    assert.equal(
      counts.reduce((sum, count) => sum + count),
      winner === null ? 0 : 1,
    );
    assert.deepEqual(await rewardsOf(shop), winner === null ? [] : [people[winner].memberId]);
  });
}

test('an import waits until the reward of a month is stored', async () => {
  const { db } = await service();
  const shop = await makeShop(PROGRAM);
  const member = await shop.member();
  await at(shop, '2027-05-02T10:00:00Z');
  await shop.sell(member, 100);
  await at(shop, '2027-06-04T10:00:00Z');
  const [locked, free] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const busy = transaction(db, async (tx) => {
    await lockMember(tx, { commerceId: shop.id, id: member.memberId });
    locked.resolve();
    await free.promise;
  });
  await locked.promise;
  const rewarding = monthlyTop.run(db, shop.id); // has found the member and waits for the lock
  await untilOneWaits(db, { kind: 'transactionid' });
  const importing = duringImport(db, shop.id, () => rewardsOf(shop));
  await Promise.race([importing, untilOneWaits(db, { kind: 'advisory' })]);
  free.resolve();
  assert.deepEqual(await importing, [member.memberId], 'the import started before the reward was stored');
  assert.equal(await rewarding, 1);
  await busy;
});

async function at(shop: Shop, instant: string): Promise<void> {
  await setClock((await service()).db, shop.id, new Date(instant));
}

/** Returns the members who were rewarded for May. */
async function rewardsOf(shop: Shop): Promise<number[]> {
  const { rows } = await sql<{ memberId: number }>`
    select member_id as "memberId" from rewards where commerce_id = ${shop.id} and period = '2027-05'`.execute(
    (await service()).db,
  );
  return rows.map((row) => row.memberId);
}
