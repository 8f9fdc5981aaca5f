import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql, transaction } from '#db/database.ts';
import { service } from '#test/harness.ts';
import { makeShop } from '#test/make.ts';
import { age, askForCode, freshCode, mailedCodes, showCode, someone, wrongCode } from '#test/sign-in.ts';
import { lockAddress } from './lock-address.ts';

const { db } = await service();

test('an address gets a code once in 60 s, 5 times an hour and 10 times a day; further calls get the same response', async () => {
  const shop = await makeShop();
  const email = someone();
  const sent = async () => (await mailedCodes(shop.id, email)).length;
  await askForCode(shop.id, email);
  await age(email, '45 seconds');
  assert.equal((await askForCode(shop.id, email)).status, 200);
  assert.equal(await sent(), 1);
  await age(email, '16 seconds');
  for (let i = 0; i < 6; i++) {
    await askForCode(shop.id, email);
    await age(email, '61 seconds');
  }
  assert.equal(await sent(), 5);
  await age(email, '1 hour');
  for (let i = 0; i < 7; i++) {
    await askForCode(shop.id, email);
    await age(email, '61 seconds');
  }
  assert.equal(await sent(), 10);
  await age(email, '2 hours');
  await askForCode(shop.id, email);
  assert.equal(await sent(), 10);
  await age(email, '1 day');
  await askForCode(shop.id, email);
  assert.equal(await sent(), 11);
});

test('an address gets at most 20 codes a day over all commerces', async () => {
  const email = someone();
  let sent = 0;
  for (let i = 0; i < 22; i++) {
    const shop = await makeShop();
    await askForCode(shop.id, email);
    sent += (await mailedCodes(shop.id, email)).length;
  }
  assert.equal(sent, 20);
});

test('a flood of requests sends one code, and that code stays valid', async () => {
  const shop = await makeShop();
  const email = someone();
  const answers = await Promise.all(Array.from({ length: 100 }, () => askForCode(shop.id, email)));
  assert.deepEqual(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size, 1);
  const codes = await mailedCodes(shop.id, email);
  assert.equal(codes.length, 1);
  assert.equal((await showCode(shop.id, email, codes[0]!)).status, 200);
});

test('a hundred guesses at once count as five tries', async () => {
  const shop = await makeShop();
  const email = someone();
  const code = await freshCode(shop.id, email);
  const guesses = await Promise.all(
    Array.from({ length: 100 }, (_, i) =>
      showCode(shop.id, email, `${i}`.padStart(6, wrongCode(code).slice(0, 1))),
    ),
  );
  const { rows } = await sql<{ tries: number; failures: number }>`
    select tries, (select count(*) from sign_in_failures where email = ${email}) as failures
      from sign_in_codes where email = ${email}`.execute(db);
  if (guesses.every(({ status }) => status === 400)) assert.deepEqual(rows, [{ tries: 5, failures: 5 }]);
  assert.equal((await showCode(shop.id, email, code)).status, 400);
});

test('100 failures lock an address for all networks, and a right code is not a failure', async () => {
  const shop = await makeShop();
  const email = someone();
  const first = await freshCode(shop.id, email);
  assert.equal((await showCode(shop.id, email, first)).status, 200);
  await sql`
    insert into sign_in_failures (email, network)
    select ${email}, 'network ' || n from generate_series(1, 99) n`.execute(db);
  await age(email, '61 seconds');
  assert.equal((await showCode(shop.id, email, await freshCode(shop.id, email))).status, 200);
  await sql`insert into sign_in_failures (email, network) values (${email}, 'one more')`.execute(db);
  await age(email, '61 seconds');
  assert.equal((await showCode(shop.id, email, await freshCode(shop.id, email))).status, 400);
});

test('a try without a valid code does not count', async () => {
  const shop = await makeShop();
  const email = someone();
  for (let i = 0; i < 25; i++) await showCode(shop.id, email, '123456');
  assert.equal((await showCode(shop.id, email, await freshCode(shop.id, email))).status, 200);
});

test('throttled calls do not wait for the lock on the address, so a flood does not delay other calls', async () => {
  const shop = await makeShop();
  const [sent, burned] = [someone('sent'), someone('burned')];
  await askForCode(shop.id, sent);
  const code = await freshCode(shop.id, burned);
  for (let i = 0; i < 5; i++) await showCode(shop.id, burned, wrongCode(code));
  // A call that waits for one of these addresses now would time out and return 503.
  await transaction(db, async (tx) => {
    for (const email of [sent, burned]) await lockAddress(tx, email);
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, i) =>
        i % 2 === 0 ? askForCode(shop.id, sent) : showCode(shop.id, burned, code),
      ),
    );
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200, 400]));
  });
  assert.equal((await mailedCodes(shop.id, sent)).length, 1);
});
