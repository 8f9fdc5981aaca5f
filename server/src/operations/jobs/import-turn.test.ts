import assert from 'node:assert/strict';
import { test } from 'node:test';
import { duringImport, ImportUnderWay } from '#commerces/import-turn.ts';
import { sql, type Database } from '#db/database.ts';
import { importPurchases } from '#purchases/import-purchases.ts';
import type { PurchaseFields } from '#purchases/read-purchase-row.ts';
import { nameOf, open, PATIENT } from '#test/database.ts';
import { service } from '#test/harness.ts';
import { makeShop, type Shop } from '#test/make.ts';
import { runDueJobs } from './run-jobs.ts';

test('an import has the same result whether or not jobs run meanwhile', async () => {
  const { db } = await service();
  const program = {
    points_expiration: { mode: 'accumulated', months: 1 },
    levels: {
      valid_months: 1,
      ladder: [
        { name: 'One', threshold: 0 },
        { name: 'Two', threshold: 100, points_multiplier: 2 },
      ],
    },
  };
  // Five people buy every 20 days, so nothing expires and no tier is lost before the last purchase.
  const rows = Array.from({ length: 600 }, (_, i) => ({
    client_email: `p${i % 5}@example.com`,
    amount: '200',
    date: new Date(Date.UTC(2015, 0, 1) + Math.floor(i / 5) * 20 * 86_400_000).toISOString(),
  }));
  const [quiet, busy] = [await makeShop(program), await makeShop(program)];
  await importRows(quiet, rows);
  const runs: Promise<unknown>[] = [];
  await importRows(busy, rows, () => runs.push(runDueJobs(db, busy.id)));
  assert.equal(runs.length, 2);
  await Promise.all(runs);
  for (const shop of [quiet, busy]) await runDueJobs(db, shop.id);
  assert.deepEqual(await movementsOf(busy), await movementsOf(quiet));
});

test('a second import into a commerce waits its turn, and is refused if the first one takes long', async () => {
  const { db } = await service();
  const shop = await makeShop();
  const rows = [{ client_email: 'a@example.com', amount: '10', date: '2021-05-01' }];
  const [begun, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const first = duringImport(db, shop.id, () => {
    begun.resolve();
    return end.promise;
  });
  await begun.promise;
  const hasty = open(await nameOf(db), 4, { ...PATIENT, lockMs: 500 });
  await assert.rejects(importRows(shop, rows, undefined, hasty), ImportUnderWay).finally(() => end.resolve());
  await hasty.destroy();
  await first;
  assert.equal((await importRows(shop, rows)).imported, 1);
});

async function importRows(shop: Shop, rows: readonly PurchaseFields[], onRecorded = () => {}, db?: Database) {
  const lines = (async function* () {
    for (const [i, fields] of rows.entries()) yield { line: i + 2, fields };
  })();
  return importPurchases(db ?? (await service()).db, shop.id, lines, { onRecorded });
}

async function movementsOf({ id }: Shop): Promise<unknown[]> {
  const { rows } = await sql`
    select m.email, v.type, v.at, v.points, v.points_earned
      from movements v
      join members m on m.commerce_id = v.commerce_id and m.id = v.member_id
     where v.commerce_id = ${id}
     order by m.email, v.at, v.type`.execute((await service()).db);
  return rows;
}
