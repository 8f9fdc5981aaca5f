/** A person signs in while somebody spends all that strangers may spend of her limits. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '#db/database.ts';
import { service } from '#test/harness.ts';
import { makeShop } from '#test/make.ts';
import { anAddress, openNetworks } from '#test/networks.ts';
import { age, mailedCodes, mailedLinks, someone, wrongCode } from '#test/sign-in.ts';

const { db } = await service();
const { askFrom, pressFrom, showFrom, signInFrom } = await openNetworks();

test('five requests and 25 wrong digits do not keep the owner out: she signs in from her own network at once', async () => {
  const shop = await makeShop();
  const [email, home] = [someone(), anAddress()];
  assert.ok(await signInFrom(home, shop.id, email));
  await age(email, '1 day');
  for (let round = 0; round < 5; round++) {
    const stranger = anAddress();
    await askFrom(stranger, shop.id, email);
    const [code] = await mailedCodes(shop.id, email);
    for (let i = 0; i < 5; i++) await showFrom(stranger, shop.id, email, wrongCode(code));
    await age(email, '61 seconds');
  }
  assert.ok(await signInFrom(home, shop.id, email));
});

test('100 requests of strangers at once for each of a day’s codes leave half of the codes to the owner', async () => {
  const shop = await makeShop();
  const [email, home] = [someone(), anAddress()];
  assert.ok(await signInFrom(home, shop.id, email));
  await age(email, '1 day');
  const sent = async () => (await mailedCodes(shop.id, email)).length - 1;
  for (let hour = 0; hour < 6; hour++) {
    for (let minute = 0; minute < 3; minute++) {
      await Promise.all(Array.from({ length: 20 }, () => askFrom(anAddress(), shop.id, email)));
      await age(email, '61 seconds');
    }
    await age(email, '1 hour');
  }
  assert.equal(await sent(), 5, 'strangers get 2 an hour and 5 a day');
  for (let i = 0; i < 7; i++) {
    await Promise.all(Array.from({ length: 5 }, () => askFrom(home, shop.id, email)));
    await age(email, '1 hour');
  }
  assert.equal(await sent(), 10, 'the owner gets the other half');
});

test('50 failures of strangers lock out strangers, not the owner', async () => {
  const shop = await makeShop();
  const [email, home] = [someone(), anAddress()];
  assert.ok(await signInFrom(home, shop.id, email));
  await age(email, '61 seconds');
  for (let round = 0; round < 12; round++) {
    await sql`delete from sign_in_sends where email = ${email}`.execute(db);
    await askFrom(home, shop.id, email);
    const [code] = await mailedCodes(shop.id, email);
    await Promise.all(
      Array.from({ length: 20 }, () => showFrom(anAddress(), shop.id, email, wrongCode(code))),
    );
  }
  const { rows } = await sql<{ count: number }>`
    select count(*) from sign_in_failures where email = ${email}`.execute(db);
  assert.equal(rows[0]!.count, 50);
  await sql`delete from sign_in_sends where email = ${email}`.execute(db);
  await askFrom(home, shop.id, email);
  const [code = ''] = await mailedCodes(shop.id, email);
  assert.equal((await showFrom(anAddress(), shop.id, email, code)).status, 400);
  assert.equal((await showFrom(home, shop.id, email, code)).status, 200);
});

test('while requests and guesses for her and her aliases pour in from new networks, the owner signs in at the first attempt', async () => {
  const shop = await makeShop();
  const [local] = someone().split('@');
  const [email, home] = [`${local}@gmail.com`, anAddress()];
  assert.ok(await signInFrom(home, shop.id, email));
  await age(email, '61 seconds');
  const stopping = new AbortController();
  const made = { calls: 0 };
  const attack = async (attacker: number) => {
    for (let i = 0; !stopping.signal.aborted; i++, made.calls += 2) {
      const stranger = anAddress();
      await askFrom(stranger, shop.id, i % 2 === 0 ? `${local}+${attacker}.${i}@gmail.com` : email);
      await showFrom(stranger, shop.id, email, 'xxxxxx');
    }
  };
  const attackers = Array.from({ length: 8 }, (_, attacker) => attack(attacker));
  try {
    while (made.calls < 100) await new Promise((resolve) => setTimeout(resolve, 20));
    const before = await mailedLinks(shop.id, email);
    assert.equal((await askFrom(home, shop.id, email)).status, 200);
    const links = await mailedLinks(shop.id, email);
    assert.equal(links.length, before.length + 1, 'a mail goes out at once');
    made.calls = 0;
    while (made.calls < 100) await new Promise((resolve) => setTimeout(resolve, 20));
    // The digits are burned by now.
    const [code = ''] = await mailedCodes(shop.id, email);
    assert.equal((await showFrom(home, shop.id, email, code)).status, 400);
    assert.equal((await pressFrom(home, shop.id, links[0]!)).status, 200);
  } finally {
    stopping.abort();
    await Promise.all(attackers);
  }
});

test('a known network and strangers each have a minute of their own, also in a race', async () => {
  const shop = await makeShop();
  const [email, home] = [someone(), anAddress()];
  assert.ok(await signInFrom(home, shop.id, email));
  await askFrom(home, shop.id, email);
  assert.equal(
    (await mailedCodes(shop.id, email)).length,
    1,
    'the code that she signed in with counts as hers',
  );
  await age(email, '61 seconds');
  await Promise.all(
    Array.from({ length: 40 }, (_, i) => askFrom(i % 2 === 0 ? home : anAddress(), shop.id, email)),
  );
  const sent = (await mailedCodes(shop.id, email)).length - 1;
  assert.ok(sent === 1 || sent === 2, `${sent} codes: hers, and before it possibly one of a stranger`);
});

test('codes for aliases of a mailbox leave codes for its plain address, in the shop and over all shops', async () => {
  const [shop, other] = await Promise.all([makeShop(), makeShop()]);
  for (const hasSignedIn of [true, false]) {
    const email = someone();
    if (hasSignedIn) assert.ok(await signInFrom(anAddress(), shop.id, email));
    await age(email, '2 hours');
    const [local, domain] = email.split('@');
    for (let i = 0; i < 12; i++) {
      const alias = `${local}+x${i}@${domain}`;
      await askFrom(anAddress(), i % 2 === 0 ? shop.id : other.id, alias);
      await age(alias, '61 seconds');
    }
    const before = (await mailedCodes(shop.id, email)).length;
    await askFrom(anAddress(), shop.id, email);
    assert.equal((await mailedCodes(shop.id, email)).length, before + 1, `signed in: ${hasSignedIn}`);
  }
});
