import assert from 'node:assert/strict';
import { test } from 'node:test';
import { transaction } from '#db/database.ts';
import { findMember } from '#members/lock-members.ts';
import { assertBooksAgree } from '#test/books.ts';
import { service } from '#test/harness.ts';
import { makeShop } from '#test/make.ts';
import { someone } from '#test/sign-in.ts';
import { enrolMember } from './enrol-member.ts';

const { db } = await service();

test('40 people who join with aliases of one mailbox at once get one welcome reward, and all of them join', async () => {
  const shop = await makeShop({ rewards: { welcome: { points: 50 } } });
  const [local] = someone().split('@');
  const joined = await Promise.all(
    Array.from({ length: 40 }, (_, i) =>
      transaction(db, (tx) => enrolMember(tx, shop.id, `${local}+${i}@gmail.com`)),
    ),
  );
  assert.deepEqual(new Set(joined.map((one) => one.joined)), new Set([true]));
  assert.equal(joined.filter(({ welcomePoints }) => welcomePoints === 50).length, 1);
  const other = await makeShop({ rewards: { welcome: { points: 50 } } });
  const elsewhere = await transaction(db, (tx) => enrolMember(tx, other.id, `${local}@gmail.com`));
  assert.equal(elsewhere.welcomePoints, 50, 'each shop welcomes a person');
  await assertBooksAgree(db, shop.id);
});

test('a mailbox that a shop has welcomed is not welcomed again if it is erased and joins under an alias', async () => {
  const shop = await makeShop({ rewards: { welcome: { points: 50 } } });
  const [local] = someone().split('@');
  const first = await transaction(db, (tx) => enrolMember(tx, shop.id, `${local}@example.com`));
  assert.equal(first.welcomePoints, 50);
  const email = `${local}@example.com`;
  await shop.erase({ ...first, email, code: (await findMember(db, { commerceId: shop.id, email }))!.code! });
  const again = await transaction(db, (tx) => enrolMember(tx, shop.id, `${local}+again@example.com`));
  assert.deepEqual([again.joined, again.welcomePoints], [true, null]);
});
