import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql, transaction } from '#db/database.ts';
import { enrolMember } from '#enrolment/enrol-member.ts';
import { service } from '#test/harness.ts';
import { assertBooksAgree } from '#test/books.ts';
import { makeShop } from '#test/make.ts';
import { freshCode, showCode, someone, type SessionBody } from '#test/sign-in.ts';

const AT_ONCE = 30;

test(`of ${AT_ONCE} calls with the right code at once, one signs in`, async () => {
  const { db } = await service();
  const shop = await makeShop({ rewards: { welcome: { points: 7 } } });
  for (let round = 0; round < 5; round++) {
    const email = someone();
    await shop.post('/v1/consumptions/email', { client_email: email, amount: 40 });
    const code = await freshCode(shop.id, email);
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => showCode(shop.id, email, code)));
    const signedIn = answers.filter(({ status }) => status === 200);
    const refused = answers.filter(({ status }) => status === 400);
    assert.deepEqual([signedIn.length, refused.length], [1, AT_ONCE - 1]);
    const { rows } = await sql`
      select (select count(*) from users where email = ${email}) as users,
             count(*) as members, sum(m.points_earned) as points
        from members m where m.commerce_id = ${shop.id} and m.email = ${email}`.execute(db);
    assert.deepEqual(rows, [{ users: 1, members: 1, points: '47' }]);
  }
  await assertBooksAgree(db, shop.id);
});

test(`${AT_ONCE} first sign-ins with one address at different commerces create one account`, async () => {
  const email = someone();
  const shops = await Promise.all(Array.from({ length: AT_ONCE }, () => makeShop()));
  // An address gets 20 codes a day, so only the first 20 commerces sign in.
  const codes = await Promise.all(
    shops.slice(0, 20).map(async (shop) => [shop.id, await freshCode(shop.id, email)] as const),
  );
  const answers = await Promise.all(codes.map(([id, code]) => showCode(id, email, code)));
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
  assert.equal(new Set(answers.map(({ body }) => (body as SessionBody).user_id)).size, 1);
});

test(`${AT_ONCE} calls that join at once claim waiting points and the welcome reward once`, async () => {
  const { db } = await service();
  const shop = await makeShop({ rewards: { welcome: { points: 7 } } });
  const email = someone();
  await shop.post('/v1/consumptions/email', { client_email: email, amount: 40 });
  const joined = await Promise.all(
    Array.from({ length: AT_ONCE }, () => transaction(db, (tx) => enrolMember(tx, shop.id, email))),
  );
  assert.equal(joined.filter((enrolment) => enrolment.joined).length, 1);
  assert.equal(new Set(joined.map(({ userId }) => userId)).size, 1);
  const { rows } = await sql`
    select type, points from movements where commerce_id = ${shop.id} order by id`.execute(db);
  assert.deepEqual(rows, [
    { type: 'purchase', points: 40 },
    { type: 'reward', points: 7 },
  ]);
  await assertBooksAgree(db, shop.id);
});
