import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeShop } from '#test/make.ts';
import { makeStaff } from '#test/staff.ts';

test('the preview of a return says what the return then does, and records nothing', async () => {
  const shop = await makeShop({
    earning: { money_per_point: 10 },
    levels: {
      ladder: [
        { id: 'crew', name: 'Crew', threshold: 0, points_multiplier: 1 },
        { id: 'captain', name: 'Captain', threshold: 20, points_multiplier: 2 },
      ],
    },
  });
  const manager = await makeStaff(shop, 'manager');
  const member = await shop.member();
  await shop.sell(member, 255);
  const found = await manager.post('find', { text: String(member.code) });
  const { member_id: id } = (found.body as { members: { member_id: number }[] }).members[0]!;
  const history = await manager.get(`members/${id}/history`);
  const { results } = history.body as { results: { id: number }[] };
  const purchase = `purchases/${results[0]!.id}/reversal`;
  const preview = async (body: object) => (await manager.post(`${purchase}/preview`, body)).body;

  const part = { amount: 7, points: 1, balance: 24, lost_levels: [] };
  assert.deepEqual(await preview({ amount: 7 }), part);
  assert.deepEqual(await preview({ amount: 7 }), part);
  assert.deepEqual(await preview({}), { amount: 255, points: 25, balance: 0, lost_levels: ['Captain'] });
  const key = { 'idempotency-key': crypto.randomUUID() };
  const { body } = await manager.post(purchase, { amount: 7 }, key);
  assert.deepEqual(body, { message: 'consumption reversed', amount: 7, points: 1, balance: 24 });

  assert.equal((await manager.post(`${purchase}/preview`, { amount: 249 })).status, 400);
  assert.equal((await manager.post('purchases/1/reversal/preview', {})).status, 404);
});
