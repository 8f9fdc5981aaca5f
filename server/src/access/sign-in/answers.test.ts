import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql, transaction } from '#db/database.ts';
import { service, type Answer } from '#test/harness.ts';
import { makeShop } from '#test/make.ts';
import { age, askForCode, freshCode, showCode, signIn, someone, wrongCode } from '#test/sign-in.ts';

/** Returns a response as text, without the headers that differ in every response. */
function withoutRequestHeaders({ status, headers, text }: Answer): string {
  const names = [...headers.keys()].filter((name) => !['date', 'x-request-id'].includes(name));
  return JSON.stringify([status, names.map((name) => [name, headers.get(name)]), text]);
}

test('asking for a code does not reveal whether an account exists or a limit was reached', async () => {
  const shop = await makeShop();
  const [known, unknown, throttled] = [someone('known'), someone('other'), someone('often')];
  await signIn(shop.id, known);
  await age(known, '61 seconds');
  await askForCode(shop.id, throttled);
  const answers = [];
  for (const email of [known, unknown, throttled])
    answers.push(withoutRequestHeaders(await askForCode(shop.id, email)));
  assert.equal(new Set(answers).size, 1);
});

test('a wrong code does not reveal whether there is an account, a valid code or a lock', async () => {
  const { db } = await service();
  const shop = await makeShop();
  const [known, live, locked] = [someone('known'), someone('live'), someone('locked')];
  await signIn(shop.id, known);
  const code = await freshCode(shop.id, live);
  const lockedCode = await freshCode(shop.id, locked);
  await sql`insert into sign_in_failures (email, network) select ${locked}, '127.0.0.1' from generate_series(1, 20)`.execute(
    db,
  );
  const answers = [
    withoutRequestHeaders(await showCode(shop.id, known, '123456')),
    withoutRequestHeaders(await showCode(shop.id, someone('never'), '123456')),
    withoutRequestHeaders(await showCode(shop.id, live, wrongCode(code))),
    withoutRequestHeaders(await showCode(shop.id, locked, lockedCode)),
  ];
  assert.equal(new Set(answers).size, 1);
});

test('accounts are not read to send a code, nor to refuse a wrong one', async () => {
  const { db } = await service();
  const shop = await makeShop();
  const email = someone();
  // Under this lock, a call that reads the accounts would wait until it times out.
  await transaction(db, async (holder) => {
    await sql`lock table users, members in access exclusive mode`.execute(holder);
    assert.equal((await askForCode(shop.id, email)).status, 200);
    assert.equal((await showCode(shop.id, email, 'wrong')).status, 400);
  });
});
