import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeShop } from '#test/make.ts';
import { makeStaff } from '#test/staff.ts';
import { openReceiver } from './receiver.ts';
import { startTestSender, until } from './sending.ts';

startTestSender();

test('an owner creates a webhook, and its receiver gets signed events', async () => {
  const shop = await makeShop();
  const owner = await makeStaff(shop, 'owner');
  const receiver = await openReceiver();
  const created = await owner.post('webhooks', { name: 'Newsletter', url: receiver.url });
  assert.equal(created.status, 201, created.text);
  receiver.secrets.push((created.body as { secret: string }).secret);
  const member = await shop.member();
  await shop.sell(member, 20);
  await until(() => receiver.received.length >= 3, 'three events');
  const types = receiver.received.map(({ body }) => body.type);
  assert.deepEqual(types.toSorted(), ['member.invited', 'member.joined', 'purchase.recorded']);
  for (const { id, body } of receiver.received) {
    assert.equal(body.data['id'], id);
    assert.equal(body.data['at'], body.timestamp);
  }
  assert.deepEqual(receiver.wrong, []);
});
