import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NOWHERE } from '#points/purchase-facts.ts';
import { buildApp } from '../../src/app.ts';
import { transaction, type Db } from '#db/database.ts';
import { recordPurchases } from '#purchases/record-purchases.ts';
import { countingDatabase } from '#test/count-statements.ts';
import { testDatabase } from '#test/database.ts';
import { SECRET } from '#test/harness.ts';
import { makeShop } from '#test/make.ts';
import { markMoved, takeDue } from '#wallets/find-changed.ts';
import { createTickets } from '#wallets/ticket.ts';
import { walletService } from './wallet-service.ts';

test('a purchase of a member with cards in wallets sends the same statements as any other', async () => {
  const wallets = await walletService();
  const { db, count } = await countingDatabase();
  const shop = await makeShop();
  const [plain, carded] = [await shop.member(), await shop.member()];
  const buy = (code: number) =>
    transaction(db, (tx) =>
      recordPurchases(tx, [{ commerceId: shop.id, buyer: { code }, amount: 5, ...NOWHERE }]),
    );
  await buy(plain.code);
  const before = await count(() => buy(plain.code));
  const browser = await shop.browser(carded);
  await wallets.download(browser, shop.id);
  await wallets.openGoogle(browser, shop.id);
  assert.deepEqual((await count(() => buy(carded.code))).names, before.names);
});

test('where nobody has a card in a wallet, a look for changes is two statements that find nothing', async () => {
  const { db, count } = await countingDatabase();
  const shop = await makeShop();
  await shop.sell(await shop.member(), 5);
  const { statements } = await count(async () => {
    await markMoved(db, 1_000_000_000);
    await takeDue(db, [], 100);
  });
  assert.equal(statements, 2);
});

test('an address is good for five minutes of the database’s clock', async () => {
  const wallets = await walletService();
  const shop = await makeShop();
  const { userId } = await shop.member();
  const tickets = createTickets(SECRET);
  const statusAfter = async (seconds: number) => {
    const past = { query: async () => ({ rows: [{ now: new Date(Date.now() - seconds * 1000) }] }) };
    const [ticket] = await tickets.issue(past as unknown as Db, [
      { commerceId: shop.id, userId, kind: 'google' },
    ]);
    return (await wallets.fetch(`/wallet/google/cards/${ticket}`, { redirect: 'manual' })).status;
  };
  assert.equal(await statusAfter(290), 303);
  assert.equal(await statusAfter(310), 404);
});

test('what phones call is limited like calls, not like files', async () => {
  const { settings } = await walletService();
  const app = await buildApp({
    db: await testDatabase(),
    log: false,
    secret: SECRET,
    wallets: settings,
    rateLimits: { perKey: 0, perUser: 0, perNetwork: 5 },
  });
  try {
    for (const url of [
      '/wallet/apple/cards/x',
      '/wallet/google/cards/x',
      '/wallet/apple/v1/passes/pass.example.club/1.x',
    ]) {
      const answers = await Promise.all(Array.from({ length: 20 }, () => app.inject({ url })));
      const refused = answers.filter(({ statusCode }) => statusCode === 429).length;
      assert.ok(refused >= 10, `${url}: ${refused} of 20 were refused`);
    }
  } finally {
    await app.close();
  }
});

test('an expired certificate hides Apple’s cards from members and phones, and Google’s stay', async () => {
  const { settings } = await walletService();
  const app = await buildApp({
    db: await testDatabase(),
    log: false,
    secret: SECRET,
    wallets: { ...settings, apple: { ...settings.apple!, expiresAt: new Date(Date.now() - 1000) } },
  });
  try {
    const shop = await makeShop();
    const browser = await shop.browser(await shop.member());
    const wallets = await walletService();
    const pass = await wallets.download(browser, shop.id);
    const { apple } = await wallets.addressesOf(browser, shop.id);
    const answer = await app.inject({
      url: '/v1/me/card/wallets',
      headers: { authorization: `Bearer ${browser.token}`, 'x-commerce-id': String(shop.id) },
    });
    const body = answer.json<{ apple: string | null; google: string | null }>();
    assert.equal(body.apple, null);
    assert.match(body.google ?? '', /^https:/);
    assert.equal((await app.inject({ url: apple!.replace(settings.base, '') })).statusCode, 404);
    const update = await app.inject({
      url: `/wallet/apple/v1/passes/${settings.apple!.passTypeId}/${pass.serialNumber}`,
      headers: { authorization: `ApplePass ${pass.authenticationToken}` },
    });
    assert.equal(update.statusCode, 404);
  } finally {
    await app.close();
  }
});
