/** Failures are also capped by wide network, by commerce and over the installation. */
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { sql } from '#db/database.ts';
import { service } from '#test/harness.ts';
import { makeShop } from '#test/make.ts';
import { anAddress, openNetworks } from '#test/networks.ts';
import { age, freshCode, mailedCodes, someone, wrongCode } from '#test/sign-in.ts';

const { db } = await service();
const { askFrom, showFrom, signInFrom, refusals } = await openNetworks();

async function refusalsOf(cap: string): Promise<number> {
  return (await refusals()).get(cap) ?? 0;
}

/** The counters are of a clock hour. If it ends within 30 s, waits for the next, so that a test stays in one hour. */
beforeEach(async () => {
  const { rows } = await sql<{ left: number }>`
    select extract(epoch from date_trunc('hour', now()) + interval '1 hour' - now())::float8 as left`.execute(
    db,
  );
  if (rows[0]!.left < 30) await new Promise((resolve) => setTimeout(resolve, rows[0]!.left * 1000));
});

/** Makes it look as if strangers had failed this often in this hour. */
async function setFailures(scope: string, failures: number): Promise<void> {
  await sql`
    insert into sign_in_failure_counts (hour, scope, failures) values (date_trunc('hour', now()), ${scope}, ${failures})
        on conflict (hour, scope) do update set failures = excluded.failures`.execute(db);
}

async function readFailures(scope: string): Promise<number> {
  const { rows } = await sql<{ failures: number }>`
    select failures from sign_in_failure_counts where scope = ${scope} order by hour desc limit 1`.execute(
    db,
  );
  return rows[0]?.failures ?? 0;
}

test('of 300 guesses at once out of one /24, or out of one /48, over 60 addresses, 200 are compared', async () => {
  for (const hostOf of [(i: number) => `198.51.100.${i}`, (i: number) => `2001:db8:7:${i}::1`]) {
    const shop = await makeShop();
    const before = await refusalsOf('sign-in-failures-of-a-network');
    const emails = Array.from({ length: 60 }, () => someone());
    const codes = await Promise.all(emails.map((email) => freshCode(shop.id, email)));
    const guesses = await Promise.all(
      emails.flatMap((email, i) =>
        Array.from({ length: 5 }, () => showFrom(hostOf(i), shop.id, email, wrongCode(codes[i]))),
      ),
    );
    assert.deepEqual(new Set(guesses.map(({ status }) => status)), new Set([400]));
    assert.equal((await refusalsOf('sign-in-failures-of-a-network')) - before, 100);
    const email = someone();
    const right = await freshCode(shop.id, email);
    assert.equal((await showFrom(hostOf(250), shop.id, email, right)).status, 400);
    assert.equal((await showFrom('192.0.2.1', shop.id, email, right)).status, 200);
  }
});

for (const [cap, limit, scopeOf] of [
  ['sign-in-failures-of-a-commerce', 1_000, (id: number) => `commerce ${id}`],
  ['sign-in-failures-of-the-installation', 2_000, () => 'installation'],
] as const)
  test(`${cap}: of 40 guesses at once, those up to the limit are compared, and a known network still gets in`, async () => {
    const shop = await makeShop();
    const [owner, home] = [someone(), anAddress()];
    assert.ok(await signInFrom(home, shop.id, owner));
    const emails = Array.from({ length: 40 }, () => someone());
    const codes = await Promise.all(emails.map((email) => freshCode(shop.id, email)));
    const scope = scopeOf(shop.id);
    const [before, refused] = [await readFailures(scope), await refusalsOf(cap)];
    await setFailures(scope, limit - 15);
    await Promise.all(emails.map((email, i) => showFrom(anAddress(), shop.id, email, wrongCode(codes[i]))));
    assert.equal((await refusalsOf(cap)) - refused, 25);

    const elsewhere = await makeShop();
    const stranger = await signInFrom(anAddress(), elsewhere.id, someone());
    assert.equal(
      stranger,
      cap === 'sign-in-failures-of-a-commerce',
      'other shops are not affected by a shop’s cap',
    );
    await age(owner, '61 seconds');
    assert.ok(await signInFrom(home, shop.id, owner));
    await setFailures(scope, before);
  });

test('a right code is no failure for any of the caps', async () => {
  const shop = await makeShop();
  const before = await readFailures('installation');
  assert.ok(await signInFrom('203.0.113.9', shop.id, someone()));
  assert.equal(await readFailures('installation'), before);
  assert.equal(await readFailures(`commerce ${shop.id}`), 0);
  assert.equal(await readFailures('203.0.113.0/24'), 0);
});

test('mails to strangers are capped by wide network, by commerce and over the installation, but not those from a known network', async () => {
  const shop = await makeShop();
  const owner = someone();
  assert.equal(await signInFrom('203.0.113.77', shop.id, owner), true);
  await age(owner, '61 seconds');
  for (const [cap, scope, full] of [
    ['sign-in-mails-of-a-network', 'mails 2001:db8:77::/48', 500],
    ['sign-in-mails-of-a-commerce', `mails commerce ${shop.id}`, 10_000],
    ['sign-in-mails-of-the-installation', 'mails installation', 30_000],
  ] as const) {
    const before = await readFailures(scope);
    await setFailures(scope, full - 10);
    const emails = Array.from({ length: 30 }, () => someone());
    const answers = await Promise.all(
      emails.map((email, i) => askFrom(`2001:db8:77:${i}::1`, shop.id, email)),
    );
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    const mailed = await Promise.all(emails.map((email) => mailedCodes(shop.id, email)));
    assert.equal(mailed.flat().length, 10);
    assert.equal(await refusalsOf(cap), 20);
    assert.equal(await signInFrom('203.0.113.77', shop.id, owner), true, 'the owner still gets hers');
    await age(owner, '2 hours');
    await setFailures(scope, before);
  }
});
