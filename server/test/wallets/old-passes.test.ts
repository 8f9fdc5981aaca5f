import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql, transaction } from '#db/database.ts';
import { NOWHERE } from '#points/purchase-facts.ts';
import { recordPurchases } from '#purchases/record-purchases.ts';
import { expectTampering, testDatabase } from '#test/database.ts';
import { makeShop } from '#test/make.ts';
import { startUpdateSender } from '#wallets/send-updates.ts';
import { startAppleServer } from './apple-server.ts';
import { startGoogleServer } from './google-server.ts';
import { walletService } from './wallet-service.ts';

test('hundreds of cards that nobody has looked at for an hour are looked at in one round', async (t) => {
  const db = await testDatabase();
  const wallets = await walletService();
  const shop = await makeShop();
  const purchases = Array.from({ length: 450 }, (_, i) => ({
    commerceId: shop.id,
    buyer: { email: `p${i}-${shop.slug}@example.com` },
    amount: 1,
    ...NOWHERE,
  }));
  await transaction(db, (tx) => recordPurchases(tx, purchases));
  expectTampering(shop.id);
  await sql`
    update members m
       set state = 'member', code = 100000000 + p.nth, ordinal = p.nth, enrolled_at = now()
      from (select id, row_number() over (order by id) as nth from members where commerce_id = ${shop.id}) p
     where m.commerce_id = ${shop.id} and m.id = p.id`.execute(db);
  await sql`insert into wallet_shops (commerce_id, google_class, searched_to) values (${shop.id}, 'old', 1e12)`.execute(
    db,
  );
  await sql`
    insert into wallet_passes (commerce_id, serial, member_id, kind, checked_at)
    select commerce_id, 'old-' || id, id, 'apple', now() - interval '2 hours'
      from members where commerce_id = ${shop.id}`.execute(db);

  const sender = startUpdateSender({
    db,
    wallets: wallets.settings,
    log: { info: () => {}, warn: () => {} } as never,
    servers: {
      apple: await startAppleServer(wallets.authority.certificate),
      google: await startGoogleServer(wallets.publicKey),
    },
    // The second round would come after the test.
    everyMs: 600_000,
  });
  t.after(() => sender.stop());
  const end = performance.now() + 12_000;
  const leftOver = async () => {
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from wallet_passes
       where commerce_id = ${shop.id} and (due_at is not null or checked_at < now() - interval '1 hour')`.execute(
      db,
    );
    return rows[0]!.count;
  };
  while ((await leftOver()) > 0 && performance.now() < end) await sleep(20);
  assert.equal(await leftOver(), 0);
});
