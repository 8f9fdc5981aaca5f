import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql, transaction } from '#db/database.ts';
import { service } from '#test/harness.ts';
import { makeShop } from '#test/make.ts';
import { untilOneWaits } from '#test/until-one-waits.ts';
import { lockMembers } from './lock-members.ts';

test('a member is returned as the transaction left them that held the lock', async () => {
  const { db } = await service();
  const shop = await makeShop();
  const members = [await shop.member(), await shop.member(), await shop.member()];
  const byCode = members.map(({ code }) => ({ commerceId: shop.id, code }));
  const mixed = members.map(({ code, email }, i) => ({
    commerceId: shop.id,
    ...(i === 0 ? { email } : { code }),
  }));
  for (const refs of [byCode, mixed]) {
    const locked = Promise.withResolvers<void>();
    const first = transaction(db, async (tx) => {
      const [member] = await lockMembers(tx, refs.slice(0, 1));
      locked.resolve();
      await untilOneWaits(db);
      await sql`
        update members set username = 'after the wait'
         where commerce_id = ${shop.id} and id = ${member!.id}`.execute(tx);
      return member!.id;
    });
    await locked.promise;
    const second = await transaction(db, (tx) => lockMembers(tx, refs));
    const id = await first;
    assert.deepEqual(
      second.map((member) => member.id),
      members.map((member) => member.memberId),
    );
    assert.equal(second.find((member) => member.id === id)?.username, 'after the wait');
  }
});

test('members are returned once, in ascending order, whatever they were referred to by', async () => {
  const { db } = await service();
  const shop = await makeShop();
  const [first, second] = [await shop.member(), await shop.member()];
  const refs = [
    { commerceId: shop.id, code: second.code },
    { commerceId: shop.id, id: second.memberId },
    { commerceId: shop.id, email: first.email },
    { commerceId: shop.id, userId: first.userId },
    { commerceId: shop.id, code: second.code },
    { commerceId: shop.id, email: 'nobody@example.com' },
  ];
  const members = await transaction(db, (tx) => lockMembers(tx, refs));
  assert.deepEqual(
    members.map((member) => member.id),
    [first.memberId, second.memberId],
  );
  assert.deepEqual(await transaction(db, (tx) => lockMembers(tx, [])), []);
});
